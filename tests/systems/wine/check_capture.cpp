// check_capture FILE [samples=N[+]] [interval=SECONDS] PART...
// Compares a live capture with the values of the providers of the live tests, value for value: alpha and beta are the
// objects of a provider DLL in a `Global` reply, alpha:100,110 those of these titles, perflib is everything of the
// PerfLib DLL. Prints the number of samples and their interval; exits with 1 if anything differs. samples=N+ means N or
// more. An interval is checked by bounds that also hold on a busy machine, see Times::check_interval().
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check_v1.hpp"
#include "check_v2.hpp"
#include "findings.hpp"
#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/source.hpp"

namespace {

using live::Findings;

struct Wanted {
    std::string file;
    std::optional<std::uint64_t> samples;
    bool or_more = false;
    std::optional<double> interval;  // seconds
    std::vector<live::V1Part> v1;
    bool v2 = false;
};

/// Parses `alpha`, `beta:100,110`; returns nothing if the text is no part.
std::optional<live::V1Part> parse_part(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    if (name != "alpha" && name != "beta") return std::nullopt;
    live::V1Part part{&live::v1_providers[name == "beta"], {}};
    const std::string titles = colon == std::string_view::npos ? "" : fmt::format(",{},", text.substr(colon + 1));
    for (const live::V1Object& object : live::v1_objects)
        if (titles.empty() ? !object.costly : titles.contains(fmt::format(",{},", object.title)))
            part.objects.push_back(&object);
    return part;
}

bool parse(std::span<char*> arguments, Wanted& wanted) {
    for (const std::string_view argument : arguments) {
        if (argument.starts_with("samples=")) {
            wanted.samples = std::strtoull(argument.data() + 8, nullptr, 10);
            wanted.or_more = argument.ends_with('+');
        } else if (argument.starts_with("interval="))
            wanted.interval = std::strtod(argument.data() + 9, nullptr);
        else if (argument == "perflib")
            wanted.v2 = true;
        else if (auto part = parse_part(argument))
            wanted.v1.push_back(std::move(*part));
        else if (wanted.file.empty())
            wanted.file = argument;
        else
            return false;
    }
    return !wanted.file.empty();
}

/// The times of the samples of one interface, by the machine's own performance counter.
class Times {
  public:
    void add(const hkpd::Clock& clock, Findings& findings) {
        const double time = static_cast<double>(clock.time) / static_cast<double>(clock.frequency);
        if (count_ == 0) first_ = time;
        if (count_ != 0) {
            least_ = count_ == 1 ? time - last_ : std::min(least_, time - last_);
            most_ = std::max(most_, time - last_);
            if (time <= last_) findings.add("PerfTime does not increase");
        }
        last_ = time;
        ++count_;
    }

    void report(std::string_view source, const Wanted& wanted, Findings& findings) const {
        findings.enter(std::string(source));
        if (wanted.samples && !(wanted.or_more && count_ >= *wanted.samples))
            findings.equal("the number of samples", *wanted.samples, count_);
        if (count_ == 0) return findings.add("there are no samples");
        const double mean = count_ > 1 ? (last_ - first_) / static_cast<double>(count_ - 1) : 0;
        if (wanted.interval) check_interval(*wanted.interval, findings);
        fmt::print("{}: {} samples, mean interval {:.4f} s ({:.4f} to {:.4f})\n", source, count_, mean, least_, most_);
    }

  private:
    /// On a busy machine a sample may be late by any time, and times that have passed are left out. But none is early:
    /// the unknown delay of the first one shortens the time to the last one by one interval at most. And while some are
    /// late, the shortest interval among many is no longer than requested, as delays do not add up.
    void check_interval(double interval, Findings& findings) const {
        constexpr double exact = 0.01, late = 0.1;  // precision of the clock, and delay allowed for each, in intervals
        if (count_ < 3) return findings.add("{} samples are too few to check the interval", count_);
        const double passed = last_ - first_, least = interval * static_cast<double>(count_ - 2);
        if (passed < least * (1 - exact))
            findings.add("{} samples in {:.4f} s come too soon for {:.4f} s each", count_, passed, interval);
        if (least_ > interval * (1 + late))
            findings.add("the shortest interval is {:.4f} s, longer than {:.4f} s", least_, interval);
    }

    std::uint64_t count_ = 0;
    double first_ = 0, last_ = 0, least_ = 0, most_ = 0;
};

/// Reports the faults. A capture from Wine has one that is not ours: the objects begin 88 bytes late.
void report(const hkpd::Diagnostics& diagnostics, Findings& findings) {
    for (const hkpd::Diagnostic& diagnostic : diagnostics.kept()) {
        if (diagnostic.severity == hkpd::Severity::note || diagnostic.error.code == hkpd::Errc::gap_after_header)
            continue;
        std::string text;
        append_message(text, diagnostic.error);
        findings.enter(fmt::format("sample {}", diagnostic.place.sample));
        findings.add("offset {:#x}: {}.{}: {}", diagnostic.error.offset, diagnostic.error.structure,
                     diagnostic.error.field, text);
    }
}

void check(const Wanted& wanted, Findings& findings) {
    hkpd::Diagnostics diagnostics;
    hkpd::Reader reader(hkpd::open_files({wanted.file}, {}), {.compare = false, .diagnostics = &diagnostics});
    live::V1Check v1(wanted.v1, findings);
    live::V2Check v2(findings);
    Times v1_times;
    Times v2_times;
    while (reader.next()) {
        const hkpd::Sample& sample = reader.sample();
        const bool is_v1 = sample.source == hkpd::SampleSource::v1;
        const std::uint32_t number = reader.number();
        if (is_v1)
            v1.add(sample, number);
        else
            v2.add(sample, number);
        (is_v1 ? v1_times : v2_times).add(sample.perf, findings);
    }
    report(diagnostics, findings);
    if (!wanted.v1.empty()) v1_times.report("v1", wanted, findings);
    if (wanted.v2) v2_times.report("v2", wanted, findings);
}

}  // namespace

int main(int argc, char** argv) {
    Wanted wanted;
    if (!parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1), wanted)) {
        fmt::print(
            stderr,
            "usage: check_capture FILE [samples=N[+]] [interval=SECONDS] [alpha[:TITLE,...]] [beta] [perflib]\n");
        return 2;
    }
    Findings findings;
    check(wanted, findings);
    if (findings.count() != 0) fmt::print("{} differences\n", findings.count());
    return findings.count() == 0 ? 0 : 1;
}
