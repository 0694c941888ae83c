// The map of what the PerfLib functions return.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/names.hpp"
#include "hkpd/v2.hpp"
#include "map/byte_map.hpp"
#include "map/describe.hpp"

namespace hkpd {
class FaultSink;
}

namespace hkpd::map {

class V2Map {
  public:
    /// Keeps references.
    V2Map(Sweep& sweep, const MapOptions& options, MapTotals& totals, const FaultSink& faults)
        : sweep_(sweep), words_(nullptr, sweep.input().end()), options_(options), totals_(totals), faults_(faults) {}

    /// The whole input.
    void draw(MapForm form);

  private:
    void draw_data();
    void draw_block(Bytes bytes);
    void draw_result(const v2::ResultEntry& entry);
    void name_result(std::uint32_t ordinal);
    std::string_view name_counter(std::uint32_t position);
    void draw_ids(Bytes behind_header);
    void draw_instances(const v2::ResultEntry& entry);
    void draw_instance(const v2::Instance& instance);
    void draw_value(const v2::Value& value);
    void draw_identifiers();
    void draw_registration();
    void draw_strings();
    void draw_one(const Structure& structure);
    void draw_text();
    void draw_name(const EncodedText& text, std::uint64_t end, std::string_view structure, std::string_view field);
    void members(const Structure& structure, Bytes bytes) {
        sweep_.members(structure, bytes.clip(0, structure.size()), words_, ByteOrder::little);
    }
    Bytes at(std::uint64_t offset, std::uint64_t size) const noexcept {
        return sweep_.input().clip(offset - sweep_.input().offset(), size);
    }

    Sweep& sweep_;
    Words words_;
    const MapOptions& options_;
    MapTotals& totals_;
    FaultSink faults_;
    v2::DataBlock block_;
    v2::Result result_;
    std::vector<v2::Value> values_;
    std::uint64_t values_left_ = 0;
    std::string result_name_, instance_name_, counter_name_;
    // Of the result at hand.
    const v2::Identifier* identifier_ = nullptr;
    const Counterset* set_ = nullptr;
};

}  // namespace hkpd::map
