// What the messages of a capture can be.
#pragma once

#include <array>
#include <string_view>

#include "hkpd/capture.hpp"
#include "hkpd/record.hpp"

namespace hkpd {

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

/// Whether messages of this encoding are parts of samples.
constexpr bool holds_samples(std::string_view encoding) noexcept {
    const MessageKind* const known = message_kind(encoding);
    return known != nullptr && !known->reference;
}

}  // namespace hkpd
