// The processes of a run and what they use: which rows `hkpd top` has, in which order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/answers.hpp"
#include "hkpd/select.hpp"
#include "statistics/key_index.hpp"
#include "statistics/run_series.hpp"

namespace hkpd {

/// The objects that have processes: Process, and Process V2 of Windows 11, which has the same counters.
enum class ProcessObject : std::uint8_t { none, process, twin };
/// Returns which of them an object is. `number` is its `Object::title_index`, which identifies Process in every
/// language; `name` its English name.
ProcessObject process_object(SampleSource source, std::uint32_t number, std::string_view name);

/// Returns what a counter of a process states the use of; none for other counters.
std::optional<ProcessUse> process_use(const RunCounter& counter);

/// Returns whether a counter is the I/O of a process that is neither read nor written, as that of sockets.
bool is_other_io(const RunCounter& counter);

/// The meanings of the counters of processes. Names are compared once for each counter: most have many series.
class ProcessCounters {
  public:
    struct Counter {
        std::optional<ProcessUse> use{};
        bool known = false, is_other_io = false;
        std::uint32_t object = 0;  ///< number of the machine and the object
    };
    /// Returns what the counter of a series states.
    const Counter& of(const SeriesCollector& all, std::size_t place);

  private:
    std::vector<Counter> counters_;  // by the number in `RunSeries::counter`
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> objects_;
};

/// Numbers the processes of a run from 0 on, each by its object (`ProcessCounters`) and its identity.
class ProcessNumbers {
  public:
    /// Returns the number of a process. `added`: receives whether it is new.
    std::uint32_t number(std::uint32_t object, std::uint32_t identity, bool& added) {
        const KeyIndex::Key key(object, identity);
        const std::uint32_t found = index_.find(keys_, key);
        added = found == no_index;
        if (!added) return found;
        keys_.push_back(key);
        index_.add_last(keys_);
        return static_cast<std::uint32_t>(keys_.size() - 1);
    }
    void clear() noexcept {
        keys_.clear();
        index_.clear();
    }

  private:
    std::vector<KeyIndex::Key> keys_;
    KeyIndex index_;
};

/// Returns the parts of `selected` with processes, with the counters alone that have a `ProcessUse`: those of Process
/// or, if the sample has none, of Process V2. Returns an empty list if there are none. `with_other_io`: also the
/// counter of `is_other_io`.
std::vector<Selected> process_parts(const Sample& sample, std::span<const Selected> selected, ProcessObject& which,
                                    bool with_other_io = false);

/// Returns the number of processors that a sample has instances of; 0 if it has none.
std::uint32_t processors_of(const Sample& sample);

class ProcessTracks;
struct ProcessTrack;

/// The processes of a run.
class ProcessRows {
  public:
    /// Keeps the references. `top`: has all members of the run and its machines.
    ProcessRows(const TopOptions& options, SeriesCollector& all, const ProcessTracks& tracks, const Top& top)
        : options_(options), all_(all), tracks_(tracks), top_(top) {}

    /// Adds a series of a process to the row of this process.
    void add(std::uint32_t place);
    bool empty() const noexcept { return rows_.empty(); }
    /// Sorts the rows, and adds the first `TopOptions::top` to `top`.
    void finish(Top& top);

  private:
    struct Row {
        std::array<std::optional<std::uint32_t>, process_uses> places{};  ///< place of the series with each use
        std::uint32_t first = 0;                                          ///< a series that the row has
    };

    double number(const Row& row, ProcessUse use, StatisticColumn column) const;
    const ProcessTrack* track(const Row& row, ProcessUse use) const;
    double number(const Row& row, ProcessOrder order) const;
    std::vector<std::uint32_t> sorted_by_column(Top& top) const;
    std::vector<std::uint32_t> sorted_by_growth() const;
    std::vector<std::uint32_t> sorted(Top& top) const;
    std::vector<std::uint32_t> chosen(Top& top) const;
    void remove_empty();
    std::size_t machine_of(const Row& row) const;
    const Trend& trend(const Row& row, ProcessUse use) const;
    Top::Course course(const Row& row, ProcessUse use) const;
    void add_growing(ProcessUse use, double least_rise, Top& top);

    const TopOptions& options_;
    SeriesCollector& all_;
    const ProcessTracks& tracks_;
    const Top& top_;
    std::vector<Row> rows_;
    ProcessCounters counters_;
    ProcessNumbers numbers_;
    mutable std::vector<std::optional<Trend>> trends_;  // by place of a series, once they are known
};

}  // namespace hkpd
