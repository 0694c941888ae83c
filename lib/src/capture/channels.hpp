// The channels of a capture: the kinds of their messages, and the channels that a reader has seen so far.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <string_view>

#include "hkpd/bytes.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/error.hpp"
#include "hkpd/record.hpp"
#include "mcap/file.hpp"
#include "mcap/records.hpp"

namespace hkpd {

/// A kind of message in captures.
struct MessageKind {
    Record::Kind kind;
    std::string_view encoding;  ///< message encoding of channels with such messages
    std::string_view topic;     ///< first part of the topics of these channels
    bool reference;             ///< true: describes data (titles, registrations); false: part of a sample
};

inline constexpr std::array message_kinds{
    MessageKind{Record::Kind::v1_block, capture_encoding::v1_block, "v1", false},
    MessageKind{Record::Kind::titles, capture_encoding::titles, "titles", true},
    MessageKind{Record::Kind::v2_block, capture_encoding::v2_block, "v2", false},
    MessageKind{Record::Kind::v2_identifiers, capture_encoding::v2_identifiers, "v2-query", false},
    MessageKind{Record::Kind::v2_registration, capture_encoding::v2_registration, "v2-registration", true},
    MessageKind{Record::Kind::log_header, capture_encoding::log_header, "log-header", true},
    MessageKind{Record::Kind::log_catalogue, capture_encoding::log_catalogue, "log-catalogue", true},
    MessageKind{Record::Kind::log_row, capture_encoding::log_row, "log", false},
    MessageKind{Record::Kind::log_trailer, capture_encoding::log_trailer, "log-trailer", true},
};

/// Returns the kind of message for a kind of record, or for an encoding; null if there is none.
constexpr const MessageKind* message_kind(Record::Kind kind) noexcept {
    for (const MessageKind& known : message_kinds)
        if (known.kind == kind) return &known;
    return nullptr;
}
constexpr const MessageKind* message_kind(std::string_view encoding) noexcept {
    for (const MessageKind& known : message_kinds)
        if (known.encoding == encoding) return &known;
    return nullptr;
}

/// Returns whether messages with this encoding describe data (titles, registrations).
constexpr bool is_reference(std::string_view encoding) noexcept {
    const MessageKind* const known = message_kind(encoding);
    return known != nullptr && known->reference;
}

/// The channels that a capture has described so far.
class CaptureChannels {
  public:
    struct Known {
        mcap::Channel channel;
        const MessageKind* kind = nullptr;  // null if the channel is foreign: hkpd does not understand its messages
        Record record;                      // fields that all messages share; its texts are views into `channel`
        std::string_view unknown;           // if foreign: the field of the channel's description that is not understood
        std::uint64_t messages = 0;
        std::size_t size = 0;   // size in bytes of the texts in the channel's description
        bool reported = false;  // whether the channel was reported as foreign
    };

    /// Adds a channel, or replaces its description. Fails with `byte_limit` if the texts of all channels together
    /// exceed `largest_text_records`.
    std::expected<Known*, Error> define(mcap::Channel channel);

    /// Returns the channel with this id; null if the capture has not described it. The result is valid until the
    /// channel is described again.
    Known* find(std::uint16_t id) noexcept;

    const std::map<std::uint16_t, Known>& all() const noexcept { return channels_; }

  private:
    std::map<std::uint16_t, Known> channels_;
    std::size_t size_ = 0;
};

/// Maximum sizes in bytes of records whose strings are kept in memory: of one record (`largest_text_record`), and of
/// all records of the same kind together (`largest_text_records`).
inline constexpr std::size_t largest_text_record = std::size_t{1} << 20, largest_text_records = std::size_t{32} << 20;

}  // namespace hkpd
