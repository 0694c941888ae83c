// What `hkpd` knows about a run, as values: its summary, and what stands out. A program gets each in one call from a
// `Reader`, or from a collector that it passes samples to. The values own their texts, and outlive the reader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/series.hpp"
#include "hkpd/statistics.hpp"
#include "hkpd/verdict.hpp"
#include "hkpd/zone.hpp"

namespace hkpd {

class Cooker;
class Filter;
class Reader;
class Sample;
struct CookOptions;
struct Selected;

/// Options of a summary.
struct SummaryOptions {
    /// The column by which series are sorted: the largest number first, series without a number last. If there is none,
    /// series are in the order in which counters and instances first appeared.
    std::optional<StatisticColumn> sort{};
    std::size_t top = static_cast<std::size_t>(-1);  ///< maximum number of series: the first ones
    Limits limits{};                                 ///< `series`, `statistics` and `names`
    std::optional<Zone> zone{};                      ///< the zone of `RunFacts::zone`; none: that of the first sample
};

/// The summary of a run: the statistics of each counter of each instance.
struct Summary {
    RunFacts run;
    SeriesList series;
};

/// Collects the summary of a run.
class SummaryCollector {
  public:
    /// Creates a collector of samples that are cooked by the options `cook`.
    SummaryCollector(const SummaryOptions& options, const CookOptions& cook);
    SummaryCollector(SummaryCollector&&) noexcept;
    SummaryCollector& operator=(SummaryCollector&&) noexcept;
    SummaryCollector(const SummaryCollector&) = delete;
    SummaryCollector& operator=(const SummaryCollector&) = delete;
    ~SummaryCollector();

    /// Adds the selected parts of a sample. `cooker` must be the cooker of the sample.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// Returns the summary. No sample can be added afterwards.
    Summary finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Returns the summary of what a filter selects in the samples that a reader has still to read.
Summary summary(Reader& reader, Filter& filter, const SummaryOptions& options = {});

/// By what processes are sorted: the largest number and the latest time first, by names in alphabetical order.
enum class ProcessOrder : std::uint8_t {
    processor,    ///< processor time in seconds
    working_set,  ///< in the last sample of the process, as the next two
    private_bytes,
    handles,
    io,      ///< bytes
    growth,  ///< of the private bytes per hour: first of those that grow steadily, then of the others
    name,
    max,               ///< the maximum of the processor time
    max_time,          ///< when that was
    working_set_peak,  ///< the maximum of the working set
    private_peak,      ///< the maximum of the private bytes
    evidence,          ///< `Trend::r_squared` of the growth
    start,             ///< when the process was first seen
    pid,
    machine,
};

/// Returns the order with this name, `cpu`, `memory`, `private`, `handles`, `io`, `growth` or `name`, or by the column
/// with this heading in the table of `hkpd top`, such as `CPU s`. Returns none for other names.
std::optional<ProcessOrder> process_order_of(std::string_view name) noexcept;
/// Returns the headings of the table of `hkpd top` by which processes can be sorted.
std::vector<std::string_view> process_headings();

/// Options of what stands out.
struct TopOptions {
    /// The column by which rows are sorted, the largest number first. If there is none, it is the mean, and processes
    /// are sorted by `order`. Processes are sorted by this column of the processor time or, by `delta` and `slope`, of
    /// the private bytes.
    std::optional<StatisticColumn> sort{};
    ProcessOrder order = ProcessOrder::processor;  ///< of processes
    std::size_t top = 10;                          ///< maximum number of rows: processes, or counters of instances
    /// Apply `top` to each machine, in the order of `RunFacts::machines`, and not to all of them together.
    bool per_machine = false;
    /// Include instances that are no single thing (`_Total`) or that stand for the absence of work (`Idle`).
    bool all_instances = false;
    /// Show the processor time, memory, handles and I/O of processes in columns if the input has the object Process.
    /// Otherwise, and if the input has no such object, there is a row for each counter of an instance.
    bool processes = true;
    bool instances = true;            ///< show instances if the input has no processes
    bool percentiles = true;          ///< whether statistics have percentiles, which take most of the time and memory
    bool process_percentiles = true;  ///< the same of those of processes alone, if `percentiles` is true
    /// Make the verdict on the run: `Top::verdict`. It needs `processes`.
    std::optional<VerdictOptions> verdict{};
    Limits limits{};             ///< as in `SummaryOptions`
    std::optional<Zone> zone{};  ///< as in `SummaryOptions`
};

/// A resource that a process uses.
enum class ProcessUse : std::uint8_t { processor, working_set, private_bytes, handles, io };
/// The number of these resources.
inline constexpr std::size_t process_uses = 5;

/// The part of a run that stands out: the processes that use most, or the instances with the largest numbers. A process
/// is one row from its start to its end: another process with the same name, even at the same position in the samples,
/// is another row.
struct Top {
    /// A process. It has at least one series.
    struct Process {
        /// For each `ProcessUse`, the position in `Top::series`; none if the input does not have the counter.
        std::array<std::optional<std::uint32_t>, process_uses> uses{};
        std::uint32_t first = 0;  ///< position of a series of the process, for its names and times
    };

    /// The course of a series over the run.
    struct Course {
        /// The sum, over all samples with a value, of the value times the seconds since the sample before: of
        /// % Processor Time a hundred times the processor time in seconds, of a rate what was transferred. NaN if there
        /// is no value.
        double total = std::numeric_limits<double>::quiet_NaN();
        std::optional<std::int64_t> max_time{};  ///< of the first sample with the largest value, as in `Series`
        Trend trend;
    };

    /// A machine with processes.
    struct Machine {
        std::uint32_t processors = 0;              ///< by the object Processor; 0 if it is unknown
        std::optional<std::int64_t> from{}, to{};  ///< times of its first and last sample, in nanoseconds since 1970
        std::uint64_t all_processes = 0;           ///< number of its processes, with those that were left out

        /// Returns the time between both samples in seconds; 0 if it is unknown.
        double seconds() const noexcept;
    };

    /// A use of a process that grows.
    struct Growth {
        Series series;  ///< of the use: its last value is what the process has reached
        ProcessUse use{};
        Trend trend;
    };

    RunFacts run;
    SeriesList series;            ///< row by row: those of the first process, those of the second, and so on
    std::vector<Course> courses;  ///< of each of these series, if rows are processes
    bool has_processes = false;   ///< whether rows are processes, not counters of instances
    std::vector<Process> processes;
    /// The processes whose private bytes or handles grow steadily (`Trend::grows_steadily`), by at least a tenth and by
    /// 1 MiB or 100 handles while they lived: at most ten, private bytes first, the fastest first. They need not be
    /// among `processes`.
    std::vector<Growth> growing;
    std::uint64_t all_processes = 0;  ///< number of processes before those after the first were left out
    std::vector<Machine> machines;    ///< each of `RunFacts::machines`, if rows are processes
    bool per_machine = false;         ///< whether rows are those of each machine, one after another
    RunVerdict verdict;               ///< if `TopOptions::verdict` asks for it
    bool by_column = false;  ///< whether processes are sorted by `sorted_column` of `sorted_by`; otherwise by `order`
    ProcessUse sorted_by = ProcessUse::processor;           ///< use by which processes are sorted
    ProcessOrder order = ProcessOrder::processor;           ///< by which they are sorted, without `TopOptions::sort`
    StatisticColumn sorted_column = StatisticColumn::mean;  ///< column by which rows are sorted

    /// Returns the series of a process with this use; null if the input does not have the counter.
    const Series* use(const Process& process, ProcessUse use) const noexcept;
    /// Returns a number of a process; NaN if it does not exist.
    double number(const Process& process, ProcessUse use, StatisticColumn column) const noexcept;
    /// Returns the machine of a process; null if rows are not processes.
    const Machine* machine(const Process& process) const noexcept;
    /// Returns the course of a use; null if the input does not have the counter.
    const Course* course(const Process& process, ProcessUse use) const noexcept;
    /// Returns the processor time of a process in seconds, and the mean of a use over all samples of the machine, also
    /// of a process that did not live so long; NaN if they do not exist.
    double processor_seconds(const Process& process) const noexcept;
    double mean_of_run(const Process& process, ProcessUse use) const noexcept;
};

/// Collects what stands out in a run.
class TopCollector {
  public:
    /// Creates a collector of samples that are cooked by the options `cook`.
    TopCollector(const TopOptions& options, const CookOptions& cook);
    TopCollector(TopCollector&&) noexcept;
    TopCollector& operator=(TopCollector&&) noexcept;
    TopCollector(const TopCollector&) = delete;
    TopCollector& operator=(const TopCollector&) = delete;
    ~TopCollector();

    /// Adds the selected parts of a sample. `cooker` must be the cooker of the sample.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// Returns what stands out. No sample can be added afterwards.
    Top finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Returns what stands out in the samples that a reader has still to read. Readers of inputs with several sources
/// should have `ReaderOptions::one_source`, so that no process is in two rows.
Top top(Reader& reader, Filter& filter, const TopOptions& options = {});

/// Options of a comparison of two runs.
struct ChangeOptions {
    Limits limits{};             ///< as in `SummaryOptions`
    std::optional<Zone> zone{};  ///< as in `SummaryOptions`
};

/// A series of both runs.
struct Change {
    Series before, after;
    double noise = 0;  ///< what values of the series differ by anyway, see `Changes`
    /// Differences of the medians and of the 95th percentiles, divided by the noise.
    double median_effect = 0, p95_effect = 0;
    bool is_brief = false;  ///< whether either run has less than a quarter of the values that its longest series has

    /// Returns the effect that is larger, regardless of its sign.
    double effect() const noexcept;
};

/// The changes from one run to another. Series are the same if machine, object, counter and instance have the same
/// names, ignoring case; instances of one name are compared as their sum. If each run has one machine, its name does
/// not matter. Series without values are left out, and those of which a larger value is not more of anything: ids,
/// states, priorities, flags, addresses and elapsed times. The noise of a series is the square root of the mean of both
/// variances (if one run has a single value, the deviation of the other), at least 1 % of the larger median or 95th
/// percentile, so that a constant that changed slightly is not the largest change of all.
struct Changes {
    RunFacts before, after;
    std::vector<Change> changed;     ///< those whose statistics differ: the largest effect first, then the brief ones
    std::uint64_t unchanged = 0;     ///< number of series whose statistics are equal
    std::uint64_t sums = 0;          ///< number of series of both runs that are sums in either
    std::uint64_t not_compared = 0;  ///< number of series left out because their numbers are no amounts
    SeriesList only_before, only_after;  ///< the series that only one run has
};

/// One of two runs that are compared.
enum class ComparedRun : std::uint8_t { before, after };

/// Collects what changed from one run to another, which may be two parts of one log.
class ChangeCollector {
  public:
    /// Creates a collector of samples that are cooked by the options `cook`.
    ChangeCollector(const ChangeOptions& options, const CookOptions& cook);
    ChangeCollector(ChangeCollector&&) noexcept;
    ChangeCollector& operator=(ChangeCollector&&) noexcept;
    ChangeCollector(const ChangeCollector&) = delete;
    ChangeCollector& operator=(const ChangeCollector&) = delete;
    ~ChangeCollector();

    /// Adds the selected parts of a sample. `cooker` must be the cooker of the sample.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// States the run of the samples that are added from now on: first those of `ComparedRun::before`. The samples of
    /// each run must come in their order; two runs of one reader may alternate.
    void continue_with(ComparedRun run) noexcept;
    /// Ends the first run: the following samples are those of the second.
    void end_baseline() noexcept { continue_with(ComparedRun::after); }
    /// Returns what changed. No sample can be added afterwards.
    Changes finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Returns what changed from the samples of one reader to those of another, of which a filter selects the same. Two
/// parts of one log are two readers with a range each (`ReaderOptions::range`).
Changes compare_runs(Reader& before, Reader& after, Filter& filter, const ChangeOptions& options = {});

}  // namespace hkpd
