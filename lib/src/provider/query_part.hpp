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

/// Places of the fields Status and Index, which a call writes (perflib.h PERF_COUNTER_IDENTIFIER).
inline constexpr std::size_t query_status_at = 16, query_index_at = 32;

/// One identifier. A single-instance one has an empty name, which is no wildcard.
struct QueryPart {
    Guid guid;
    std::uint32_t counter_id = v2::wildcard_counter;
    InstanceWish instances;
    std::vector<std::byte> bytes;               ///< as it was given
    std::shared_ptr<RegisteredCounterset> set;  ///< as it was registered when the part was added

    bool has_name() const noexcept { return bytes.size() > v2::identifier_size; }
    /// What PerfDeleteCounters compares.
    bool same_as(const QueryPart& other) const noexcept {
        return guid == other.guid && counter_id == other.counter_id && instances == other.instances;
    }
};

/// The identifiers of a buffer, end to end; none where any is malformed or there is none at all.
std::optional<std::vector<QueryPart>> read_identifiers(std::span<const std::byte> buffer);

}  // namespace hkpd
