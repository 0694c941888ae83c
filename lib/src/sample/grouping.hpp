// Groups the records of a stream into samples: either the V1 blocks of one moment, or one V2 block with its query.
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

/// Finds where samples begin. Consecutive blocks of one machine with equal PerfTime and PerfTime100nSec are one sample,
/// because monitoring agents and the writers of logs query one object at a time. A block that contains an object which
/// the sample already has begins a new sample.
class SampleBoundary {
  public:
    /// Returns whether the block belongs to a different sample than the block that was added last.
    bool crossed_by(const v1::Block& block) const;
    /// Begins a sample with the block (`begin`), or adds the block to the current sample (`add`).
    void begin(const v1::Block& block);
    void add(const v1::Block& block);

  private:
    std::string machine_;
    bool has_machine_ = false;
    std::int64_t perf_time_ = 0, perf_time_100ns_ = 0;
    std::uint64_t sample_ = 0;
    // Title index → number (`sample_`) of the last sample with an object of this index. Entries of earlier samples are
    // kept, so that the next sample need not allocate them again.
    std::map<std::uint32_t, std::uint64_t> titles_;
};

/// Sets `out` to the machine's name in a block, as UTF-8; empty if the block has no valid name.
void assign_machine(std::string& out, const v1::Block& block);

class FaultSink;

/// Keeps the latest V2 query of each machine. V2 blocks are decoded with these queries.
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

    /// Keeps the query in the record `identifiers` as the query of the record's machine, or removes the machine's query
    /// if the record is empty. A query that differs from the machine's previous query is opened, and its faults are
    /// reported. If all queries together would exceed a limit (`Limits::title_bytes`, `Limits::machines`), evicts the
    /// queries of all other machines. Fails if the query alone exceeds `Limits::title_bytes`; the machine then has no
    /// query.
    std::expected<void, Error> keep(const Record& identifiers, const FaultSink& faults);

    /// Returns the machine's query; null if there is none. Valid until the next `keep`.
    const Query* find(std::string_view machine) const noexcept;

  private:
    Limits limits_;
    std::map<std::string, Query, std::less<>> queries_;
    std::size_t size_ = 0;
};

}  // namespace hkpd
