// Places for the values of a whole run, one for each counter of each instance.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hkpd/sample.hpp"

namespace hkpd {

/// As much of a name as is kept for a counter or an instance: characters, as in the tables of Windows' logs, and what
/// they are in UTF-8 at most.
inline constexpr std::size_t longest_name = 1024, longest_name_bytes = 4 * longest_name;

class ValuePlaces {
  public:
    virtual ~ValuePlaces() = default;

    /// The number of a counter; `ordinal` counts the counters before it in its object that have the same title.
    /// `no_index` where there are too many.
    virtual std::uint32_t counter(const Sample& sample, const Object& object, const Column& column,
                                  std::uint32_t ordinal) = 0;
    /// The place of a counter's instance (a number of `Identities`); `no_index` where it has none.
    virtual std::uint32_t place(std::uint32_t counter, std::uint32_t identity) = 0;
};

}  // namespace hkpd
