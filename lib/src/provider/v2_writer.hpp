// Writes the blocks that PerfLib's functions return (perflib.h; learn.microsoft.com "PERF_COUNTER_HEADER"). Does not
// use the layouts of the reader, so that a mistake in one is not hidden by the same mistake in the other.
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

/// Appends a PERF_DATA_HEADER; `finish_data` fills in its total size.
void append_data_header(ByteBuffer& out, const Moment& moment, std::uint32_t results);
void finish_data(ByteBuffer& out);

/// Appends the result of a query's part: PERF_COUNTER_HEADER and the data after it.
void append_result(ByteBuffer& out, const QueryPart& part, const RegisteredCounterset& set, const Collected& collected);

/// Appends PERF_INSTANCE_HEADER and the name after it.
void append_instance_header(ByteBuffer& out, std::string_view name, std::uint32_t id);

/// Appends the answer and returns its status. A provider has texts in one language only, which every request for texts
/// returns, whatever language it names. `argument`: the counter id of `counter_struct`.
std::uint32_t append_registration(ByteBuffer& out, const CountersetDescriptor& set, v2::RegistrationRequest request,
                                  std::uint32_t argument);

}  // namespace hkpd
