// The rules by which a verdict judges each sample of a machine: whether processor, memory, disk or network are beyond
// their thresholds. tools/OUTPUTS.md lists them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answers/verdict_facts.hpp"
#include "answers/verdict_spells.hpp"
#include "hkpd/verdict.hpp"
#include "statistics/trend.hpp"

namespace hkpd {

inline constexpr double all_percent = 100;

/// The things that are watched of a machine. Memory has two: what is available, and what may still be allocated.
enum class Watch : std::uint8_t { processor, memory, commit, disk, network, single_processor };
inline constexpr std::size_t watches = 6;

/// A number that goes with what is watched, in the order in which sentences have them.
struct WatchedMeasure {
    VerdictMeasure measure{};
    double threshold = std::numeric_limits<double>::quiet_NaN();  ///< NaN: it decides nothing by itself
    bool low = false;                                             ///< whether small values are the bad ones
    FactObject object{};                                          ///< and the counter from which it is
    Fact fact{};
};
/// Returns the measures of what is watched.
std::span<const WatchedMeasure> measures_of(Watch watch) noexcept;

/// Position of a network's bytes per second in its levels, after those of its measures.
inline constexpr std::size_t network_bytes = 2;

/// Judges the samples of one machine.
class AreaWatch {
  public:
    /// Judges a sample. `time`: nanoseconds since 1970; `seconds`: since the sample before, 0 if it is unknown or
    /// there is a gap.
    void add(const FactReader& facts, std::int64_t time, double seconds, bool after_gap);
    void finish();

    const SpellWatch& spells(Watch watch) const noexcept { return spells_[static_cast<std::size_t>(watch)]; }
    SpellWatch& spells(Watch watch) noexcept { return spells_[static_cast<std::size_t>(watch)]; }
    /// Returns the levels over the run of what is watched: those of the instance that was worst in each sample.
    std::span<const Level, most_levels> levels(Watch watch) const noexcept {
        return levels_[static_cast<std::size_t>(watch)];
    }
    /// Returns the object from which a watch took its values last.
    FactObject object(Watch watch) const noexcept { return objects_[static_cast<std::size_t>(watch)]; }
    /// Returns the number of processors; 0 if it is unknown.
    std::uint32_t processors() const noexcept { return processors_; }
    /// Returns the seconds of the sample that was added last.
    double seconds() const noexcept { return sample_seconds_; }
    /// Returns the number of bytes below which available memory is low.
    double low_memory() const noexcept { return low_memory_; }
    /// Returns the points of committed memory, of the paged pool and of the nonpaged pool; `kernel_ends`: their last
    /// values, and 1 if there is any.
    std::span<const TrendPoints, 3> kernel_memory() const noexcept { return kernel_memory_; }
    std::span<const std::pair<double, double>, 3> kernel_ends() const noexcept { return kernel_ends_; }

  private:
    using Instances = std::vector<WatchedInstance>;

    void judge_processor(const FactReader& facts);
    void judge_memory(const FactReader& facts);
    void judge_disk(const FactReader& facts);
    void judge_network(const FactReader& facts);
    void follow_kernel_memory(const FactReader& facts, std::int64_t time);
    Instances& instances(Watch watch) noexcept { return instances_[static_cast<std::size_t>(watch)]; }

    std::array<SpellWatch, watches> spells_;
    std::array<std::array<Level, most_levels>, watches> levels_;
    std::array<Instances, watches> instances_;  // of the sample
    std::array<FactObject, watches> objects_{};
    std::uint32_t processors_ = 0;
    double most_available_ = 0, low_memory_ = 0, sample_seconds_ = 0;
    std::array<TrendPoints, 3> kernel_memory_;
    std::array<std::pair<double, double>, 3> kernel_ends_{};  // last values, and whether any
};

}  // namespace hkpd
