// Small records of both interfaces for seeds.
#pragma once

#include <cstdint>
#include <string>

#include "support/blob_builder.hpp"
#include "support/v2_waves.hpp"

namespace hkpd_fuzz {

inline std::string bytes_of(const blob::ByteBuffer& buffer) {
    const auto bytes = buffer.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Returns a block of one object with an instance, at that second.
inline std::string v1_bytes(std::uint16_t second, std::u16string machine = u"S") {
    blob::Block block{.objects = {{.title = 2,
                                   .kind = blob::Kind::multi,
                                   .counters = {{.title = 4}},
                                   .instances = {{.name = u"a", .values = {second}}}}},
                      .machine = std::move(machine),
                      .perf_time = second * 10'000'000};
    block.system_time.second = second;
    return bytes_of(blob::build(block));
}

/// Returns a block of the waves at that second.
inline std::string v2_bytes(std::uint16_t second) {
    return bytes_of(v2_blob::build(waves::block(second, static_cast<std::uint16_t>(40 + second))));
}

}  // namespace hkpd_fuzz
