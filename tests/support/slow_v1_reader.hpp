// A second reader of V1 blocks, slow and strict, written only from Microsoft's documentation, for tests that compare.
// It shares no layout and no helper with hkpd, so that the two cannot share a mistake. It reads byte by byte, copies
// everything and returns nothing for a block that breaks a rule; what it returns, every reader has to find.
//
// Rules (learn.microsoft.com "Performance Data Format", winperf.h): the block is as long as it states; every structure
// is inside its parent and at least as long as its fields; each list ends where its parent does; counters are after
// their block's ByteLength and inside the block; names are inside their structure, after its fields. It does not check
// alignment, overlapping counters, title indices, parents, clocks and the calendar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slow_v1 {

struct Counter {
    std::uint32_t title = 0, help = 0, type = 0, size = 0, offset = 0, detail = 0;
    std::int32_t scale = 0;
};

struct Instance {
    std::string name{};  ///< its bytes without the NUL; empty for the single block of an object without instances
    std::uint32_t parent_object = 0, parent = 0;
    std::int32_t unique_id = 0;
    std::vector<std::string> values{};  ///< the bytes of each counter, verbatim
};

struct Object {
    std::uint32_t title = 0, help = 0, detail = 0, code_page = 0;
    std::int32_t default_counter = 0, num_instances = 0;
    std::int64_t perf_time = 0, perf_freq = 0;
    std::vector<Counter> counters{};
    std::vector<Instance> instances{};
};

struct Block {
    bool big_endian = false;
    std::string machine{};  ///< UTF-16 in the block's order, without the NUL
    std::int64_t perf_time = 0, perf_freq = 0, perf_time_100ns = 0;
    std::int32_t default_object = 0;
    std::vector<Object> objects{};
};

/// Limit for copied bytes of values, since overlapping counters could ask for any number.
inline constexpr std::uint64_t most_value_bytes = 1'000'000;

class Reader {
  public:
    explicit Reader(std::span<const unsigned char> bytes) : bytes_(bytes) {}

    std::optional<Block> read() {
        Block block;
        read_header(block);
        if (broken_) return std::nullopt;
        return block;
    }

  private:
    struct Place {
        std::uint64_t begin = 0, end = 0;
        std::uint64_t length() const { return end - begin; }
    };

    // --- Bytes. Those outside the block read as 0 and make it invalid. ---

    void rule(bool holds) { broken_ = broken_ || !holds; }

    std::uint64_t number(std::uint64_t at, unsigned width) {
        rule(at <= bytes_.size() && width <= bytes_.size() - at);
        if (broken_) return 0;
        const unsigned char* const first = bytes_.data() + at;
        std::uint64_t value = 0;
        for (unsigned i = 0; i < width; ++i) value = value * 256 + first[big_endian_ ? i : width - 1 - i];
        return value;
    }
    std::uint32_t u32(std::uint64_t at) { return static_cast<std::uint32_t>(number(at, 4)); }
    std::int32_t i32(std::uint64_t at) { return static_cast<std::int32_t>(u32(at)); }
    std::int64_t i64(std::uint64_t at) { return static_cast<std::int64_t>(number(at, 8)); }

    std::string copy(Place place) {
        rule(place.begin <= place.end && place.end <= bytes_.size());
        if (broken_) return {};
        return {reinterpret_cast<const char*>(bytes_.data()) + place.begin, place.length()};
    }

    /// Returns the place of a structure of `length` bytes at `at`, which is at least as long as its fields and inside
    /// its parent.
    Place structure(std::uint64_t at, std::uint64_t length, std::uint64_t fields, Place parent) {
        rule(length >= fields && at >= parent.begin && at <= parent.end && length <= parent.end - at);
        return broken_ ? Place{} : Place{at, at + length};
    }

    /// Returns a name of `length` bytes at `offset` from the start of its structure, after its fields. A NUL may end
    /// it, and be counted or not; there is none inside it.
    std::string name(Place owner, std::uint64_t fields, std::uint64_t offset, std::uint64_t length, unsigned unit) {
        if (length == 0) return {};
        rule(offset >= fields && offset + length <= owner.length() && length % unit == 0);
        std::string text = copy({owner.begin + offset, owner.begin + offset + length});
        const std::string nul(unit, '\0');
        if (text.ends_with(nul)) text = text.substr(0, text.size() - unit);
        for (std::size_t at = 0; at < text.size(); at += unit) rule(text.compare(at, unit, nul) != 0);
        return text;
    }

    // --- Structures ---

    /// Reads PERF_DATA_BLOCK, 88 bytes.
    void read_header(Block& block) {
        const Place whole{0, bytes_.size()};
        if (bytes_.size() < 88) return rule(false);
        big_endian_ = block.big_endian = bytes_[0] == 0;
        rule(number(0, 2) == 'P' && number(2, 2) == 'E' && number(4, 2) == 'R' && number(6, 2) == 'F');
        rule(u32(8) == (big_endian_ ? 0U : 1U) && u32(12) == 1);  // LittleEndian, Version
        rule(u32(20) == bytes_.size());                           // TotalByteLength
        rule(u32(24) % 4 == 0);                                   // HeaderLength is padded to 8; multiples of 4 occur
        const Place header = structure(0, u32(24), 88, whole);
        const std::uint32_t objects = u32(28);
        block.default_object = i32(32);
        block.perf_time = i64(56);
        block.perf_freq = i64(64);
        block.perf_time_100ns = i64(72);
        block.machine = name(header, 88, u32(84), u32(80), 2);
        std::uint64_t at = header.end;
        for (std::uint32_t k = 0; k < objects && !broken_; ++k) {
            block.objects.emplace_back();
            at = read_object(block.objects.back(), structure(at, u32(at), 64, whole));
        }
        rule(at == whole.end);
    }

    /// Reads PERF_OBJECT_TYPE, 64 bytes. Each `read_…` returns the end of its structure.
    std::uint64_t read_object(Object& object, Place place) {
        const std::uint64_t at = place.begin;
        const Place definitions = structure(at, u32(at + 4), 64, place);
        const Place header = structure(at, u32(at + 8), 64, definitions);
        object.title = u32(at + 12);
        object.help = u32(at + 20);
        object.detail = u32(at + 28);
        object.default_counter = i32(at + 36);
        object.num_instances = i32(at + 40);
        object.code_page = u32(at + 44);
        object.perf_time = i64(at + 48);
        object.perf_freq = i64(at + 56);
        read_counters(object, u32(at + 32), {header.end, definitions.end});
        rule(read_instances(object, {definitions.end, place.end}) == place.end);
        return place.end;
    }

    /// Reads the PERF_COUNTER_DEFINITIONs, 40 bytes each.
    void read_counters(Object& object, std::uint32_t count, Place list) {
        std::uint64_t at = list.begin;
        for (std::uint32_t c = 0; c < count && !broken_; ++c) {
            const Place place = structure(at, u32(at), 40, list);
            object.counters.push_back({.title = u32(at + 4),
                                       .help = u32(at + 12),
                                       .type = u32(at + 28),
                                       .size = u32(at + 32),
                                       .offset = u32(at + 36),
                                       .detail = u32(at + 24),
                                       .scale = i32(at + 20)});
            rule(size_fits(object.counters.back()));
            at = place.end;
        }
        rule(at == list.end);
    }

    /// Numbers have 4 or 8 bytes, texts any number, and labels none.
    static bool size_fits(const Counter& counter) {
        const bool text = (counter.type >> 10 & 3U) == 2, label = (counter.type >> 8 & 3U) == 2;
        return text || (label ? counter.size == 0 : counter.size == 4 || counter.size == 8);
    }

    std::uint64_t read_instances(Object& object, Place list) {
        std::uint64_t at = list.begin;
        if (object.num_instances == -1) return read_block(object, object.instances.emplace_back(), at, list);
        rule(object.num_instances >= -3);  // -2 and -3 are definitions without data
        for (std::int32_t i = 0; i < object.num_instances && !broken_; ++i) {
            Instance& instance = object.instances.emplace_back();
            at = read_block(object, instance, read_instance(object, instance, at, list), list);
        }
        return at;
    }

    /// Reads PERF_INSTANCE_DEFINITION, 24 bytes.
    std::uint64_t read_instance(const Object& object, Instance& instance, std::uint64_t at, Place list) {
        const Place place = structure(at, u32(at), 24, list);
        instance.parent_object = u32(at + 4);
        instance.parent = u32(at + 8);
        instance.unique_id = i32(at + 12);
        const unsigned unit = object.code_page == 0 ? 2 : 1;
        rule(u32(at + 20) == 0 || u32(at + 16) % unit == 0);
        instance.name = name(place, 24, u32(at + 16), u32(at + 20), unit);
        return place.end;
    }

    /// Reads PERF_COUNTER_BLOCK, 4 bytes and the values.
    std::uint64_t read_block(const Object& object, Instance& instance, std::uint64_t at, Place list) {
        const Place place = structure(at, u32(at), 4, list);
        instance.values.reserve(object.counters.size());
        for (const Counter& counter : object.counters) {
            if (broken_) break;
            rule(counter.offset >= 4 || counter.size == 0);
            rule(std::uint64_t{counter.offset} + counter.size <= place.length());
            value_bytes_ += counter.size + 1U;
            rule(value_bytes_ <= most_value_bytes);
            instance.values.push_back(copy({at + counter.offset, at + counter.offset + counter.size}));
        }
        return place.end;
    }

    std::span<const unsigned char> bytes_;
    bool big_endian_ = false;
    bool broken_ = false;
    std::uint64_t value_bytes_ = 0;
};

/// Returns the content of a block that follows all rules; otherwise nothing.
inline std::optional<Block> read(std::span<const unsigned char> bytes) { return Reader(bytes).read(); }

}  // namespace slow_v1
