#include <algorithm>
#include <boost/interprocess/streams/bufferstream.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/text/encoding.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/v1.hpp"
#include "map/byte_map.hpp"
#include "sample/fill/v1_builder.hpp"
#include "v1/block_stream.hpp"

namespace hkpd::map {
namespace {

using structures::data_block, structures::object_type, structures::counter_definition, structures::instance_definition,
    structures::counter_block;

/// Sets `out` to a text of the input, converted to UTF-8.
void read_text(std::string& out, const EncodedText& text) {
    out.clear();
    append_code_page(out, text.bytes.span(), text.code_page, text.order);
}

class V1Map {
  public:
    V1Map(Sweep& sweep, const Limits& limits, const FaultSink& faults)
        : sweep_(sweep), limits_(limits), faults_(faults) {}

    void draw() {
        const Bytes input = sweep_.input();
        boost::interprocess::ibufferstream stream(reinterpret_cast<const char*>(input.data()), input.size());
        BlockStream blocks(stream, limits_);
        while (const auto found = blocks.next(faults_)) {
            const Bytes block = input.slice(found->offset(), found->size());
            draw_outside(block.offset());
            draw_block(block);
        }
        draw_outside(input.end());
    }

  private:
    /// Maps the bytes up to `end`, which are in no block.
    void draw_outside(std::uint64_t end) {
        // In a block from Wine, a gap as large as a header follows the header. If the block has no objects, the gap
        // comes after the end of the block (see BlockStream) and is mapped here.
        const bool gap = !block_.bytes().empty() && block_.objects().empty() && sweep_.at() == block_.bytes().end() &&
                         end == sweep_.at() + data_block.size();
        if (gap) return sweep_.close(end, data_block.name, "not mapped: after HeaderLength, where no object begins");
        sweep_.context = {};
        sweep_.fill_to(end, MapKind::leftover, "", "in no block");
    }

    void draw_block(Bytes bytes) {
        sweep_.enter_block();
        const auto opened = block_.open(bytes, faults_);
        sweep_.order = block_.order();
        if (!opened) {
            faults_.add(Severity::error, opened.error());
            return draw_unreadable(bytes);
        }
        sweep_.add_block();
        values_left_ = limits_.values_for(block_.bytes().size());
        machine_.clear();
        if (const auto machine = block_.machine()) read_text(machine_, *machine);
        sweep_.words.ask_for(machine_, !block_.own_title_indices());
        const auto objects = block_.objects();
        draw_header(objects.empty() ? block_.bytes().end() : objects.front().bytes.offset());
        for (const v1::ObjectEntry& entry : objects) {
            sweep_.enter_object();
            sweep_.close(entry.bytes.offset(), data_block.name, "not mapped: no object begins here");
            draw_object(entry);
        }
        sweep_.enter_object();
        sweep_.close(block_.bytes().end(), data_block.name, "not mapped: after the last object");
    }

    /// Maps a block with an unusable header. If the header is complete, its members are shown.
    void draw_unreadable(Bytes bytes) {
        if (!v1::has_signature(bytes)) return;  // not a block: `draw_outside` maps the bytes
        sweep_.add_block();
        if (bytes.size() >= data_block.size()) sweep_.members(data_block, bytes.slice(0, data_block.size()));
        sweep_.close(bytes.end(), data_block.name, "not mapped: the header cannot be relied on");
    }

    void draw_header(std::uint64_t end) {
        const Bytes bytes = block_.bytes();
        const v1::DataBlock& header = block_.header();
        sweep_.members(data_block, sweep_.part(bytes.offset(), data_block.size()));
        const std::uint64_t header_end = std::min(bytes.offset() + header.HeaderLength, end);
        sweep_.between(MapKind::padding, data_block.name, "of the header");
        if (const auto machine = block_.machine(); machine && header.SystemNameLength != 0)
            sweep_.claim(sweep_.part(bytes.offset() + header.SystemNameOffset, header.SystemNameLength), MapKind::name,
                         data_block.name, "SystemName", sweep_.words.text(*machine));
        sweep_.fill_to(header_end);
        sweep_.close(end, data_block.name, "not mapped: between HeaderLength and the first object");
    }

    void draw_object(const v1::ObjectEntry& entry) {
        const Bytes bytes = entry.bytes;
        sweep_.enter_object(entry.title_index, sweep_.words.title(entry.title_index));
        if (bytes.size() >= object_type.size()) sweep_.members(object_type, bytes.slice(0, object_type.size()));
        if (const auto opened = object_.open(block_, entry, faults_); !opened) {
            faults_.add(Severity::error, opened.error(), entry.title_index);
            return sweep_.close(bytes.end(), object_type.name, "not mapped: the object's header cannot be relied on");
        }
        sweep_.fill_to(bytes.offset() + object_.header().HeaderLength, MapKind::padding, object_type.name,
                       "of the header");
        draw_definitions();
        draw_instances();
    }

    void draw_definitions() {
        names_.clear();
        by_place_.clear();
        const std::uint64_t end = object_.bytes().offset() + object_.header().DefinitionLength;
        for (const v1::Counter& counter : object_.counters()) {
            sweep_.enter_counter();
            sweep_.close(counter.offset, counter_definition.name, "not mapped: a definition that cannot be read");
            names_.push_back(sweep_.words.title(counter.definition.CounterNameTitleIndex));
            by_place_.push_back(static_cast<std::uint32_t>(by_place_.size()));
            sweep_.enter_counter(counter.ordinal, names_.back());
            sweep_.members(counter_definition, sweep_.part(counter.offset, counter_definition.size()));
            sweep_.fill_to(std::min(counter.offset + counter.definition.ByteLength, end), MapKind::padding,
                           counter_definition.name, "of the definition");
        }
        sweep_.enter_counter();
        sweep_.close(end, object_type.name, "not mapped: after the last definition");
        // Of two counters at the same offset, the larger one comes first, so that the smaller one is described as
        // overlapping.
        std::ranges::sort(by_place_, {}, [this](std::uint32_t i) {
            const v1::CounterDefinition& definition = object_.counters()[i].definition;
            return std::tuple(definition.CounterOffset, ~definition.CounterSize, i);
        });
    }

    void draw_instances() {
        v1::InstanceReader reader(object_, values_left_, faults_);
        v1::Instance instance;
        std::uint32_t seen = 0;
        for (; reader.next(instance); ++seen) draw_instance(instance);
        sweep_.enter_instance();
        std::string_view why = "not mapped: after the last instance";
        if (seen < object_.expected_instances())
            why = values_left_ < object_.values_per_instance() ? "not mapped: beyond the limit on values"
                                                               : "not mapped: the instances break off here";
        sweep_.close(object_.bytes().end(), object_type.name, why);
    }

    void draw_instance(const v1::Instance& instance) {
        sweep_.enter_instance();
        if (object_.kind() == v1::Kind::multi) {
            instance_name_.clear();
            const auto name = instance.name();
            if (name) read_text(instance_name_, *name);
            sweep_.enter_instance(instance.ordinal, clipped_name(instance_name_));
            const v1::InstanceDefinition fields = instance.definition();
            const Bytes definition = sweep_.part(instance.offset, fields.ByteLength);
            sweep_.members(instance_definition, definition);
            sweep_.between(MapKind::padding, instance_definition.name, "of the definition");
            if (name && fields.NameLength != 0)
                sweep_.claim(definition.slice(fields.NameOffset, fields.NameLength), MapKind::name,
                             instance_definition.name, "Name", sweep_.words.text(*name));
            sweep_.fill_to(definition.end());
        }
        sweep_.members(counter_block, instance.block.clip(0, counter_block.size()));
        draw_values(instance);
    }

    void draw_values(const v1::Instance& instance) {
        const std::uint64_t end = instance.block.end();
        sweep_.between(MapKind::padding, counter_block.name, "of the counter block");
        for (const std::uint32_t i : by_place_) {
            const v1::Counter& counter = object_.counters()[i];
            const auto value = v1::value_of(instance, counter);
            if (!value || value->empty()) continue;
            // Some values lie after the end of the counter block: the block's ByteLength does not include them.
            sweep_.fill_to(std::min(value->offset(), end));
            if (sweep_.at() >= end)
                sweep_.fill_to(value->offset(), MapKind::gap, counter_block.name, "after the end of the block");
            sweep_.enter_counter(counter.ordinal, names_[i]);
            sweep_.claim(*value, MapKind::value, counter_block.name, "", value_of(counter, *value));
            sweep_.enter_counter();
        }
        sweep_.fill_to(end);
    }

    Shown value_of(const v1::Counter& counter, Bytes value) {
        const CounterType type{counter.definition.CounterType};
        if (counter.storage == v1::Storage::number)
            return sweep_.words.number(load_number(value.data(), value.size(), object_.order()), raw_unit(type.bits));
        if (counter.storage == v1::Storage::bytes) return sweep_.words.bytes(value.size());
        std::uint32_t page = 0;
        if (type.is_ansi()) page = object_.header().CodePage == 0 ? usual_code_page : object_.header().CodePage;
        return sweep_.words.text(name_text(value, page, object_.order()));
    }

    Sweep& sweep_;
    const Limits& limits_;
    FaultSink faults_;
    v1::Block block_;
    v1::Object object_;
    std::uint64_t values_left_ = 0;
    // State of the current object. `by_place_`: positions of its counters, ordered by offset in the counter block.
    // `names_`: the names of its counters.
    std::vector<std::uint32_t> by_place_;
    std::vector<std::string_view> names_;
    std::string machine_, instance_name_;
};

}  // namespace

void draw_v1(Sweep& sweep, const MapOptions& options, const FaultSink& faults) {
    V1Map(sweep, options.limits, faults).draw();
}

}  // namespace hkpd::map
