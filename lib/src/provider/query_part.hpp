// The parts of a query. A caller passes each part to PerfAddCounters as a PERF_COUNTER_IDENTIFIER.
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

/// Offsets of the fields Status and Index in PERF_COUNTER_IDENTIFIER (perflib.h). The functions that take identifiers
/// write their results to these two fields.
inline constexpr std::size_t query_status_at = 16, query_index_at = 32;

/// One part of a query: the request that one identifier makes. For a single-instance counterset, `instances.pattern` is
/// empty. An empty pattern is not a wildcard.
struct QueryPart {
    Guid guid;
    std::uint32_t counter_id = v2::wildcard_counter;
    InstanceRequest instances;
    std::vector<std::byte> bytes;  ///< the identifier as the caller passed it
    /// The counterset that was registered with the GUID `guid` when the part was added to a query. Null until the part
    /// is added.
    std::shared_ptr<RegisteredCounterset> set;

    bool has_name() const noexcept { return bytes.size() > v2::identifier_size; }
    /// Returns whether this part and `other` are equal in all fields that PerfDeleteCounters compares.
    bool same_as(const QueryPart& other) const noexcept {
        return guid == other.guid && counter_id == other.counter_id && instances == other.instances;
    }
};

/// Returns the identifiers in a buffer that holds them end to end. Returns none if the buffer is empty or if any
/// identifier is malformed.
std::optional<std::vector<QueryPart>> read_identifiers(std::span<const std::byte> buffer);

}  // namespace hkpd
