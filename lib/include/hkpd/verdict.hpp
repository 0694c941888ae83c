// The verdict on a run, as values: what limited each machine, when and by which process, what grows, and what the input
// has no counter for. tools/OUTPUTS.md states the rules and where their thresholds come from. The values own their
// texts.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/statistics.hpp"
#include "hkpd/zone.hpp"

namespace hkpd {

class Cooker;
class Filter;
class Reader;
class Sample;
struct CookOptions;
struct Selected;
enum class ProcessUse : std::uint8_t;

/// The subject of a statement.
enum class VerdictArea : std::uint8_t { processor, memory, disk, network, growth, missing };
/// Number of areas that can limit a machine: the first ones.
inline constexpr std::size_t limit_areas = 4;
/// Returns the name of an area: `processor`, `memory`, `disk`, `network`, `growth`, `missing`.
std::string_view area_name(VerdictArea area) noexcept;

/// The content of a statement about its area.
enum class VerdictKind : std::uint8_t {
    limit,          ///< the area limited the machine
    one_processor,  ///< a process needed more than one processor but used no other, or the processor `instance` was
                    ///< busy
    /// Areas that were recorded, and did not limit the machine: `VerdictStatement::evidence` has their levels, and
    /// `VerdictStatement::area` is the first of them.
    no_limit,
    growing,       ///< a use grows steadily
    not_growing,   ///< nothing does
    not_recorded,  ///< the input has no counters of some areas
    too_short,     ///< the run is too short for a verdict
};
/// Returns the name of a kind: `limit`, `one_processor`, and so on.
std::string_view kind_name(VerdictKind kind) noexcept;

/// The measure of a number of a statement, and its unit.
enum class VerdictMeasure : std::uint8_t {
    processor_time,    ///< busy share of all processors, %
    one_processor,     ///< busy share of one processor, %
    ready_threads,     ///< threads that wait for a processor, for each processor
    available_memory,  ///< bytes
    committed_share,   ///< of the commit limit, %
    hard_faults,       ///< pages read from disk because of page faults, /s
    transfer_time,     ///< of a disk, s
    disk_queue,        ///< requests
    disk_busy,         ///< %
    network_share,     ///< of the bandwidth, %
    output_queue,      ///< packets
    committed_memory,  ///< bytes
    paged_pool,        ///< bytes
    nonpaged_pool,     ///< bytes
    process_use,       ///< as `VerdictProcess::use`
};
/// Number of measures.
inline constexpr std::size_t verdict_measures = 15;
/// Returns the name of a measure: `processor_time`, `one_processor`, and so on.
std::string_view measure_name(VerdictMeasure measure) noexcept;

/// A number that proves a statement.
struct VerdictEvidence {
    VerdictMeasure measure{};
    std::string counter;  ///< path of the counter in the input, without machine and instance: `\Memory\Pages/sec`
    double mean = 0;      ///< over the spell or, in `no_limit`, over the run
    double worst = 0;     ///< the largest, of available memory the smallest
    /// The threshold; NaN for a number that only goes with the others.
    double threshold = std::numeric_limits<double>::quiet_NaN();
};

/// A process that a statement names.
struct VerdictProcess {
    std::string name;
    std::optional<std::uint32_t> pid{};
    ProcessUse use{};  ///< what it was chosen by
    double mean = 0;   ///< of its use during the spell: % of one processor, bytes/s or bytes
    /// Share of the whole during the spell, 0 to 1: of the busy time of all processors, or of what all processes use.
    double share = 0;
    std::optional<std::int64_t> from{}, to{};  ///< of its life within the run, as in `Series`
};

/// One sentence of a verdict, as values.
struct VerdictStatement {
    VerdictArea area{};
    VerdictKind kind{};
    std::string machine{};  ///< empty if it is unknown
    /// Of `limit` and `one_processor`: the longest spell, in nanoseconds since 1970 (UTC). Of `growing`: the life of
    /// the process.
    std::optional<std::int64_t> from{}, to{};
    double seconds = 0;        ///< beyond the threshold, in all spells together
    double share = 0;          ///< of the time with values, 0 to 1
    std::uint64_t spells = 0;  ///< number of spells that are long enough
    std::string instance{};    ///< disk, network interface or processor
    /// Number of disks, interfaces, processors or processes that the statement is about; of `too_short` of samples.
    std::uint64_t instances = 0;
    std::uint32_t processors = 0;  ///< of the machine; 0 if it is unknown
    std::vector<VerdictEvidence> evidence{};
    std::vector<VerdictProcess> processes{};  ///< of `growing`: the lives of one program, the fastest growth first
    std::optional<Trend> trend{};             ///< of `growing`
    std::vector<VerdictArea> areas{};         ///< of `not_recorded`; growth stands for the object Process
};

/// The verdict on a run: the statements on each machine in the order of their names, the most important one first.
struct RunVerdict {
    static constexpr std::uint64_t least_samples = 10;
    static constexpr double least_seconds = 300;

    std::vector<VerdictStatement> statements{};
};

/// Options of a verdict.
struct VerdictOptions {
    /// True if everything that the input has is passed on: otherwise, what is missing may have been left out, and is
    /// not stated.
    bool whole = true;
    /// True if objects have all their instances: otherwise, only growth is judged.
    bool all_instances = true;
    Limits limits{};             ///< `series` and `names`, as in `SummaryOptions`
    std::optional<Zone> zone{};  ///< as in `SummaryOptions`
};

/// Collects the verdict on a run. `TopCollector` makes the same verdict together with the processes that use most.
class VerdictCollector {
  public:
    /// Creates a collector of samples that are cooked by the options `cook`.
    VerdictCollector(const VerdictOptions& options, const CookOptions& cook);
    VerdictCollector(VerdictCollector&&) noexcept;
    VerdictCollector& operator=(VerdictCollector&&) noexcept;
    VerdictCollector(const VerdictCollector&) = delete;
    VerdictCollector& operator=(const VerdictCollector&) = delete;
    ~VerdictCollector();

    /// Adds the selected parts of a sample. `cooker` must be the cooker of the sample.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// Returns the verdict. No sample can be added afterwards.
    RunVerdict finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Returns the verdict on what a filter selects in the samples that a reader has still to read.
RunVerdict verdict(Reader& reader, Filter& filter, const VerdictOptions& options = {});

}  // namespace hkpd
