// Properties of everything that is written, whatever it was made from.
#pragma once

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text/parse_number.hpp"
#include "entry.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/write.hpp"

namespace hkpd_fuzz {

/// Requires that a text is JSON, and in UTF-8 unless `utf8` is false.
inline void require_json(std::string_view text, bool utf8 = true) {
    using namespace rapidjson;
    MemoryStream stream(text.data(), text.size());
    BaseReaderHandler<> discarded;
    Reader reader;
    constexpr unsigned strict = kParseValidateEncodingFlag | kParseIterativeFlag;
    require(!(utf8 ? reader.Parse<strict>(stream, discarded) : reader.Parse<kParseIterativeFlag>(stream, discarded))
                 .IsError());
}

/// Requires that no terminal acts on the text: lines, no other control character, and none that changes the direction
/// of text.
inline void require_printable(std::string_view text, bool tabs = false) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = [text, i](std::size_t ahead) {
            return i + ahead < text.size() ? static_cast<unsigned char>(text[i + ahead]) : 0U;
        };
        const bool line_end = byte(0) == '\n' || (byte(0) == '\r' && byte(1) == '\n');
        require(line_end || (tabs && byte(0) == '\t') || (byte(0) >= 0x20 && byte(0) != 0x7F));
        require(byte(0) != 0xC2 || byte(1) < 0x80 || byte(1) > 0x9F);                     // U+0080 to U+009F
        require(byte(0) != 0xE2 || byte(1) != 0x80 || byte(2) < 0xA8 || byte(2) > 0xAE);  // U+2028 to U+202E
        require(byte(0) != 0xE2 || byte(1) != 0x81 || byte(2) < 0xA6 || byte(2) > 0xA9);  // U+2066 to U+2069
    }
}

/// Returns the first cell of CSV (RFC 4180) without its quotes, and removes it and its delimiter from the text.
inline std::string take_cell(std::string_view& text) {
    std::string cell;
    bool quoted = false;
    for (; !text.empty() && (quoted || (text.front() != ',' && text.front() != '\n')); text.remove_prefix(1)) {
        const bool doubled = quoted && text.starts_with("\"\"");
        if (doubled) text.remove_prefix(1);
        if (text.front() == '"' && !doubled) {
            require(quoted ? text.substr(1, 1).find_first_of(",\n") == 0 : cell.empty());
            quoted = !quoted;
        } else {
            cell += text.front();
        }
    }
    require(!quoted && !text.empty());
    text.remove_prefix(1);
    return cell;
}

/// Requires that no spreadsheet takes a cell for a formula.
inline void require_no_formula(std::string_view csv) {
    while (!csv.empty()) {
        const std::string cell = take_cell(csv);
        require(hkpd::parse_double(cell) || cell.find_first_of("=+-@") != 0);
    }
}

/// Requires what a form promises.
inline void require_form(hkpd::Format format, std::string_view text) {
    using Syntax = hkpd::FormatSpec::Syntax;
    const Syntax syntax = spec_of(format).syntax;
    if (syntax == Syntax::binary) return;
    require_printable(text, syntax == Syntax::tabbed);
    if (syntax == Syntax::csv) require_no_formula(text);
    if (syntax == Syntax::json) require_json(text);
    if (syntax == Syntax::openmetrics) require(text.empty() || text.ends_with("# EOF\n"));
    while (syntax == Syntax::json_lines && !text.empty()) {
        const std::size_t end = text.find('\n');
        require(end != std::string_view::npos);
        require_json(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
}

/// Requires that what is written of the diagnostics at the end of a run is printable.
inline void require_diagnostics(const hkpd::Diagnostics& diagnostics) {
    std::string text;
    for (const hkpd::Diagnostic& diagnostic : diagnostics.kept()) {
        text.clear();
        append_diagnostic(text, diagnostics, diagnostic);
        require(text.find('\n') == std::string::npos);
        require_printable(text);
    }
}

}  // namespace hkpd_fuzz
