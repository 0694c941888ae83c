// Cooks raw numbers and writes the result as text that tests can compare: `25`, `0 zero_base`, `- counter_new`.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include "hkpd/cook.hpp"

namespace hkpd_test {

/// Returns the shortest text that reads back as this double.
inline std::string number_text(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// Returns a value, or `-` if there is none, followed by its reason.
inline std::string cooked_text(const hkpd::CookedValue& cooked) {
    const std::string value = cooked.has_value() ? number_text(cooked.value) : "-";
    const std::string reason(reason_name(cooked.reason));
    return reason.empty() ? value : value + " " + reason;
}

/// Cooks two readings.
inline std::string cook_two(std::uint32_t type, const hkpd::Reading& before, const hkpd::Reading& now,
                            const hkpd::CookOptions& options = {}) {
    return cooked_text(cook(type, &before, now, options));
}

/// Cooks one reading without an earlier one.
inline std::string cook_one(std::uint32_t type, const hkpd::Reading& now, const hkpd::CookOptions& options = {}) {
    return cooked_text(cook(type, nullptr, now, options));
}

}  // namespace hkpd_test
