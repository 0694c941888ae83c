#include "source/registration_file.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text/encoding.hpp"
#include "base/text/located_text.hpp"
#include "base/text/parse_number.hpp"
#include "hkpd/source.hpp"

namespace hkpd {
namespace {

using v2::RegistrationRequest;

constexpr std::string_view extension = ".v2-registration", title_mark = "title";
constexpr std::size_t guid_length = 36, longest_language = 4;

bool is_language_tag(std::string_view text) {
    return !text.empty() && text.size() <= longest_language &&
           std::ranges::all_of(text, [](char c) { return hex_digit(static_cast<unsigned char>(c)).has_value(); });
}

/// Cuts the part up to the next `-` off; none at the end.
std::optional<std::string_view> next_part(std::string_view& rest) {
    if (!rest.starts_with('-')) return std::nullopt;
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find('-'));
    rest.remove_prefix(part.size());
    return part;
}

/// Whether it is one text of UTF-16 with its NUL. A GUID is as long as a text of seven letters, and hardly ever one.
bool is_string(Bytes content) {
    constexpr std::size_t unit = 2;
    auto text = content.span();
    if (text.size() % unit != 0) return false;
    std::size_t nuls = 0;
    for (; !text.empty() && text[text.size() - 1] == std::byte{0} && text[text.size() - 2] == std::byte{0}; ++nuls)
        text = text.first(text.size() - unit);
    std::string decoded;
    return nuls != 0 && append_utf16(decoded, text, ByteOrder::little) && std::ranges::none_of(decoded, [](char c) {
               return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
           });
}

Guid guid_at_front(Bytes content) {
    Guid guid;
    std::ranges::copy(content.clip(0, guid.bytes.size()).span(), guid.bytes.begin());
    return guid;
}

}  // namespace

std::string registration_file_name(const Record& registration) {
    std::string name = guid_text(registration.counterset).substr(1, guid_length);
    const std::string request = std::to_string(registration.request);
    name.append(request.size() < 2 ? "-0" : "-").append(request);
    if (is_language_tag(registration.language)) name.append("-").append(registration.language);
    if (registration.title_index) name.append("-").append(title_mark).append(std::to_string(*registration.title_index));
    return name.append(extension);
}

std::optional<RegistrationSubject> subject_of_name(std::string_view name) {
    if (!name.ends_with(extension)) return std::nullopt;
    std::string_view rest = name.substr(0, name.size() - extension.size());
    const auto guid = parse_guid(rest.substr(0, guid_length));
    if (!guid) return std::nullopt;
    rest.remove_prefix(guid_length);
    const auto request = next_part(rest);
    const auto number = request ? parse_number<std::uint32_t>(*request) : std::nullopt;
    if (!number) return std::nullopt;
    RegistrationSubject subject{*guid, static_cast<RegistrationRequest>(*number)};
    auto part = next_part(rest);
    if (part && is_language_tag(*part)) {
        subject.language = *part;
        part = next_part(rest);
    }
    if (part && part->starts_with(title_mark)) {
        subject.title_index = parse_number<std::uint32_t>(part->substr(title_mark.size()));
        if (!subject.title_index) return std::nullopt;
        part = next_part(rest);
    }
    return part || !rest.empty() ? std::nullopt : std::optional(std::move(subject));
}

void RegistrationOrder::begin(const Guid& counterset) noexcept {
    counterset_ = counterset;
    buffers_ = strings_ = 0;
}

std::optional<RegistrationSubject> RegistrationOrder::subject_of_content(Bytes content) {
    constexpr std::array buffers{RegistrationRequest::counter_names, RegistrationRequest::counter_help};
    constexpr std::array strings{RegistrationRequest::counterset_name, RegistrationRequest::counterset_help,
                                 RegistrationRequest::provider_name};
    if (v2::is_registration(content)) {
        const Guid counterset = guid_at_front(content);
        begin(counterset);
        return RegistrationSubject{counterset, RegistrationRequest::counterset_struct};
    }
    if (!counterset_) return std::nullopt;
    const auto in_turn = [&](std::span<const RegistrationRequest> requests, std::size_t& came) {
        return came == requests.size() ? std::nullopt
                                       : std::optional(RegistrationSubject{*counterset_, requests[came++]});
    };
    if (v2::is_string_buffer(content)) return in_turn(buffers, buffers_);
    if (is_string(content)) return in_turn(strings, strings_);
    if (content.size() != sizeof(Guid)) return std::nullopt;
    return RegistrationSubject{*counterset_, RegistrationRequest::provider_guid};
}

}  // namespace hkpd
