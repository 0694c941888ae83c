// Spells: stretches of time in which something is beyond a threshold, and what is known of the longest one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hkpd {

inline constexpr double nanoseconds_of_second = 1e9;

/// Returns seconds (no NaN) as nanoseconds, limited to the range of 64 bits.
inline std::int64_t nanoseconds_of(double seconds) noexcept {
    constexpr double most = 9.2e18;
    return static_cast<std::int64_t>(std::clamp(seconds * nanoseconds_of_second, -most, most));
}

/// The intervals between the samples of a machine. What is usual is not known from the first of them, and one pause
/// must not make it longer.
class UsualInterval {
  public:
    /// Adds an interval in seconds. Returns whether it is a gap: more than three times the usual one so far.
    bool is_gap(double seconds) noexcept;

  private:
    struct Range {
        std::uint64_t count = 0;
        double seconds = 0;
    };
    static constexpr std::size_t ranges = 64;
    std::array<Range, ranges> by_size_{};  // each is of intervals twice as long as the one before
    std::uint64_t all_ = 0;
};

/// A number over time: its mean and its worst value.
struct Level {
    double sum = 0, seconds = 0;
    double worst = std::numeric_limits<double>::quiet_NaN();

    /// Adds a value that held for some seconds; `low`: the smallest is the worst. NaN is left out.
    void add(double value, double for_seconds, bool low = false) noexcept;
    bool has_value() const noexcept { return worst == worst; }
    double mean() const noexcept { return seconds > 0 ? sum / seconds : worst; }
};

/// The numbers that prove that an instance is beyond a threshold.
inline constexpr std::size_t most_levels = 4;
struct InstanceLevels {
    double seconds = 0;  ///< beyond the threshold
    std::uint64_t samples = 0;
    std::array<Level, most_levels> levels{};
};

/// One stretch of time. It goes on over up to two samples that are not beyond the threshold, as long as four fifths of
/// its samples are.
struct Spell {
    std::int64_t from = 0, to = 0;  ///< in nanoseconds since 1970
    std::uint64_t samples = 0;      ///< beyond the threshold
    double seconds = 0;             ///< of these samples
    std::map<std::string, InstanceLevels, std::less<>> instances{};
    std::vector<double> uses{};  ///< by process: its use times seconds, of these samples

    double length() const noexcept;
};

/// An instance in a sample.
struct WatchedInstance {
    std::string_view name;
    bool beyond = false;  ///< the threshold
    std::array<double, most_levels> values;
};

/// Follows whether any instance of something is beyond a threshold.
class SpellWatch {
  public:
    static constexpr std::uint64_t least_samples = 3;
    static constexpr double least_seconds = 60, least_share = 0.01, always_enough = 600;

    /// Adds a sample: its time, the seconds since the sample before, whether there is a gap between the two, and the
    /// instances that have values. `low`: whether small values are the bad ones, for each value.
    void add(std::int64_t time, double seconds, bool after_gap, std::span<const WatchedInstance> instances,
             std::array<bool, most_levels> low = {});
    /// Returns whether the sample that was added last is beyond the threshold.
    bool is_beyond() const noexcept { return beyond_; }
    /// Adds what a process uses in that sample, if it is beyond the threshold.
    void add_use(std::size_t process, double value);
    /// Ends the last spell.
    void finish();

    /// Returns whether the longest spell is long enough: at least three samples, a minute and, in a long run, ten
    /// minutes or a share of its time.
    bool is_sustained() const noexcept { return is_sustained(least_share, seconds_); }
    bool is_sustained(double least_run_share, double run_seconds) const noexcept;
    const Spell& longest() const noexcept { return longest_; }
    /// Returns the number of spells of at least three samples and a minute.
    std::uint64_t spells() const noexcept { return spells_; }
    std::uint64_t samples() const noexcept { return samples_; }  ///< with values
    double seconds() const noexcept { return seconds_; }         ///< of these
    double seconds_beyond() const noexcept { return seconds_beyond_; }

  private:
    void end_spell();

    static constexpr std::size_t most_instances = 1024;
    Spell now_, longest_;
    bool open_ = false, beyond_ = false;
    std::uint64_t beneath_ = 0, beneath_in_a_row_ = 0;  // of `now_`
    double last_seconds_ = 0;
    std::uint64_t spells_ = 0, samples_ = 0;
    double seconds_ = 0, seconds_beyond_ = 0;
};

}  // namespace hkpd
