// Names as stored in a database.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "hkpd/sample.hpp"
#include "write/cells.hpp"
#include "write/series.hpp"

namespace hkpd {

/// Returns the first characters of UTF-8 text, at most `most` characters.
inline std::string_view first_characters(std::string_view text, std::size_t most) noexcept {
    if (text.size() <= most) return text;
    std::size_t count = 0;
    const auto end = std::ranges::find_if(text, [&](char c) {
        const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        return begins && ++count > most;
    });
    return text.substr(0, static_cast<std::size_t>(std::distance(text.begin(), end)));
}

/// Returns a name as stored in the database: printable, and cut off at the length of the column. The limit is needed
/// because the length of titles is not limited, and a name is kept for each counter of each instance.
inline std::string database_name(std::string_view name) {
    // Text is cut off before escaping, so that the rest of a long text need not be escaped. It is cut off again after
    // escaping, because an escaped character is longer.
    std::string shown = printable(first_characters(name, longest_name));
    shown.resize(first_characters(shown, longest_name).size());
    return shown;
}

/// Returns the name of a sample's machine as in the database; empty if the machine is unknown.
inline std::string machine_name(const Sample& sample) { return database_name(sample.machine.value_or("")); }

}  // namespace hkpd
