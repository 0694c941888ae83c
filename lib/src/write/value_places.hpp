// Places for the values of a whole run, one for each counter of each instance.
#pragma once

#include <cstdint>

#include "hkpd/sample.hpp"

namespace hkpd {

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
