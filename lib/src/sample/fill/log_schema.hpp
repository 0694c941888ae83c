// The schema of the rows of a log: the object and column to which each record of a row belongs. The schema is computed
// once, from the catalogue of the log. The rows of several logs may be interleaved, so several schemas are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blg/blg.hpp"
#include "hkpd/error.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"
#include "sample/memory.hpp"

namespace hkpd {

class FaultSink;

/// Assigns each name a number that is the same in all logs of a run. Names that differ only in case are one name.
class LogNames {
  public:
    struct Named {
        std::uint32_t number = 0;  ///< from `first_logged` on
        std::string_view text;     ///< in the spelling encountered first; lives as long as the LogNames
    };
    /// Returns the number of a name. `ordinal` distinguishes several objects with the same name. Returns none for a new
    /// name if the stored names exceed `most_bytes`.
    std::optional<Named> number(std::string_view name, std::uint32_t ordinal);

    std::size_t bytes() const noexcept { return bytes_; }
    static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  private:
    std::map<std::string, Named> names_;
    std::deque<std::string> texts_;
    std::size_t bytes_ = 0;
};

/// An object of raw counters: columns that were logged for the same instances.
struct LogGroup {
    struct Counter {
        LogNames::Named name;
        std::uint32_t type = 0, size = 0;
        std::int64_t time_base = 0;
        std::int32_t scale = 0;
    };
    LogNames::Named name;
    /// `raw` if the catalogue names the instances. `instances` if each record of a row lists its instances.
    blg::Form form = blg::Form::raw;
    Kind kind = Kind::multi;
    std::vector<Counter> counters;
    std::vector<std::string> instances;  ///< names of the instances; only for form `raw`
    /// Indices of catalogue entries. In a row, the record at such an index has the value of the entry. Form `raw`:
    /// first an entry for each counter of the first instance, then for each counter of the second instance, etc. Form
    /// `instances`: an entry for each counter; its record has the values of all instances.
    std::vector<std::uint32_t> entries;
    std::shared_ptr<const OtherNames> other_names;  ///< of its object; null if the log is in English
};

/// Adds the counter path of an entry of a catalogue, and its parts, to the place of a fault.
void name_entry(FaultCell& cell, const blg::Catalogue::Entry& entry);

/// The raw counters of a machine.
struct LogMachine {
    std::string name, folded;  ///< folded: equal for names of the same machine
    std::vector<LogGroup> groups;
};

struct KnownLog {
    Guid log;
    std::optional<Zone> zone;  ///< none: unknown
    bool planned = false;      ///< whether `catalogue` and `machines` are set
    blg::Catalogue catalogue;
    std::vector<LogMachine> machines;  ///< the machines with raw counters
};

/// Keeps the schemas of the most recent logs, at most `Limits::logs`.
class LogRegistry {
  public:
    /// Keeps a reference to `limits`.
    explicit LogRegistry(const Limits& limits) : limits_(limits) {}

    /// Makes the schemas of further logs show English names, where they are known.
    void show_english() noexcept { shows_english_ = true; }
    /// Updates the schema of the log `record.log` from a record of the kind `log_header`, which begins a log, or
    /// `log_catalogue`.
    void take(const Record& record, const FaultSink& faults);
    /// Returns the schema of a log; an empty schema for a new log. The reference is valid until the next call of `find`
    /// or `take`.
    KnownLog& find(const Guid& log);

  private:
    void translate(LogMachine& machine, const FaultSink& faults);

    const Limits& limits_;
    bool shows_english_ = false;
    LogNames names_;
    std::vector<KnownLog> logs_;  // the most recently used last
};

}  // namespace hkpd
