// What is in a file, through compression: for readers that take a file as a whole.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/stream_window.hpp"
#include "hkpd/limits.hpp"
#include "source/unpack.hpp"

namespace hkpd {

class Diagnostics;

/// Calls `take` with the content of an input: of a zip archive with each of its files, whose names are
/// `archive.zip/name` and the last inputs of `diagnostics` at that time; `member` is then true. `window` is at the
/// beginning of the input `path`, and is valid during the call, as are those that `take` receives. What cannot be
/// unpacked is reported.
void visit_unpacked(StreamWindow window, const std::string& path, const Limits& limits, Diagnostics& diagnostics,
                    const std::function<void(StreamWindow window, const std::string& path, bool member)>& take);

/// Returns the content of a file in the format gzip or zstd, of at most `most` bytes as it is; none for other files,
/// larger ones and damaged ones.
std::optional<Unpacked> unpack_quietly(StreamWindow& window, std::uint64_t most, const Limits& limits);

}  // namespace hkpd
