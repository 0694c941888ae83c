// Writes a provider's objects in the form that Perflib expects from a Collect function, with the structs of winperf.h
// and nothing of hkpd's: a producer that cannot share a mistake with the readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "provider_counters.hpp"

namespace live {

/// Appends an object: a PERF_OBJECT_TYPE and all its parts, a multiple of 8 bytes. Titles are counted from
/// `first_title`.
void append_object(std::vector<std::byte>& out, const V1Provider& provider, std::uint32_t first_title,
                   const V1Object& object, std::uint64_t collection);

}  // namespace live
