// Which records of a stream belong to one sample: V1 blocks of one moment, a V2 block and the query that it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

/// Neighbouring blocks of one machine with equal PerfTime and PerfTime100nSec are one sample, as agents and logs ask
/// object by object; an object that repeats begins a new one.
class SampleBoundary {
  public:
    /// Whether the block belongs to another sample than the one that was taken in last.
    bool crossed_by(const v1::Block& block) const;
    /// The block begins a sample, or is one more of the sample at hand.
    void begin(const v1::Block& block);
    void add(const v1::Block& block);

  private:
    std::string machine_;
    bool has_machine_ = false;
    std::int64_t perf_time_ = 0, perf_time_100ns_ = 0;
    std::uint64_t sample_ = 0;
    // Title index → the last sample that had it. Nodes are kept, so that the next sample allocates nothing.
    std::map<std::uint32_t, std::uint64_t> titles_;
};

/// The machine's name as UTF-8; empty where it is damaged.
void assign_machine(std::string& out, const v1::Block& block);

class FaultSink;

/// The queries that V2 blocks answer: of each machine the one that came last.
class KeptQueries {
  public:
    struct Query {
        std::vector<std::byte> bytes;
        v2::Identifiers identifiers;  // views of `bytes`

        Query() = default;
        Query(const Query&) = delete;
        Query& operator=(const Query&) = delete;
    };

    explicit KeptQueries(const Limits& limits) noexcept : limits_(limits) {}

    /// Takes the place of the machine's query; empty: it has none from now on. Where it is another, it is opened and
    /// its faults are told. Fails for one that is larger than all queries together may be (`Limits::title_bytes`): the
    /// machine then has none.
    std::expected<void, Error> keep(const Record& identifiers, const FaultSink& faults);

    /// The machine's query; null where it has none. Stays where it is until `keep`.
    const Query* find(std::string_view machine) const noexcept;

  private:
    Limits limits_;
    std::map<std::string, Query, std::less<>> queries_;
    std::size_t size_ = 0;
};

}  // namespace hkpd
