// A small performance log with everything that outputs have to distinguish: raw counters of one instance, of a list and
// of none, missing values, a multi timer, a value of another time, another machine, and a block of the registry
// interface.
#pragma once

#include <cstdint>
#include <string>

#include "support/blob_builder.hpp"
#include "support/log_bytes.hpp"
#include "support/record_source.hpp"

namespace hkpd_test::log_sample {

inline constexpr std::uint32_t rate = 0x1041'0400, multi_timer = 0x2251'0500, invalid_data = 0xC000'0BBA,
                               never_reported = 0xC000'0123;
/// 2016-11-26T13:46:30.874 local time of the machine that wrote the log; UTC is eight hours later.
inline constexpr std::int64_t start = 131'246'415'908'740'000, second = 10'000'000;

inline log_file::Data catalogue() {
    using log_file::Form;
    return log_file::catalogue(
        {{.type = rate, .time_base = 1000, .object = u"Memory", .counter = u"Page Faults/sec"},
         {.scale = -3, .object = u"Memory", .counter = u"Available Bytes"},
         {.type = multi_timer, .object = u"Disk", .instance = u"_Total", .counter = u"% Time"},
         {.form = Form::instances, .object = u"Process", .instance = u"*", .counter = u"Threads"},
         {.form = Form::instances, .object = u"Process", .instance = u"*", .counter = u"ID Process"},
         log_file::block_entry(u"System"),
         {.machine = u"\\\\OTHER", .object = u"Memory", .counter = u"Available Bytes"}});
}

/// Returns a row of that catalogue. In the second one a value has a status, and one was collected later than the
/// others.
inline log_file::Data row(std::int64_t number) {
    const std::int64_t now = start + number * second, late = now + 90 * second;
    const std::uint32_t bad = number == 0 ? 0 : invalid_data, odd = number == 0 ? 0 : never_reported;
    constexpr std::int64_t eight_hours = 8 * 3600 * second;
    blob::Block system{.objects = {{.title = 2, .counters = {{.title = 10}}, .values = {7 + number}}},
                       .machine = u"PC",
                       .perf_time = 5000 + number,
                       .perf_time_100ns = now + eight_hours,
                       .system_time = {2016, 11, 6, 26, 21, 46, static_cast<std::uint16_t>(30 + number), 874}};
    const std::string block = to_text(blob::build(system));
    return log_file::row(
        {log_file::raw({.first = 100 + 50 * number, .second = 1000 * number, .time = now}),
         log_file::raw({.first = 4096, .time = number == 0 ? now : late, .status = odd}),
         log_file::raw({.first = number * second, .second = now, .time = now, .multi_count = 4}),
         log_file::instances({.instances = {{u"smss", 3}, {u"svchost", 5}, {u"svchost", 8}}, .time = now}),
         log_file::instances({.instances = {{u"smss", 11}}, .time = now, .status = bad}),
         log_file::block(std::as_bytes(std::span(block))), log_file::raw({.first = 1, .time = late})});
}

inline log_file::File file() {
    const auto event = [](std::uint8_t event_class, log_file::Data data, std::int64_t time) {
        return log_file::Event{.event_class = event_class, .data = std::move(data), .time = time};
    };
    return log_file::build(
        {.events = {
             event(log_file::names_class, log_file::names(u"\\\\PC", {{u"2", u"System"}, {u"10", u"File Reads/sec"}}),
                   start - 2),
             event(log_file::catalogue_class, catalogue(), start - 1), event(log_file::row_class, row(0), start),
             event(log_file::row_class, row(1), start + second),
             event(log_file::trailer_class, log_file::trailer({start, start + second, 2}), start + 2 * second)}});
}

}  // namespace hkpd_test::log_sample
