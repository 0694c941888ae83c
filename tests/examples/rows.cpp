// Prints an answer as rows, for compare.py: rows summary|check INPUT... A cell is followed by a tab; characters below a
// blank are blanks. The first line has the names that the command's JSON uses.
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/answers.hpp"
#include "hkpd/check.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/input_check.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"

namespace {

void print(std::string_view text) {
    for (const char c : text) std::putchar(static_cast<unsigned char>(c) < ' ' ? ' ' : c);
    std::putchar('\t');
}
void print(double number) { std::printf("%.17g\t", number); }
template <class Number>
void print(const std::optional<Number>& number) {
    if (number) std::printf("%lld", static_cast<long long>(*number));
    std::putchar('\t');
}

int print_summary(std::vector<std::string> paths) {
    auto reader = hkpd::Reader::open(std::move(paths), {.one_source = true});
    if (!reader) return 3;
    hkpd::Filter everything;
    std::puts(
        "machine\tobject\tcounterset\tparent\tinstance\tpid\tinstance_"
        "id\tlife\tcounter\tunit\tcount\tfirst\tlast\tmin\t"
        "mean\tp50\tp95\tp99\tmax\tstddev\tdelta\tslope\taverage");
    for (const hkpd::Series& row : hkpd::summary(*reader, everything).series) {
        const hkpd::RunInstance& who = *row.instance;
        print(row.counter->machine);
        print(row.counter->object);
        print(std::string_view(row.counter->counterset ? *row.counter->counterset : ""));
        print(std::string_view(who.parent ? *who.parent : ""));
        print(std::string_view(who.is_damaged ? "" : who.text));
        print(who.pid);
        print(who.instance_id);
        print(who.is_damaged ? std::nullopt : std::optional(who.life));
        print(row.counter->name);
        print(hkpd::cooked_unit(row.counter->type));
        const hkpd::Statistics& s = row.statistics;
        print(std::optional(s.count));
        for (const double number : {s.first, s.last, s.min, s.mean, s.p50, s.p95, s.p99, s.max, s.stddev, s.delta,
                                    s.slope, row.average.value})
            print(number);
        std::putchar('\n');
    }
    return 0;
}

int print_check(const std::vector<std::string>& paths) {
    const hkpd::InputCheck done = hkpd::check(paths);
    const std::span<const hkpd::Diagnostic> faults = done.findings().diagnostics().kept();
    std::puts("severity\tcode\tmachine\tobject_name\tinstance_name\trule\trepair\tperflib_event\tservice\tlibrary");
    for (std::size_t row = 0; row < faults.size(); ++row) {
        const hkpd::Error& error = faults[row].error;
        const hkpd::Finding& finding = done.findings().all()[row];
        print(hkpd::severity_name(faults[row].severity));
        print(hkpd::code_name(error.code));
        print(finding.machine);
        print(finding.object);
        print(finding.instance);
        print(hkpd::rule_of(error.code));
        print(hkpd::repair_of(error));
        print(hkpd::perflib_event(error));
        print(std::string_view(finding.service != nullptr ? finding.service->name : ""));
        print(std::string_view(finding.service != nullptr ? finding.service->library : ""));
        std::putchar('\n');
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    return std::string_view(argv[1]) == "check" ? print_check({argv + 2, argv + argc})
                                                : print_summary({argv + 2, argv + argc});
}
