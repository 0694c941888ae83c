// check_capture FILE [samples=N] [interval=SECONDS] PART...
// Compares a capture that was made live with what the providers of the live tests put in, value for value: alpha and
// beta are the objects of a provider DLL in a `Global` reply, alpha:100,110 those of these titles, perflib is all that
// the PerfLib DLL has. Says how many samples there are and how far apart; exits with 1 where anything differs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
#include "hkpd/source.hpp"

namespace {

using live::Findings;

struct Wanted {
    std::string file;
    std::optional<std::uint64_t> samples;
    std::optional<double> interval;  // seconds
    std::vector<live::V1Part> v1;
    bool v2 = false;
};

/// `alpha`, `beta:100,110`; none where it is no part.
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
        if (argument.starts_with("samples="))
            wanted.samples = std::strtoull(argument.data() + 8, nullptr, 10);
        else if (argument.starts_with("interval="))
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

/// The times of the samples of one door, as the machine's own counter gives them.
class Times {
  public:
    void add(const hkpd::Clock& clock, Findings& findings) {
        const double time = static_cast<double>(clock.time) / static_cast<double>(clock.frequency);
        if (count_ == 0) first_ = time;
        if (count_ != 0) {
            least_ = count_ == 1 ? time - last_ : std::min(least_, time - last_);
            most_ = std::max(most_, time - last_);
            if (time <= last_) findings.add("PerfTime does not go on");
        }
        last_ = time;
        ++count_;
    }

    void report(std::string_view door, const Wanted& wanted, Findings& findings) const {
        constexpr double tolerance = 0.02;
        findings.enter(std::string(door));
        if (wanted.samples) findings.equal("the number of samples", *wanted.samples, count_);
        if (count_ == 0) return findings.add("there are no samples");
        const double mean = count_ > 1 ? (last_ - first_) / static_cast<double>(count_ - 1) : 0;
        if (wanted.interval && std::abs(mean - *wanted.interval) > *wanted.interval * tolerance)
            findings.add("the mean interval is {:.4f} s, not {:.4f} s", mean, *wanted.interval);
        fmt::print("{}: {} samples, mean interval {:.4f} s ({:.4f} to {:.4f})\n", door, count_, mean, least_, most_);
    }

  private:
    std::uint64_t count_ = 0;
    double first_ = 0, last_ = 0, least_ = 0, most_ = 0;
};

/// A capture from Wine has one fault that is not ours: the objects begin 88 bytes late.
void report(const hkpd::Diagnostics& diagnostics, Findings& findings) {
    for (const hkpd::Diagnostic& diagnostic : diagnostics.kept()) {
        if (diagnostic.severity == hkpd::Severity::note || diagnostic.error.code == hkpd::Errc::gap_after_header)
            continue;
        std::string text;
        append_message(text, diagnostic.error);
        findings.enter(fmt::format("sample {}", diagnostic.sample));
        findings.add("offset {:#x}: {}.{}: {}", diagnostic.error.offset, diagnostic.error.structure,
                     diagnostic.error.field, text);
    }
}

void check(const Wanted& wanted, Findings& findings) {
    hkpd::Diagnostics diagnostics;
    const auto source = hkpd::open_files({wanted.file}, {});
    hkpd::SampleReader reader(*source, nullptr, {});
    hkpd::Sample sample;
    live::V1Check v1(wanted.v1, findings);
    live::V2Check v2(findings);
    Times v1_times;
    Times v2_times;
    while (reader.next(sample, diagnostics)) {
        const bool is_v1 = sample.source == hkpd::SampleSource::v1;
        const std::uint32_t number = reader.count() - 1;
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
        fmt::print(stderr,
                   "usage: check_capture FILE [samples=N] [interval=SECONDS] [alpha[:TITLE,...]] [beta] [perflib]\n");
        return 2;
    }
    Findings findings;
    check(wanted, findings);
    if (findings.count() != 0) fmt::print("{} differences\n", findings.count());
    return findings.count() == 0 ? 0 : 1;
}
