// What PerfQueryCounterSetRegistrationInfo returns.
#pragma once

#include <cstdint>

#include "base/byte_writer.hpp"
#include "hkpd/provider.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

/// Appends the answer and returns its status. A provider has its texts in one language, so that each request for texts
/// gets the same ones, whatever language it names. `argument`: the counter id of `counter_struct`.
std::uint32_t append_registration(ByteBuffer& out, const CountersetDescriptor& set, v2::RegistrationRequest request,
                                  std::uint32_t argument);

}  // namespace hkpd
