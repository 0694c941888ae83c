#include "machine.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "hkpd/names.hpp"
#include "hkpd/v1_writer.hpp"
#include "simulate/v1_counters.hpp"
#include "support/blob_fields.hpp"

namespace bench {
namespace {

using hkpd::V1BlockWriter;
using Counter = V1BlockWriter::Counter;
using namespace blob::counter_type;

constexpr std::uint64_t ticks_per_second = 10'000'000;  // of FILETIME and of the performance counter
constexpr std::uint64_t start_time = 133'601'526'000'000'000, up_time = 273'900 * ticks_per_second;
constexpr std::uint64_t clock_tick = 156'250;  // in 100 ns: the unit in which Windows charges a thread
constexpr std::size_t plain_count = 80, plain_counters = 20, threads_per_process = 16;
constexpr std::uint32_t process_title = 230, thread_title = 232, id_process = 784, creator = 1410, id_thread = 804,
                        start_address = 706;
constexpr std::uint32_t thread_block_size = 96;

/// Thread, with its page faults; the choice of counters with 8 bytes is made here.
constexpr Counter thread_counters[] = {
    {6, 189, 0, 100, timer_100ns, 8, 8},         // % Processor Time
    {142, 157, 0, 200, timer_100ns, 8, 16},      // % User Time
    {144, 159, 0, 200, timer_100ns, 8, 24},      // % Privileged Time
    {146, 147, -2, 200, bulk_count, 8, 32},      // Context Switches/sec
    {684, 685, -4, 200, elapsed_time, 8, 40},    // Elapsed Time
    {694, 695, 0, 200, rawcount, 4, 4},          // Priority Current
    {682, 683, 0, 200, rawcount, 4, 72},         // Priority Base
    {706, 707, 0, 400, large_rawcount, 8, 48},   // Start Address
    {46, 47, 0, 200, rawcount, 4, 76},           // Thread State
    {336, 337, 0, 200, rawcount, 4, 80},         // Thread Wait Reason
    {784, 785, -1, 200, large_rawcount, 8, 56},  // ID Process
    {804, 805, -1, 200, large_rawcount, 8, 64},  // ID Thread
    {28, 177, -1, 100, counter, 4, 84},          // Page Faults/sec
};

constexpr std::string_view process_names[] = {
    "svchost", "chrome",        "RuntimeBroker", "System",     "csrss",       "winlogon", "services",
    "lsass",   "svchost",       "explorer",      "dllhost",    "sqlservr",    "w3wp",     "conhost",
    "spoolsv", "SearchIndexer", "svchost",       "MsMpEng",    "fontdrvhost", "smss",     "taskhostw",
    "dwm",     "WmiPrvSE",      "chrome",        "powershell", "chrome",      "sihost",   "ctfmon"};

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
constexpr std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E37'79B9'7F4A'7C15;
    x = (x ^ (x >> 30U)) * 0xBF58'476D'1CE4'E5B9;
    x = (x ^ (x >> 27U)) * 0x94D0'49BB'1331'11EB;
    return x ^ (x >> 31U);
}

hkpd::Moment moment_at(std::uint64_t time) {
    using namespace std::chrono;
    constexpr std::uint64_t unix_epoch = 116'444'736'000'000'000;  // as FILETIME
    const sys_seconds now{seconds{(time - unix_epoch) / ticks_per_second}};
    const auto day = floor<days>(now);
    const year_month_day date(day);
    const hh_mm_ss clock(now - day);
    const auto u16 = [](auto field) { return static_cast<std::uint16_t>(field); };
    return {.system_time = {u16(static_cast<int>(date.year())), u16(static_cast<unsigned>(date.month())),
                            u16(weekday(day).c_encoding()), u16(static_cast<unsigned>(date.day())),
                            u16(clock.hours().count()), u16(clock.minutes().count()), u16(clock.seconds().count()), 0},
            .perf_time = static_cast<std::int64_t>(up_time + time - start_time),
            .perf_frequency = static_cast<std::int64_t>(ticks_per_second),
            .perf_time_100ns = static_cast<std::int64_t>(time)};
}

/// Returns a first value typical of such counters: many are 0 or small.
std::uint64_t first_value(const Counter& of, std::uint64_t random) {
    const std::uint64_t shift = random >> 58U;
    const bool idle = random % 8 < 3;
    random >>= 3U;
    switch (of.type) {
        case timer_100ns:
            return idle ? 0 : (random % 400'000 >> shift % 16) * clock_tick;
        case elapsed_time:
            return start_time - random % up_time;
        case counter:
            return idle ? random % 4 : random % 40'000'000 >> shift % 20;
        case bulk_count:
            return idle ? 0 : random % 90'000'000'000 >> shift % 24;
        case raw_fraction:
            return random % 100'000;
        case raw_base:
            return 100'000;
        default:
            break;
    }
    if (of.title_index == start_address) return 0x7FF6'0000'0000 + random % 0x10'0000 * 16;
    if (of.type == large_rawcount) return (random % 500'000 >> shift % 12) * 4096;
    return random % (shift % 4 == 0 ? 4096 : 16);
}

/// Sets all values of the current counter block.
void set_values(V1BlockWriter& writer, std::span<const Counter> counters, std::uint64_t seed) {
    for (std::size_t c = 0; c < counters.size(); ++c)
        writer.set(counters[c].offset, counters[c].size, first_value(counters[c], mixed(seed * 64 + c)));
}
void set_value(V1BlockWriter& writer, std::span<const Counter> counters, std::uint32_t title, std::uint64_t value) {
    for (const Counter& one : counters)
        if (one.title_index == title) writer.set(one.offset, one.size, value);
}

/// Returns definitions with known titles, from place `first` of the built-in table on; no title is repeated.
std::array<Counter, plain_counters> plain_definitions(std::size_t first) {
    constexpr std::uint32_t types[] = {counter,    bulk_count, counter,    large_rawcount, counter,
                                       bulk_count, rawcount,   bulk_count, counter,        timer_100ns};
    const hkpd::TitleTable& titles = hkpd::builtin_titles();
    std::array<Counter, plain_counters> counters;
    std::uint32_t end = 4;
    for (std::size_t c = 0; c < plain_counters; ++c) {
        const std::uint32_t title = titles[(first + c) % titles.size()].index;
        const std::uint32_t type = c == 18 ? raw_fraction : c == 19 ? raw_base : types[c % std::size(types)];
        const std::uint32_t size = (type & 0x300U) == 0x100U ? 8 : 4;  // winperf.h: PERF_SIZE_LARGE
        const std::uint32_t offset = (end + size - 1) / size * size;
        counters[c] = {title, title + 1, 0, 100, type, size, offset};
        end = offset + size;
    }
    return counters;
}

void add_plain_objects(V1BlockWriter& writer, std::size_t objects) {
    const hkpd::TitleTable& titles = hkpd::builtin_titles();
    std::size_t at = 0;
    for (std::size_t o = 0; o < objects; ++o, ++at) {
        while (titles[at].index == process_title || titles[at].index == thread_title) ++at;
        const auto counters = plain_definitions(titles.size() / 2 + o * plain_counters);
        writer.begin_object({.title_index = titles[at].index, .help_index = titles[at].index + 1}, counters,
                            counters.back().offset + counters.back().size);
        writer.add_block();
        set_values(writer, counters, o);
        writer.end_object();
    }
}

V1BlockWriter::Object list_of(std::uint32_t title) {
    return {.title_index = title,
            .help_index = title + 1,
            .default_counter = 0,
            .is_list = true,
            .perf_time = static_cast<std::int64_t>(start_time),
            .perf_frequency = static_cast<std::int64_t>(ticks_per_second)};
}
constexpr std::uint64_t id_of_process(std::size_t process) { return process * 4 * (threads_per_process + 1); }

void add_processes(V1BlockWriter& writer, std::size_t processes) {
    const std::span counters = hkpd::simulation::process_counters;
    writer.begin_object(list_of(process_title), counters, hkpd::simulation::process_object.block_size);
    for (std::size_t p = 0; p < processes; ++p) {
        const std::size_t round = p / std::size(process_names);
        std::string name(process_names[p % std::size(process_names)]);
        if (round != 0) name += '#' + std::to_string(round);
        writer.add_instance(name);
        set_values(writer, counters, (std::uint64_t{1} << 32U) + p);
        set_value(writer, counters, id_process, id_of_process(p));
        set_value(writer, counters, creator, id_of_process(p / 8));
    }
    writer.end_object();
}

void add_threads(V1BlockWriter& writer, std::size_t processes) {
    writer.begin_object(list_of(thread_title), thread_counters, thread_block_size);
    for (std::size_t t = 0; t < processes * threads_per_process; ++t) {
        const std::size_t process = t / threads_per_process, place = t % threads_per_process;
        writer.add_instance(std::to_string(place), -1, process_title, static_cast<std::uint32_t>(process));
        set_values(writer, thread_counters, (std::uint64_t{2} << 32U) + t);
        set_value(writer, thread_counters, id_process, id_of_process(process));
        set_value(writer, thread_counters, id_thread, id_of_process(process) + 4 * (place + 1));
    }
    writer.end_object();
}

template <std::unsigned_integral T>
T get(const Blob& blob, std::size_t at) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | std::to_integer<T>(blob[at + i]) << (8 * i));
    return value;
}
template <std::unsigned_integral T>
void put(Blob& blob, std::size_t at, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) blob[at + i] = static_cast<std::byte>(value >> (8 * i));
}

void set_time(Blob& block, std::uint64_t time) {
    const hkpd::Moment moment = moment_at(time);
    const hkpd::SystemTime& t = moment.system_time;
    const std::uint16_t fields[] = {t.year, t.month, t.day_of_week, t.day, t.hour, t.minute, t.second, t.milliseconds};
    for (std::size_t i = 0; i < std::size(fields); ++i) put(block, blob::data_block::SystemTime + 2 * i, fields[i]);
    put(block, blob::data_block::PerfTime, static_cast<std::uint64_t>(moment.perf_time));
    put(block, blob::data_block::PerfTime100nSec, time);
}

bool counts(std::uint32_t type) { return type == counter || type == bulk_count || type == timer_100ns; }

/// An increasing counter of the current object.
struct Counting {
    std::uint32_t type, size, offset;
};

/// Increases enough of these counters to make a quarter of all `counters`, on average over many instances.
void advance_values(Blob& block, std::size_t at, std::span<const Counting> counting, std::size_t counters,
                    std::uint64_t time) {
    for (const Counting& one : counting) {
        const std::size_t place = at + one.offset;
        const std::uint64_t random = mixed(time ^ mixed(place));
        if (random % (4 * counting.size()) >= counters) continue;
        const std::uint64_t gain = one.type == timer_100ns ? (1 + random / 256 % 4) * clock_tick
                                                           : 1 + random / 256 % (one.type == bulk_count ? 500 : 20);
        if (one.size == 8) put(block, place, get<std::uint64_t>(block, place) + gain);
        if (one.size == 4) put(block, place, static_cast<std::uint32_t>(get<std::uint32_t>(block, place) + gain));
    }
}

void advance_object(Blob& block, std::size_t object, std::uint64_t time) {
    using namespace blob;
    const auto u32 = [&](std::size_t at) { return get<std::uint32_t>(block, at); };
    const std::uint32_t counters = u32(object + object_type::NumCounters);
    std::vector<Counting> counting;
    std::size_t at = object + u32(object + object_type::HeaderLength);
    for (std::uint32_t c = 0; c < counters; ++c, at += counter_definition::size) {
        const std::uint32_t type = u32(at + counter_definition::CounterType);
        if (counts(type))
            counting.push_back(
                {type, u32(at + counter_definition::CounterSize), u32(at + counter_definition::CounterOffset)});
    }
    const auto instances = static_cast<std::int32_t>(u32(object + object_type::NumInstances));
    if (instances < 0) return advance_values(block, at, counting, counters, time);
    put(block, object + object_type::PerfTime, time);
    for (std::int32_t i = 0; i < instances; ++i, at += u32(at)) {
        at += u32(at);
        advance_values(block, at, counting, counters, time);
    }
}

/// Calls `visit` with the place of each object.
template <class Visit>
void for_each_object(const Blob& block, Visit visit) {
    std::size_t at = get<std::uint32_t>(block, blob::data_block::HeaderLength);
    for (; at < block.size(); at += get<std::uint32_t>(block, at)) visit(at);
}

}  // namespace

std::size_t count_values(const Blob& block) {
    std::size_t values = 0;
    for_each_object(block, [&](std::size_t object) {
        const auto instances =
            static_cast<std::int32_t>(get<std::uint32_t>(block, object + blob::object_type::NumInstances));
        values += std::size_t{get<std::uint32_t>(block, object + blob::object_type::NumCounters)} *
                  static_cast<std::size_t>(instances < 0 ? 1 : instances);
    });
    return values;
}

void advance(Blob& block) {
    const std::uint64_t before = get<std::uint64_t>(block, blob::data_block::PerfTime100nSec);
    const std::uint64_t time = before + ticks_per_second + mixed(before) % 20'000;  // no timer is exact
    set_time(block, time);
    for_each_object(block, [&](std::size_t object) { advance_object(block, object, time); });
}

Blob machine(std::size_t values) {
    constexpr std::size_t plain = plain_count * plain_counters;
    constexpr std::size_t per_process =
        std::size(hkpd::simulation::process_counters) + threads_per_process * std::size(thread_counters);
    const std::size_t processes = std::max(values, plain) - plain;
    V1BlockWriter writer(moment_at(start_time), "BENCHMARK");
    add_plain_objects(writer, plain_count);
    add_processes(writer, (processes + per_process / 2) / per_process);
    add_threads(writer, (processes + per_process / 2) / per_process);
    return writer.finish();
}

Blob plain_objects(std::size_t objects) {
    V1BlockWriter writer(moment_at(start_time), "BENCHMARK");
    add_plain_objects(writer, objects);
    return writer.finish();
}

}  // namespace bench
