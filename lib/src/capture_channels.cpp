#include "capture_channels.hpp"

#include <utility>

#include "hkpd/capture.hpp"

namespace hkpd {
namespace {

CaptureChannels::Kind kind_of(const mcap::Channel& channel) {
    if (channel.message_encoding == capture_encoding::v1_block) return CaptureChannels::Kind::v1_block;
    if (channel.message_encoding == capture_encoding::titles) return CaptureChannels::Kind::titles;
    return CaptureChannels::Kind::foreign;
}

}  // namespace

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
    const Kind kind = kind_of(*channel);
    if (kind != Kind::foreign || known.channel.message_encoding != channel->message_encoding) known.told = false;
    known.kind = kind;
    known.size = content.size();
    known.channel = std::move(*channel);
    return &known;
}

CaptureChannels::Known* CaptureChannels::find(std::uint16_t id) noexcept {
    const auto found = channels_.find(id);
    return found == channels_.end() ? nullptr : &found->second;
}

}  // namespace hkpd
