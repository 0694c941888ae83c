#include "provider_blob.hpp"

#include <windows.h>
#include <winperf.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace live {
namespace {

using Blob = std::vector<std::byte>;

// Copies a struct, or as much as fits, to its place.
template <class T>
void put(Blob& out, std::size_t at, const T& value) {
    out.resize(std::max(out.size(), at + sizeof value));
    std::memcpy(out.data() + at, &value, sizeof value);
}
void put_bytes(Blob& out, std::size_t at, const void* bytes, std::size_t size) {
    out.resize(std::max(out.size(), at + size));
    if (size != 0) std::memcpy(out.data() + at, bytes, size);
}
void pad(Blob& out, std::size_t to) { out.resize((out.size() + to - 1) / to * to); }

DWORD size_since(const Blob& out, std::size_t begin) { return static_cast<DWORD>(out.size() - begin); }

std::wstring wide(std::string_view text) {
    const int size = static_cast<int>(text.size());
    std::wstring out(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0)), L'\0');
    MultiByteToWideChar(CP_UTF8, 0, text.data(), size, out.data(), static_cast<int>(out.size()));
    return out;
}

// Returns the places of the counters in their block: after its length, each at a multiple of its size.
std::vector<DWORD> places(std::span<const V1Counter> counters) {
    std::vector<DWORD> places;
    DWORD end = sizeof(PERF_COUNTER_BLOCK);
    for (const V1Counter& counter : counters) {
        const DWORD alignment = counter.size == 8 ? 8 : 4;
        end = (end + alignment - 1) / alignment * alignment;
        places.push_back(end);
        end += counter.size;
    }
    return places;
}

void append_definitions(Blob& out, std::uint32_t first_title, std::span<const V1Counter> counters) {
    const std::vector<DWORD> offsets = places(counters);
    for (std::size_t i = 0; i < counters.size(); ++i) {
        const V1Counter& counter = counters[i];
        PERF_COUNTER_DEFINITION definition{};
        definition.ByteLength = sizeof definition;
        definition.CounterNameTitleIndex = first_title + counter.title;
        definition.CounterHelpTitleIndex = first_title + counter.title + 1;
        definition.DefaultScale = counter.scale;
        definition.DetailLevel = counter.detail_level;
        definition.CounterType = counter.type;
        definition.CounterSize = counter.size;
        definition.CounterOffset = offsets[i];
        put(out, out.size(), definition);
    }
}

// Writes the text of a counter in its type's encoding, padded with zeros to the counter's size.
void put_text(Blob& out, std::size_t at, const V1Counter& counter, std::uint64_t collection) {
    const std::string text = text_at(counter, collection);
    if ((counter.type & PERF_TEXT_ASCII) != 0) {
        put_bytes(out, at, text.data(), std::min<std::size_t>(text.size(), counter.size));
    } else {
        const std::wstring utf16 = wide(text);
        put_bytes(out, at, utf16.data(), std::min<std::size_t>(utf16.size() * sizeof(wchar_t), counter.size));
    }
    out.resize(std::max(out.size(), at + counter.size));
}

void append_values(Blob& out, const V1Provider& provider, const V1Object& object, std::uint32_t row,
                   std::uint64_t collection) {
    const std::size_t begin = out.size();
    const std::vector<DWORD> offsets = places(object.counters);
    put(out, begin, PERF_COUNTER_BLOCK{});
    for (std::size_t i = 0; i < object.counters.size(); ++i) {
        const V1Counter& counter = object.counters[i];
        const std::size_t at = begin + offsets[i];
        const std::uint64_t number = number_at(provider, counter, row, collection);
        if (is_text(counter))
            put_text(out, at, counter, collection);
        else if (counter.size == sizeof(DWORD))
            put(out, at, static_cast<DWORD>(number));
        else if (counter.size == sizeof(ULONGLONG))
            put(out, at, static_cast<ULONGLONG>(number));
        else
            put_bytes(out, at, bytes_at(counter, row, collection).data(), counter.size);
    }
    pad(out, 8);
    put(out, begin, PERF_COUNTER_BLOCK{size_since(out, begin)});
}

void append_instance(Blob& out, std::uint32_t first_title, const V1Instance& instance) {
    const std::size_t begin = out.size();
    const std::wstring name = wide(instance.name);
    PERF_INSTANCE_DEFINITION definition{};
    if (instance.parent_title != no_parent) definition.ParentObjectTitleIndex = first_title + instance.parent_title;
    definition.ParentObjectInstance = instance.parent_row;
    definition.UniqueID = instance.unique_id;
    definition.NameOffset = sizeof definition;
    definition.NameLength = static_cast<DWORD>((name.size() + 1) * sizeof(wchar_t));
    put(out, begin, definition);
    put_bytes(out, out.size(), name.c_str(), definition.NameLength);
    pad(out, 8);
    definition.ByteLength = size_since(out, begin);
    put(out, begin, definition);
}

}  // namespace

void append_object(Blob& out, const V1Provider& provider, std::uint32_t first_title, const V1Object& object,
                   std::uint64_t collection) {
    const std::size_t begin = out.size();
    const auto optional_title = [&](std::int32_t title) {
        return title < 0 ? -1 : static_cast<LONG>(first_title) + title;
    };
    PERF_OBJECT_TYPE header{};
    header.HeaderLength = sizeof header;
    header.ObjectNameTitleIndex = first_title + object.title;
    header.ObjectHelpTitleIndex = first_title + object.title + 1;
    header.DetailLevel = object.detail_level;
    header.NumCounters = static_cast<DWORD>(object.counters.size());
    header.DefaultCounter = optional_title(object.default_counter);
    header.NumInstances = object.list ? static_cast<LONG>(rows(object)) : PERF_NO_INSTANCES;
    header.PerfTime.QuadPart = static_cast<LONGLONG>(object.clock.at(0, collection, 8));
    header.PerfFreq.QuadPart = object.frequency;
    put(out, begin, header);
    append_definitions(out, first_title, object.counters);
    header.DefinitionLength = size_since(out, begin);
    std::string name;
    for (std::uint32_t row = 0; row < rows(object); ++row) {
        if (object.list) append_instance(out, first_title, instance_at(object, row, name));
        append_values(out, provider, object, row, collection);
    }
    header.TotalByteLength = size_since(out, begin);
    put(out, begin, header);
}

}  // namespace live
