#include "written_channels.hpp"

#include <cstddef>
#include <limits>
#include <string_view>

#include "message_kind.hpp"

namespace hkpd {
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
