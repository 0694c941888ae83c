#include "map/byte_map.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/time.hpp"
#include "base/win32.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/v2.hpp"

namespace hkpd::map {
namespace {

/// Appends `0x97fae0`. One for nearly each field, which takes fmt a tenth of the time of all.
void append_offset(std::string& out, std::uint64_t offset) {
    constexpr int hexadecimal = 16;
    std::array<char, 2 * sizeof offset> digits;
    const auto end = std::to_chars(digits.data(), std::next(digits.data(), digits.size()), offset, hexadecimal).ptr;
    out.append("0x").append(digits.data(), end);
}

constexpr std::uint32_t all_ones = 0xFFFF'FFFF;

/// The text that explains a number in fields whose FieldMeaning is `means`. An entry without `number` explains all
/// numbers that no earlier entry with the same `means` explains.
struct Word {
    FieldMeaning means;
    std::optional<std::uint64_t> number;
    std::string_view text;
};

// Names in capitals are from winperf.h and perflib.h.
constexpr auto number_words = std::to_array<Word>({
    {FieldMeaning::byte_count, 1, "byte"},
    {FieldMeaning::byte_count, {}, "bytes"},
    {FieldMeaning::frequency, 0, ""},
    {FieldMeaning::frequency, {}, "ticks a second"},
    {FieldMeaning::parent, 0, "no parent"},
    {FieldMeaning::string_place, all_ones, "no string"},
    {FieldMeaning::pointer, 0, "unused"},
    {FieldMeaning::pointer, {}, "a pointer of the producer"},
    {FieldMeaning::byte_order, 1, "little endian"},
    {FieldMeaning::byte_order, 0, "big endian"},
    {FieldMeaning::byte_order, {}, "neither 0 nor 1"},
    {FieldMeaning::code_page, 0, "names are UTF-16"},
    {FieldMeaning::code_page, {}, "names are of this code page"},
    {FieldMeaning::unique_id, all_ones, "PERF_NO_UNIQUE_ID: identified by its name"},
    {FieldMeaning::counter_id, all_ones, "PERF_WILDCARD_COUNTER: all"},
    {FieldMeaning::any_instance, all_ones, "any"},
    {FieldMeaning::other_counter, all_ones, "none"},
    {FieldMeaning::other_counter, {}, "id of a counter"},
    {FieldMeaning::detail_level, 100, "PERF_DETAIL_NOVICE"},
    {FieldMeaning::detail_level, 200, "PERF_DETAIL_ADVANCED"},
    {FieldMeaning::detail_level, 300, "PERF_DETAIL_EXPERT"},
    {FieldMeaning::detail_level, 400, "PERF_DETAIL_WIZARD"},
    {FieldMeaning::instance_count, 0, "a list, empty now"},
    {FieldMeaning::instance_count, 0xFFFF'FFFF, "PERF_NO_INSTANCES: one counter block"},
    {FieldMeaning::instance_count, 0xFFFF'FFFE, "PERF_METADATA_MULTIPLE_INSTANCES: definitions only"},
    {FieldMeaning::instance_count, 0xFFFF'FFFD, "PERF_METADATA_NO_INSTANCES: definitions only"},
    {FieldMeaning::result_type, 0, "PERF_ERROR_RETURN"},
    {FieldMeaning::result_type, 1, "PERF_SINGLE_COUNTER"},
    {FieldMeaning::result_type, 2, "PERF_MULTIPLE_COUNTERS"},
    {FieldMeaning::result_type, 4, "PERF_MULTIPLE_INSTANCES"},
    {FieldMeaning::result_type, 6, "PERF_COUNTERSET"},
    {FieldMeaning::instance_type, 0, "PERF_COUNTERSET_SINGLE_INSTANCE"},
    {FieldMeaning::instance_type, 2, "PERF_COUNTERSET_MULTI_INSTANCES"},
    {FieldMeaning::instance_type, 4, "PERF_COUNTERSET_SINGLE_AGGREGATE"},
    {FieldMeaning::instance_type, 6, "PERF_COUNTERSET_MULTI_AGGREGATE"},
    {FieldMeaning::instance_type, 12, "PERF_COUNTERSET_SINGLE_AGGREGATE_HISTORY"},
    {FieldMeaning::instance_type, 22, "PERF_COUNTERSET_INSTANCE_AGGREGATE"},
    {FieldMeaning::aggregate, 0, "PERF_AGGREGATE_UNDEFINED"},
    {FieldMeaning::aggregate, 1, "PERF_AGGREGATE_TOTAL"},
    {FieldMeaning::aggregate, 2, "PERF_AGGREGATE_AVG"},
    {FieldMeaning::aggregate, 3, "PERF_AGGREGATE_MIN"},
    {FieldMeaning::aggregate, 4, "PERF_AGGREGATE_MAX"},
});
constexpr auto attribute_names = std::to_array<std::pair<std::uint64_t, std::string_view>>({
    {v2::attribute::by_reference, "PERF_ATTRIB_BY_REFERENCE"},
    {v2::attribute::no_displayable, "PERF_ATTRIB_NO_DISPLAYABLE"},
    {v2::attribute::no_group_separator, "PERF_ATTRIB_NO_GROUP_SEPARATOR"},
    {v2::attribute::display_as_real, "PERF_ATTRIB_DISPLAY_AS_REAL"},
    {v2::attribute::display_as_hex, "PERF_ATTRIB_DISPLAY_AS_HEX"},
});

bool is_signed(FieldMeaning means) noexcept {
    using enum FieldMeaning;
    return means == signed_number || means == ticks || means == filetime || means == frequency || means == scale ||
           means == instance_count || means == unique_id;
}

}  // namespace

std::string_view clipped_name(std::string_view name) noexcept {
    constexpr std::size_t longest = 1024;
    if (name.size() <= longest) return name;
    return name.substr(0, valid_utf8(std::as_bytes(std::span(name)).first(longest)));
}

std::string_view Words::title(std::uint32_t index) const {
    if (titles_ == nullptr || index == 0) return {};
    const auto answer = titles_->find(index, {windows_own_, machine_});
    return answer ? clipped_name(answer->text) : std::string_view{};
}

Shown Words::member(const Member& member, Bytes field, std::uint64_t base, ByteOrder order) {
    value_.clear();
    meaning_.clear();
    switch (member.means) {
        case FieldMeaning::padding:
            return {{}, "aligns what follows", false};
        case FieldMeaning::signature:
            append_utf16(value_, field.span(), order);
            return {value_, {}, false};
        case FieldMeaning::system_time: {
            const SystemTime time = read_system_time(field, order);
            append_time(value_, time);
            value_.pop_back();  // removes the `Z`, because times in blocks of logs are local
            return {value_, time.valid() ? "" : "no moment of the calendar", false};
        }
        case FieldMeaning::guid: {
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
        value_ = field.size() == 4 ? std::to_string(static_cast<std::int32_t>(value))
                                   : std::to_string(static_cast<std::int64_t>(value));
    else
        value_ = std::to_string(value);
    append_meaning(member.means, value, base);
    return {value_, meaning_, true};
}

void Words::append_meaning(FieldMeaning means, std::uint64_t value, std::uint64_t base) {
    const auto stands_for = [means, value](const Word& word) {
        return word.means == means && word.number.value_or(value) == value;
    };
    if (const auto* const word = std::ranges::find_if(number_words, stands_for); word != number_words.end()) {
        meaning_ = word->text;
        return;
    }
    const auto to = std::back_inserter(meaning_);
    const auto number = static_cast<std::uint32_t>(value);
    switch (means) {
        case FieldMeaning::length:
            if (value != 0) append_place("to", base + value);
            break;
        case FieldMeaning::place:
        case FieldMeaning::string_place:
            append_place("at", base + value);
            break;
        case FieldMeaning::in_block:
            fmt::format_to(to, "+{:#x} in each counter block", value);
            break;
        case FieldMeaning::title:
        case FieldMeaning::parent:
            meaning_ = title(number);
            break;
        case FieldMeaning::filetime:
            if (static_cast<std::int64_t>(value) > 0) append_filetime(meaning_, value);
            break;
        case FieldMeaning::scale:
            if (value != 0) fmt::format_to(to, "shown times 10^{}", static_cast<std::int32_t>(value));
            break;
        case FieldMeaning::counter_type:
            fmt::format_to(to, "{:#010x} ", number);
            if (const std::string_view name = counter_type_name(number); !name.empty())
                meaning_ += name;
            else
                append_counter_type(meaning_, number);
            break;
        case FieldMeaning::status:
            win32::append_status(meaning_, number);
            break;
        case FieldMeaning::attributes:
            for (const auto& [bit, name] : attribute_names)
                if ((value & bit) != 0) meaning_.append(meaning_.empty() ? "" : " | ").append(name);
            break;
        default:
            break;
    }
}

/// Appends `word` and an offset in the input, such as `to 0x120`, to the meaning.
void Words::append_place(std::string_view word, std::uint64_t place) {
    append_offset(meaning_.append(word).append(" "), place);
    if (place > end_) meaning_ += ", beyond the input";
}

void Sweep::fill_to(std::uint64_t end) {
    end = std::min(end, input_.end());
    if (end <= at_) return;
    MapEntry entry = context;
    entry.bytes = entry.whole = input_.slice(at_ - input_.offset(), end - at_);
    entry.kind = between_kind_;
    entry.structure = between_structure_;
    entry.meaning = between_meaning_;
    give(entry);
}

void Sweep::close(std::uint64_t end, std::string_view structure, std::string_view meaning) {
    if (end <= at_) return;
    if (end - at_ < 8)
        fill_to(end, MapKind::padding, structure, "to a round length");
    else
        fill_to(end, MapKind::gap, structure, meaning);
}

void Sweep::claim(Bytes field, MapKind kind, std::string_view structure, std::string_view name, const Shown& shown) {
    if (field.empty()) return;
    fill_to(field.offset());
    MapEntry entry = context;
    entry.whole = field;
    entry.bytes = input_.slice(at_ - input_.offset(), std::max(at_, field.end()) - at_);
    entry.kind = kind;
    entry.structure = structure;
    entry.field = name;
    entry.is_number = shown.is_number;
    entry.value = shown.value;
    entry.meaning = shown.meaning;
    if (entry.shared_bytes() != 0) {
        describe_overlap();
        entry.overlaps = overlaps_;
    }
    if (field.end() > at_) reach_ = {structure, name, entry.counter_name, entry.counter, field.offset()};
    give(entry);
}

/// Sets `overlaps_` to a description of the earlier field that also contains the first bytes of the current field.
/// Fields that can overlap come in ascending order of offsets. The earlier field is therefore `reach_`, the field with
/// the highest end offset so far.
void Sweep::describe_overlap() {
    overlaps_ = reach_.structure;
    if (!reach_.field.empty()) overlaps_.append(".").append(reach_.field);
    if (reach_.counter != no_index) overlaps_.append(" counter ").append(std::to_string(reach_.counter));
    if (!reach_.counter_name.empty()) overlaps_.append(" ").append(reach_.counter_name);
    append_offset(overlaps_ += " at ", reach_.offset);
}

void Sweep::members(const Structure& structure, Bytes bytes, std::uint64_t base) {
    std::uint64_t at = 0;
    for (const Member& member : structure.members()) {
        const Bytes field = bytes.slice(at, member.size());
        if (field.empty()) return;
        claim(field, member.means == FieldMeaning::padding ? MapKind::padding : structure.kind, structure.name,
              member.name, words.member(member, field, base, order));
        at += member.size();
    }
}

void Sweep::give(MapEntry& entry) {
    at_ = std::max(at_, entry.bytes.end());
    totals_.bytes[static_cast<std::size_t>(entry.kind)] += entry.bytes.size();
    if (entry.kind == MapKind::padding)
        totals_.nonzero_padding += static_cast<std::uint64_t>(
            std::ranges::count_if(entry.bytes.span(), [](std::byte b) { return b != std::byte{0}; }));
    if (const std::uint64_t shared = entry.shared_bytes(); shared != 0) {
        ++totals_.overlaps;
        totals_.shared_bytes += shared;
    }
    visitor_(entry);
}

}  // namespace hkpd::map
