#include "support/vista_log.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <sstream>
#include <string_view>

#include "hkpd/names.hpp"
#include "support/log_bytes.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace vista_log_facts {

constexpr std::uint32_t second = 10'000'000;        // in 100 ns
constexpr std::int64_t zone = 4LL * 3600 * second;  // local times are four hours before UTC
constexpr std::uint32_t process = 230, id_process = 784, creating_process_id = 1410;

struct Instance {
    std::size_t first, last;  ///< the samples that have it
    std::uint32_t id;
    std::string name;
};
struct Object {
    std::uint32_t title, detail;
    std::int32_t default_counter;
    bool all_instances;  ///< whether the catalogue asks for them
    std::vector<blob::Counter> counters{};
    std::vector<Instance> instances{};
};
struct Moment {
    blob::SystemTime local;
    std::int64_t perf_time, utc;
};
struct Machine {
    std::vector<Object> objects;
    std::vector<Moment> samples;
};

blob::Counter read_counter(std::istream& in) {
    blob::Counter counter;
    std::uint32_t help = 0, offset = 0;
    in >> counter.title >> help >> counter.scale >> counter.detail >> std::hex >> counter.type >> std::dec >>
        counter.size >> offset;
    counter.help = help;
    counter.offset = offset;
    return counter;
}

Instance read_instance(std::istream& in) {
    Instance instance{};
    in >> instance.first >> instance.last >> instance.id >> std::ws;
    std::getline(in, instance.name);
    return instance;
}

Moment read_moment(std::istream& in) {
    Moment moment{};
    blob::SystemTime& t = moment.local;
    char separator = 0;
    in >> t.year >> separator >> t.month >> separator >> t.day >> separator >> t.hour >> separator >> t.minute >>
        separator >> t.second >> separator >> t.milliseconds >> moment.perf_time >> moment.utc;
    t.day_of_week = 2;
    return moment;
}

Machine read_machine() {
    Machine machine;
    std::istringstream lines(read_file(std::string(testdata_folder) + "/windows/zach-pc.tsv"));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream in(line);
        std::string kind;
        in >> kind;
        if (kind == "object") {
            Object& object = machine.objects.emplace_back();
            std::string instance;
            in >> object.title >> object.detail >> object.default_counter >> instance;
            object.all_instances = instance == "*";
        } else if (kind == "counter") {
            machine.objects.back().counters.push_back(read_counter(in));
        } else if (kind == "instance") {
            machine.objects.back().instances.push_back(read_instance(in));
        } else if (kind == "sample") {
            machine.samples.push_back(read_moment(in));
        }
    }
    return machine;
}

/// Returns a number that depends only on its arguments, between 0 and 2^32.
std::uint64_t noise(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    std::uint64_t x = a * 0x9E37'79B9'7F4A'7C15 + b * 0xBF58'476D'1CE4'E5B9 + c * 0x94D0'49BB'1331'11EB;
    x ^= x >> 31;
    x *= 0xD6E8'FEB8'6659'FD93;
    return x >> 32;
}

/// Returns the value of a counter at a sample. Counters that share an offset share the value. Times grow by less than
/// the time that passed, counts steadily, so that no counter runs backwards; seven of eight values stay as they are, as
/// most processes wait. A process uses at most 1.5 % of the time.
std::uint64_t value(const Object& object, const Instance& instance, const blob::Counter& counter,
                    const Machine& machine, std::size_t sample) {
    if (counter.title == id_process) return instance.id;
    if (counter.title == creating_process_id) return instance.id == 0 ? 0 : 4;
    const std::uint64_t who = instance.id + 1000 * instance.name.size(), place = *counter.offset + object.title * 1000,
                        random = noise(place, who, 0), now = static_cast<std::uint64_t>(machine.samples[sample].utc),
                        passed = now - static_cast<std::uint64_t>(machine.samples.front().utc);
    const std::uint64_t growth = noise(place, who, 1) % 8 == 0 ? passed : 0, seconds = growth / second;
    const auto fitted = [&](std::uint64_t number) { return counter.size == 4 ? number & 0xFFFF'FFFF : number; };
    switch (counter.type) {
        case 0x3024'0500:
            return instance.name == "_Total" ? now : now - passed - (20'000 + random % 600) * second;
        case 0x4003'0500:
            return now;
        case 0x4003'0403:
            return 100'000;
        case 0x2002'0400:
            return 20'000 + random % 1000 + seconds;
        case 0x2151'0500:
            return 7000ULL * second + passed / 100 * 93;
        case 0x2051'0500:
        case 0x2057'0500:
            return (random % 900) * second + growth / 1000 * (random % 15);
        case 0x0055'0500:
            return random * 1000 + growth / 100 * (random % 30);
        case 0x0001'0000:
        case 0x0001'0100:
            // The third rundll32 grows; the others stay where they are or about there.
            return fitted((random % 4000 + (instance.id == 580 ? passed / second : seconds % 37)) *
                          (counter.size == 8 ? 4096 : 1));
        default:
            return fitted(random / 2 + seconds * (random % 300));
    }
}

blob::Object build_object(const Machine& machine, const Object& object, std::size_t sample) {
    blob::Object built{.title = object.title,
                       .kind = object.instances.empty() ? blob::Kind::single : blob::Kind::multi,
                       .counters = object.counters,
                       .detail = object.detail,
                       .default_counter = object.default_counter};
    const bool keeps_time = object.title == process || object.title == 2;
    built.perf_time = keeps_time ? machine.samples[sample].utc + 20'000 : 0;
    built.perf_freq = keeps_time ? second : 0;
    const auto values = [&](const Instance& instance) {
        std::vector<blob::Value> all;
        for (const blob::Counter& counter : object.counters)
            all.emplace_back(value(object, instance, counter, machine, sample));
        return all;
    };
    if (object.instances.empty()) built.values = values({});
    for (const Instance& instance : object.instances)
        if (instance.first <= sample && sample <= instance.last)
            built.instances.push_back(
                {.name = std::u16string(instance.name.begin(), instance.name.end()), .values = values(instance)});
    return built;
}

/// Returns the block of one object at a sample, as a log of Vista contains it: SystemTime is local.
std::string build_block(const Machine& machine, const Object& object, std::size_t sample) {
    const Moment& moment = machine.samples[sample];
    return to_text(blob::build({.objects = {build_object(machine, object, sample)},
                                .machine = u"ZACH-PC",
                                .perf_time = moment.perf_time,
                                .perf_freq = 3'579'545,
                                .perf_time_100ns = moment.utc,
                                .system_time = moment.local,
                                .default_object = static_cast<std::int32_t>(object.title)}));
}

std::vector<log_file::Title> titles() {
    std::map<std::uint32_t, std::string> all{{4658, "DMA Buffer Submitted/Sec"}};
    const hkpd::TitleTable& known = hkpd::builtin_titles();
    for (std::size_t i = 0; i < known.size(); ++i) all.emplace(known[i].index, known[i].text);
    for (std::uint32_t index = 4662; all.size() < 1839; index += 2)
        all.emplace(index, "An Invented Counter " + std::to_string(index));
    std::vector<log_file::Title> made;
    for (const auto& [index, text] : all) {
        const std::string number = std::to_string(index);
        made.push_back({{number.begin(), number.end()}, {text.begin(), text.end()}});
    }
    return made;
}

log_file::Event names_event(std::span<const log_file::Title> part, std::int64_t time) {
    return {.event_class = log_file::names_class,
            .data = log_file::names(u"\\\\ZACH-PC", {part.begin(), part.end()}),
            .time = time};
}

/// Returns the name of an object in the catalogue; empty for one that has no title.
std::u16string object_name(std::uint32_t title) {
    const std::string name(hkpd::builtin_titles().find(title).value_or(""));
    return {name.begin(), name.end()};
}

log_file::Event catalogue(const Machine& machine, std::int64_t time) {
    std::vector<log_file::Entry> entries;
    for (const Object& object : machine.objects) {
        log_file::Entry& entry = entries.emplace_back(log_file::block_entry(object_name(object.title), u"\\\\ZACH-PC"));
        if (!object.all_instances) entry.instance.reset();
    }
    return {.event_class = log_file::catalogue_class, .data = log_file::catalogue(entries), .time = time};
}

log_file::Event row(const Machine& machine, std::size_t sample) {
    std::vector<log_file::RowRecord> records;
    for (const Object& object : machine.objects) {
        const std::string block = build_block(machine, object, sample);
        records.push_back(log_file::block(std::as_bytes(std::span(block))));
    }
    const std::int64_t utc = machine.samples[sample].utc;
    return {.data = log_file::row(records), .time = utc - utc % 10'000 - zone};
}

/// The header of the real log.
log_file::Header header() {
    return {.build = 6000,
            .pointer_size = 4,
            .start_time = 128'315'940'386'580'000,
            .end_time = 128'315'946'395'997'126,
            .zone = {.bias = 300,
                     .standard = {u"@tzres.dll,-112", {0, 11, 0, 1, 2, 0, 0, 0}, 0},
                     .daylight = {u"@tzres.dll,-111", {0, 3, 0, 2, 2, 0, 0, 0}, -60}}};
}

}  // namespace vista_log_facts

using namespace vista_log_facts;

std::vector<std::pair<std::string, std::string>> vista_blobs() {
    const Machine machine = read_machine();
    std::vector<std::pair<std::string, std::string>> blobs;
    for (std::size_t sample = 0; sample < machine.samples.size(); ++sample)
        for (const Object& object : machine.objects) {
            const std::string digits = std::to_string(100 + sample).substr(1);
            blobs.emplace_back("s" + digits + "-obj" + std::to_string(object.title) + ".bin",
                               build_block(machine, object, sample));
        }
    return blobs;
}

std::string vista_titles() {
    std::string text;
    for (const log_file::Title& title : titles())
        text += log_file::with_nul(title.index) + log_file::with_nul(title.name);
    return text;
}

std::string vista_log() {
    const Machine machine = read_machine();
    const std::vector<log_file::Title> all = titles();
    const std::int64_t begin = 128'315'940'386'589'980 - zone, end = 128'315'946'385'990'030 - zone;
    log_file::Log log{.header = header(), .buffer_size = 65'536};
    constexpr std::size_t titles_of_an_event = 132;  // 14 events
    for (std::size_t i = 0; i < all.size(); i += titles_of_an_event)
        log.events.push_back(
            names_event(std::span(all).subspan(i, std::min(titles_of_an_event, all.size() - i)), begin));
    log.events.push_back(catalogue(machine, begin));
    for (std::size_t sample = 0; sample < machine.samples.size(); ++sample) log.events.push_back(row(machine, sample));
    log.events.push_back(
        {.event_class = log_file::trailer_class,
         .data = log_file::trailer(
             {.first_time = begin, .last_time = end, .rows = static_cast<std::uint32_t>(machine.samples.size())}),
         .time = end});
    for (log_file::Event& event : log.events)
        event.log = {0x21, 0x97, 0x38, 0x11, 0x66, 0x1d, 0x5b, 0x48, 0x83, 0x4f, 0x07, 0xf5, 0x54, 0x2e, 0x7e, 0xcf};
    return log_file::build(log).text();
}

}  // namespace hkpd_test
