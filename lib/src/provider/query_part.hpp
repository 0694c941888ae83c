// The parts of a query: PERF_COUNTER_IDENTIFIERs as PerfAddCounters takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hkpd/guid.hpp"
#include "provider/collect.hpp"

namespace hkpd {

/// Offsets of Status and Index, the fields of PERF_COUNTER_IDENTIFIER that calls set (perflib.h).
inline constexpr std::size_t query_status_at = 16, query_index_at = 32;

/// One identifier. For a single-instance counterset the name is empty. An empty name is not a wildcard.
struct QueryPart {
    Guid guid;
    std::uint32_t counter_id = v2::wildcard_counter;
    InstanceRequest instances;
    std::vector<std::byte> bytes;               ///< as passed by the caller
    std::shared_ptr<RegisteredCounterset> set;  ///< registration of the counterset when the part was added

    bool has_name() const noexcept { return bytes.size() > v2::identifier_size; }
    /// Returns whether the parts agree in all fields that PerfDeleteCounters compares.
    bool same_as(const QueryPart& other) const noexcept {
        return guid == other.guid && counter_id == other.counter_id && instances == other.instances;
    }
};

/// Returns the identifiers in a buffer that holds them end to end. Returns none if the buffer is empty or if any
/// identifier is malformed.
std::optional<std::vector<QueryPart>> read_identifiers(std::span<const std::byte> buffer);

}  // namespace hkpd
