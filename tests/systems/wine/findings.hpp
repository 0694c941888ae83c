// The differences found by a check.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace live {

/// Counts differences, and prints the first 40.
class Findings {
  public:
    /// Sets the place of the findings that follow: `sample 3, object 3100`.
    void enter(std::string place) { place_ = std::move(place); }

    template <class... Arguments>
    void add(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
        constexpr std::uint64_t shown = 40;
        if (count_++ < shown)
            fmt::print("{}: {}\n", place_, fmt::format(text, std::forward<Arguments>(arguments)...));
        else if (count_ == shown + 1)
            fmt::print("and more\n");
    }

    /// Compares two values, and adds a finding if they differ.
    template <std::integral Expected, std::integral Actual>
    bool equal(std::string_view what, Expected expected, Actual actual) {
        if (std::cmp_equal(expected, actual)) return true;
        add("{} is {}, not {}", what, actual, expected);
        return false;
    }
    bool equal(std::string_view what, std::string_view expected, std::string_view actual) {
        if (expected == actual) return true;
        add("{} is '{}', not '{}'", what, actual, expected);
        return false;
    }

    std::uint64_t count() const noexcept { return count_; }

  private:
    std::string place_;
    std::uint64_t count_ = 0;
};

}  // namespace live
