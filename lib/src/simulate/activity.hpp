// Levels of activity, as pure functions of time: no result depends on an earlier call. All computations use integers,
// so that results are the same on every machine.
#pragma once

#include <cstdint>

namespace hkpd::simulation {

/// A duration, or the time since the simulated machine's boot, in units of 100 ns.
using Ticks = std::uint64_t;
inline constexpr Ticks tick_second = 10'000'000;

/// Returns a pseudo-random number computed from `value` (splitmix64). Equal values give equal results.
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
    value += 0x9E37'79B9'7F4A'7C15;
    value = (value ^ value >> 30) * 0xBF58'476D'1CE4'E5B9;
    value = (value ^ value >> 27) * 0x94D0'49BB'1331'11EB;
    return value ^ value >> 31;
}
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t what, std::uint64_t which = 0) noexcept {
    return mix(mix(seed ^ mix(what)) + which);
}
/// Maps a random number to a number from `low` to `high`, both included.
constexpr std::uint64_t pick(std::uint64_t random, std::uint64_t low, std::uint64_t high) noexcept {
    return low + random % (high - low + 1);
}

/// A fraction from 0 to 1, in units of 2^-32. The largest value stands for 1.
using Share = std::uint32_t;
/// Returns `numerator` / `denominator`. `numerator` must not be greater than `denominator`.
constexpr Share share_of(std::uint64_t numerator, std::uint64_t denominator) noexcept {
    return static_cast<Share>(numerator == 0 ? 0 : ((numerator << 32) - 1) / denominator);
}
constexpr Share percent(std::uint64_t percentage) noexcept { return share_of(percentage, 100); }
/// Returns `share` of the number `whole`, rounded down. If `whole` increases, the result never decreases.
constexpr std::uint64_t part(std::uint64_t whole, Share share) noexcept {
    return (whole >> 32) * share + ((whole & 0xFFFF'FFFF) * share >> 32);
}

/// Returns the number of events in `active` ticks of activity, at `per_kilosecond` events in 1000 seconds of activity.
constexpr std::uint64_t count(std::uint64_t per_kilosecond, Ticks active) noexcept {
    return (active / tick_second * per_kilosecond + active % tick_second * per_kilosecond / tick_second) / 1000;
}

/// Work at a rate that varies around a mean. Two waves, and a random amount that changes each second, are added to the
/// mean rate. The work done until a time is computed from this time alone, not from the work done until an earlier
/// time.
class Activity {
  public:
    Activity() = default;
    explicit Activity(std::uint64_t seed) noexcept;

    /// Returns the work done until `time`, as the time that this work would take at the mean rate. The result is 0 at
    /// time 0 and grows by 0.15 to 1.85 ticks in each tick.
    Ticks at(Ticks time) const noexcept;

  private:
    struct Wave {
        Ticks half = 1, phase = 0;  // half of the period; the rate falls in the first half, then rises
        std::uint64_t swing = 0;    // largest deviation from the mean rate, in 1/256 of it
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
