// Text of an input as UTF-8, with what is wrong with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hkpd/error.hpp"
#include "hkpd/v1.hpp"
#include "base/text/encoding.hpp"

namespace hkpd {

/// Appends text as UTF-8. Characters that its encoding does not have are a warning; an encoding that is unknown here
/// costs all but the ASCII of it.
inline void append_text(std::string& out, const v1::Text& text, std::string_view structure, std::string_view field,
                        std::uint32_t object, std::uint32_t instance, Diagnostics& diagnostics) {
    if (append_code_page(out, text.bytes.span(), text.code_page, text.order)) return;
    if (knows_code_page(text.code_page))
        diagnostics.add(Severity::warning,
                        {Errc::bad_text, text.bytes.offset(), structure, field, 0, text.bytes.size()}, object,
                        instance);
    else
        diagnostics.add(Severity::error, {Errc::code_page, text.bytes.offset(), structure, field, 0, text.code_page},
                        object, instance);
}

}  // namespace hkpd
