#include "capture/channels.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/text/parse_number.hpp"

namespace hkpd {
namespace {

/// Fills in the fields that follow from a channel's description: the kind of its messages, and the fields of the record
/// that all its messages share.
void read_description(CaptureChannels::Known& known) {
    const auto entry = [&](const char* key) {
        const auto found = known.channel.metadata.find(key);
        return found == known.channel.metadata.end() ? std::string_view{} : found->second;
    };
    known.record = {};
    known.unknown = "message_encoding";
    known.kind = message_kind(known.channel.message_encoding);
    if (known.kind == nullptr) return;
    Record& record = known.record;
    record.kind = known.kind->kind;
    record.machine = entry("machine");
    record.log = parse_guid(entry("log")).value_or(Guid{});
    if (known.kind->reference) {
        record.name = entry("name");
        record.language = entry("language");
    }
    if (record.kind != Record::Kind::v2_registration) return;
    const auto guid = parse_guid(entry("counterset"));
    const auto request = parse_number<std::uint32_t>(entry("request"));
    if (guid && request) {
        record.counterset = *guid;
        record.request = *request;
        record.title_index = parse_number<std::uint32_t>(entry("title_index"));
    } else {
        known.kind = nullptr;  // a registration is useless without the request that it answers
        known.unknown = "metadata";
    }
}

}  // namespace

std::expected<CaptureChannels::Known*, Error> CaptureChannels::define(mcap::Channel channel) {
    std::size_t size = channel.topic.size() + channel.message_encoding.size();
    for (const auto& [key, value] : channel.metadata) size += key.size() + value.size();
    const auto found = channels_.find(channel.id);
    const std::size_t all = size_ - (found == channels_.end() ? 0 : found->second.size) + size;
    if (all > largest_text_records)
        return std::unexpected(Error{Errc::byte_limit, 0, "Channel", "", largest_text_records, all});
    size_ = all;
    Known& known = channels_[channel.id];
    const bool changed = known.channel.message_encoding != channel.message_encoding;
    known.size = size;
    known.channel = std::move(channel);
    read_description(known);
    if (known.kind != nullptr || changed) known.reported = false;
    return &known;
}

CaptureChannels::Known* CaptureChannels::find(std::uint16_t id) noexcept {
    const auto found = channels_.find(id);
    return found == channels_.end() ? nullptr : &found->second;
}

}  // namespace hkpd
