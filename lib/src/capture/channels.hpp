// The channels of a capture: what they carry, and those that a reader has found described.
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

/// A kind of message that captures hold.
struct MessageKind {
    Record::Kind kind;
    std::string_view encoding;  ///< of its channels
    std::string_view topic;     ///< how topics of its channels begin
    bool reference;             ///< whether it names data (titles, registrations), else it is part of a sample
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

/// Null where messages are of no such kind.
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

/// Returns what messages of an encoding are for.
constexpr mcap::Use use_of(std::string_view encoding) noexcept {
    const MessageKind* const known = message_kind(encoding);
    if (known == nullptr) return mcap::Use::none;
    return known->reference ? mcap::Use::reference : mcap::Use::sample;
}

/// The channels that a capture has described so far.
class CaptureChannels {
  public:
    struct Known {
        mcap::Channel channel;
        const MessageKind* kind = nullptr;  // null: foreign
        Record record;                      // each message as a record, but for its bytes and its time; views `channel`
        std::string_view unknown;           // of a foreign one: which part of its description is not known here
        std::uint64_t messages = 0;
        std::size_t size = 0;   // of the record that described it
        bool reported = false;  // that it is foreign
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

/// Most bytes of one record that becomes strings in memory, and of all of a kind.
inline constexpr std::size_t largest_text_record = std::size_t{1} << 20, largest_text_records = std::size_t{32} << 20;

}  // namespace hkpd
