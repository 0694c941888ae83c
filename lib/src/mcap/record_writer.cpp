#include "mcap/records.hpp"

namespace hkpd::mcap {

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

void append_metadata(std::string& out, std::string_view name, const Map& entries) {
    RecordWriter record(out, Op::metadata);
    record.string(name).strings(entries).end();
}

void append_message(std::string& out, const Message& message) {
    RecordWriter record(out, Op::message);
    record.u16(message.channel_id).u32(message.sequence).u64(message.log_time).u64(message.publish_time);
    record.bytes({reinterpret_cast<const char*>(message.data.data()), message.data.size()}).end();
}

}  // namespace hkpd::mcap
