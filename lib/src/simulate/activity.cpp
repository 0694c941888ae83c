#include "simulate/activity.hpp"

#include <algorithm>

namespace hkpd::simulation {
namespace {

/// Number of units into which a tick is divided when work is counted. The work done until a time is a sum of terms, and
/// each term is rounded to a unit. If the unit were a whole tick, the rounding errors could make the sum at a later
/// time smaller than the sum at an earlier time.
constexpr std::uint64_t fineness = 256;

/// Returns a value that moves linearly from one random number to the next. There is one random number below `most` for
/// each second. The result is scaled by `fineness`.
std::uint64_t between_seconds(std::uint64_t seed, Ticks time, std::uint64_t most) noexcept {
    const std::uint64_t second = time / tick_second, passed = time % tick_second;
    const auto of = [=](std::uint64_t which) { return mix(seed + which) % most; };
    return (of(second) * (tick_second - passed) + of(second + 1) * passed) / (tick_second / fineness);
}

}  // namespace

Activity::Activity(std::uint64_t seed) noexcept : seed_(mix(seed)) {
    const auto wave = [this](std::uint64_t which, std::uint64_t shortest, std::uint64_t longest, std::uint64_t swing) {
        const Ticks half = pick(mix(seed_, which), shortest * tick_second, longest * tick_second) / 2;
        return Wave{half, mix(seed_, which, 1) % (2 * half), swing};
    };
    slow_ = wave(1, 40, 110, 90);
    fast_ = wave(2, 7, 20, 38);
    offset_ = fine(0);
}

// Returns the work done until `time`, plus `offset_`, in units of 1/256 tick. Two waves are part of the rate of work.
// The rate of a wave falls from +swing to -swing in the first half of the period and rises again in the second half.
// The work that a wave adds is the integral of its rate: a parabola above 0 followed by a parabola below 0.
std::uint64_t Activity::fine(Ticks time) const noexcept {
    constexpr std::uint64_t most_step = tick_second * 35 / 100;
    std::uint64_t sum = fineness * time + between_seconds(seed_, time, most_step);
    for (const Wave* wave : {&slow_, &fast_}) {
        const Ticks at = (time + wave->phase) % (2 * wave->half);
        const bool falls = at < wave->half;
        const Ticks x = falls ? at : at - wave->half;
        const std::uint64_t area = wave->swing * (x * (wave->half - x)) / wave->half;
        sum = falls ? sum + area : sum - area;
    }
    return sum;
}

Ticks Activity::at(Ticks time) const noexcept { return (fine(time) - offset_) / fineness; }

Level::Level(std::uint64_t seed) noexcept
    : seed_(mix(seed)), half_(pick(mix(seed_, 1), 20, 90) * tick_second), phase_(mix(seed_, 2) % (2 * half_)) {}

Share Level::at(Ticks time) const noexcept {
    const Ticks at = (time + phase_) % (2 * half_);
    const std::uint64_t wave = ((at < half_ ? at : 2 * half_ - at) << 32) / half_;    // 0 to 2^32
    const std::uint64_t step = between_seconds(seed_, time, std::uint64_t{1} << 24);  // below 2^32
    return static_cast<Share>(std::min<std::uint64_t>(wave / 4 * 3 + step / 4, 0xFFFF'FFFF));
}

}  // namespace hkpd::simulation
