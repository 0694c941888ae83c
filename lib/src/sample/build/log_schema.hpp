// What the rows of logs go by, log by log, as several may come mixed: which object and column each record becomes,
// worked out once of the catalogue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
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

namespace hkpd {

class FaultSink;

/// Numbers for names, the same in all logs of a run. Names that differ in case only are one.
class LogNames {
  public:
    struct Named {
        std::uint32_t number = 0;  ///< from `first_logged` on
        std::string_view text;     ///< as it was met first; lives as long as this
    };
    /// `ordinal` tells apart what has the same name. None of a new name where there are as many as the limit allows.
    std::optional<Named> number(std::string_view name, std::uint32_t ordinal);

    std::size_t bytes() const noexcept { return bytes_; }
    static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  private:
    std::map<std::string, Named> names_;
    std::deque<std::string> texts_;
    std::size_t bytes_ = 0;
};

/// An object of raw counters: columns that were taken of the same instances.
struct LogGroup {
    struct Counter {
        LogNames::Named name;
        std::uint32_t type = 0, size = 0;
        std::int64_t time_base = 0;
        std::int32_t scale = 0;
    };
    LogNames::Named name;
    blg::Form form = blg::Form::raw;  ///< or `instances`: the records tell the instances
    Kind kind = Kind::multi;
    std::vector<Counter> counters;
    std::vector<std::string> instances;  ///< of form `raw`
    /// Which entry of the catalogue, and so which record of a row, has the value of a counter: of form `raw` of each
    /// instance, counter by counter; else all of them.
    std::vector<std::uint32_t> entries;
};

/// The raw counters of a machine.
struct LogMachine {
    std::string name, folded;  ///< folded: names of one machine are the same
    std::vector<LogGroup> groups;
};

/// Gathers what belongs together, in the order of the catalogue.
std::vector<LogMachine> plan_log(const blg::Catalogue& catalogue, LogNames& names, const FaultSink& faults);

struct KnownLog {
    Guid log;
    std::optional<TimeZoneRules> zone;  ///< none where nothing tells it
    bool planned = false;               ///< whether there is a catalogue
    blg::Catalogue catalogue;
    std::vector<LogMachine> machines;  ///< their raw counters

    /// The zone at a moment, in 100 ns since 1601 (UTC).
    std::optional<TimeZone> zone_at(std::int64_t filetime) const;
};

/// Keeps what came last, of at most `Limits::tables` logs.
class LogRegistry {
  public:
    /// Keeps a reference.
    explicit LogRegistry(const Limits& limits) : limits_(limits) {}

    /// Takes in a record `log_header` or `log_catalogue`.
    void take(const Record& record, const FaultSink& faults);
    /// Returns what is known of a log: nothing of a new one. Valid until the next call.
    KnownLog& find(const Guid& log);

  private:
    const Limits& limits_;
    LogNames names_;
    std::vector<KnownLog> logs_;  // what was asked for last stands last
};

}  // namespace hkpd
