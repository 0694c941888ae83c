// The findings of rules in documents of findings: text, JSON and SARIF.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.hpp"
#include "hkpd/report.hpp"
#include "hkpd/rule_check.hpp"
#include "quantity/times.hpp"
#include "write/cells.hpp"
#include "write/document/findings.hpp"

namespace hkpd {
namespace {

constexpr double per_second = 1e9;

const RuleThreshold& threshold_of(const RuleResults& results, const RuleFinding& finding) {
    return results.rules.analyses()[finding.analysis].thresholds[finding.threshold];
}

std::string path_of(const RuleResults::Item& item) {
    std::string path = item.machine.empty() ? "" : "\\\\" + item.machine;
    path += "\\" + item.object;
    if (item.of_list) path += "(" + item.instance + ")";
    return path + "\\" + item.counter;
}

std::string moment(const RuleResults& results, std::int64_t time) {
    std::string text;
    append_date_time(text, local_time(system_time_at(time), results.zone.offset_at(time)), TimePart::second);
    return text + " " + zone_text(results.zone, time);
}

/// Returns what a finding states, without names: how long, how far, when.
std::string statement(const RuleResults& results, const RuleResults::Item& item) {
    const RuleFinding& f = item.finding;
    const Unit unit = unit_of(item.type, item.english_counter.empty() ? item.counter : item.english_counter);
    if (f.slope)
        return fmt::format("{} by {} per hour", *f.slope > 0 ? "grows" : "falls",
                           quantity_text(std::abs(*f.slope), unit));
    constexpr double percent = 100;
    return fmt::format("for {} of {} ({:.0f} %), {} of {} values, at worst {} at {}", duration_text(f.exceeding_time),
                       duration_text(f.time),
                       f.time > 0 ? percent * static_cast<double>(f.exceeding_time) / static_cast<double>(f.time) : 0,
                       f.exceeding, f.values, quantity_text(f.worst, unit), moment(results, f.worst_time));
}

/// Appends a line for each finding and a summary of an input. If `all` is false, only the first findings of each
/// threshold, and not which thresholds were not evaluated.
void append_input(std::string& out, const RuleResults& results, bool all) {
    constexpr std::size_t most_of_a_threshold = 5;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> counts;
    for (const RuleResults::Item& item : results.findings) {
        const RuleFinding& finding = item.finding;
        if (++counts[{finding.analysis, finding.threshold}] > most_of_a_threshold && !all) continue;
        const RuleThreshold& threshold = threshold_of(results, finding);
        if (!results.input.empty()) out += printable(results.input) + ": ";
        out += fmt::format("{}: {}: {}: {}\n", rule_severity_name(threshold.severity), printable(path_of(item)),
                           printable(threshold.name), statement(results, item));
    }
    for (const auto& [kind, count] : counts)
        if (count > most_of_a_threshold && !all)
            out += fmt::format("{} more: {} (--verbose shows them)\n", count - most_of_a_threshold,
                               printable(results.rules.analyses()[kind.first].thresholds[kind.second].name));
    std::map<std::string_view, std::size_t> reasons;
    for (const RuleResults::NotEvaluated& one : results.not_evaluated)
        ++reasons[std::string_view(one.why).substr(0, one.why.rfind(" (line "))];  // the same in each line of a script
    const std::uint64_t evaluated = results.thresholds - results.not_evaluated.size();
    out +=
        fmt::format("rules: {}: {}, {} of {} evaluated", printable(results.rules.name()),
                    count_of(results.findings.size(), "finding"), evaluated, count_of(results.thresholds, "threshold"));
    for (const auto& [why, count] : reasons) out += fmt::format("; {} not: {}", count, printable(why));
    out += '\n';
    if (!all) return;
    for (const RuleResults::NotEvaluated& one : results.not_evaluated) {
        const RuleAnalysis& analysis = results.rules.analyses()[one.analysis];
        out += fmt::format("    not evaluated: {}: {}: {}\n", printable(analysis.name),
                           printable(analysis.thresholds[one.threshold].name), printable(one.why));
    }
}

void write_time(JsonStream& json, std::string_view key, const RuleFinding& finding, std::int64_t time,
                const Zone& zone) {
    std::string text;
    if (!finding.slope) append_time(text, system_time_at(time), utc_if_stated(zone));
    json.text_or_null(key, text);
}

void write_number(JsonStream& json, std::string_view key, const RuleFinding& finding, double number) {
    json.member(key, finding.slope ? std::nullopt : std::optional(number));
}

void write_rule(JsonStream& json, const RuleResults& results, std::uint32_t analysis, std::uint32_t threshold) {
    const RuleAnalysis& of = results.rules.analyses()[analysis];
    json.member("rule", of.name);
    json.member("threshold", of.thresholds[threshold].name);
    json.member("severity", rule_severity_name(of.thresholds[threshold].severity));
}

/// Returns an id of a threshold for SARIF, which is the same in each run.
std::string rule_id(const RuleResults& results, std::uint32_t analysis, std::uint32_t threshold) {
    const RuleAnalysis& of = results.rules.analyses()[analysis];
    return of.name + "/" + of.thresholds[threshold].name;
}

/// Writes the members of the results of an input.
void write_rule_results(JsonStream& json, const RuleResults& results) {
    json.text_or_null("input", results.input);
    json.objects("findings", results.findings, [&](const RuleResults::Item& item) {
        const RuleFinding& finding = item.finding;
        write_rule(json, results, finding.analysis, finding.threshold);
        json.member("machine", item.machine);
        json.member("object", item.object);
        json.member("instance", item.instance);
        json.member("counter", item.counter);
        json.member("unit", item.unit);
        json.member("limit", finding.limit);
        json.member("values", finding.slope ? std::nullopt : std::optional(finding.values));
        json.member("exceeding", finding.slope ? std::nullopt : std::optional(finding.exceeding));
        write_number(json, "exceeding_seconds", finding, static_cast<double>(finding.exceeding_time) / per_second);
        write_number(json, "seconds", finding, static_cast<double>(finding.time) / per_second);
        write_time(json, "first", finding, finding.first, results.zone);
        write_time(json, "last", finding, finding.last, results.zone);
        write_time(json, "longest_from", finding, finding.longest_from, results.zone);
        write_time(json, "longest_to", finding, finding.longest_to, results.zone);
        write_number(json, "worst", finding, finding.worst);
        write_time(json, "worst_time", finding, finding.worst_time, results.zone);
        json.member("slope", finding.slope);
    });
    json.objects("not_evaluated", results.not_evaluated, [&](const RuleResults::NotEvaluated& one) {
        write_rule(json, results, one.analysis, one.threshold);
        json.member("why", one.why);
    });
    json.objects("answers", results.answers, [&](const RuleRun::Answered& answer) {
        json.member("name", answer.name);
        json.member("value", answer.value);
        json.member("origin", answer.origin);
    });
    json.object("summary", [&] {
        json.member("rules", results.rules.name());
        json.member("thresholds", results.thresholds);
        json.member("evaluated", results.thresholds - results.not_evaluated.size());
        json.member("findings", results.findings.size());
    });
}

/// Writes the members of a SARIF run with the results of an input. `uri`: that of the input; empty if it has none.
void write_rule_sarif(JsonStream& json, const RuleResults& results, std::string_view uri, std::string_view version) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
    for (const RuleResults::Item& item : results.findings)
        places.try_emplace({item.finding.analysis, item.finding.threshold}, 0);
    std::size_t next = 0;
    for (auto& [rule, place] : places) place = next++;
    json.object("tool", [&] {
        json.object("driver", [&] {
            json.member("name", "hkpd");
            json.member("version", version);
            json.objects("rules", places, [&](const auto& rule) {
                const RuleAnalysis& of = results.rules.analyses()[rule.first.first];
                json.member("id", rule_id(results, rule.first.first, rule.first.second));
                json.object("shortDescription", [&] { json.member("text", of.thresholds[rule.first.second].name); });
                if (!of.description.empty()) json.object("help", [&] { json.member("text", of.description); });
            });
        });
    });
    json.member("columnKind", "utf16CodeUnits");
    json.objects("results", results.findings, [&](const RuleResults::Item& item) {
        const RuleFinding& finding = item.finding;
        const RuleThreshold& threshold = threshold_of(results, finding);
        json.member("ruleId", rule_id(results, finding.analysis, finding.threshold));
        json.member("ruleIndex", places.at({finding.analysis, finding.threshold}));
        json.member("level", threshold.severity == RuleSeverity::critical ? "error" : "warning");
        json.object("message", [&] {
            json.member("text", fmt::format("{}: {}: {}", path_of(item), threshold.name, statement(results, item)));
        });
        json.objects("locations", std::array{0}, [&](int) {
            if (!uri.empty())
                json.object("physicalLocation",
                            [&] { json.object("artifactLocation", [&] { json.member("uri", uri); }); });
            json.objects("logicalLocations", std::array{0}, [&](int) {
                json.member("name", item.of_list ? item.instance : item.object);
                json.member("fullyQualifiedName", path_of(item));
            });
        });
    });
}

}  // namespace

void append_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes,
                          std::span<const RuleResults> rules) {
    write_findings_text(out, findings, checked, notes, [&] {
        for (const RuleResults& input : rules) append_input(out, input, notes);
    });
}

void append_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked,
                          std::span<const RuleResults> rules) {
    write_findings_json(out, findings, checked, [&](JsonStream& json) {
        if (!rules.empty())
            json.objects("rules", rules, [&json](const RuleResults& input) { write_rule_results(json, input); });
    });
}

void append_findings_sarif(std::string& out, const Findings& findings, std::string_view version,
                           std::span<const RuleResults> rules) {
    write_findings_sarif(out, findings, version, [&](JsonStream& json) {
        for (const RuleResults& input : rules) {
            const bool has_uri = !input.input.empty() && input.input != "-";
            json.object([&] { write_rule_sarif(json, input, has_uri ? uri_of(input.input) : "", version); });
        }
    });
}

}  // namespace hkpd
