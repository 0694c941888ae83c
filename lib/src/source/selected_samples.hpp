// Reads the samples of a reader with the parts that a filter selects.
#pragma once

#include <cstdint>
#include <vector>

#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"

namespace hkpd {

/// Reads the remaining samples of a reader and calls `visit` with the parts of each that the filter selects. Ends if
/// `goes_on`, which is called before a sample is selected from, or `visit` returns false. Returns the number of
/// samples that `visit` got.
template <class GoesOn, class Visit>
std::uint64_t each_selected(Reader& reader, Filter& filter, const GoesOn& goes_on, const Visit& visit) {
    filter.use_english(reader.titles());
    std::vector<Selected> selected;
    std::uint64_t samples = 0;
    for (bool more = true; more && reader.next() && goes_on();) {
        ++samples;
        filter.select(reader.sample(), selected);
        more = visit(selected);
    }
    return samples;
}

/// Reads all remaining samples in the same way. `visit` returns nothing.
template <class Visit>
std::uint64_t each_selected(Reader& reader, Filter& filter, const Visit& visit) {
    return each_selected(
        reader, filter, [] { return true; },
        [&visit](const std::vector<Selected>& selected) {
            visit(selected);
            return true;
        });
}

}  // namespace hkpd
