// Rule files of other people: the input as a file, and also by itself as a script, as an expression and as a
// description. A file's rules are evaluated over a run whose series they name.
#include "hkpd/rules.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/encoding.hpp"
#include "properties.hpp"
#include "rules/data.hpp"
#include "rules/description.hpp"
#include "rules/script.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

constexpr unsigned passes = 16;

bool is_valid(std::string_view text) { return valid_utf8(std::as_bytes(std::span(text))) == text.size(); }

/// Requires that only elements of the list are left, closed in order, and that nothing in it has another meaning when
/// it is read again.
void require_description(const std::string& html, const std::string& text) {
    require(is_valid(html) && is_valid(text));
    std::vector<std::string_view> open;
    for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<', at + 1)) {
        const std::string_view tag = std::string_view(html).substr(at + 1, html.find('>', at) - at - 1);
        constexpr std::string_view known = "b strong i em br p ul ol li code pre";
        const std::string_view name = tag.substr(tag.starts_with('/') ? 1 : 0);
        require(!name.empty() && name.size() <= 6 && name.find(' ') == name.npos && known.find(name) != known.npos);
        if (name == "br") continue;
        if (!tag.starts_with('/')) {
            open.push_back(name);
            continue;
        }
        require(!open.empty() && open.back() == name);
        open.pop_back();
    }
    require(open.empty());
    for (const char c : text) require(static_cast<unsigned char>(c) >= ' ' || c == '\n');
}

void require_rules(const Rules& rules) {
    for (const RuleAnalysis& analysis : rules.analyses()) {
        require(is_valid(analysis.name) && is_valid(analysis.category) && is_valid(analysis.path));
        require_description(analysis.description_html, analysis.description);
        bool any = analysis.thresholds.empty();
        for (const RuleThreshold& threshold : analysis.thresholds) {
            require(is_valid(threshold.name) && is_valid(threshold.condition) && is_valid(threshold.not_evaluated));
            require(threshold.not_evaluated.empty() ? !threshold.condition.empty() : threshold.least_time >= 0);
            any = any || threshold.not_evaluated.empty();
        }
        require(any == analysis.not_evaluated.empty());
    }
    for (const Rules::Data::Threshold& threshold : rules.data().thresholds)
        require(threshold.source < rules.data().sources.size());
}

/// Adds two instances for each path of the rules, with and without a name.
std::uint32_t add_series(RuleRun& run, const Rules& rules) {
    constexpr std::uint32_t most = 200;
    std::uint32_t number = 0;
    const auto add = [&](const RuleSeries& series) {
        if (number < most) run.add_series(number++, series);
    };
    for (const Rules::Data::Source& source : rules.data().sources)
        for (const pal::SeriesPath& path : source.paths) {
            const std::string& counter = path.counter().text();
            for (const char* const instance : {"_Total", "C:"})
                add({"PC", path.object_text(), counter, {}, {}, instance, true});
            add({"PC", path.object_text(), counter, {}, {}, {}, false});
        }
    add({"PC", "NUMA Node Memory", "Total MBytes", {}, {}, "0", true});
    return number;
}

void require_findings(RuleRun run, const Rules& rules) {
    const std::uint32_t count = add_series(run, rules);
    constexpr std::int64_t second = 1'000'000'000;
    std::uint64_t values = 0;
    for (std::int64_t sample = 0; sample < 4; ++sample) {
        for (std::uint32_t i = 0; i < count; ++i)
            if ((i + sample) % 5 != 0) run.add_value(i, std::pow(10.0, static_cast<double>((i + sample) % 12)) - 1);
        run.end_sample("PC", sample * second);
        for (const RuleRun::DerivedValue& derived : run.derived_values())
            require(derived.number - RuleRun::first_derived < run.derived().size() && std::isfinite(derived.value));
        ++values;
    }
    const auto findings = run.finish([](std::uint32_t number) { return number * 1e6; });
    for (const RuleFinding& f : findings) {
        require(f.analysis < rules.analyses().size());
        require(f.threshold < rules.analyses()[f.analysis].thresholds.size());
        require(f.series < count || f.series - RuleRun::first_derived < run.derived().size());
        require(f.slope ? f.values == 0 : f.exceeding >= 1 && f.exceeding <= f.values && f.values <= values);
        require(f.exceeding_time <= f.time && f.longest_to - f.longest_from <= f.exceeding_time);
        require(f.first <= f.worst_time && f.worst_time <= f.last && !std::isinf(f.limit));
    }
    for (const RuleRun::Answered& answer : run.answers()) require(!answer.origin.empty());
}

void require_file(std::span<const std::byte> bytes) {
    const Budget budget(bytes.size() + 4096, 20'000, passes);
    const auto rules = Rules::parse(bytes, "rules.xml");
    if (!rules) return require(rules.error().starts_with("rules.xml: "));
    require_rules(*rules);
    auto run = RuleRun::create(*rules, {});
    require(run.has_value());
    require_findings(*std::move(run), *rules);
}

/// Requires that a script with loops of its own ends in time, and does what the sample allows.
void require_samples(const pal::Script& script, std::uint32_t result) {
    const std::vector<pal::Value> variables(script.variables.size(), pal::Value::of("16"));
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    const std::vector<pal::Instance> two{{0, "PC", "MSSQL$A:O", "C:", "C", 2.5},
                                         {1, "PC", "MSSQL$B:O", "D:", "C", nothing}};
    const std::vector<std::vector<pal::Instance>> instances(script.collections.size(), two);
    pal::SampleResults results;
    const pal::Outcome outcome = pal::evaluate_sample(script, {variables, {}, {}, instances}, result, results);
    if (outcome.failure != pal::Outcome::Failure::none) require(!pal::describe(script, outcome).empty());
    require(results.steps <=
            pal::ScriptLimits::steps + 2 * pal::ScriptLimits::steps_of_instance * script.collections.size());
    for (const pal::SampleResults::Alert& alert : results.alerts) require(alert.series < 2);
    for (const pal::SampleResults::Computed& one : results.computed) require(std::isfinite(one.value));
}

void require_script(const pal::Script& script, std::size_t inputs) {
    const std::vector<pal::Value> variables(script.variables.size(), pal::Value::of("16"));
    const std::vector<double> counts(script.collections.size(), 4), elements(inputs, 2.5);
    if (script.raises_alerts) return require_samples(script, no_index);
    const pal::Outcome outcome = pal::evaluate(script, {variables, counts, elements});
    const bool fails = outcome.failure != pal::Outcome::Failure::none;
    require(fails ? !pal::describe(script, outcome).empty() : std::isfinite(outcome.result));
    const std::vector<std::string> paths(script.collections.size(), "\\O\\C");
    const std::vector<std::uint32_t> questions(script.variables.size(), no_index);
    if (inputs == 0) require(!pal::describe_comparison(script, paths, questions).empty());
}

void require_texts(std::string_view text) {
    const Budget budget(text.size(), 4096, passes);
    const pal::Description description = pal::read_description(text);
    require_description(description.html, description.text);
    require(pal::read_description(description.html).html == description.html);
    if (const auto script = pal::parse_threshold(text)) require_script(*script, 0);
    if (const auto source = pal::parse_computed(text)) require_script(source->script, source->inputs.size());
    if (const auto source = pal::parse_computed_loops(text, "R")) require_samples(source->script, source->result);
    if (const auto source = pal::parse_source_expression(text)) require_script(source->script, source->inputs.size());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ExactCopy copy(std::as_bytes(std::span(data, size)));
    require_file(copy.bytes().span());
    require_texts({reinterpret_cast<const char*>(copy.bytes().data()), size});
    return 0;
}
