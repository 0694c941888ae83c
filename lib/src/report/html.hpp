// Text of an HTML page. Everything that comes from an input is text and never markup.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hkpd/zone.hpp"
#include "quantity/unit.hpp"

namespace hkpd {

/// Returns text of at most `most` bytes: longer text is cut between characters, with an ellipsis at its end.
std::string cut_text(std::string_view text, std::size_t most);
/// Appends text for people as HTML: `<`, `>`, `&` and quotes are references, and control and formatting characters are
/// escapes such as `\u202E`. `most`: longer text is cut, with an ellipsis at its end.
void append_html(std::string& out, std::string_view text, std::size_t most = static_cast<std::size_t>(-1));

/// Appends `<data value="EXACT">SHOWN</data>`, shown with its unit; a dash for NaN. What is shown when the pointer is
/// over it has all digits. With a factor, the exact number is that of the counter, which is multiplied to be shown:
/// `<data value="48" data-scale="1048576">48 MiB</data>`.
void append_value(std::string& out, double value, ScaledUnit unit = {});
/// Appends `<time datetime="UTC">LOCAL</time>`. `time`: nanoseconds since 1970 (UTC).
void append_moment_html(std::string& out, std::int64_t time, const Zone& zone);
/// Appends `<data value="SECONDS">SHOWN</data>`.
void append_duration_html(std::string& out, std::int64_t nanoseconds);

}  // namespace hkpd
