// Builds MCAP files record by record, and takes them apart. The layouts are written here a second time, from
// mcap.dev/spec: the library and its tests share no code, so that they cannot share a mistake.
//
//   mcap_file::Builder file;
//   file.chunk(mcap_file::channel(1, "v1", "x-hkpd-v1") + mcap_file::message(1, 0, 1000, "bytes"));
//   const std::string bytes = file.finish();
#pragma once

#include <gtest/gtest.h>
#include <zstd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcap_file {

using Pairs = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::string_view magic{"\x89MCAP0\r\n", 8};

template <class T>
std::string number(T value) {
    std::string bytes;
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
    return bytes;
}
inline std::string u16(std::uint64_t value) { return number(static_cast<std::uint16_t>(value)); }
inline std::string u32(std::uint64_t value) { return number(static_cast<std::uint32_t>(value)); }
inline std::string u64(std::uint64_t value) { return number(value); }
inline std::string text(std::string_view value) { return u32(value.size()).append(value); }
inline std::string pairs(const Pairs& all) {
    std::string bytes;
    for (const auto& [key, value] : all) bytes += text(key) + text(value);
    return text(bytes);
}

/// Returns the CRC-32 (ISO-HDLC) of the bytes. Plain pointers, as tests are compiled without optimisation.
inline std::uint32_t crc32(std::string_view bytes) {
    static const auto table = [] {
        std::array<std::uint32_t, 256> of_byte{};
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            std::uint32_t crc = byte;
            for (int i = 0; i < 8; ++i) crc = crc >> 1U ^ (crc & 1U ? 0xEDB8'8320U : 0U);
            of_byte[byte] = crc;
        }
        return of_byte;
    }();
    const std::uint32_t* const of_byte = table.data();
    const char* const end = bytes.data() + bytes.size();
    std::uint32_t crc = 0xFFFF'FFFF;
    for (const char* at = bytes.data(); at != end; ++at)
        crc = crc >> 8U ^ of_byte[(crc ^ static_cast<std::uint8_t>(*at)) & 0xFFU];
    return ~crc;
}

inline std::string record(unsigned op, std::string_view content) {
    return std::string(1, static_cast<char>(op)).append(u64(content.size())).append(content);
}

inline std::string header(std::string_view profile = "x-hkpd", std::string_view library = "test") {
    return record(0x01, text(profile) + text(library));
}
inline std::string channel(unsigned id, std::string_view topic, std::string_view encoding, const Pairs& metadata = {}) {
    return record(0x04, u16(id) + u16(0) + text(topic) + text(encoding) + pairs(metadata));
}
inline std::string message(unsigned channel_id, unsigned sequence, std::uint64_t time, std::string_view data) {
    return record(0x05, u16(channel_id) + u32(sequence) + u64(time) + u64(time) + std::string(data));
}
inline std::string metadata(std::string_view name, const Pairs& entries) {
    return record(0x0C, text(name) + pairs(entries));
}
inline std::string attachment(std::string_view name, std::string_view data) {
    return record(0x09,
                  u64(1) + u64(2) + text(name) + text("text/plain") + u64(data.size()) + std::string(data) + u32(0));
}

inline std::string zstd(std::string_view bytes, int level = 3) {
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level));
    return out;
}

/// Header fields of a chunk; those not given are right.
struct Chunk {
    std::string compression = "zstd";
    std::uint64_t start = 0, end = 0;
    std::optional<std::uint64_t> size{};
    std::optional<std::uint32_t> crc{};
    std::optional<std::string> stored{};
};
inline std::string chunk(std::string_view records, const Chunk& how = {}) {
    const std::string stored = how.stored                  ? *how.stored
                               : how.compression == "zstd" ? zstd(records)
                                                           : std::string(records);
    return record(0x06, u64(how.start) + u64(how.end) + u64(how.size.value_or(records.size())) +
                            u32(how.crc.value_or(crc32(records))) + text(how.compression) + u64(stored.size()) +
                            stored);
}

/// A file with an index of its chunks.
class Builder {
  public:
    Builder() : bytes_(std::string(magic) + header()) {}

    /// Adds any record between the chunks.
    Builder& add(std::string_view record) {
        bytes_ += record;
        return *this;
    }
    /// `ids`: the channels in the chunk's index.
    Builder& chunk(std::string_view records, Chunk how = {}, const std::vector<unsigned>& ids = {1}) {
        const std::string made = mcap_file::chunk(records, how);
        std::string offsets;
        for (const unsigned id : ids) offsets += u16(id) + u64(bytes_.size() + made.size());
        indexes.push_back(record(0x08, u64(how.start) + u64(how.end) + u64(bytes_.size()) + u64(made.size()) +
                                           text(offsets) + u64(0) + text(how.compression) + u64(made.size()) +
                                           u64(records.size())));
        places.emplace_back(bytes_.size(), made.size());
        bytes_ += made;
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

    /// Adds Data End, summary and footer. `count`: the number of messages, with statistics.
    std::string finish(std::optional<std::uint64_t> count = {}, bool checksum = true) const {
        std::string all = bytes_ + record(0x0F, u32(0));
        std::string summary = channels;
        if (count)
            summary += record(0x0B, u64(*count) + u16(0) + u32(1) + u32(0) + u32(0) + u32(indexes.size()) + u64(1) +
                                        u64(2) + text(u16(1) + u64(*count)));
        for (const std::string& index : indexes) summary += index;
        const std::uint64_t start = summary.empty() ? 0 : all.size();
        std::string footer = record(0x02, u64(start) + u64(0) + u32(0));
        footer.resize(footer.size() - 4);
        footer += u32(checksum ? crc32(summary + footer) : 0);
        return all + summary + footer + std::string(magic);
    }

    std::string channels = channel(1, "v1", "x-hkpd-v1");  ///< copy for the summary
    std::vector<std::string> indexes;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places;  ///< offset and length of each chunk

  private:
    std::string bytes_;
};

/// Reads the fields of a record one after the other.
class Taker {
  public:
    explicit Taker(std::string_view bytes) : rest(bytes) {}

    template <class T>
    T take() {
        T value = 0;
        const std::string_view bytes = take(sizeof(T));
        for (std::size_t i = bytes.size(); i-- > 0;)
            value = static_cast<T>(value << 7U << 1U | static_cast<std::uint8_t>(bytes[i]));
        return value;
    }
    std::string_view take(std::uint64_t size) {
        EXPECT_LE(size, rest.size());
        const std::string_view taken = rest.substr(0, size);
        rest.remove_prefix(taken.size());
        return taken;
    }
    std::uint16_t u16() { return take<std::uint16_t>(); }
    std::uint32_t u32() { return take<std::uint32_t>(); }
    std::uint64_t u64() { return take<std::uint64_t>(); }
    std::string text() { return std::string(take(u32())); }
    std::map<std::string, std::string> strings() {
        Taker entries(take(u32()));
        std::map<std::string, std::string> map;
        while (!entries.rest.empty()) {
            const std::string key = entries.text();
            map[key] = entries.text();
        }
        return map;
    }
    std::map<std::uint16_t, std::uint64_t> numbers() {
        Taker entries(take(u32()));
        std::map<std::uint16_t, std::uint64_t> map;
        while (!entries.rest.empty()) {
            const std::uint16_t key = entries.u16();
            map[key] = entries.u64();
        }
        return map;
    }

    std::string_view rest;
};

struct Record {
    unsigned op = 0;
    std::uint64_t offset = 0;  ///< of the opcode
    std::string_view content;

    std::uint64_t size() const { return 9 + content.size(); }
};

/// Returns the records end to end in these bytes, from `offset` on, up to the magic if it is there.
inline std::vector<Record> records(std::string_view bytes, std::uint64_t offset = 0) {
    std::vector<Record> all;
    Taker in(bytes.substr(offset));
    while (!in.rest.empty() && in.rest != magic) {
        Record record{.offset = bytes.size() - in.rest.size(), .content = {}};
        record.op = static_cast<std::uint8_t>(in.take(1)[0]);
        record.content = in.take(in.u64());
        all.push_back(record);
        if (testing::Test::HasFailure()) break;
    }
    return all;
}

/// The records of a chunk, checked against its header.
struct OpenedChunk {
    std::uint64_t start = 0, end = 0;
    std::string compression, records;
    std::uint64_t stored = 0;
};
inline OpenedChunk open_chunk(std::string_view content) {
    Taker in(content);
    OpenedChunk chunk{.start = in.u64(), .end = in.u64(), .compression = {}, .records = {}};
    chunk.records.resize(in.u64());
    const std::uint32_t crc = in.u32();
    chunk.compression = in.text();
    const std::string_view stored = in.take(in.u64());
    chunk.stored = stored.size();
    if (chunk.compression.empty())
        chunk.records = stored;
    else
        EXPECT_EQ(ZSTD_decompress(chunk.records.data(), chunk.records.size(), stored.data(), stored.size()),
                  chunk.records.size());
    EXPECT_EQ(crc32(chunk.records), crc);
    return chunk;
}

}  // namespace mcap_file
