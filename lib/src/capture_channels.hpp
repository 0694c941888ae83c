// The channels that a capture has described so far.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string_view>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/guid.hpp"
#include "mcap/records.hpp"
#include "message_kind.hpp"

namespace hkpd {

class CaptureChannels {
  public:
    /// What registrations on a channel answer.
    struct Registration {
        Guid counterset{};
        std::uint32_t request = 0;
        std::optional<std::uint32_t> title_index;
    };
    struct Known {
        mcap::Channel channel;
        const MessageKind* kind = nullptr;  // null: foreign
        Registration registration;
        Guid log;                  // of a performance log's records
        std::string_view unknown;  // of a foreign one: which part of its description is not known here
        std::uint64_t messages = 0;
        std::size_t size = 0;  // of the record that described it
        bool told = false;     // that it is foreign
    };

    /// Takes a Channel record; the latest description of a channel counts. What all of them may hold is bounded
    /// (`byte_limit`).
    std::expected<Known*, Error> define(Bytes content);

    /// Valid until the channel is described again.
    Known* find(std::uint16_t id) noexcept;

    const std::map<std::uint16_t, Known>& all() const noexcept { return channels_; }

  private:
    std::map<std::uint16_t, Known> channels_;
    std::size_t size_ = 0;
};

/// An entry of a channel's metadata, which holds the text; empty where there is none.
std::string_view metadata_of(const mcap::Channel& channel, const char* key);

/// Most bytes of one record that becomes strings in memory, and of all of a kind.
inline constexpr std::size_t largest_text_record = std::size_t{1} << 20, largest_text_records = std::size_t{32} << 20;

}  // namespace hkpd
