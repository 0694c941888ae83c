// The instances that the samples of a cooker have in common.
#pragma once

#include "hkpd/cook.hpp"

namespace hkpd {

/// Returns the matcher, which knows the instances that were also in the previous sample. Returns null if there is no
/// cooker or no previous sample.
inline const Matcher* matches_of(const Cooker* cooker) noexcept {
    return cooker != nullptr && cooker->before() != nullptr ? &cooker->matches() : nullptr;
}

}  // namespace hkpd
