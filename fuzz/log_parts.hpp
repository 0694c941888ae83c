// Rows of small performance logs for seeds: each form of record, with good and bad status.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record_bytes.hpp"
#include "support/log_bytes.hpp"

namespace hkpd_fuzz::log_parts {

using namespace log_file;

inline constexpr std::int64_t start = 131'246'415'908'740'000, second = 10'000'000;  // local time
inline constexpr std::uint32_t rate = 0x1041'0400, elapsed = 0x3024'0500, timer = 0x2051'0500, average = 0x3002'0400,
                               no_instance = 0xC000'0BB9, invalid_data = 0xC000'0BBA;

inline std::vector<Entry> raw_entries() {
    return {{.type = rate, .object = u"Memory", .counter = u"Page Faults/sec"},
            {.object = u"Memory", .counter = u"Available Bytes"},
            {.type = timer, .scale = -2, .object = u"Processor", .instance = u"_Total", .counter = u"% Idle Time"},
            {.type = elapsed, .object = u"Thread", .instance = u"0", .parent = u"svchost", .counter = u"Elapsed Time"},
            {.type = average, .machine = u"\\\\OTHER", .object = u"Disk", .counter = u"sec/Read"}};
}
inline std::vector<RowRecord> raw_records(std::int64_t seconds, std::uint32_t status = 0) {
    const std::int64_t now = start + seconds * second;
    return {raw({.first = 100 * seconds, .second = now, .time = now}), raw({.first = 7, .time = now}),
            raw({.first = seconds * second / 2, .second = now, .time = now}),
            raw({.first = start - second, .second = now, .time = now, .status = status}),
            raw({.first = 3 * seconds, .second = seconds, .time = now + 60 * second, .multi_count = 2})};
}
inline std::vector<Entry> list_entries() {
    return {
        {.form = Form::instances, .type = rate, .object = u"Process", .instance = u"*", .counter = u"IO Data/sec"},
        {.form = Form::instances, .object = u"Process", .instance = u"*", .counter = u"ID Process"},
        {.form = Form::instances, .object = u"Process", .instance = u"s*", .counter = u"Threads"},
        {.form = Form::instances, .object = u"Thread", .instance = u"*", .parent = u"*", .counter = u"Thread State"}};
}
inline std::vector<RowRecord> list_records(std::int64_t seconds) {
    const std::int64_t now = start + seconds * second;
    const std::vector<RawInstance> all{{u"smss", seconds, now}, {u"svchost", 2, now}, {u"svchost", 3, now}};
    return {instances({.instances = all, .time = now}),
            instances({.instances = {{u"smss", 4}, {u"new", 8}}, .time = now}),
            instances({.instances = {{u"smss", 1}}, .time = now, .status = seconds == 1 ? 0 : invalid_data}),
            instances({.instances = {{u"svchost/0", 5}, {u"svchost/1", 5}}, .time = now})};
}
inline std::vector<RowRecord> block_records(std::uint16_t seconds) {
    const std::string one = v1_bytes(seconds), other = v1_bytes(seconds, u"T");
    return {block(std::as_bytes(std::span(one))), block(std::as_bytes(std::span(other)))};
}
inline const std::vector<Entry> block_entries{block_entry(u"System"), block_entry(u"Memory", u"\\\\T")};
inline const std::vector<Title> titles{{u"2", u"System"}, {u"4", u"File Read Operations/sec"}};

inline std::string trailer_object() {
    Data data;
    data.integers(4, 0xFFFF'FFFF, 1, 4, 0x0001'0000);
    data.integers(8, second);
    data.integers(4, 0, 0);
    return data.text();
}

/// Returns what follows the header of a log's first event.
inline std::string header_of(const Header& of) {
    const File file = build({.header = of, .buffer_size = 1024});
    const std::size_t size = file.get32(buffer_header::size + system_header::Size) & 0xFFFFU;
    return file.text().substr(file.header(), size - system_header::size);
}

}  // namespace hkpd_fuzz::log_parts
