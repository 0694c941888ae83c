// The data of the events of a performance log (.blg), built byte by byte from plain structs: catalogue, rows, names,
// trailer. The layouts are written here a second time, from two real logs: reader and builder share no code, so that
// they cannot share a mistake. `log_bytes.hpp` puts the events into a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/byte_buffer.hpp"

namespace log_file {

namespace catalogue_entry {
inline constexpr std::size_t Length = 0, Flags = 4, Memory = 8, CounterType = 12, TimeBase = 16, DefaultScale = 24,
                             Machine = 28, Object = 32, Instance = 36, Parent = 40, Index = 44, Counter = 48, size = 52;
}
namespace record_header {
inline constexpr std::size_t Letters = 0, Type = 2, Length = 4, size = 8;
}
namespace raw_counter {
inline constexpr std::size_t CStatus = 0, TimeStamp = 4, FirstValue = 16, SecondValue = 24, MultiCount = 32, size = 40;
}
namespace raw_instances {
inline constexpr std::size_t Size = 0, Count = 4, CStatus = 8, TimeStamp = 16, size = 24;
}
namespace raw_instance {
inline constexpr std::size_t Name = 0, MultiCount = 4, FirstValue = 8, SecondValue = 16, size = 24;
}
namespace log_trailer {
inline constexpr std::size_t FirstTime = 0, LastTime = 8, Rows = 16, Objects = 20, Length = 24, size = 32;
}
/// Types of records.
inline constexpr std::uint16_t row_type = 0x0003, raw_type = 0x0103, instances_type = 0x0203, block_type = 0x0503;

/// The data of an event, and where its parts begin: the entries of a catalogue, the records of a row.
class Data : public blob::ByteBuffer {
  public:
    std::size_t part(std::size_t k) const { return parts_.at(k); }
    std::size_t part_count() const { return parts_.size(); }
    void begin_part() { parts_.push_back(size()); }
    std::string text() const {
        return {reinterpret_cast<const char*>(bytes().data()), bytes().size()};  // NOLINT(*-reinterpret-cast)
    }

  private:
    std::vector<std::size_t> parts_;
};

inline std::string with_nul(std::u16string_view text) { return blob::utf16(text) + std::string(2, '\0'); }

/// The form of a record in a row.
enum class Form : std::uint8_t { raw, instances, block };

struct Entry {
    Form form = Form::raw;
    std::uint32_t type = 0x0001'0000;  ///< PERF_COUNTER_RAWCOUNT
    std::int64_t time_base = 10'000'000;
    std::int32_t scale = 0;
    std::u16string machine = u"\\\\PC", object = u"object";
    std::optional<std::u16string> instance{}, parent{};
    std::u16string counter = u"counter";
    std::optional<std::uint32_t> flags{};  ///< default: from the form
    std::int32_t index = 0;
};

/// Returns an entry of a whole object, as Windows writes it.
inline Entry block_entry(std::u16string object, std::u16string machine = u"\\\\PC") {
    return {.form = Form::block,
            .type = 0x10,
            .time_base = 0,
            .machine = std::move(machine),
            .object = std::move(object),
            .instance = u"*",
            .counter = u"*"};
}

/// Writes an entry; its strings are in the order of their fields.
inline void put_entry(Data& out, const Entry& entry) {
    out.begin_part();
    const std::size_t begin = out.size();
    const std::uint32_t by_form = entry.form == Form::block       ? 0x10
                                  : entry.form == Form::instances ? 0x20000001
                                                                  : 0x20000000;
    out.integers(4, 0, entry.flags.value_or(by_form), 0, entry.type);
    out.integers(8, entry.time_base);
    out.integers(4, entry.scale, 0, -1, -1, -1, entry.index, -1);
    const auto put_string = [&](std::size_t field, const std::u16string& text) {
        out.put32(begin + field, static_cast<std::uint32_t>(out.size() - begin - catalogue_entry::size));
        out.string(with_nul(text));
    };
    put_string(catalogue_entry::Machine, entry.machine);
    put_string(catalogue_entry::Object, entry.object);
    if (entry.instance) put_string(catalogue_entry::Instance, *entry.instance);
    if (entry.parent) put_string(catalogue_entry::Parent, *entry.parent);
    put_string(catalogue_entry::Counter, entry.counter);
    out.grow(blob::round_up(out.size() - begin, 8) - (out.size() - begin));
    out.put32(begin + catalogue_entry::Length, static_cast<std::uint32_t>(out.size() - begin));
}

/// `end`: whether an entry of length 0 ends the catalogue, rather than the end of the event.
inline Data catalogue(const std::vector<Entry>& entries, bool end = false) {
    Data data;
    data.integers(4, 0x06FF, 0x0002'0008);
    for (const Entry& entry : entries) put_entry(data, entry);
    if (end) data.integers(4, 0);
    return data;
}

/// A record with its header: a row has one for each entry.
struct RowRecord {
    std::uint16_t type = raw_type;
    std::string body{};
};

struct RawCounter {
    std::int64_t first = 0, second = 0;
    std::int64_t time = 0;  ///< local
    std::uint32_t status = 0, multi_count = 1;
};
inline RowRecord raw(const RawCounter& counter) {
    Data data;
    data.integers(4, counter.status);
    data.integers(8, counter.time);
    data.integers(4, 0);
    data.integers(8, counter.first, counter.second);
    data.integers(4, counter.multi_count, 0);
    return {raw_type, data.text()};
}

struct RawInstance {
    std::u16string name{};
    std::int64_t first = 0, second = 0;
    std::uint32_t multi_count = 1;
};
struct RawInstances {
    std::vector<RawInstance> instances{};
    std::int64_t time = 0;  ///< local
    std::uint32_t status = 0;
};
inline RowRecord instances(const RawInstances& list) {
    Data data;
    data.integers(4, 0, list.instances.size(), list.status, 0);
    data.integers(8, list.time);
    std::size_t name = raw_instances::size + list.instances.size() * raw_instance::size;
    for (const RawInstance& instance : list.instances) {
        data.integers(4, name, instance.multi_count);
        data.integers(8, instance.first, instance.second);
        name += with_nul(instance.name).size();
    }
    for (const RawInstance& instance : list.instances) data.string(with_nul(instance.name));
    data.pad();
    data.put32(raw_instances::Size, static_cast<std::uint32_t>(data.size()));
    return {instances_type, data.text()};
}

/// Returns a record of a PERF_DATA_BLOCK, given as bytes.
inline RowRecord block(std::span<const std::byte> bytes) {
    Data data;
    data.append(bytes);
    return {block_type, data.text()};
}

inline void put_record(Data& out, const RowRecord& record) {
    out.begin_part();
    out.string("BL");
    out.integers(2, record.type);
    out.integers(4, record.body.size() + record_header::size);
    out.string(record.body);
}

/// Returns a row; `part(k)` is the header of its k-th record.
inline Data row(const std::vector<RowRecord>& records) {
    Data data;
    data.string("BL");
    data.integers(2, row_type);
    data.integers(4, 0);
    for (const RowRecord& record : records) put_record(data, record);
    data.put32(record_header::Length, static_cast<std::uint32_t>(data.size()));
    return data;
}

struct Title {
    std::u16string index, name;
};
inline Data names(std::u16string_view machine, const std::vector<Title>& titles) {
    Data data;
    data.string(with_nul(machine));
    for (const Title& title : titles) data.string(with_nul(title.index) + with_nul(title.name));
    return data;
}

struct Trailer {
    std::int64_t first_time = 0, last_time = 0;  ///< local
    std::uint32_t rows = 0;
    std::vector<std::string> objects{};  ///< bodies of the records after it
};
inline Data trailer(const Trailer& trailer) {
    Data data;
    data.integers(8, trailer.first_time, trailer.last_time);
    data.integers(4, trailer.rows, trailer.objects.size(), 0, 0x05FF);
    for (const std::string& object : trailer.objects) put_record(data, {block_type, object});
    data.put32(log_trailer::Length, static_cast<std::uint32_t>(data.size()));
    return data;
}

}  // namespace log_file
