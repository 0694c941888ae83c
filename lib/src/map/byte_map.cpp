#include "map/byte_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace hkpd::map {

void Sweep::between(MapKind kind, std::string_view structure, std::string_view meaning) noexcept {
    between_kind_ = kind;
    between_structure_ = structure;
    between_meaning_ = meaning;
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
        between(MapKind::padding, structure, "to a round length");
    else
        between(MapKind::gap, structure, meaning);
    fill_to(end);
}

void Sweep::claim(Bytes field, MapKind kind, std::string_view structure, std::string_view name, const Said& said) {
    if (field.empty()) return;
    fill_to(field.offset());
    MapEntry entry = context;
    entry.whole = field;
    entry.bytes = input_.slice(at_ - input_.offset(), std::max(at_, field.end()) - at_);
    entry.kind = kind;
    entry.structure = structure;
    entry.field = name;
    entry.is_number = said.is_number;
    entry.value = said.value;
    entry.meaning = said.meaning;
    if (entry.shared_bytes() != 0) {
        say_overlap();
        entry.overlaps = overlaps_;
    }
    if (field.end() > at_) reach_ = {structure, name, entry.counter_name, entry.counter, field.offset()};
    give(entry);
}

/// Says what the shared bytes of an entry belong to as well. Fields come by ascending places, so the one that reaches
/// farthest has them all.
void Sweep::say_overlap() {
    overlaps_ = reach_.structure;
    const auto to = std::back_inserter(overlaps_);
    if (!reach_.field.empty()) fmt::format_to(to, ".{}", reach_.field);
    if (reach_.counter != no_index) fmt::format_to(to, " counter {}", reach_.counter);
    if (!reach_.counter_name.empty()) overlaps_.append(" ").append(reach_.counter_name);
    fmt::format_to(to, " at {:#x}", reach_.offset);
}

void Sweep::members(const Structure& structure, Bytes bytes, std::uint64_t base, Words& words, ByteOrder order) {
    std::uint64_t at = 0;
    for (const Member& member : structure.members) {
        const Bytes field = bytes.slice(at, member.size);
        if (field.empty()) return;
        const bool padding = member.means == Means::padding;
        claim(field, padding ? MapKind::padding : structure.kind, structure.name, member.name,
              words.member(member, field, base, order));
        at += member.size;
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
