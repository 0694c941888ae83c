// What must hold of everything that is written, whatever it was made of.
#pragma once

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "entry.hpp"
#include "hkpd/write/writer.hpp"

namespace hkpd_fuzz {

inline void require_json(std::string_view text) {
    rapidjson::MemoryStream stream(text.data(), text.size());
    rapidjson::BaseReaderHandler<> unheard;
    rapidjson::Reader reader;
    require(!reader.Parse < rapidjson::kParseValidateEncodingFlag |
            rapidjson::kParseIterativeFlag > (stream, unheard).IsError());
}

/// No terminal acts on it: lines, and no other control character.
inline void require_printable(std::string_view text) {
    require(std::ranges::all_of(text, [](char c) { return c == '\n' || static_cast<unsigned char>(c) >= 0x20; }));
    require(text.find("\xC2\x9B") == std::string_view::npos);  // CSI in one character
}

/// What a form promises. Those for other programs hand on what a name holds, in quotes.
inline void require_form(hkpd::Format format, std::string_view text) {
    if (format == hkpd::Format::table) require_printable(text);
    if (format == hkpd::Format::json) require_json(text);
    if (format == hkpd::Format::openmetrics) require(text.empty() || text.ends_with("# EOF\n"));
    while (format == hkpd::Format::jsonl && !text.empty()) {
        const std::size_t end = text.find('\n');
        require(end != std::string_view::npos);
        require_json(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
}

/// What is written of the diagnostics, at the end of a run.
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
