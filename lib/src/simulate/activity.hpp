// How busy things are, as pure functions of time in whole numbers: the same on every machine and by whatever steps.
#pragma once

#include <cstdint>

namespace hkpd::simulation {

/// Time since the machine's boot, or a length of it, in 100 ns; 0 before.
using Ticks = std::uint64_t;
inline constexpr Ticks tick_second = 10'000'000;

/// A number that looks random (splitmix64).
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
    value += 0x9E37'79B9'7F4A'7C15;
    value = (value ^ value >> 30) * 0xBF58'476D'1CE4'E5B9;
    value = (value ^ value >> 27) * 0x94D0'49BB'1331'11EB;
    return value ^ value >> 31;
}
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t what, std::uint64_t which = 0) noexcept {
    return mix(mix(seed ^ mix(what)) + which);
}
/// One of `low` to `high` by a random number.
constexpr std::uint64_t pick(std::uint64_t random, std::uint64_t low, std::uint64_t high) noexcept {
    return low + random % (high - low + 1);
}

/// A share of one: 2^32 would be all of it, which the largest is as good as.
using Share = std::uint32_t;
/// `numerator` / `denominator`, which is at least as large.
constexpr Share share_of(std::uint64_t numerator, std::uint64_t denominator) noexcept {
    return static_cast<Share>(numerator == 0 ? 0 : ((numerator << 32) - 1) / denominator);
}
constexpr Share percent(std::uint64_t percentage) noexcept { return share_of(percentage, 100); }
/// The share of a number, rounded down: never decreases with it.
constexpr std::uint64_t part(std::uint64_t whole, Share share) noexcept {
    return (whole >> 32) * share + ((whole & 0xFFFF'FFFF) * share >> 32);
}

/// How often something happens that happens `per_kilosecond` times in 1000 seconds of activity.
constexpr std::uint64_t count(std::uint64_t per_kilosecond, Ticks active) noexcept {
    return (active / tick_second * per_kilosecond + active % tick_second * per_kilosecond / tick_second) / 1000;
}

/// Work that goes up and down around a mean: two slow waves and a step at random each second. What it has done by a
/// time is a closed form, so that no time depends on those before it.
class Activity {
  public:
    Activity() = default;
    explicit Activity(std::uint64_t seed) noexcept;

    /// How long the mean rate would have taken for what is done. 0 at 0; grows by 0.15 to 1.85 ticks each tick.
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

/// Something between 0 and all, going up and down like a level: a triangle wave with a step at random each second.
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
