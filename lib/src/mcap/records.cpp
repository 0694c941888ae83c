#include "mcap/records.hpp"

#include <libdeflate.h>

#include <utility>

#include "base/text/encoding.hpp"

namespace hkpd::mcap {

Bytes Fields::take(std::uint64_t size, std::string_view field) {
    if (good_ && !rest_.contains(0, size)) {
        fail({Errc::capture_record, rest_.offset(), structure_, field, size, rest_.size()});
    }
    if (!good_) return {};
    const Bytes taken = rest_.slice(0, size);
    rest_ = rest_.from(size);
    return taken;
}

std::string_view Fields::string(std::string_view field) { return text_of(take(u32(field), field)); }

std::string Fields::text(std::string_view field) {
    std::string text;
    append_utf8(text, std::as_bytes(std::span(string(field))));
    return text;
}

/// Calls `take_entry` for each entry of a list that begins with its length in bytes.
template <class Take>
void Fields::each_entry(std::string_view field, const Take& take_entry) {
    Fields entries(take(u32(field), field), structure_);
    while (entries.good() && !entries.rest().empty()) take_entry(entries);
    if (good_ && !entries.good()) fail(entries.error());
}

void Fields::skip(char kind) {
    if (kind == 's')
        string("");
    else if (kind == 'm')
        each_entry("", [](Fields& entries) {
            entries.skip('s');
            entries.skip('s');
        });
    else if (kind == 'n')
        each_entry("", [](Fields& entries) { entries.take(sizeof(std::uint16_t) + sizeof(std::uint64_t), ""); });
    else
        take(static_cast<std::uint64_t>(kind - '0'), "");
}

Map Fields::strings(std::string_view field) {
    Map map;
    each_entry(field, [&](Fields& entries) {
        std::string key = entries.text(field), value = entries.text(field);
        if (entries.good()) map.insert_or_assign(std::move(key), std::move(value));
    });
    return map;
}

std::map<std::uint16_t, std::uint64_t> Fields::numbers(std::string_view field) {
    std::map<std::uint16_t, std::uint64_t> map;
    each_entry(field, [&](Fields& entries) {
        const std::uint16_t key = entries.u16(field);
        const std::uint64_t value = entries.u64(field);
        if (entries.good()) map[key] = value;
    });
    return map;
}

namespace {

void read(Fields& in, Header& out) {
    out.profile = in.text("profile");
    out.library = in.text("library");
}

void read(Fields& in, Footer& out) {
    out.summary_start = in.u64("summary_start");
    in.u64("summary_offset_start");
    out.summary_crc = in.u32("summary_crc");
}

void read(Fields& in, Channel& out) {
    out.id = in.u16("id");
    out.schema_id = in.u16("schema_id");
    out.topic = in.text("topic");
    out.message_encoding = in.text("message_encoding");
    out.metadata = in.strings("metadata");
}

void read(Fields& in, Message& out) {
    out.channel_id = in.u16("channel_id");
    out.sequence = in.u32("sequence");
    out.log_time = in.u64("log_time");
    in.u64("publish_time");
    out.data = in.take(in.rest().size(), "data");
}

void read(Fields& in, Chunk& out) {
    out.start_time = in.u64("message_start_time");
    out.end_time = in.u64("message_end_time");
    out.uncompressed_size = in.u64("uncompressed_size");
    out.uncompressed_crc = in.u32("uncompressed_crc");
    out.compression = in.string("compression");
    out.records_size = in.u64("records");
    out.records = in.rest().clip(0, out.records_size);
}

void read(Fields& in, ChunkIndex& out) {
    out.start_time = in.u64("message_start_time");
    out.end_time = in.u64("message_end_time");
    out.chunk_start = in.u64("chunk_start_offset");
    out.chunk_length = in.u64("chunk_length");
    out.message_index_offsets = in.numbers("message_index_offsets");
    in.u64("message_index_length");
    in.string("compression");
    out.compressed_size = in.u64("compressed_size");
    out.uncompressed_size = in.u64("uncompressed_size");
}

void read(Fields& in, Statistics& out) {
    out.message_count = in.u64("message_count");
    in.u16("schema_count");
    in.u32("channel_count");
    out.attachment_count = in.u32("attachment_count");
    out.metadata_count = in.u32("metadata_count");
    out.chunk_count = in.u32("chunk_count");
    out.start_time = in.u64("message_start_time");
    out.end_time = in.u64("message_end_time");
    out.channel_message_counts = in.numbers("channel_message_counts");
}

void read(Fields& in, Metadata& out) {
    out.name = in.text("name");
    out.entries = in.strings("metadata");
}

void read(Fields& in, MetadataIndex& out) {
    out.offset = in.u64("offset");
    out.length = in.u64("length");
    out.name = in.string("name");
}

/// Returns the fields of a record's content, one character each: a digit is the size of a number in bytes; `s` is a
/// string, `m` a map of strings, `n` a map of numbers. Empty if the fields do not determine the length, or if the
/// opcode is reserved.
std::string_view shape_of(std::uint8_t op) noexcept {
    constexpr std::array<std::string_view, 16> shapes{
        "",           // reserved
        "ss",         // header
        "884",        // footer
        "2sss",       // schema
        "22ssm",      // channel
        "",           // message
        "",           // chunk: see is_chunk_of_length
        "2s",         // message_index
        "8888n8s88",  // chunk_index
        "",           // attachment: see attachment_size
        "88888ss",    // attachment_index
        "82444488n",  // statistics
        "sm",         // metadata
        "88s",        // metadata_index
        "188",        // summary_offset
        "4",          // data_end
    };
    return op < shapes.size() ? shapes[op] : "";
}

}  // namespace

template <class T>
std::expected<T, Error> parse(Bytes content) {
    Fields in(content, T::structure);
    T out;
    read(in, out);
    if (!in.good()) return std::unexpected(in.error());
    return out;
}

template std::expected<Header, Error> parse(Bytes);
template std::expected<Footer, Error> parse(Bytes);
template std::expected<Channel, Error> parse(Bytes);
template std::expected<Message, Error> parse(Bytes);
template std::expected<Chunk, Error> parse(Bytes);
template std::expected<ChunkIndex, Error> parse(Bytes);
template std::expected<Statistics, Error> parse(Bytes);
template std::expected<Metadata, Error> parse(Bytes);
template std::expected<MetadataIndex, Error> parse(Bytes);

Fit fit(std::uint8_t op, Bytes content) {
    if (op == static_cast<std::uint8_t>(Op::message)) return {parse<Message>(content).has_value(), false};
    const std::string_view shape = shape_of(op);
    if (shape.empty()) return {op != 0, false};
    Fields in(content, "");
    for (const char field : shape) in.skip(field);
    return {in.good(), in.good() && in.rest().empty()};
}

std::uint64_t attachment_size(Bytes content) {
    Fields in(content, "Attachment");
    for (const char field : std::string_view("88ss")) in.skip(field);
    const std::uint64_t data = in.u64("data");
    const std::uint64_t others = content.size() - in.rest().size() + sizeof(std::uint32_t);
    return in.good() && data < ~others ? others + data : 0;
}

RecordWriter::RecordWriter(std::string& out, Op op) : out_(out) {
    out_ += static_cast<char>(op);
    out_.append(sizeof(std::uint64_t), '\0');
    begin_ = out_.size();
}

void RecordWriter::end() {
    std::uint64_t size = out_.size() - begin_;
    if constexpr (std::endian::native != std::endian::little) size = std::byteswap(size);
    out_.replace(begin_ - sizeof size, sizeof size, reinterpret_cast<const char*>(&size), sizeof size);
}

RecordWriter& RecordWriter::string(std::string_view text) {
    u32(static_cast<std::uint32_t>(text.size()));
    return bytes(text);
}

RecordWriter& RecordWriter::strings(const Map& map) {
    std::size_t size = 0;
    for (const auto& [key, value] : map) size += 2 * sizeof(std::uint32_t) + key.size() + value.size();
    u32(static_cast<std::uint32_t>(size));
    for (const auto& [key, value] : map) string(key).string(value);
    return *this;
}

RecordWriter& RecordWriter::numbers(const std::map<std::uint16_t, std::uint64_t>& map) {
    u32(static_cast<std::uint32_t>(map.size() * (sizeof(std::uint16_t) + sizeof(std::uint64_t))));
    for (const auto& [key, value] : map) u16(key).u64(value);
    return *this;
}

RecordWriter& RecordWriter::bytes(std::string_view bytes) {
    out_ += bytes;
    return *this;
}

void append_channel(std::string& out, const Channel& channel) {
    RecordWriter record(out, Op::channel);
    record.u16(channel.id).u16(channel.schema_id).string(channel.topic).string(channel.message_encoding);
    record.strings(channel.metadata).end();
}

std::uint32_t crc32(std::uint32_t before, std::string_view bytes) noexcept {
    // The pointer of an empty view can be null. libdeflate would then return the initial value of a CRC, and not
    // `before`.
    return bytes.empty() ? before : libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace hkpd::mcap
