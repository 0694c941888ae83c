// Builds V1 blobs byte by byte from plain structs, in either byte order. The layouts are written here a second time,
// from Microsoft's documentation: reader and builder share no code, so that they cannot share a mistake.
//
//   blob::Blob blob = blob::build({.objects = {{.title = 2, .counters = {{.title = 10}}, .values = {7}}}});
//   blob.put32(blob.object(0) + blob::object_type::NumCounters, 1u << 30);
//
// Lengths and offsets are right and padded to 8, as by Windows. A test breaks fields afterwards by overwriting them:
// the result has the place of each structure.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/blob_fields.hpp"
#include "support/block_time.hpp"
#include "support/byte_buffer.hpp"

namespace blob {

/// A counter's value: an integer of the counter's width, or the bytes of the counter block verbatim.
struct Value {
    std::variant<std::uint64_t, std::string> data;
    template <std::integral T>
    Value(T number) : data(static_cast<std::uint64_t>(number)) {}
    Value(std::string bytes) : data(std::move(bytes)) {}
};

/// UTF-16 with a prefix `u"…"`, or the bytes of a code page.
using Name = std::variant<std::u16string, std::string>;

struct Counter {
    std::uint32_t title = 0;
    std::uint32_t type = counter_type::rawcount;
    std::uint32_t size = 4;
    std::optional<std::uint32_t> offset{};  ///< default: after the counters before it, aligned to its size
    std::int32_t scale = 0;
    std::uint32_t detail = 100;
    std::optional<std::uint32_t> help{};  ///< default: title + 1
};

struct Instance {
    Name name{};
    std::vector<Value> values{};  ///< one for each counter; 0 where values are missing
    std::uint32_t parent_object = 0, parent = 0;
    std::int32_t unique_id = -1;
    bool nul = true;                              ///< whether a NUL ends the name and is counted
    std::optional<std::uint32_t> block_length{};  ///< default: what the counters need
};

enum class Kind : std::uint8_t { single, multi, metadata_single, metadata_multi };

struct Object {
    std::uint32_t title = 0;
    Kind kind = Kind::single;
    std::vector<Counter> counters{};
    std::vector<Value> values{};        ///< of a `single` object
    std::vector<Instance> instances{};  ///< of a `multi` object
    std::uint32_t code_page = 0;
    std::int64_t perf_time = 0, perf_freq = 0;
    std::uint32_t detail = 100;
    std::int32_t default_counter = 0;
    std::optional<std::int32_t> num_instances{};  ///< default: from kind and instances
    std::optional<std::uint32_t> help{};          ///< default: title + 1
    std::uint32_t header_length = object_type::size, counter_stride = counter_definition::size;
};

struct SystemTime {
    std::uint16_t year = 2020, month = 9, day_of_week = 0, day = 13, hour = 12, minute = 26, second = 40,
                  milliseconds = 123;
};

struct Block {
    std::vector<Object> objects{};
    std::u16string machine = u"DEMO";  ///< written with its NUL; an empty name is not written
    Endian endian = Endian::little;
    std::int64_t perf_time = 1'000'000, perf_freq = 10'000'000, perf_time_100ns = hkpd_test::usual_time;
    SystemTime system_time{};
    std::int32_t default_object = 238;
};

/// The bytes of a block, and the places of its structures.
class Blob : public ByteBuffer {
  public:
    using ByteBuffer::ByteBuffer;

    std::size_t object_count() const { return objects_.size(); }

    std::size_t object(std::size_t k) const { return objects_.at(k).begin; }
    std::size_t object_end(std::size_t k) const { return objects_.at(k).end; }
    std::size_t counter(std::size_t k, std::size_t c) const { return objects_.at(k).counters.at(c); }
    std::size_t instance(std::size_t k, std::size_t i) const { return objects_.at(k).instances.at(i); }
    std::size_t counter_block(std::size_t k, std::size_t i = 0) const { return objects_.at(k).blocks.at(i); }
    const std::vector<std::size_t>& counters(std::size_t k) const { return objects_.at(k).counters; }
    const std::vector<std::size_t>& instances(std::size_t k) const { return objects_.at(k).instances; }
    const std::vector<std::size_t>& counter_blocks(std::size_t k) const { return objects_.at(k).blocks; }

    /// Inserts `length` stray bytes at `at` and moves what is there or later. Length fields are unchanged: a structure
    /// that ends at `at` does not grow; the caller sets the lengths of those around it (the block, an object).
    void insert(std::size_t at, std::size_t length, std::uint8_t value) {
        insert_bytes(at, length, value);
        const auto move = [&](std::size_t& place) { place += place >= at ? length : 0; };
        for (ObjectPlaces& object : objects_) {
            object.end += object.end > at ? length : 0;
            move(object.begin);
            for (auto* places : {&object.counters, &object.instances, &object.blocks})
                std::for_each(places->begin(), places->end(), move);
        }
    }

  private:
    friend class Builder;
    struct ObjectPlaces {
        std::size_t begin = 0, end = 0;
        std::vector<std::size_t> counters{}, instances{}, blocks{};
    };

    std::vector<ObjectPlaces> objects_;
};

/// Writes the structures of one block in order. Use `build`.
class Builder {
  public:
    explicit Builder(const Block& block) : block_(block), blob_(block.endian) {}

    /// `header_padding`: bytes of the header between the padded machine name and the first object.
    Blob build(std::size_t header_padding) {
        write_header(header_padding);
        for (const Object& object : block_.objects) write_object(object);
        blob_.put32(data_block::TotalByteLength, u32(blob_.size()));
        return std::move(blob_);
    }

  private:
    static std::uint32_t u32(std::size_t value) { return static_cast<std::uint32_t>(value); }
    std::size_t here() const { return blob_.size(); }

    std::string encoded(const Name& name, bool nul) const {
        if (const auto* ansi = std::get_if<std::string>(&name)) return *ansi + std::string(nul ? 1 : 0, '\0');
        return utf16(std::get<std::u16string>(name) + std::u16string(nul ? 1 : 0, u'\0'), block_.endian);
    }

    void write_header(std::size_t header_padding) {
        const std::string machine = encoded(block_.machine, !block_.machine.empty());
        const SystemTime& t = block_.system_time;
        blob_.integers(2, u'P', u'E', u'R', u'F');
        blob_.integers(4, block_.endian == Endian::little ? 1 : 0, 1, 1, 0);
        blob_.integers(4, round_up(data_block::size + machine.size(), 8) + header_padding, block_.objects.size(),
                       block_.default_object);
        blob_.integers(2, t.year, t.month, t.day_of_week, t.day, t.hour, t.minute, t.second, t.milliseconds, 0, 0);
        blob_.integers(8, block_.perf_time, block_.perf_freq, hkpd_test::matching_time(block_.perf_time_100ns, t));
        blob_.integers(4, machine.size(), machine.empty() ? 0 : data_block::size);
        blob_.string(machine);
        blob_.pad();
        blob_.grow(header_padding);
    }

    void write_object(const Object& object) {
        blob_.objects_.push_back({.begin = here()});
        const std::size_t begin = here(), definitions = object.counters.size() * object.counter_stride;
        const std::int32_t count = object.kind == Kind::multi    ? static_cast<std::int32_t>(object.instances.size())
                                   : object.kind == Kind::single ? -1
                                   : object.kind == Kind::metadata_multi ? -2
                                                                         : -3;
        blob_.integers(4, 0, object.header_length + definitions, object.header_length, object.title, 0,
                       object.help.value_or(object.title + 1), 0, object.detail, object.counters.size(),
                       object.default_counter, object.num_instances.value_or(count), object.code_page);
        blob_.integers(8, object.perf_time, object.perf_freq);
        blob_.grow(object.header_length - object_type::size);
        const std::vector<std::uint32_t> offsets = counter_offsets(object);
        for (std::size_t c = 0; c < object.counters.size(); ++c)
            write_counter(object.counters[c], offsets[c], object.counter_stride);
        if (object.kind == Kind::single) write_block(object, offsets, object.values, {});
        if (object.kind == Kind::multi)
            for (const Instance& instance : object.instances) write_instance(object, offsets, instance);
        blob_.put32(begin, u32(here() - begin));
        blob_.objects_.back().end = here();
    }

    static std::vector<std::uint32_t> counter_offsets(const Object& object) {
        std::vector<std::uint32_t> offsets;
        std::size_t next = 4;
        for (const Counter& counter : object.counters) {
            const std::size_t free = round_up(next, counter.size % 8 == 0 ? 8 : counter.size % 4 == 0 ? 4 : 1);
            offsets.push_back(counter.offset.value_or(u32(free)));
            next = std::max<std::size_t>(next, std::size_t{offsets.back()} + counter.size);
        }
        return offsets;
    }

    void write_counter(const Counter& counter, std::uint32_t offset, std::size_t stride) {
        blob_.objects_.back().counters.push_back(here());
        blob_.integers(4, stride, counter.title, 0, counter.help.value_or(counter.title + 1), 0, counter.scale,
                       counter.detail, counter.type, counter.size, offset);
        blob_.grow(stride - counter_definition::size);
    }

    void write_instance(const Object& object, const std::vector<std::uint32_t>& offsets, const Instance& instance) {
        blob_.objects_.back().instances.push_back(here());
        const std::string name = encoded(instance.name, instance.nul);
        blob_.integers(4, round_up(instance_definition::size + name.size(), 8), instance.parent_object, instance.parent,
                       instance.unique_id, instance_definition::size, name.size());
        blob_.string(name);
        blob_.pad();
        write_block(object, offsets, instance.values, instance.block_length);
    }

    void write_block(const Object& object, const std::vector<std::uint32_t>& offsets, const std::vector<Value>& values,
                     std::optional<std::uint32_t> length) {
        std::size_t needed = 4;
        for (std::size_t c = 0; c < offsets.size(); ++c)
            needed = std::max<std::size_t>(needed, std::size_t{offsets[c]} + object.counters[c].size);
        const std::size_t begin = here();
        blob_.objects_.back().blocks.push_back(begin);
        blob_.grow(round_up(needed, 8));
        for (std::size_t c = 0; c < std::min(values.size(), offsets.size()); ++c)
            write_value(begin + offsets[c], object.counters[c].size, values[c]);
        if (length) blob_.truncate(begin + *length);
        blob_.put32(begin, u32(here() - begin));
    }

    void write_value(std::size_t at, std::size_t size, const Value& value) {
        if (const auto* number = std::get_if<std::uint64_t>(&value.data)) return blob_.put(at, *number, size);
        const std::string& bytes = std::get<std::string>(value.data);
        for (std::size_t i = 0; i < std::min(size, bytes.size()); ++i)
            blob_.put8(at + i, static_cast<std::uint8_t>(bytes[i]));
    }

    const Block& block_;
    Blob blob_;
};

inline Blob build(const Block& block) { return Builder(block).build(0); }

}  // namespace blob
