// Reads and writes the contents of an MCAP file's records (mcap.dev/spec), independently of files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"

namespace hkpd::mcap {

/// First and last bytes of a file.
inline constexpr std::array<std::byte, 8> magic{std::byte{0x89}, std::byte{'M'}, std::byte{'C'},  std::byte{'A'},
                                                std::byte{'P'},  std::byte{'0'}, std::byte{0x0D}, std::byte{0x0A}};

enum class Op : std::uint8_t {
    header = 0x01,
    footer = 0x02,
    schema = 0x03,
    channel = 0x04,
    message = 0x05,
    chunk = 0x06,
    message_index = 0x07,
    chunk_index = 0x08,
    attachment = 0x09,
    attachment_index = 0x0A,
    statistics = 0x0B,
    metadata = 0x0C,
    metadata_index = 0x0D,
    summary_offset = 0x0E,
    data_end = 0x0F,
};
/// First opcode that applications may use. The format reserves the opcodes after `data_end` and before this one.
inline constexpr std::uint8_t first_application_op = 0x80;

/// Size of opcode and length, which precede each record's content.
inline constexpr std::uint64_t frame_size = 9;
/// Size of a footer's content in bytes. This size is constant, so the footer can be found from the file's end.
inline constexpr std::uint64_t footer_size = 20;
/// Size of a chunk's content without the name of the compression and without the records.
inline constexpr std::uint64_t chunk_fixed_size = 40;
/// Length in bytes of the longest compression name that is read. Limits how much of a chunk must be read to learn where
/// the chunk ends.
inline constexpr std::uint64_t longest_compression = 32;
inline constexpr std::uint64_t chunk_prefix_size = frame_size + chunk_fixed_size + longest_compression;

/// Opcode and length, which precede each record's content.
struct Head {
    std::uint8_t op = 0;
    std::uint64_t length = 0;

    bool is(Op which) const noexcept { return op == static_cast<std::uint8_t>(which); }
};
/// Reads the opcode and length of a record. `record` must have at least `frame_size` bytes.
inline Head head_of(Bytes record) noexcept {
    return {static_cast<std::uint8_t>(*record.data()), load<std::uint64_t>(record.at(1), ByteOrder::little)};
}

using Map = std::map<std::string, std::string>;

inline std::string_view text_of(Bytes bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Header {
    static constexpr std::string_view structure = "Header";
    std::string profile, library;
};

struct Footer {
    static constexpr std::string_view structure = "Footer";
    std::uint64_t summary_start = 0;
    std::uint32_t summary_crc = 0;
};

struct Channel {
    static constexpr std::string_view structure = "Channel";
    std::uint16_t id = 0, schema_id = 0;
    std::string topic{}, message_encoding{};
    Map metadata{};
};

struct Message {
    static constexpr std::string_view structure = "Message";
    std::uint16_t channel_id = 0;
    std::uint32_t sequence = 0;
    std::uint64_t log_time = 0;
    Bytes data;
};

struct Chunk {
    static constexpr std::string_view structure = "Chunk";
    std::uint64_t start_time = 0, end_time = 0;
    std::uint64_t uncompressed_size = 0;
    std::uint32_t uncompressed_crc = 0;
    std::string_view compression;
    std::uint64_t records_size = 0;
    Bytes records;  ///< the records as stored; incomplete if the parsed content ends early

    /// Returns the length that the content of the chunk's record must have.
    std::uint64_t content_size() const noexcept { return chunk_fixed_size + compression.size() + records_size; }
};

struct ChunkIndex {
    static constexpr std::string_view structure = "Chunk Index";
    std::uint64_t start_time = 0, end_time = 0;
    std::uint64_t chunk_start = 0, chunk_length = 0;
    std::map<std::uint16_t, std::uint64_t> message_index_offsets;
    std::uint64_t compressed_size = 0, uncompressed_size = 0;
};

struct Statistics {
    static constexpr std::string_view structure = "Statistics";
    std::uint64_t message_count = 0;
    std::uint32_t attachment_count = 0, metadata_count = 0, chunk_count = 0;
    std::uint64_t start_time = 0, end_time = 0;
    std::map<std::uint16_t, std::uint64_t> channel_message_counts;
};

struct Metadata {
    static constexpr std::string_view structure = "Metadata";
    std::string name;
    Map entries;
};

struct MetadataIndex {
    static constexpr std::string_view structure = "Metadata Index";
    std::uint64_t offset = 0, length = 0;
    std::string_view name;
};

/// Reads a record's content field by field. If the content ends inside a field, this field and all later fields are
/// read as 0 or empty, and `error` identifies this field. Bytes after the last field are ignored, because a later
/// version of the format may have added fields at the end.
class Fields {
  public:
    Fields(Bytes content, std::string_view structure) noexcept : rest_(content), structure_(structure) {}

    std::uint8_t u8(std::string_view field) { return number<std::uint8_t>(field); }
    std::uint16_t u16(std::string_view field) { return number<std::uint16_t>(field); }
    std::uint32_t u32(std::string_view field) { return number<std::uint32_t>(field); }
    std::uint64_t u64(std::string_view field) { return number<std::uint64_t>(field); }
    std::string_view string(std::string_view field);
    /// Reads a string for display: bytes that are not UTF-8 become U+FFFD.
    std::string text(std::string_view field);
    Map strings(std::string_view field);
    std::map<std::uint16_t, std::uint64_t> numbers(std::string_view field);
    /// Reads `size` bytes.
    Bytes take(std::uint64_t size, std::string_view field);
    /// Skips a field. `kind`: `s` for a string, `m` for a map of strings, `n` for a map of numbers, or a digit for a
    /// number of that many bytes.
    void skip(char kind);
    Bytes rest() const noexcept { return rest_; }

    bool good() const noexcept { return good_; }
    const Error& error() const noexcept { return error_; }

  private:
    template <class T>
    T number(std::string_view field) {
        const Bytes bytes = take(sizeof(T), field);
        return bytes.empty() ? T{} : load<T>(bytes.data(), ByteOrder::little);
    }

    template <class Take>
    void each_entry(std::string_view field, const Take& take_entry);
    void fail(const Error& error) noexcept {
        good_ = false;
        error_ = error;
    }

    Bytes rest_;
    std::string_view structure_;
    bool good_ = true;
    Error error_{};
};

/// Reads the content of a record of type `T`. Fails with `capture_record` if the content ends inside a field; the error
/// states this field. The content of a chunk may end inside the chunk's records.
template <class T>
std::expected<T, Error> parse(Bytes content);

/// The result of comparing a record's content with the fields that the record's opcode requires.
struct Fit {
    /// True if the content is long enough for the fields. Always true for chunks, attachments and opcodes that are not
    /// in `Op`, because their fields are not compared. Always false for opcode 0, which no record has.
    bool fits = false;
    /// True if the fields end exactly where the content ends. The length in the record's header is then certainly
    /// right.
    bool exact = false;
};
Fit fit(std::uint8_t op, Bytes content);

/// Returns the length that an attachment's content must have, computed from the fields at its beginning; 0 if `content`
/// does not contain these fields completely, or if they are invalid.
std::uint64_t attachment_size(Bytes content);

/// Writes one record: opcode and length, then the fields that are added between construction and `end`.
class RecordWriter {
  public:
    RecordWriter(std::string& out, Op op);
    void end();

    RecordWriter& u8(std::uint8_t value) { return put(value); }
    RecordWriter& u16(std::uint16_t value) { return put(value); }
    RecordWriter& u32(std::uint32_t value) { return put(value); }
    RecordWriter& u64(std::uint64_t value) { return put(value); }
    RecordWriter& string(std::string_view text);
    RecordWriter& strings(const Map& map);
    RecordWriter& numbers(const std::map<std::uint16_t, std::uint64_t>& map);
    RecordWriter& bytes(std::string_view bytes);
    RecordWriter& bytes(Bytes bytes) { return this->bytes(text_of(bytes)); }

  private:
    template <class T>
    RecordWriter& put(T value) {
        if constexpr (std::endian::native != std::endian::little) value = std::byteswap(value);
        out_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }

    std::string& out_;
    std::size_t begin_;
};

void append_channel(std::string& out, const Channel& channel);

/// Returns the CRC-32 (as in zlib and MCAP) of a sequence of bytes that ends with `bytes`. `before` is the CRC-32 of
/// the bytes before `bytes`; 0 if there are none.
std::uint32_t crc32(std::uint32_t before, std::string_view bytes) noexcept;
inline std::uint32_t crc32(std::uint32_t before, Bytes bytes) noexcept { return crc32(before, text_of(bytes)); }

}  // namespace hkpd::mcap
