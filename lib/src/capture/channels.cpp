#include "capture/channels.hpp"

#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "base/text/parse_number.hpp"

namespace hkpd {

namespace {

/// Registrations say nothing without what was asked for.
std::optional<CaptureChannels::Registration> registration_of(const mcap::Channel& channel) {
    const auto guid = parse_guid(metadata_of(channel, "counterset"));
    const auto request = parse_number<std::uint32_t>(metadata_of(channel, "request"));
    if (!guid || !request) return std::nullopt;
    return CaptureChannels::Registration{*guid, *request,
                                         parse_number<std::uint32_t>(metadata_of(channel, "title_index"))};
}

void find_kind(CaptureChannels::Known& known, const mcap::Channel& channel) {
    known.registration = {};
    known.log = parse_guid(metadata_of(channel, "log")).value_or(Guid{});
    known.unknown = "message_encoding";
    known.kind = message_kind(channel.message_encoding);
    if (known.kind == nullptr || known.kind->kind != Record::Kind::v2_registration) return;
    if (const auto registration = registration_of(channel)) {
        known.registration = *registration;
    } else {
        known.kind = nullptr;
        known.unknown = "metadata";
    }
}

}  // namespace

std::string_view metadata_of(const mcap::Channel& channel, const char* key) {
    const auto found = channel.metadata.find(key);
    return found == channel.metadata.end() ? std::string_view{} : found->second;
}

std::expected<CaptureChannels::Known*, Error> CaptureChannels::define(Bytes content) {
    if (content.size() > largest_text_record)
        return std::unexpected(
            Error{Errc::byte_limit, content.offset(), "Channel", "", content.size(), largest_text_record});
    auto channel = mcap::parse<mcap::Channel>(content);
    if (!channel) return std::unexpected(channel.error());
    const auto found = channels_.find(channel->id);
    const std::size_t others = size_ - (found == channels_.end() ? 0 : found->second.size);
    if (others + content.size() > largest_text_records)
        return std::unexpected(
            Error{Errc::byte_limit, content.offset(), "Channel", "", others + content.size(), largest_text_records});
    size_ = others + content.size();
    Known& known = channels_[channel->id];
    find_kind(known, *channel);
    if (known.kind != nullptr || known.channel.message_encoding != channel->message_encoding) known.told = false;
    known.size = content.size();
    known.channel = std::move(*channel);
    return &known;
}

CaptureChannels::Known* CaptureChannels::find(std::uint16_t id) noexcept {
    const auto found = channels_.find(id);
    return found == channels_.end() ? nullptr : &found->second;
}

namespace {

constexpr std::size_t most_channels = std::numeric_limits<std::uint16_t>::max();

mcap::Channel channel_of(const Record& record, std::uint16_t id) {
    const MessageKind& kind = *message_kind(record.kind);
    mcap::Channel channel{.id = id, .topic = std::string(kind.topic), .message_encoding = std::string(kind.encoding)};
    const auto add_part = [&](std::string_view part) {
        if (!part.empty()) channel.topic.append("/").append(part);
    };
    const auto add = [&](std::string_view key, std::string_view value) {
        if (!value.empty()) channel.metadata.emplace(key, value);
    };
    add_part(record.machine);
    add("machine", record.machine);
    if (record.log != Guid{}) {
        const std::string guid = guid_text(record.log);
        add_part(guid);
        add("log", guid);
    }
    if (!kind.reference) return channel;
    add("language", record.language);
    if (record.kind == Record::Kind::titles) {
        add_part(record.name);
        add("name", record.name);
    } else if (record.kind == Record::Kind::v2_registration) {
        const std::string guid = guid_text(record.counterset), request = std::to_string(record.request);
        for (const std::string_view part : {std::string_view(guid), std::string_view(request), record.language})
            add_part(part);
        add("counterset", guid);
        add("request", request);
        if (record.title_index) add("title_index", std::to_string(*record.title_index));
    }
    return channel;
}

}  // namespace

const mcap::Channel* WrittenChannels::find_or_add(const Record& record) {
    const bool titles = record.kind == Record::Kind::titles,
               registration = record.kind == Record::Kind::v2_registration;
    const auto key = std::tuple(record.kind, record.machine, titles ? record.name : std::string_view{},
                                titles || registration ? record.language : std::string_view{},
                                registration ? record.counterset : record.log, registration ? record.request : 0,
                                registration ? record.title_index : std::nullopt);
    if (const auto found = channels_.find(key); found != channels_.end()) return &found->second;
    if (channels_.size() == most_channels) return nullptr;
    const auto id = static_cast<std::uint16_t>(channels_.size() + 1);
    return &channels_.emplace(Key(key), channel_of(record, id)).first->second;
}

}  // namespace hkpd
