// Cooks raw numbers and writes the outcome as text that tests can compare: `25`, `0 zero_base`, `- counter_new`.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include "hkpd/cook.hpp"

namespace hkpd_test {

/// The shortest text that is this double and no other.
inline std::string number_text(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// A value, `-` where there is none, and the reason that stands beside it.
inline std::string cooked_text(const hkpd::CookedValue& cooked) {
    const std::string value = cooked.has_value() ? number_text(cooked.value) : "-";
    const std::string reason(reason_name(cooked.reason));
    return reason.empty() ? value : value + " " + reason;
}

/// What becomes of two readings.
inline std::string cook_two(std::uint32_t type, const hkpd::Reading& before, const hkpd::Reading& now,
                            const hkpd::CookOptions& options = {}) {
    return cooked_text(cook(type, &before, now, options));
}

/// What becomes of one reading that has nothing before it.
inline std::string cook_one(std::uint32_t type, const hkpd::Reading& now, const hkpd::CookOptions& options = {}) {
    return cooked_text(cook(type, nullptr, now, options));
}

}  // namespace hkpd_test
