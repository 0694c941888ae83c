#include "capture_channels.hpp"

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

}  // namespace hkpd
