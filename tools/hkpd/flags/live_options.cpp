#include "flags/live_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "terminal/host.hpp"

namespace hkpd::command {
namespace {

constexpr std::uint64_t most_samples = 100'000'000;

std::string seconds_text(std::chrono::nanoseconds time) {
    return fmt::format("{}", std::chrono::duration<double>(time).count());
}

}  // namespace

void UnmatchedQueries::add(UnmatchedQuery unmatched) {
    const std::scoped_lock lock(mutex_);
    all_.push_back(std::move(unmatched));
}

std::vector<UnmatchedQuery> UnmatchedQueries::all() const {
    const std::scoped_lock lock(mutex_);
    return all_;
}

std::string text_of(const UnmatchedQuery& unmatched) {
    switch (unmatched.kind) {
        case UnmatchedQuery::Kind::object:
            return fmt::format("object '{}'", unmatched.text);
        case UnmatchedQuery::Kind::index:
            return fmt::format("object with the index {}", unmatched.text);
        case UnmatchedQuery::Kind::language:
            break;
    }
    return fmt::format("title in the language {}", unmatched.text);
}

std::string LiveOptions::machine_name() const {
    return machine.substr(std::min(machine.find_first_not_of('\\'), machine.size()));
}

void describe_live(po::options_description& shown, LiveOptions& o) {
    auto add = shown.add_options();
    add("live", po::bool_switch(&o.live), "current counters of this machine (Windows only)");
    const std::string usual_count = o.usual_count == 0 ? "no limit; simulated without --live: 1"
                                                       : fmt::format("{}; with --duration: no limit", o.usual_count);
    const std::string count_text = fmt::format("live, simulated: number of samples (default: {})", usual_count);
    describe_simulation(shown, o.simulate);
    add("machine", po::value(&o.machine)->value_name("\\\\HOST"), "live: another machine; simulated: its name");
    add("query", po::value(&o.query)->value_name("TEXT"),
        "live: query to the registry (V1): 'Global', 'Costly' or object indices such as '238 6' (default: the "
        "selected objects, otherwise Global)");
    add("interval", text_option(o.interval, "SECONDS"), "live, simulated: time between samples (default 1)");
    add("count", text_option(o.count, "N"), count_text.c_str());
    add("duration", text_option(o.duration, "SECONDS"), "live, simulated: stop after this time");
    add("perflib", po::value(&o.perflib)->value_name("DLL"),
        "live: DLL that provides the PerfLib functions (default: advapi32.dll)");
}

std::string check_live(LiveOptions& o) {
    const bool simulated = o.simulate.wanted;
    o.live = o.live || (!simulated && !o.machine.empty()) || !o.perflib.empty();
    if (std::string wrong = check_simulation(o.simulate); !wrong.empty()) return wrong;
    if (!o.any())
        return o.count || o.interval || o.duration || !o.query.empty()
                   ? "--count, --interval, --duration and --query require --live or --simulate"
                   : "";
    if (simulated && !o.perflib.empty()) return "--perflib and --simulate cannot be combined";
    if (std::string name = o.machine_name(); simulated && !name.empty()) o.simulate.machine.machine = std::move(name);
    std::uint64_t count = o.usual_count;
    std::chrono::nanoseconds duration{};
    constexpr double least_interval = 0.001;
    if (std::string wrong = read_number("--count", o.count, 1, most_samples, count); !wrong.empty()) return wrong;
    if (std::string wrong = read_seconds("--interval", o.interval, least_interval, o.schedule.interval); !wrong.empty())
        return wrong;
    if (std::string wrong = read_seconds("--duration", o.duration, 0, duration); !wrong.empty()) return wrong;
    if (o.duration) o.schedule.duration = duration;
    if (o.duration && !o.count) count = 0;
    if (count == 0 && !o.duration && !o.live) count = 1;
    if (count != 0) o.schedule.count = count;
    o.wanted.value = o.query;
    return {};
}

void add_provenance(CaptureWriter::Metadata& entries, const LiveOptions& o) {
    if (!o.any()) return;
    if (o.simulate.wanted) {
        add_provenance(entries, o.simulate);
    } else {
        entries["source"] = "live";
        entries.try_emplace("os", o.machine.empty() ? operating_system() : "");  // unless --meta states another system
        if (entries["os"].empty()) entries.erase("os");
    }
    const auto add_list = [&entries](const char* key, const Strings& words) {
        if (!words.empty()) entries[key] = fmt::format("{}", fmt::join(words, ", "));
    };
    if (!o.query.empty()) entries["query"] = o.query;
    add_list("objects", o.wanted.objects);
    add_list("languages", o.wanted.languages);
    if (o.schedule.duration) entries["duration"] = seconds_text(*o.schedule.duration);
    if (o.schedule.count) entries["count"] = fmt::to_string(*o.schedule.count);
    entries["interval"] = seconds_text(o.schedule.interval);
}

}  // namespace hkpd::command
