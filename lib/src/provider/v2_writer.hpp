// The blocks that PerfLib's functions return (perflib.h; learn.microsoft.com "PERF_COUNTER_HEADER"). Written without
// the layouts of the reader, so that neither hides the other's mistakes.
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

/// A PERF_DATA_HEADER; its total size is patched by `finish_data`.
void append_data_header(ByteBuffer& out, const Moment& moment, std::uint32_t results);
void finish_data(ByteBuffer& out);

/// The result of a part of a query: PERF_COUNTER_HEADER and what follows it.
void append_result(ByteBuffer& out, const QueryPart& part, const RegisteredCounterset& set, const Collected& collected);

/// PERF_INSTANCE_HEADER and the name behind it.
void append_instance_header(ByteBuffer& out, std::string_view name, std::uint32_t id);

/// Appends the answer and returns its status. A provider has its texts in one language, so that each request for texts
/// gets the same ones, whatever language it names. `argument`: the counter id of `counter_struct`.
std::uint32_t append_registration(ByteBuffer& out, const CountersetDescriptor& set, v2::RegistrationRequest request,
                                  std::uint32_t argument);

}  // namespace hkpd
