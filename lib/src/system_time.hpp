// SYSTEMTIME as it lies in a structure: eight 16-bit fields.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hkpd/bytes.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

/// The SYSTEMTIME at the front of `field`, whose 16 bytes the caller has checked.
inline SystemTime read_system_time(Bytes field, ByteOrder order) noexcept {
    const auto part = [&](std::size_t i) { return load<std::uint16_t>(field.at(2 * i), order); };
    return {part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7)};
}

}  // namespace hkpd
