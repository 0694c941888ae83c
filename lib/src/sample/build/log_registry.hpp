// What the rows of logs go by, log by log, as several may come mixed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "blg/blg.hpp"
#include "hkpd/error.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "sample/build/log_schema.hpp"

namespace hkpd {

class FaultSink;

struct KnownLog {
    Guid log;
    std::optional<TimeZoneRules> zone;  ///< none where nothing tells it
    bool planned = false;               ///< whether there is a catalogue
    blg::Catalogue catalogue;
    std::vector<LogMachine> machines;  ///< their raw counters
    std::uint64_t plan = 0;            ///< a number for them, which no others of the run have

    /// The zone at a moment, in 100 ns since 1601 (UTC).
    std::optional<TimeZone> zone_at(std::int64_t filetime) const;
};

/// Keeps what came last, of at most `Limits::tables` logs.
class KnownLogs {
  public:
    /// Keeps a reference.
    explicit KnownLogs(const Limits& limits) : limits_(limits) {}

    /// Takes in a record `log_header` or `log_catalogue`.
    void take(const Record& record, const FaultSink& faults);
    /// Nothing is known of one that was not met. Valid until the next call.
    const KnownLog& find(const Guid& log);

  private:
    KnownLog& find_or_add(const Guid& log);

    const Limits& limits_;
    LogNames names_;
    std::vector<KnownLog> logs_;  // what was asked for last stands last
    std::uint64_t plans_ = 0;
};

}  // namespace hkpd
