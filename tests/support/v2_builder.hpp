// Builds V2 data blocks, identifiers and registration info byte by byte from plain structs. The layouts are written
// here a second time, from Microsoft's documentation (learn.microsoft.com, perflib.h): reader and builder share no
// code, so that they cannot share a mistake.
//
//   v2_blob::Blob blob = v2_blob::build({.results = {{.type = v2_blob::single_counter, .values = {7}}}});
//   blob.put32(blob.result(0) + v2_blob::counter_header::dwSize, 0);
//
// Lengths are right and padded to 8. A test breaks fields afterwards by overwriting them: the result has the place of
// each structure.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/guid.hpp"
#include "support/block_time.hpp"
#include "support/byte_buffer.hpp"

namespace v2_blob {

namespace data_header {
inline constexpr std::size_t dwTotalSize = 0, dwNumCounters = 4, PerfTimeStamp = 8, PerfTime100NSec = 16, PerfFreq = 24,
                             SystemTime = 32, size = 48;
}
namespace counter_header {
inline constexpr std::size_t dwStatus = 0, dwType = 4, dwSize = 8, Reserved = 12, size = 16;
}
namespace multi_counters {
inline constexpr std::size_t dwSize = 0, dwCounters = 4, size = 8;
}
namespace multi_instances {
inline constexpr std::size_t dwTotalSize = 0, dwInstances = 4, size = 8;
}
namespace instance_header {
inline constexpr std::size_t Size = 0, InstanceId = 4, size = 8;
}
namespace counter_data {
inline constexpr std::size_t dwDataSize = 0, dwSize = 4, value = 8, size = 8;
}
namespace counter_identifier {
inline constexpr std::size_t CounterSetGuid = 0, Status = 16, Size = 20, CounterId = 24, InstanceId = 28, Index = 32,
                             Reserved = 36, size = 40;
}
namespace counterset_reg_info {
inline constexpr std::size_t CounterSetGuid = 0, CounterSetType = 16, DetailLevel = 20, NumCounters = 24,
                             InstanceType = 28, size = 32;
}
namespace counter_reg_info {
inline constexpr std::size_t CounterId = 0, Type = 4, Attrib = 8, DetailLevel = 16, DefaultScale = 20,
                             BaseCounterId = 24, PerfTimeId = 28, PerfFreqId = 32, MultiId = 36, AggregateFunc = 40,
                             Reserved = 44, size = 48;
}
namespace string_buffer_header {
inline constexpr std::size_t dwSize = 0, dwCounters = 4, size = 8;
}
namespace string_counter_header {
inline constexpr std::size_t dwCounterId = 0, dwOffset = 4, size = 8;
}

/// PerfCounterDataType.
inline constexpr std::uint32_t error_return = 0, single_counter = 1, multiple_counters = 2, multiple_instances = 4,
                               counterset = 6;
/// A counter or instance id that stands for all or for none.
inline constexpr std::uint32_t none = 0xFFFF'FFFF;

/// Returns the GUID with the text `{data1-data2-data3-rest[0..1]-rest[2..7]}`.
inline hkpd::Guid guid(std::uint32_t data1, std::uint16_t data2 = 0, std::uint16_t data3 = 0,
                       const std::array<std::uint8_t, 8>& rest = {}) {
    blob::ByteBuffer bytes;
    bytes.integers(4, data1);
    bytes.integers(2, data2, data3);
    for (const std::uint8_t byte : rest) bytes.integers(1, byte);
    hkpd::Guid made;
    std::ranges::copy(bytes.bytes(), made.bytes.begin());
    return made;
}

inline void put_guid(blob::ByteBuffer& out, const hkpd::Guid& guid) { out.append(guid.bytes); }

/// A counter's value: an integer of 8 bytes, or `u32(…)`, or any number of bytes.
struct Value {
    std::string bytes;
    template <std::integral T>
    Value(T number) : bytes(encoded(static_cast<std::uint64_t>(number), 8)) {}
    Value(std::string raw) : bytes(std::move(raw)) {}

    static std::string encoded(std::uint64_t number, std::size_t width) {
        std::string text;
        for (std::size_t i = 0; i < width; ++i) text += static_cast<char>(number >> (8 * i) & 0xFF);
        return text;
    }
};
inline Value u32(std::uint32_t number) { return Value(Value::encoded(number, 4)); }

struct Instance {
    std::u16string name{};
    std::uint32_t id = 0;
    std::vector<Value> values{};
    bool nul = true;  ///< whether a NUL ends the name
};

/// Padding after an odd count of ids: 4 bytes that dwSize counts, 4 bytes that it leaves out, or nothing.
enum class IdPadding : std::uint8_t { counted, uncounted, absent };

struct Result {
    std::uint32_t type = counterset;
    std::vector<std::uint32_t> ids{};  ///< of `multiple_counters` and `counterset`
    IdPadding id_padding = IdPadding::counted;
    std::vector<Value> values{};        ///< of `single_counter` and `multiple_counters`
    std::vector<Instance> instances{};  ///< of `multiple_instances` and `counterset`
    std::uint32_t status = 0;
};

struct SystemTime {
    std::uint16_t year = 2020, month = 9, day_of_week = 0, day = 13, hour = 12, minute = 26, second = 40,
                  milliseconds = 123;
};

struct Block {
    std::vector<Result> results{};
    std::int64_t perf_time = 1'000'000, perf_time_100ns = hkpd_test::usual_time, perf_freq = 10'000'000;
    SystemTime system_time{};
};

/// The bytes of a data block, and the places of its structures.
class Blob : public blob::ByteBuffer {
  public:
    std::size_t result_count() const { return results_.size(); }
    std::size_t result(std::size_t k) const { return results_.at(k).begin; }
    std::size_t result_end(std::size_t k) const { return results_.at(k).end; }
    /// Returns the offset of PERF_MULTI_COUNTERS or PERF_MULTI_INSTANCES, for results that have them.
    std::size_t ids(std::size_t k) const { return results_.at(k).ids.value(); }
    std::size_t list(std::size_t k) const { return results_.at(k).list.value(); }
    /// Returns the offset of PERF_INSTANCE_HEADER.
    std::size_t instance(std::size_t k, std::size_t i) const { return results_.at(k).instances.at(i); }
    /// Returns the offset of PERF_COUNTER_DATA of instance `i`, or of the only one in a result without a list.
    std::size_t value(std::size_t k, std::size_t i, std::size_t c) const { return results_.at(k).values.at(i).at(c); }

    /// Returns the offsets of all PERF_INSTANCE_HEADERs of a result, and those of PERF_COUNTER_DATA for each instance.
    const std::vector<std::size_t>& instances(std::size_t k) const { return results_.at(k).instances; }
    const std::vector<std::vector<std::size_t>>& values(std::size_t k) const { return results_.at(k).values; }

    /// Inserts `length` stray bytes at `at` and moves what is there or later. Length fields are unchanged.
    void insert(std::size_t at, std::size_t length, std::uint8_t value = 0) {
        insert_bytes(at, length, value);
        const auto move = [&](std::size_t& place) { place += place >= at ? length : 0; };
        for (Places& result : results_) {
            result.end += result.end > at ? length : 0;
            move(result.begin);
            if (result.ids) move(*result.ids);
            if (result.list) move(*result.list);
            std::ranges::for_each(result.instances, move);
            for (auto& values : result.values) std::ranges::for_each(values, move);
        }
    }
    /// Inserts bytes as `insert` does, and adds to the lengths of the result, its list of instances if it has one, and
    /// the block.
    void insert_in_result(std::size_t k, std::size_t at, std::size_t length, std::uint8_t value = 0) {
        const auto more = static_cast<std::uint32_t>(length);
        const bool at_end = at == result_end(k);
        insert(at, length, value);
        if (at_end) results_.at(k).end += length;
        add32(data_header::dwTotalSize, more);
        add32(result(k) + counter_header::dwSize, more);
        if (results_.at(k).list && at > list(k)) add32(list(k) + multi_instances::dwTotalSize, more);
    }

  private:
    friend class Builder;
    struct Places {
        std::size_t begin = 0, end = 0;
        std::optional<std::size_t> ids{}, list{};
        std::vector<std::size_t> instances{};
        std::vector<std::vector<std::size_t>> values{};
    };
    std::vector<Places> results_;
};

/// Writes the structures of one block in order. Use `build`.
class Builder {
  public:
    Blob build(const Block& block) {
        const SystemTime& t = block.system_time;
        blob_.integers(4, 0, block.results.size());
        blob_.integers(8, block.perf_time, hkpd_test::matching_time(block.perf_time_100ns, t), block.perf_freq);
        blob_.integers(2, t.year, t.month, t.day_of_week, t.day, t.hour, t.minute, t.second, t.milliseconds);
        for (const Result& result : block.results) write_result(result);
        put_length(data_header::dwTotalSize, 0);
        return std::move(blob_);
    }

  private:
    std::size_t here() const { return blob_.size(); }
    void put_length(std::size_t at, std::size_t begin) { blob_.put32(at, static_cast<std::uint32_t>(here() - begin)); }
    Blob::Places& places() { return blob_.results_.back(); }

    void write_result(const Result& result) {
        blob_.results_.push_back({.begin = here()});
        const std::size_t begin = here();
        blob_.integers(4, result.status, result.type, 0, 0);
        if (result.type == multiple_counters || result.type == counterset) write_ids(result);
        if (result.type == single_counter || result.type == multiple_counters) write_values(result.values);
        if (result.type == multiple_instances || result.type == counterset) write_instances(result.instances);
        put_length(begin + counter_header::dwSize, begin);
        places().end = here();
    }

    void write_ids(const Result& result) {
        const std::size_t begin = here();
        places().ids = begin;
        blob_.integers(4, 0, result.ids.size());
        for (const std::uint32_t id : result.ids) blob_.integers(4, id);
        if (result.id_padding == IdPadding::counted) blob_.pad();
        put_length(begin + multi_counters::dwSize, begin);
        if (result.id_padding == IdPadding::uncounted) blob_.pad();
    }

    void write_instances(const std::vector<Instance>& instances) {
        const std::size_t begin = here();
        places().list = begin;
        blob_.integers(4, 0, instances.size());
        for (const Instance& instance : instances) {
            const std::size_t at = here();
            places().instances.push_back(at);
            blob_.integers(4, 0, instance.id);
            blob_.string(blob::utf16(instance.name + std::u16string(instance.nul ? 1 : 0, u'\0')));
            blob_.grow(blob::round_up(here() - at, 8) - (here() - at));
            put_length(at + instance_header::Size, at);
            write_values(instance.values);
        }
        put_length(begin + multi_instances::dwTotalSize, begin);
    }

    void write_values(const std::vector<Value>& values) {
        places().values.emplace_back();
        for (const Value& value : values) {
            places().values.back().push_back(here());
            const std::size_t padded = std::max<std::size_t>(blob::round_up(value.bytes.size(), 8), 8);
            blob_.integers(4, value.bytes.size(), counter_data::size + padded);
            blob_.string(value.bytes);
            blob_.grow(padded - value.bytes.size());
        }
    }

    Blob blob_;
};

inline Blob build(const Block& block) { return Builder().build(block); }

struct Identifier {
    hkpd::Guid guid{};
    std::optional<std::u16string> name{};  ///< written with its NUL, padded to 8
    std::uint32_t counter = none, instance = none, index = 0, status = 0;
};

/// Structures of one kind end to end, and the place of each.
class Chain : public blob::ByteBuffer {
  public:
    std::size_t at(std::size_t k) const { return places_.at(k); }
    void begin_structure() { places_.push_back(size()); }

  private:
    std::vector<std::size_t> places_;
};

/// Builds PERF_COUNTER_IDENTIFIERs, as returned by PerfQueryCounterInfo.
inline Chain build_identifiers(const std::vector<Identifier>& identifiers) {
    Chain out;
    for (const Identifier& identifier : identifiers) {
        out.begin_structure();
        const std::string name = identifier.name ? blob::utf16(*identifier.name + u'\0') : std::string();
        put_guid(out, identifier.guid);
        out.integers(4, identifier.status, counter_identifier::size + blob::round_up(name.size(), 8),
                     identifier.counter, identifier.instance, identifier.index, 0);
        out.string(name);
        out.pad();
    }
    return out;
}

struct Counter {
    std::uint32_t id = 0, type = 0;
    std::uint64_t attributes = 0;
    std::uint32_t detail = 100;
    std::int32_t scale = 0;
    std::uint32_t base = none, time = none, frequency = none, multi = none, aggregate = 0;
};

struct Registration {
    hkpd::Guid guid{};
    std::uint32_t instance_type = 2;
    std::vector<Counter> counters{};
    std::uint32_t detail = 100, set_type = 0;
};

inline void put_counter(blob::ByteBuffer& out, const Counter& counter) {
    out.integers(4, counter.id, counter.type);
    out.integers(8, counter.attributes);
    out.integers(4, counter.detail, counter.scale, counter.base, counter.time, counter.frequency, counter.multi,
                 counter.aggregate, 0);
}

/// Builds PERF_REG_COUNTERSET_STRUCT: place k is that of the PERF_COUNTER_REG_INFO of counter k.
inline Chain build_registration(const Registration& registration) {
    Chain out;
    put_guid(out, registration.guid);
    out.integers(4, registration.set_type, registration.detail, registration.counters.size(),
                 registration.instance_type);
    for (const Counter& counter : registration.counters) {
        out.begin_structure();
        put_counter(out, counter);
    }
    return out;
}

/// A text of a counter; none: dwOffset marks it as missing.
struct CounterString {
    std::uint32_t id = 0;
    std::optional<std::u16string> text{};
};

/// Builds a string buffer: place k is that of the PERF_STRING_COUNTER_HEADER of string k. The strings end the buffer,
/// with no padding after the last.
inline Chain build_strings(const std::vector<CounterString>& strings) {
    Chain out;
    out.integers(4, 0, strings.size());
    for (const CounterString& string : strings) {
        out.begin_structure();
        out.integers(4, string.id, none);
    }
    for (std::size_t k = 0; k < strings.size(); ++k) {
        if (!strings[k].text) continue;
        out.put32(out.at(k) + string_counter_header::dwOffset, static_cast<std::uint32_t>(out.size()));
        out.string(blob::utf16(*strings[k].text + u'\0'));
    }
    out.put32(string_buffer_header::dwSize, static_cast<std::uint32_t>(out.size()));
    return out;
}

/// Builds one string, as returned by PERF_REG_COUNTERSET_NAME_STRING.
inline blob::ByteBuffer build_string(std::u16string_view text) {
    blob::ByteBuffer out;
    out.string(blob::utf16(std::u16string(text) + u'\0'));
    return out;
}

}  // namespace v2_blob
