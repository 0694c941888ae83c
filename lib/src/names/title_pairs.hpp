// Index and title in turn: how a list of strings becomes a table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/text/located_text.hpp"
#include "hkpd/error.hpp"
#include "hkpd/names.hpp"

namespace hkpd {

class FaultSink;

/// How indices and titles are laid out in a text.
enum class TitleForm : std::uint8_t {
    none,     ///< there is no index in it
    strings,  ///< REG_MULTI_SZ: strings that end with NUL, and an empty one at the end
    lines,    ///< one string a line
    tabbed,   ///< index, tab and title in a line
};

/// The form of a text, by its first separator and the first line that has an index.
TitleForm title_form(const RawText& text) noexcept;

/// What a text would yield.
struct PairCount {
    std::size_t pairs = 0;
    std::size_t strays = 0;  ///< strings that should be an index and are none
};

PairCount count_pairs(const RawText& text, TitleForm form);

/// Adds all pairs of the text to the table and tells what is wrong with them.
void read_pairs(const RawText& text, TitleForm form, TitleTable& table, const FaultSink& faults);

}  // namespace hkpd
