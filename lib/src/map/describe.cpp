#include "map/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "base/text/encoding.hpp"
#include "base/time.hpp"
#include "base/win32.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/v2.hpp"

namespace hkpd::map {
namespace {

using Word = std::pair<std::uint64_t, std::string_view>;

template <std::size_t N>
std::string_view word_of(const std::array<Word, N>& words, std::uint64_t value) noexcept {
    for (const auto& [number, word] : words)
        if (number == value) return word;
    return {};
}

// winperf.h
constexpr std::array detail_levels{Word{100, "PERF_DETAIL_NOVICE"}, Word{200, "PERF_DETAIL_ADVANCED"},
                                   Word{300, "PERF_DETAIL_EXPERT"}, Word{400, "PERF_DETAIL_WIZARD"}};
constexpr std::array instance_counts{Word{0, "a list, empty now"},
                                     Word{0xFFFF'FFFF, "PERF_NO_INSTANCES: one counter block"},
                                     Word{0xFFFF'FFFE, "PERF_METADATA_MULTIPLE_INSTANCES: definitions only"},
                                     Word{0xFFFF'FFFD, "PERF_METADATA_NO_INSTANCES: definitions only"}};
// perflib.h
constexpr std::array result_types{Word{0, "PERF_ERROR_RETURN"}, Word{1, "PERF_SINGLE_COUNTER"},
                                  Word{2, "PERF_MULTIPLE_COUNTERS"}, Word{4, "PERF_MULTIPLE_INSTANCES"},
                                  Word{6, "PERF_COUNTERSET"}};
constexpr std::array instance_types{
    Word{0, "PERF_COUNTERSET_SINGLE_INSTANCE"},           Word{2, "PERF_COUNTERSET_MULTI_INSTANCES"},
    Word{4, "PERF_COUNTERSET_SINGLE_AGGREGATE"},          Word{6, "PERF_COUNTERSET_MULTI_AGGREGATE"},
    Word{12, "PERF_COUNTERSET_SINGLE_AGGREGATE_HISTORY"}, Word{22, "PERF_COUNTERSET_INSTANCE_AGGREGATE"}};
constexpr std::array aggregates{Word{0, "PERF_AGGREGATE_UNDEFINED"}, Word{1, "PERF_AGGREGATE_TOTAL"},
                                Word{2, "PERF_AGGREGATE_AVG"}, Word{3, "PERF_AGGREGATE_MIN"},
                                Word{4, "PERF_AGGREGATE_MAX"}};
constexpr std::array attributes{Word{v2::attribute::by_reference, "PERF_ATTRIB_BY_REFERENCE"},
                                Word{v2::attribute::no_displayable, "PERF_ATTRIB_NO_DISPLAYABLE"},
                                Word{v2::attribute::no_group_separator, "PERF_ATTRIB_NO_GROUP_SEPARATOR"},
                                Word{v2::attribute::display_as_real, "PERF_ATTRIB_DISPLAY_AS_REAL"},
                                Word{v2::attribute::display_as_hex, "PERF_ATTRIB_DISPLAY_AS_HEX"}};

constexpr std::uint32_t all_ones = 0xFFFF'FFFF;

bool is_signed(Means means) noexcept {
    using enum Means;
    return means == signed_number || means == filetime || means == frequency || means == scale || means == instances ||
           means == unique_id;
}

}  // namespace

std::string_view clipped_name(std::string_view name) noexcept {
    constexpr std::size_t longest = 1024;
    if (name.size() <= longest) return name;
    return name.substr(0, valid_utf8(std::as_bytes(std::span(name)).first(longest)));
}

void Words::ask_for(std::string_view machine, bool windows_own) {
    machine_ = machine;
    windows_own_ = windows_own;
}

std::string_view Words::title(std::uint32_t index) const {
    if (titles_ == nullptr || index == 0) return {};
    const auto answer = titles_->find(index, {windows_own_, machine_});
    return answer ? clipped_name(answer->text) : std::string_view{};
}

/// An offset in the input, such as `to 0x120`.
void Words::say_place(std::string_view word, std::uint64_t place) {
    fmt::format_to(std::back_inserter(meaning_), "{} {:#x}{}", word, place, place > end_ ? ", beyond the input" : "");
}

Said Words::member(const Member& member, Bytes field, std::uint64_t base, ByteOrder order) {
    value_.clear();
    meaning_.clear();
    switch (member.means) {
        case Means::padding:
            return {{}, "aligns what follows", false};
        case Means::signature:
            append_utf16(value_, field.span(), order);
            return {value_, {}, false};
        case Means::system_time:
            say_time(field, order);
            return {value_, meaning_, false};
        case Means::guid: {
            Guid identity;
            std::ranges::copy(field.span(), identity.bytes.begin());
            append_guid(value_, identity);
            return {value_, {}, false};
        }
        default:
            break;
    }
    const std::uint64_t value = load_number(field.data(), field.size(), order);
    if (is_signed(member.means))
        value_ = field.size() == 4 ? fmt::to_string(static_cast<std::int32_t>(value))
                                   : fmt::to_string(static_cast<std::int64_t>(value));
    else
        value_ = fmt::to_string(value);
    say_number(member, value, base);
    return {value_, meaning_, true};
}

void Words::say_number(const Member& member, std::uint64_t value, std::uint64_t base) {
    switch (member.means) {
        case Means::length:
            if (value != 0) say_place("to", base + value);
            break;
        case Means::place:
            say_place("at", base + value);
            break;
        case Means::string_place:
            if (value == all_ones)
                meaning_ = "no string";
            else
                say_place("at", base + value);
            break;
        case Means::bytes:
            meaning_ = value == 1 ? "byte" : "bytes";
            break;
        case Means::in_block:
            fmt::format_to(std::back_inserter(meaning_), "+{:#x} in each counter block", value);
            break;
        case Means::title:
            meaning_ = title(static_cast<std::uint32_t>(value));
            break;
        case Means::parent:
            meaning_ = value == 0 ? "no parent" : title(static_cast<std::uint32_t>(value));
            break;
        case Means::frequency:
            if (value != 0) meaning_ = "ticks a second";
            break;
        case Means::filetime:
            if (static_cast<std::int64_t>(value) > 0) append_filetime(meaning_, value);
            break;
        default:
            say_special(member.means, value);
    }
}

/// Numbers that stand for a word.
void Words::say_special(Means means, std::uint64_t value) {
    switch (means) {
        case Means::pointer:
            meaning_ = value == 0 ? "unused" : "a pointer of the producer";
            break;
        case Means::byte_order:
            meaning_ = value == 1 ? "little endian" : value == 0 ? "big endian" : "neither 0 nor 1";
            break;
        case Means::detail_level:
            meaning_ = word_of(detail_levels, value);
            break;
        case Means::scale:
            if (value != 0)
                fmt::format_to(std::back_inserter(meaning_), "shown times 10^{}", static_cast<std::int32_t>(value));
            break;
        case Means::instances:
            meaning_ = word_of(instance_counts, value);
            break;
        case Means::code_page:
            meaning_ = value == 0 ? "names are UTF-16" : "names are of this code page";
            break;
        case Means::unique_id:
            if (value == all_ones) meaning_ = "PERF_NO_UNIQUE_ID: told by its name";
            break;
        case Means::counter_id:
            if (value == all_ones) meaning_ = "PERF_WILDCARD_COUNTER: all";
            break;
        case Means::any_instance:
            if (value == all_ones) meaning_ = "any";
            break;
        case Means::other_counter:
            meaning_ = value == all_ones ? "none" : "id of a counter";
            break;
        default:
            say_bits(means, value);
    }
}

void Words::say_bits(Means means, std::uint64_t value) {
    switch (means) {
        case Means::counter_type: {
            const auto type = static_cast<std::uint32_t>(value);
            fmt::format_to(std::back_inserter(meaning_), "{:#010x} ", type);
            if (const std::string_view name = counter_type_name(type); !name.empty())
                meaning_ += name;
            else
                append_counter_type(meaning_, type);
            break;
        }
        case Means::status:
            win32::append_status(meaning_, static_cast<std::uint32_t>(value));
            break;
        case Means::result_type:
            meaning_ = word_of(result_types, value);
            break;
        case Means::instance_type:
            meaning_ = word_of(instance_types, value);
            break;
        case Means::aggregate:
            meaning_ = word_of(aggregates, value);
            break;
        case Means::attributes:
            for (const auto& [bit, word] : attributes)
                if ((value & bit) != 0) meaning_.append(meaning_.empty() ? "" : " | ").append(word);
            break;
        default:
            break;
    }
}

void Words::say_time(Bytes field, ByteOrder order) {
    const SystemTime time = read_system_time(field, order);
    if (!time.valid()) meaning_ = "no moment of the calendar";
    append_time(value_, time);
}

Said Words::text(const EncodedText& text) {
    value_.clear();
    append_code_page(value_, text.bytes.span(), text.code_page, text.order);
    return {value_, {}, false};
}

Said Words::number(std::uint64_t value, std::string_view meaning) {
    value_ = fmt::to_string(value);
    return {value_, meaning, true};
}

Said Words::bytes(std::uint64_t size) {
    meaning_ = fmt::format("{} bytes that are no number", size);
    return {{}, meaning_, false};
}

}  // namespace hkpd::map
