// A small invented machine: two processors, twenty processes and their threads, at any second of its life. Its counters
// grow steadily, so their cooked values are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "support/blob_builder.hpp"
#include "support/demo_counters.hpp"

namespace demo {

using Numbers = std::vector<std::uint64_t>;

inline constexpr std::uint64_t ticks_per_second = 10'000'000;  // of FILETIME and of the performance counter
/// 2024-05-14 09:30:00 UTC as FILETIME, and the uptime of the machine at that time.
inline constexpr std::uint64_t start_time = 133'601'526'000'000'000, up_seconds = 273'900;
inline constexpr std::uint64_t boot_time = start_time - up_seconds * ticks_per_second;
inline constexpr std::uint64_t processors = 2;

/// A counter's value at the start, and its gain (or loss) per second.
struct Course {
    std::uint64_t start;
    std::int64_t per_second;
    std::uint64_t at(std::uint64_t second) const { return start + static_cast<std::uint64_t>(per_second) * second; }
};

inline std::vector<blob::Value> values(const Numbers& numbers) { return {numbers.begin(), numbers.end()}; }

template <std::size_t Count>
Numbers at(const Course (&courses)[Count], std::uint64_t second) {
    Numbers numbers;
    for (const Course& course : courses) numbers.push_back(course.at(second));
    return numbers;
}

struct Process {
    const char16_t* name;
    std::uint32_t id, creator, threads, priority;
    std::uint64_t user_share, kernel_share;  ///< thousandths of one processor
    std::uint64_t age;                       ///< seconds at the start; 0 for a process that starts at `first`
    std::uint64_t working_set_kib;
    std::uint64_t first = 0, last = ~0ull;  ///< seconds between which it lives
};

inline constexpr Process processes[] = {
    {u"Idle", 0, 0, 2, 0, 0, 1'430, up_seconds, 24},
    {u"System", 4, 0, 4, 8, 0, 21, up_seconds, 3'120},
    {u"smss", 368, 4, 2, 11, 0, 0, up_seconds - 4, 1'060},
    {u"csrss", 496, 480, 3, 13, 1, 3, up_seconds - 9, 5'204},
    {u"wininit", 560, 480, 1, 13, 0, 0, up_seconds - 9, 4'412},
    {u"csrss", 568, 552, 3, 13, 2, 5, up_seconds - 9, 9'816},
    {u"winlogon", 612, 552, 2, 13, 0, 0, up_seconds - 10, 6'020},
    {u"services", 648, 560, 3, 9, 2, 4, up_seconds - 11, 8'944},
    {u"lsass", 664, 560, 4, 9, 3, 3, up_seconds - 11, 11'730},
    {u"svchost", 804, 648, 4, 8, 4, 3, up_seconds - 14, 9'320},
    {u"svchost", 896, 648, 3, 8, 2, 2, up_seconds - 14, 7'608},
    {u"svchost", 948, 648, 4, 8, 12, 9, up_seconds - 15, 31'544},
    {u"svchost", 1120, 648, 3, 8, 1, 1, up_seconds - 16, 12'012},
    {u"spoolsv", 1388, 648, 2, 8, 0, 0, up_seconds - 20, 10'156},
    {u"sqlservr", 1732, 648, 4, 8, 212, 48, up_seconds - 22, 412'880},
    {u"explorer", 2204, 2180, 4, 8, 9, 6, 81'040, 48'228},
    {u"backup", 3016, 648, 2, 6, 130, 62, 1'204, 22'416, 0, 2},  // ends,
    {u"svchost", 3344, 648, 2, 8, 31, 12, 0, 6'672, 3},          // and this one takes its slot
    {u"cmd", 3280, 2204, 1, 8, 5, 4, 0, 2'864, 1},
};

/// Returns the indices of the processes that live at this second, in the order of the list.
inline std::vector<std::size_t> living(std::uint64_t second) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < std::size(processes); ++i)
        if (processes[i].first <= second && second <= processes[i].last) found.push_back(i);
    return found;
}

inline std::uint64_t started(const Process& process) {
    return start_time + process.first * ticks_per_second - process.age * ticks_per_second;
}
/// Returns the processor time since the start at `share` thousandths, in 100 ns.
inline std::uint64_t busy(std::uint64_t share, std::uint64_t since, std::uint64_t now) {
    return (now - since) / 1000 * share;
}

/// Adds `more` to `sum` counter by counter.
inline void add(Numbers& sum, const Numbers& more) {
    sum.resize(more.size());
    for (std::size_t c = 0; c < more.size(); ++c) sum[c] += more[c];
}

inline blob::Object system_object(std::uint64_t second) {
    std::uint64_t threads = 0;
    for (const std::size_t i : living(second)) threads += processes[i].threads;
    const Course courses[] = {{1'204'511, 37},
                              {402'118, 12},
                              {2'833'904, 190},
                              {6'213'004'118, 1'460'224},
                              {1'903'227'904, 245'760},
                              {95'113'402, 2'048},
                              {188'204'119, 2'310},
                              {901'330'221, 9'855},
                              {1'606'629, 49},
                              {boot_time, 0},
                              {1, 0},
                              {living(second).size(), 0},
                              {threads, 0},
                              {0, 0},
                              {41'208, 1},
                              {0, 0},
                              {33'104'220, 512},
                              {268'435'456, 0}};
    return {.title = 2,
            .counters = counters(system_counters),
            .values = values(at(courses, second)),
            .perf_time = static_cast<std::int64_t>(start_time + second * ticks_per_second),
            .perf_freq = static_cast<std::int64_t>(ticks_per_second),
            .default_counter = 8};
}

inline blob::Object memory_object(std::uint64_t second) {
    const std::int64_t mib = 1 << 20;
    const std::uint64_t available = 1'530'000'000 - 2 * second * mib;
    const Course courses[] = {
        {311'204'880, 1'240}, {available, 0},      {2'210'398'208, 2 * mib}, {8'588'886'016, 0},   {1'204'311, 4},
        {90'122'004, 310},    {120'330'118, 402},  {170'201'909, 730},       {4'410'227, 22},      {4'010'118, 18},
        {702'114, 6},         {400'109, 4},        {201'326'592, 4096},      {83'886'080, 0},      {30'218, 1},
        {410'223, 3},         {220'118, 2},        {33'554'432, 0},          {301'989'888, 8192},  {402'653'184, 0},
        {188'743'680, 0},     {3'145'728, 0},      {1'048'576, 0},           {9'437'184, 0},       {5'242'880, 0},
        {286'261'248, 8192},  {539'648, 512},      {2'096'896, 0},           {available >> 10, 0}, {available >> 20, 0},
        {2'100'449, 11},      {120'586'240, -mib}, {62'914'560, mib / 4},    {104'857'600, 0},     {1'073'741'824, 0},
        {167'772'160, 0}};
    return {.title = 4,
            .counters = counters(memory_counters),
            .values = values(at(courses, second)),
            .default_counter = 36};
}

inline Numbers processor_values(std::uint64_t processor, std::uint64_t now) {
    const auto share = [&](std::uint64_t thousandths) { return busy(thousandths, boot_time, now); };
    const std::uint64_t ticks = (now - boot_time) / ticks_per_second;
    const std::uint64_t idle = processor == 0 ? 620 : 810, kernel = processor == 0 ? 95 : 60;
    return {share(idle),
            share(1000 - idle - kernel),
            share(kernel),
            ticks * (processor == 0 ? 1'103 : 644) % (1ull << 32),
            share(4),
            share(6),
            ticks * 212 % (1ull << 32),
            3,
            share(idle),
            share(idle - 40),
            0,
            0,
            ticks * 870,
            0,
            0};
}

inline blob::Object processor_object(std::uint64_t second) {
    blob::Object object{.title = 238, .kind = blob::Kind::multi, .counters = counters(processor_counters)};
    const std::uint64_t now = start_time + second * ticks_per_second;
    Numbers total;
    for (std::uint64_t p = 0; p < processors; ++p) {
        const Numbers own = processor_values(p, now);
        object.instances.push_back({.name = std::u16string(1, static_cast<char16_t>(u'0' + p)), .values = values(own)});
        add(total, own);
    }
    // The times of _Total are the mean of the processors, its counts their sum.
    for (std::size_t c = 0; c < total.size(); ++c)
        if ((processor_counters[c].type & 0x0030'0000) == 0x0010'0000) total[c] /= processors;
    object.instances.push_back({.name = u"_Total", .values = values(total)});
    return object;
}

inline Numbers process_values(const Process& process, std::uint64_t now) {
    const std::uint64_t user = busy(process.user_share, started(process), now);
    const std::uint64_t kernel = busy(process.kernel_share, started(process), now);
    const std::uint64_t kib = process.working_set_kib, bytes = kib << 10;
    const std::uint64_t work = (user + kernel) / ticks_per_second;  // seconds: the more it works, the more it reads
    return {user + kernel,
            user,
            kernel,
            9 * bytes,
            8 * bytes,
            kib / 3 + work * 40,
            bytes + bytes / 4,
            bytes,
            bytes,
            3 * bytes / 4,
            3 * bytes / 4,
            process.threads,
            process.priority,
            started(process),
            process.id,
            process.creator,
            24 * kib,
            2 * kib,
            40 * process.threads + kib / 50,
            work * 31,
            work * 12,
            work * 43,
            work * 9,
            work * 126'976,
            work * 49'152,
            work * 176'128,
            work * 640,
            bytes / 2};
}

inline blob::Object process_object(std::uint64_t second) {
    const std::uint64_t now = start_time + second * ticks_per_second;
    blob::Object object{.title = 230,
                        .kind = blob::Kind::multi,
                        .counters = counters(process_counters),
                        .perf_time = static_cast<std::int64_t>(now),
                        .perf_freq = static_cast<std::int64_t>(ticks_per_second)};
    Numbers total;
    for (const std::size_t i : living(second)) {
        const Numbers own = process_values(processes[i], now);
        object.instances.push_back({.name = processes[i].name, .values = values(own)});
        add(total, own);
    }
    for (std::size_t c = 0; c < total.size(); ++c) {
        const std::uint32_t title = process_counters[c].title_index;
        if (title == 684) total[c] = now;  // _Total has an elapsed time of 0
        if (title == 784 || title == 1410 || title == 682) total[c] = 0;
    }
    object.instances.push_back({.name = u"_Total", .values = values(total)});
    return object;
}

/// Returns the values of thread `t` of a process: the first thread does half of the work, the second half of the rest,
/// and so on.
inline Numbers thread_values(const Process& process, std::uint64_t t, std::uint64_t now) {
    const std::uint64_t user = busy(process.user_share, started(process), now) >> (t + 1);
    const std::uint64_t kernel = busy(process.kernel_share, started(process), now) >> (t + 1);
    const bool idle = process.id == 0;
    return {user + kernel,    user,
            kernel,           (user + kernel) / 40'000 % (1ull << 32),
            started(process), process.priority + t % 2,
            process.priority, 0x7700'0000 + process.id * 64,
            idle ? 2u : 5u,   idle ? 0u : 6u,
            process.id,       idle ? 0 : process.id + 4 * (t + 1)};
}

inline blob::Object thread_object(std::uint64_t second) {
    const std::uint64_t now = start_time + second * ticks_per_second;
    blob::Object object{.title = 232,
                        .kind = blob::Kind::multi,
                        .counters = counters(thread_counters),
                        .perf_time = static_cast<std::int64_t>(now),
                        .perf_freq = static_cast<std::int64_t>(ticks_per_second)};
    Numbers total;
    std::uint32_t place = 0;
    for (const std::size_t i : living(second)) {
        for (std::uint32_t t = 0; t < processes[i].threads; ++t) {
            const Numbers own = thread_values(processes[i], t, now);
            object.instances.push_back({.name = std::u16string(1, static_cast<char16_t>(u'0' + t)),
                                        .values = values(own),
                                        .parent_object = 230,
                                        .parent = place});
            add(total, own);
        }
        ++place;
    }
    for (std::size_t c = 4; c < total.size(); ++c) total[c] = thread_counters[c].title_index == 684 ? now : 0;
    object.instances.push_back({.name = u"_Total", .values = values(total), .parent_object = 230, .parent = place});
    return object;
}

/// Returns the whole machine at a second of its life (below 60).
inline blob::Block machine(std::uint64_t second) {
    const std::uint64_t now = start_time + second * ticks_per_second;
    return {.objects = {system_object(second), memory_object(second), processor_object(second), process_object(second),
                        thread_object(second)},
            .machine = u"DEMO",
            .perf_time = static_cast<std::int64_t>(up_seconds * ticks_per_second + second * ticks_per_second),
            .perf_freq = static_cast<std::int64_t>(ticks_per_second),
            .perf_time_100ns = static_cast<std::int64_t>(now),
            .system_time = {.year = 2024,
                            .month = 5,
                            .day_of_week = 2,
                            .day = 14,
                            .hour = 9,
                            .minute = 30,
                            .second = static_cast<std::uint16_t>(second),
                            .milliseconds = 0},
            .default_object = 238};
}

}  // namespace demo
