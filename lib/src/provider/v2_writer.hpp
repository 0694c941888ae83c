// Writes the blocks that PerfLib's functions return (perflib.h; learn.microsoft.com "PERF_COUNTER_HEADER"). This code
// shares no layout code with the reader of such blocks. If it did, writer and reader could contain the same mistake,
// and no test would find it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/byte_writer.hpp"
#include "hkpd/provider.hpp"
#include "hkpd/time.hpp"
#include "hkpd/v2.hpp"
#include "provider/collect.hpp"
#include "provider/query_part.hpp"

namespace hkpd {

/// Appends a PERF_DATA_HEADER for a block with `results` results. `out` must be empty. Once all results have been
/// appended, `finish_data` writes the block's total size into the header.
void append_data_header(ByteBuffer& out, const Moment& moment, std::uint32_t results);
void finish_data(ByteBuffer& out);

/// Appends the result for one part of a query: PERF_COUNTER_HEADER and the data after the header.
void append_result(ByteBuffer& out, const QueryPart& part, const RegisteredCounterset& set, const Collected& collected);

/// Appends a PERF_INSTANCE_HEADER and the name of the instance.
void append_instance_header(ByteBuffer& out, std::string_view name, std::uint32_t id);

/// Appends the answer to a registration request and returns the status of the request. A provider has texts in one
/// language only, so the answer does not depend on the requested language. `argument` is the counter id for
/// `counter_struct`.
std::uint32_t append_registration(ByteBuffer& out, const CountersetDescriptor& set, v2::RegistrationRequest request,
                                  std::uint32_t argument);

}  // namespace hkpd
