// What stands out in a window of time against the rest of its run, as values: "what happened here?". The values own
// their texts, and outlive the reader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hkpd/answers.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/series.hpp"
#include "hkpd/statistics.hpp"
#include "hkpd/zone.hpp"

namespace hkpd {

/// A resource that a process uses in a window: the first are those of `ProcessUse`.
enum class WindowUse : std::uint8_t { processor, working_set, private_bytes, handles, io, other_io, threads };
/// The number of these resources.
inline constexpr std::size_t window_uses = 7;

/// Options of what stands out in a window.
struct WindowOptions {
    /// Returns the window: its times, or its numbers of samples. Called once, with the first sample that has a time. If
    /// it is empty, every sample is in the window.
    std::function<Range(const Sample& first)> window_of{};
    /// Minimum number of samples of a machine in the window: if it has fewer, those nearest to it are added.
    std::size_t least_samples = 3;
    std::size_t top = 10;        ///< maximum number of rows of each kind
    bool all_instances = false;  ///< as in `TopOptions`
    Limits limits{};             ///< as in `SummaryOptions`
    std::optional<Zone> zone{};  ///< as in `SummaryOptions`
};

/// The part of a run that stands out in a window of time. "The rest" are the samples that are not in the window.
///
/// A series stands out by its effect: the distance of its mean in the window from its mean in the rest, or from its
/// median there, whichever is nearer, divided by
/// what it usually differs by in the rest. That is 1.22 times the distance of the quartiles (in a normal distribution
/// that of the 95th percentile from the median), but at least a quarter of its standard deviation, 5 % of the median,
/// and a size that matters in its unit (1 %, 1 ms, 1 MiB, 10 KiB/s, 1/s, 0.5), so that a constant that changed slightly
/// does not lead. Rows are sorted by the effect up to `most_effect`, which counts twice for the counters that
/// administrators look at first. Identifiers, enumerations and times since a start are left out, and so are `_Total`
/// and Idle unless there is nothing else.
///
/// A process stands out by the use whose change is the largest share of what its machine has or uses, so that processes
/// that are as busy as always come later. Changes of less than a quarter of the usual do not count.
struct WindowTop {
    /// Rows with a smaller effect are left out.
    static constexpr double least_effect = 2;
    static constexpr double most_effect = 20;
    /// Processes whose largest change is a smaller share of the machine are left out.
    static constexpr double least_share = 0.01;
    /// And so are those whose change is a smaller share of that of the first process.
    static constexpr double least_of_first = 0.1;

    /// A series in the window and in the rest.
    struct Row {
        /// The series; its statistics are those of the window, its times those of the whole run. It has no average.
        Series series;
        Statistics rest;  ///< those of the rest
        /// The mean over all samples of the rest: for a process that lived in a part of them, less than the mean of
        /// `rest`, because it used nothing before it began and after it ended. NaN if the rest has no values at all.
        double usual = std::numeric_limits<double>::quiet_NaN();
        double times = std::numeric_limits<double>::quiet_NaN();  ///< mean in the window divided by `usual`, if above 0
        /// See `WindowTop`; above 0 if it is more than usual, below 0 if less. For a process, the change of this use as
        /// a share of the machine.
        double effect = 0;
        /// Share of the mean in what the machine has (processor time, if the number of processors is known), or in the
        /// sum of all processes; NaN for other counters.
        double share = std::numeric_limits<double>::quiet_NaN();
        std::optional<std::int64_t> max_time{};  ///< time of the first maximum in the window
        /// The instance was first seen in the window, or last, while the run began before and went on after.
        bool is_new = false, is_gone = false;
    };

    /// A process. It has at least one row.
    struct Process {
        std::array<std::optional<std::uint32_t>, window_uses> uses{};  ///< positions in `rows` for each `WindowUse`
        std::uint32_t first = 0;                                       ///< position of a row of the process
        WindowUse leading{};                                           ///< the use by which it stands out
    };

    RunFacts run;
    std::optional<std::int64_t> from, to;         ///< times of the first and the last sample in the window
    std::uint64_t samples = 0, rest_samples = 0;  ///< number of samples in the window and in the rest
    std::vector<Row> rows;                        ///< of processes, then of disks, interfaces and other counters
    std::vector<Process> processes;               ///< what stands out most first, as in the following lists
    std::vector<std::uint32_t> disks, interfaces, counters;  ///< positions in `rows`
    /// Names of processes that began, or ended, in the window while the run went on: at most `top` of each. The numbers
    /// are those of all. A process that ended was last seen in the window or in the sample before it.
    std::vector<std::shared_ptr<const RunInstance>> started, ended;
    std::uint64_t all_started = 0, all_ended = 0;
    /// Number of processors of each of `RunFacts::machines`, as in `Top`.
    std::vector<std::uint32_t> processors;

    /// Returns the row of a use of a process; null if the input does not have the counter.
    const Row* use(const Process& process, WindowUse use) const noexcept;
};

/// Collects what stands out in a window. Each sample is added once, so that inputs need not be read twice.
class WindowCollector {
  public:
    /// Creates a collector of samples that are cooked by the options `cook`.
    WindowCollector(const WindowOptions& options, const CookOptions& cook);
    WindowCollector(WindowCollector&&) noexcept;
    WindowCollector& operator=(WindowCollector&&) noexcept;
    WindowCollector(const WindowCollector&) = delete;
    WindowCollector& operator=(const WindowCollector&) = delete;
    ~WindowCollector();

    /// Adds the selected parts of a sample. `cooker` must be the cooker of the sample.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// Returns what stands out. No sample can be added afterwards.
    WindowTop finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Returns what stands out in a window of the samples that a reader has still to read; see `top` for the reader.
WindowTop top_in_window(Reader& reader, Filter& filter, const WindowOptions& options);

/// Returns the range of a window that is stated as one moment, in nanoseconds since 1970 (UTC): the minute that begins
/// with it if it is at the beginning of a minute, otherwise half a minute before and after it.
Range window_around(std::int64_t moment) noexcept;

}  // namespace hkpd
