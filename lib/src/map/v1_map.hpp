// The map of V1 blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/v1.hpp"
#include "map/byte_map.hpp"
#include "map/describe.hpp"

namespace hkpd {
class FaultSink;
}

namespace hkpd::map {

class V1Map {
  public:
    /// Keeps references.
    V1Map(Sweep& sweep, const MapOptions& options, MapTotals& totals, const FaultSink& faults)
        : sweep_(sweep),
          words_(options.titles, sweep.input().end()),
          limits_(options.limits),
          totals_(totals),
          faults_(faults) {}

    /// All blocks of the input, and what lies between them.
    void draw();

  private:
    void draw_outside(std::uint64_t end);
    void draw_block(Bytes bytes);
    void draw_header(std::uint64_t end);
    void draw_unreadable(Bytes bytes);
    void draw_object(const v1::ObjectEntry& entry);
    void draw_definitions();
    void draw_instances();
    void draw_instance(const v1::Instance& instance);
    void draw_values(const v1::Instance& instance);
    Said value_of(const v1::Counter& counter, Bytes value);
    /// The structure of `size` bytes at an absolute offset of the input.
    Bytes at(std::uint64_t offset, std::uint64_t size) const noexcept {
        return sweep_.input().slice(offset - sweep_.input().offset(), size);
    }

    Sweep& sweep_;
    Words words_;
    const Limits& limits_;
    MapTotals& totals_;
    FaultSink faults_;
    v1::Block block_;
    v1::Object object_;
    std::uint64_t values_left_ = 0;
    // Of the current object: its counters by place in the counter block, and what all are called.
    std::vector<std::uint32_t> by_place_;
    std::vector<std::string_view> names_;
    std::string machine_, instance_name_;
};

}  // namespace hkpd::map
