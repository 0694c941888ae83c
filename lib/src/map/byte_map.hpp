// The fields of an input side by side: each byte in one run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hkpd/map.hpp"
#include "map/describe.hpp"

namespace hkpd::map {

/// Takes fields as readers meet them, by ascending places within what can overlap, and gives them to a visitor with all
/// that lies between. The first field that claims a byte has it.
class Sweep {
  public:
    /// Keeps references.
    Sweep(Bytes input, const MapVisitor& visitor, MapTotals& totals) noexcept
        : input_(input), visitor_(visitor), totals_(totals), at_(input.offset()) {}

    /// What fields from now on have in common: block, object, instance, and their names.
    MapEntry context;

    Bytes input() const noexcept { return input_; }
    /// Up to where all is accounted for.
    std::uint64_t at() const noexcept { return at_; }

    /// What unclaimed bytes are from now on.
    void between(MapKind kind, std::string_view structure, std::string_view meaning) noexcept;
    /// Gives everything unclaimed up to there.
    void fill_to(std::uint64_t end);
    /// Likewise, of a structure that ends there: fewer than 8 bytes are padding, more are a gap.
    void close(std::uint64_t end, std::string_view structure, std::string_view meaning);
    /// A field, with all of its bytes.
    void claim(Bytes field, MapKind kind, std::string_view structure, std::string_view name, const Said& said);
    /// All members of a structure whose bytes the caller has checked; `base` is where its offsets count from.
    void members(const Structure& structure, Bytes bytes, std::uint64_t base, Words& words, ByteOrder order);
    void members(const Structure& structure, Bytes bytes, Words& words, ByteOrder order) {
        members(structure, bytes, bytes.offset(), words, order);
    }

  private:
    void give(MapEntry& entry);
    void say_overlap();

    Bytes input_;
    const MapVisitor& visitor_;
    MapTotals& totals_;
    std::uint64_t at_;
    MapKind between_kind_ = MapKind::leftover;
    std::string_view between_structure_, between_meaning_;
    // The field that reaches farthest: what later ones may overlap.
    struct Reach {
        std::string_view structure, field, counter_name;
        std::uint32_t counter = no_index;
        std::uint64_t offset = 0;
    } reach_;
    std::string overlaps_;
};

}  // namespace hkpd::map
