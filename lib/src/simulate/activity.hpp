// Levels of activity, as pure functions of time in whole numbers: the same on every machine and for any steps of time.
#pragma once

#include <cstdint>

namespace hkpd::simulation {

/// Time since the machine's boot, or a duration, in 100 ns; 0 before the boot.
using Ticks = std::uint64_t;
inline constexpr Ticks tick_second = 10'000'000;

/// Returns a number that looks random (splitmix64).
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
    value += 0x9E37'79B9'7F4A'7C15;
    value = (value ^ value >> 30) * 0xBF58'476D'1CE4'E5B9;
    value = (value ^ value >> 27) * 0x94D0'49BB'1331'11EB;
    return value ^ value >> 31;
}
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t what, std::uint64_t which = 0) noexcept {
    return mix(mix(seed ^ mix(what)) + which);
}
/// Maps a random number to the range from `low` to `high`.
constexpr std::uint64_t pick(std::uint64_t random, std::uint64_t low, std::uint64_t high) noexcept {
    return low + random % (high - low + 1);
}

/// A fraction of one, in units of 2^-32; the largest value is as good as one.
using Share = std::uint32_t;
/// Returns `numerator` / `denominator`; the denominator must be at least as large as the numerator.
constexpr Share share_of(std::uint64_t numerator, std::uint64_t denominator) noexcept {
    return static_cast<Share>(numerator == 0 ? 0 : ((numerator << 32) - 1) / denominator);
}
constexpr Share percent(std::uint64_t percentage) noexcept { return share_of(percentage, 100); }
/// Returns a share of a number, rounded down; never decreases when the number increases.
constexpr std::uint64_t part(std::uint64_t whole, Share share) noexcept {
    return (whole >> 32) * share + ((whole & 0xFFFF'FFFF) * share >> 32);
}

/// Returns the number of events at a rate of `per_kilosecond` in 1000 seconds of activity.
constexpr std::uint64_t count(std::uint64_t per_kilosecond, Ticks active) noexcept {
    return (active / tick_second * per_kilosecond + active % tick_second * per_kilosecond / tick_second) / 1000;
}

/// Work that varies around a mean: two slow waves and a random step each second. The work done by a time is a closed
/// form, so that no time depends on earlier ones.
class Activity {
  public:
    Activity() = default;
    explicit Activity(std::uint64_t seed) noexcept;

    /// Returns the time that the work done so far would take at the mean rate. 0 at time 0; grows by 0.15 to 1.85 ticks
    /// each tick.
    Ticks at(Ticks time) const noexcept;

  private:
    struct Wave {
        Ticks half = 1, phase = 0;  // the rate falls for one half of the period and rises for the other
        std::uint64_t swing = 0;    // of the rate, in 1/256
    };
    std::uint64_t fine(Ticks time) const noexcept;

    std::uint64_t seed_ = 0, offset_ = 0;
    Wave slow_, fast_;
};

/// A level between 0 and 1 that goes up and down: a triangle wave with a random step each second.
class Level {
  public:
    Level() = default;
    explicit Level(std::uint64_t seed) noexcept;
    Share at(Ticks time) const noexcept;

  private:
    std::uint64_t seed_ = 0;
    Ticks half_ = 1, phase_ = 0;
};

}  // namespace hkpd::simulation
