// The C interface: the page of a report, and the findings on it.
#include "hkpd/report.hpp"

#include <expected>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/answer.hpp"

namespace hkpd::abi {
namespace {

/// Returns the rules of the options, or fills `error` and returns its status.
std::expected<RuleRun, hkpd_status> rules_of(const hkpd_report_options& options, hkpd_error* error) {
    auto rules = options.rules == nullptr ? std::expected<Rules, std::string>(Rules::built_in())
                                          : Rules::read(std::string(options.rules));
    if (!rules) return std::unexpected(fail(error, HKPD_ERROR_OPEN, rules.error()));
    std::vector<RuleAnswer> answers;
    for (const char* const text : std::span(options.answers, options.answer_count)) {
        const std::string_view answer = text == nullptr ? "" : text;
        const std::size_t end = answer.find('=');
        if (end == 0 || end == std::string_view::npos)
            return std::unexpected(fail(error, HKPD_ERROR_ARGUMENT, "an answer is not NAME=VALUE"));
        answers.push_back({std::string(answer.substr(0, end)), std::string(answer.substr(end + 1))});
    }
    auto run = RuleRun::create(*std::move(rules), answers);
    if (!run) return std::unexpected(fail(error, HKPD_ERROR_ARGUMENT, run.error()));
    return *std::move(run);
}

/// Makes the report of paths that can be opened. Returns the status.
hkpd_status make_report(hkpd_answer& made, Paths paths, const hkpd_options* reading, const hkpd_report_options& as,
                        hkpd_error* error) {
    auto rules = rules_of(as, error);
    if (!rules) return rules.error();
    const auto [status, run] = open_run(made, paths, reading, true, error);
    if (status != HKPD_OK) return status;
    std::unique_ptr<hkpd_reader> baseline;
    if (as.baseline != nullptr) {
        auto [earlier_status, earlier] = open_run(made, {&as.baseline, 1}, reading, true, error);
        if (earlier_status != HKPD_OK) return earlier_status;
        baseline = std::move(earlier);
    }
    ReportOptions options{.title = as.title == nullptr ? "" : as.title,
                          .theme = static_cast<ReportTheme>(as.theme),
                          .baseline = as.baseline == nullptr ? "" : as.baseline,
                          .inputs = {paths.begin(), paths.end()}};
    if (as.page_bytes != 0) options.page = as.page_bytes;
    Filter filter = filter_of(*run);
    made.report = report(*run->reader, filter, *std::move(rules), std::move(options),
                         baseline ? baseline->reader.get() : nullptr);
    return HKPD_OK;
}

hkpd_rule_finding rule_finding_of(const ReportFinding& finding) {
    hkpd_rule_finding made{};
    set(made.analysis, made.analysis_size, finding.analysis);
    set(made.threshold, made.threshold_size, finding.threshold);
    set(made.machine, made.machine_size, finding.machine);
    set(made.object, made.object_size, finding.object);
    set(made.instance, made.instance_size, finding.instance);
    set(made.counter, made.counter_size, finding.counter);
    const RuleFinding& numbers = finding.finding;
    made.is_critical = finding.severity == RuleSeverity::critical ? 1 : 0;
    made.is_trend = numbers.slope ? 1 : 0;
    made.limit = numbers.limit;
    made.slope = numbers.slope.value_or(std::numeric_limits<double>::quiet_NaN());
    made.worst = numbers.worst;
    made.worst_time = numbers.worst_time;
    made.values = numbers.values;
    made.exceeding = numbers.exceeding;
    made.time = numbers.time;
    made.exceeding_time = numbers.exceeding_time;
    made.first = numbers.first;
    made.last = numbers.last;
    made.longest_from = numbers.longest_from;
    made.longest_to = numbers.longest_to;
    return made;
}

}  // namespace
}  // namespace hkpd::abi

hkpd_status hkpd_report(const char* const* paths, size_t path_count, const hkpd_options* reading,
                        const hkpd_report_options* options, hkpd_answer** answer, hkpd_error* error) {
    using namespace hkpd::abi;
    return make_answer(answer, error, [&](hkpd_answer& made) {
        const auto as = take_or_zero(options);
        if (!as || as->theme > HKPD_THEME_DARK || (as->answers == nullptr && as->answer_count != 0))
            return fail(
                error, HKPD_ERROR_ARGUMENT,
                "hkpd_report_options has an unknown theme, a number without a pointer, or struct_size is too small");
        return make_report(made, {paths, paths == nullptr ? 0 : path_count}, reading, *as, error);
    });
}

hkpd_status hkpd_get_page(const hkpd_answer* answer, hkpd_page* filled) {
    if (answer == nullptr || !answer->report) return HKPD_ERROR_ARGUMENT;
    hkpd_page made{};
    hkpd::abi::set(made.html, made.html_size, answer->report->page);
    made.samples = answer->report->samples;
    made.finding_count = answer->report->findings.size();
    return hkpd::abi::filled_or_argument(hkpd::abi::fill(filled, made));
}

hkpd_status hkpd_get_rule_findings(const hkpd_answer* answer, size_t first, size_t count, hkpd_rule_finding* filled) {
    if (answer == nullptr || !answer->report || !hkpd::abi::is_within(first, count, answer->report->findings.size()))
        return HKPD_ERROR_ARGUMENT;
    return hkpd::abi::fill_all(filled, first, count, [&](std::size_t row) {
        return hkpd::abi::rule_finding_of(answer->report->findings[row]);
    });
}
