// The fields of an input side by side: each byte in one run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hkpd/map.hpp"
#include "map/fields.hpp"

namespace hkpd::map {

/// Takes fields as readers encounter them, by ascending places within what can overlap, and gives them to a visitor
/// with all that lies between. The first field that claims a byte has it.
class Sweep {
  public:
    /// Keeps references.
    Sweep(Bytes input, const MapOptions& options, const MapVisitor& visitor, MapTotals& totals) noexcept
        : words(options.titles, input.end()), input_(input), visitor_(visitor), totals_(totals), at_(input.offset()) {}

    /// What fields from now on have in common: block, object, instance, and their names.
    MapEntry context;
    Words words;
    ByteOrder order = ByteOrder::little;  ///< of members

    Bytes input() const noexcept { return input_; }
    /// The `size` bytes at an absolute offset of the input.
    Bytes part(std::uint64_t offset, std::uint64_t size) const noexcept {
        return input_.slice(offset - input_.offset(), size);
    }
    /// Up to where all is accounted for.
    std::uint64_t at() const noexcept { return at_; }

    /// Begins a block, which counts from here on only where `add_block` is called too.
    void enter_block() noexcept {
        context = {};
        context.block = static_cast<std::uint32_t>(totals_.blocks);
    }
    void add_block() noexcept { ++totals_.blocks; }
    /// These begin an object, an instance or a counter; without arguments they end it.
    void enter_object(std::uint32_t object = no_index, std::string_view name = {}) noexcept {
        context.object = object;
        context.object_name = name;
    }
    void enter_instance(std::uint32_t instance = no_index, std::string_view name = {}) noexcept {
        context.instance = instance;
        context.instance_name = name;
    }
    void enter_counter(std::uint32_t counter = no_index, std::string_view name = {}) noexcept {
        context.counter = counter;
        context.counter_name = name;
    }

    /// Sets what unclaimed bytes are from now on.
    void between(MapKind kind, std::string_view structure, std::string_view meaning) noexcept;
    /// Gives everything unclaimed up to there.
    void fill_to(std::uint64_t end);
    void fill_to(std::uint64_t end, MapKind kind, std::string_view structure, std::string_view meaning) {
        between(kind, structure, meaning);
        fill_to(end);
    }
    /// Gives what is unclaimed up to there, where a structure ends: fewer than 8 bytes are padding, more are a gap.
    void close(std::uint64_t end, std::string_view structure, std::string_view meaning);
    /// Gives a field, with all of its bytes.
    void claim(Bytes field, MapKind kind, std::string_view structure, std::string_view name, const Shown& shown);
    /// Gives all members of a structure that lie in `bytes`; `base` is where their offsets count from.
    void members(const Structure& structure, Bytes bytes, std::uint64_t base);
    void members(const Structure& structure, Bytes bytes) { members(structure, bytes, bytes.offset()); }

  private:
    void give(MapEntry& entry);
    void describe_overlap();

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

/// The whole input, as V1 blocks or as what the PerfLib functions return.
void draw_v1(Sweep& sweep, const MapOptions& options, const FaultSink& faults);
void draw_v2(Sweep& sweep, MapForm form, const MapOptions& options, const FaultSink& faults);

}  // namespace hkpd::map
