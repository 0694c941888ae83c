// MCAP (mcap.dev/spec) for seeds: records of an opcode and a length. Checksums of 0 are not compared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hkpd_fuzz::mcap_bytes {

inline constexpr std::string_view magic{"\x89MCAP0\r\n", 8};
/// Time of the simulated run's first sample, in nanoseconds since 1970.
inline constexpr std::uint64_t first_second = 1'767'225'601'000'000'000, second = 1'000'000'000;

inline std::string number(std::uint64_t value, std::size_t width) {
    std::string bytes;
    for (std::size_t i = 0; i < width; ++i) bytes += i < 8 ? static_cast<char>(value >> (8 * i) & 0xFF) : '\0';
    return bytes;
}
inline std::string text(std::string_view value) { return number(value.size(), 4).append(value); }

inline std::string record(unsigned opcode, std::string_view content) {
    return std::string(1, static_cast<char>(opcode)).append(number(content.size(), 8)).append(content);
}
inline std::string channel(unsigned id, std::string_view encoding, std::string_view metadata = {}) {
    return record(4, number(id, 2) + number(0, 2) + text("t") + text(encoding) + text(metadata));
}
inline std::string message(unsigned channel_id, unsigned sequence, std::uint64_t time, std::string_view data) {
    return record(5,
                  number(channel_id, 2) + number(sequence, 4) + number(time, 8) + number(time, 8) + std::string(data));
}

/// Header fields of a chunk, without its records.
struct ChunkHead {
    std::uint64_t start = 0, end = 0;
    std::string_view compression = "";
    std::uint32_t checksum = 0;
    std::uint64_t more = 0;  ///< surplus of the claimed uncompressed size over the real one
};
inline std::string chunk(std::string_view records, const ChunkHead& head = {}) {
    return record(6, number(head.start, 8) + number(head.end, 8) + number(records.size() + head.more, 8) +
                         number(head.checksum, 4) + text(head.compression) + number(records.size(), 8) +
                         std::string(records));
}

}  // namespace hkpd_fuzz::mcap_bytes
