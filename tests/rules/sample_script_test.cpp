// Scripts with loops of their own: alerts and computed data sources in each sample. Numbers are worked out by hand.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/rules.hpp"
#include "support/processor_time.hpp"

namespace hkpd::sample_script_test {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::string_view question = "<QUESTION QUESTIONVARNAME='Disks' DATATYPE='string' DEFAULTVALUE='C:;e:'/>";

std::string source(std::string_view variable, std::string_view path) {
    return "<DATASOURCE TYPE='CounterLog' NAME='n' COLLECTIONVARNAME='" + std::string(variable) + "' EXPRESSIONPATH='" +
           std::string(path) + "'><EXCLUDE INSTANCE='_Total'/></DATASOURCE>";
}
std::string generated(std::string_view code, std::string_view path = "\\Disk(*)\\Sum") {
    return "<DATASOURCE TYPE='Generated' NAME='g' COLLECTIONVARNAME='R' EXPRESSIONPATH='" + std::string(path) +
           "'><CODE><![CDATA[" + std::string(code) + "]]></CODE></DATASOURCE>";
}
std::string threshold(std::string_view code) {
    return "<THRESHOLD NAME='t' CONDITION='Warning'><CODE><![CDATA[" + std::string(code) + "]]></CODE></THRESHOLD>";
}
const std::string two = source("A", "\\Disk(*)\\Reads") + source("B", "\\Disk(*)\\Writes");
const std::string alert =
    "{ CreateAlert -TimeSliceIndex $t -CounterInstanceObject $A[$i] -IsAvgThresholdBroken $True }";
const std::string loops = "For ($i=0;$i -lt $A.Count;$i++) { For ($t=0;$t -lt $alQuantizedTime.Count;$t++) { ";

/// Values by counter and instance; NaN is none.
using Sample = std::map<std::pair<std::string, std::string>, double>;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Result {
    std::vector<RuleFinding> findings;
    std::vector<std::map<std::string, double>> computed;  // by instance, for each sample
    std::string skipped, not_evaluated, condition;
};

/// Evaluates one analysis over samples, each a second after the one before.
Result run(const std::string& content, const std::vector<Sample>& samples) {
    const std::string xml =
        "<PAL>" + std::string(question) + "<ANALYSIS NAME='A' PRIMARYDATASOURCE='n'>" + content + "</ANALYSIS></PAL>";
    const Rules rules = Rules::parse(std::as_bytes(std::span(xml)), "test.xml").value();
    RuleRun run = RuleRun::create(rules, {}).value();
    std::map<std::pair<std::string, std::string>, std::uint32_t> numbers;
    Result result;
    std::int64_t time = 1'700'000'000 * second;
    for (const Sample& sample : samples) {
        for (const auto& [names, value] : sample) {
            const auto [found, is_new] = numbers.emplace(names, static_cast<std::uint32_t>(numbers.size()));
            if (is_new) run.add_series(found->second, {"PC", "Disk", names.first, "", "", names.second, true});
            run.add_value(found->second, value);
        }
        run.end_sample("PC", time += second);
        auto& computed = result.computed.emplace_back();
        for (const RuleRun::DerivedValue& value : run.derived_values())
            computed[run.derived()[value.number - RuleRun::first_derived].instance] = value.value;
    }
    result.findings = run.finish([](std::uint32_t) { return none; });
    result.skipped = run.skipped(0, 0);
    result.not_evaluated = rules.analyses()[0].thresholds[0].not_evaluated;
    result.condition = rules.analyses()[0].thresholds[0].condition;
    return result;
}

const std::vector<Sample> usual{
    {{{"Reads", "C:"}, 10}, {{"Writes", "C:"}, 5}, {{"Reads", "D:"}, 1}, {{"Writes", "D:"}, 2}},
    {{{"Reads", "C:"}, 20}, {{"Writes", "C:"}, 5}, {{"Reads", "D:"}, 4}, {{"Writes", "D:"}, 2}},
    {{{"Reads", "C:"}, 30}, {{"Writes", "C:"}, 1}, {{"Reads", "D:"}, 9}, {{"Writes", "D:"}, 2}}};

TEST(SampleScripts, AlertsAreFindingsOfTheirInstance) {
    const Result result = run(two + threshold(loops + "If ($A[$i].QuantizedAvg[$t] -ge 9) " + alert + "} }"), usual);
    EXPECT_EQ(result.not_evaluated, "");
    EXPECT_EQ(result.skipped, "");
    EXPECT_EQ(result.condition, ">= 9");
    ASSERT_EQ(result.findings.size(), 2U);
    EXPECT_EQ(result.findings[0].exceeding, 3U);
    EXPECT_EQ(result.findings[0].exceeding_time, 2 * second);
    EXPECT_EQ(result.findings[0].worst, 30);
    EXPECT_EQ(result.findings[0].limit, 9);
    EXPECT_EQ(result.findings[1].exceeding, 1U);
    EXPECT_EQ(result.findings[1].values, 3U);
    EXPECT_EQ(result.findings[1].worst, 9);
}

TEST(SampleScripts, TheLimitIsThatOfTheComparisonBeforeTheAlert) {
    const auto limit = [](const std::string& condition) {
        const Result result = run(two + threshold(loops + "If (" + condition + ") " + alert + "} }"), usual);
        return result.findings.empty() ? -1.0 : result.findings[0].limit;
    };
    EXPECT_EQ(limit("$A[$i].Value[$t] -gt 8"), 8);
    EXPECT_EQ(limit("8 -lt $A[$i].Value[$t]"), 8);
    EXPECT_EQ(limit("($A[$i].Value[$t] -gt 2) -and ($A[$i].Value[$t] -gt $B[$i].Value[$t] * 5)"), 5);  // the lowest
    EXPECT_TRUE(std::isnan(limit("($A[$i].Value[$t] + $B[$i].Value[$t]) -gt 8")));
    EXPECT_TRUE(std::isnan(limit("$True")));
    EXPECT_EQ(limit("$A[$i].Value[$t] -lt 2"), 2);
    EXPECT_EQ(limit("$A[$i].Value[$t] -gt 99"), -1);
}

TEST(SampleScripts, InstancesAreChosenByTheirNames) {
    const std::string chosen =
        "$list = $Disks.Split(';')\nFor ($i=0;$i -lt $A.Count;$i++) {\n If ($list -notcontains $A[$i].CounterInstance)"
        "{ continue }\n For ($t=0;$t -lt $alQuantizedTime.Count;$t++) { If ($A[$i].Value[$t] -gt 0) " +
        alert + "} }";
    const Result result = run(two + threshold(chosen), usual);
    ASSERT_EQ(result.findings.size(), 1U) << result.not_evaluated << result.skipped;
    EXPECT_EQ(result.findings[0].worst, 30);
}

TEST(SampleScripts, AMissingValueEndsTheTurnOfItsInstanceOnly) {
    // Without Writes of C: in the second sample, nothing is known of C: in it; an empty value is not 0.
    std::vector<Sample> samples = usual;
    samples[1][{"Writes", "C:"}] = none;
    const Result result =
        run(two + threshold(loops + "If ($B[$i].Value[$t] -lt 3) { } Else " + alert + "} }"), samples);
    ASSERT_EQ(result.findings.size(), 1U);
    EXPECT_EQ(result.findings[0].exceeding, 1U);
    const Result sums =
        run(two +
                generated("$R = @{}\nFor ($i=0;$i -lt $A.Count;$i++) {\n$L = @()\n"
                          "[void] $L.Add($A[$i].Value[0] + $B[$i].Value[0])\n"
                          "$N = \"\\\\$($A[$i].CounterComputer)\\Disk($($A[$i].CounterInstance))\\Sum\"\n"
                          "$R.Add($N,$L) }") +
                threshold("StaticThreshold -CollectionOfCounterInstances $R -Operator 'gt' -Threshold 10"),
            samples);
    ASSERT_EQ(sums.computed.size(), 3U);
    EXPECT_EQ(sums.computed[0], (std::map<std::string, double>{{"C:", 15}, {"D:", 3}}));
    EXPECT_EQ(sums.computed[1], (std::map<std::string, double>{{"D:", 6}}));
    EXPECT_EQ(sums.computed[2], (std::map<std::string, double>{{"C:", 31}, {"D:", 11}}));
    ASSERT_EQ(sums.findings.size(), 2U) << sums.not_evaluated << sums.skipped;
    EXPECT_EQ(sums.findings[0].worst, 31);
}

TEST(SampleScripts, AnEndlessScriptStopsWithItsLine) {
    EXPECT_EQ(run(two + threshold(loops + "If ($True) " + alert + " } }\nwhile ($True)\n{ $x = 1 }"), usual).skipped,
              "its script takes too many steps in one sample (line 2)");
    const Result result = run(two + threshold(loops + "If ($True) " + alert + "\nwhile ($True) { } } }"), usual);
    EXPECT_EQ(result.skipped, "its script takes too many steps in one sample (line 2)");
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(run(two + generated("$R = @{}\n$i = $A.Count\nwhile ($True) { }") +
                      threshold("StaticThreshold -CollectionOfCounterInstances $R -Operator 'gt' -Threshold 10"),
                  usual)
                  .skipped,
              "its script takes too many steps in one sample (line 3)");
}

TEST(SampleScripts, OtherSamplesAreNotUsed) {
    EXPECT_EQ(run(two + threshold(loops + "If ($A[$i].Value[$t - 1] -gt 0) " + alert + "} }"), usual).skipped,
              "its script uses values of other samples (line 1)");
    EXPECT_EQ(
        run(two + threshold(loops + "If ($A[$i].QuantizedTrend[$t] -gt 0) " + alert + "} }"), usual).not_evaluated,
        "uses the property QuantizedTrend (line 1)");
}

TEST(SampleScripts, ScriptsOfManySamplesTakeTime) {
    // 3,000 instances in 20 samples, of which a tenth exceed.
    std::vector<Sample> samples(20);
    for (Sample& sample : samples)
        for (int i = 0; i < 3000; ++i) sample[{"Reads", "i" + std::to_string(i)}] = i;
    const hkpd_test::ProcessorTime time;
    const Result result = run(two + threshold(loops + "If ($A[$i].Value[$t] -ge 2700) " + alert + "} }"), samples);
    EXPECT_EQ(result.findings.size(), 300U);
    EXPECT_LT(time.seconds(), 20);
}

}  // namespace hkpd::sample_script_test
