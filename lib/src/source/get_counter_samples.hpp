// The samples in a text of Get-Counter, with texts as they are in the input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/error.hpp"

namespace hkpd {

/// One value.
struct ShownSample {
    std::string path{}, value{}, time{};
    bool is_valid = true;  ///< whether the state of the counter is good
    std::size_t offset = 0;
};

/// Adds a sample if it has a counter path, and a value or the statement that there is none.
inline void add_sample(std::vector<ShownSample>& samples, ShownSample sample) {
    if (sample.path.starts_with('\\') && !(sample.value.empty() && sample.is_valid))
        samples.push_back(std::move(sample));
}

/// Returns as much of a text as a time can have: many samples may share one.
inline std::string_view time_text(std::string_view text) noexcept {
    constexpr std::size_t longest = 64;
    return text.substr(0, longest);
}

/// Returns the samples that ConvertTo-Json wrote: objects with the properties of samples. A time that an object does
/// not have is that of the one around it. JSON that is damaged is reported; what precedes the damage is returned.
std::vector<ShownSample> samples_in_json(std::string_view text, const FaultSink& faults);

}  // namespace hkpd
