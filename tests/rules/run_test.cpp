// Evaluation over a run: findings against a naive computation that keeps all values, and what limits depend on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hkpd/rules.hpp"
#include "support/places.hpp"
#include "support/processor_time.hpp"

namespace hkpd::rule_run_test {

constexpr std::int64_t second = 1'000'000'000;

/// Returns an analysis with one data source, `$X`, and one threshold for each code.
std::string analysis(std::string_view sources, const std::vector<std::string>& calls,
                     std::string_view attributes = "") {
    std::string xml =
        "<ANALYSIS NAME='A' PRIMARYDATASOURCE='x' " + std::string(attributes) + ">" + std::string(sources);
    for (const std::string& call : calls) {
        // `critical:gt 80` or `gt 80 -IsTrendOnly $True`
        const bool critical = call.starts_with("critical:");
        const std::string rest = critical ? call.substr(9) : call;
        const std::size_t space = rest.find(' ');
        xml += std::string("<THRESHOLD NAME='t' CONDITION='") + (critical ? "Critical" : "Warning") +
               "'><CODE><![CDATA[StaticThreshold -CollectionOfCounterInstances $X -Operator '" + rest.substr(0, space) +
               "' -Threshold " + rest.substr(space + 1) + "]]></CODE></THRESHOLD>";
    }
    return xml + "</ANALYSIS>";
}

std::string source(std::string_view path, std::string_view variable = "X", std::string_view inside = "") {
    return "<DATASOURCE TYPE='CounterLog' NAME='x' EXPRESSIONPATH='" + std::string(path) + "' COLLECTIONVARNAME='" +
           std::string(variable) + "'>" + std::string(inside) + "</DATASOURCE>";
}

Rules rules_of(const std::string& content) {
    const std::string xml = "<PAL>" + content + "</PAL>";
    auto rules = Rules::parse(std::as_bytes(std::span(xml)), "test.xml");
    if (!rules) ADD_FAILURE() << rules.error();
    return *rules;
}

RuleRun run_of(const std::string& content, const std::vector<RuleAnswer>& answers = {}) {
    auto run = RuleRun::create(rules_of(content), answers);
    if (!run) ADD_FAILURE() << run.error();
    return *std::move(run);
}

RuleSeries series(std::string_view object, std::string_view counter, std::string_view instance,
                  std::string_view machine = "PC") {
    return {machine, object, counter, "", "", instance, true};
}
RuleSeries single(std::string_view object, std::string_view counter) {
    return {"PC", object, counter, "", "", "", false};
}

double no_slope(std::uint32_t /*number*/) { return std::numeric_limits<double>::quiet_NaN(); }

// Against a naive computation

struct Value {
    std::int64_t time;
    std::optional<double> value;
};

bool exceeds(const std::string& operation, double value, double limit) {
    if (operation == "gt") return value > limit;
    if (operation == "ge") return value >= limit;
    return operation == "lt" ? value < limit : value <= limit;
}

/// Computes a finding from all samples of a machine.
std::optional<RuleFinding> naive(const std::vector<Value>& samples, const std::string& operation, double limit) {
    RuleFinding finding;
    finding.limit = limit;
    std::size_t begin = samples.size();  // of the current period; the size if there is none
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::int64_t previous = i == 0 ? samples[0].time : samples[i - 1].time;
        const std::int64_t length = samples[i].time - previous;
        if (samples[i].value) {
            ++finding.values;
            finding.time += length;
        }
        if (!samples[i].value || !exceeds(operation, *samples[i].value, limit)) {
            begin = samples.size();
            continue;
        }
        const double value = *samples[i].value;
        const bool is_worse = operation.starts_with('g') ? value > finding.worst : value < finding.worst;
        if (finding.exceeding == 0 || is_worse) {
            finding.worst = value;
            finding.worst_time = samples[i].time;
        }
        if (finding.exceeding++ == 0) finding.first = samples[i].time;
        finding.last = samples[i].time;
        finding.exceeding_time += length;
        if (begin == samples.size()) begin = i;
        const std::int64_t from = samples[begin == 0 ? 0 : begin - 1].time;
        if (finding.exceeding == 1 || samples[i].time - from > finding.longest_to - finding.longest_from) {
            finding.longest_from = from;
            finding.longest_to = samples[i].time;
        }
    }
    return finding.exceeding == 0 ? std::nullopt : std::optional(finding);
}

void expect_equal(const RuleFinding& a, const RuleFinding& b, const std::string& about) {
    const auto all = [](const RuleFinding& f) {
        return std::tuple(f.limit, f.values, f.exceeding, f.time, f.exceeding_time, f.first, f.last, f.longest_from,
                          f.longest_to, f.worst, f.worst_time);
    };
    EXPECT_EQ(all(a), all(b)) << about;
}

TEST(RuleRun, FindingsEqualANaiveComputation) {
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same series each time
    const std::vector<std::string> operations{"gt", "ge", "lt", "le"};
    std::vector<std::string> calls;
    for (const std::string& operation : operations) calls.push_back(operation + " 5");
    std::size_t found = 0;
    for (int trial = 0; trial < 200; ++trial) {
        RuleRun run = run_of(analysis(source("\\O(*)\\C"), calls));
        constexpr std::uint32_t count = 5;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::string name = "i" + std::to_string(i), machine = i % 2 == 0 ? "PC" : "OTHER";
            ASSERT_TRUE(run.add_series(i, series("O", "C", name, machine)));
        }
        std::vector<std::vector<Value>> kept(count);
        std::int64_t time = 1'700'000'000 * second;
        for (auto samples = random() % 30; samples != 0; --samples) {
            const std::uint32_t odd = random() % 2;
            time += static_cast<std::int64_t>(random() % 100) * second / 10;
            std::vector<std::uint32_t> order;
            for (std::uint32_t i = odd; i < count; i += 2) order.push_back(i);
            std::ranges::shuffle(order, random);
            for (const std::uint32_t i : order) {
                kept[i].push_back({time, {}});
                if (random() % 5 == 0) continue;
                kept[i].back().value = static_cast<double>(random() % 11);
                run.add_value(i, *kept[i].back().value);
            }
            run.end_sample(odd == 0 ? "pc" : "OTHER", time);
        }
        std::map<std::pair<std::uint32_t, std::uint32_t>, RuleFinding> findings;
        for (const RuleFinding& finding : run.finish(no_slope)) findings[{finding.threshold, finding.series}] = finding;
        for (std::uint32_t threshold = 0; threshold < calls.size(); ++threshold)
            for (std::uint32_t i = 0; i < count; ++i) {
                const auto expected = naive(kept[i], operations[threshold], 5);
                const auto got = findings.find({threshold, i});
                ASSERT_EQ(got != findings.end(), expected.has_value()) << trial;
                if (expected) expect_equal(got->second, *expected, calls[threshold]);
                found += expected ? 1U : 0U;
            }
    }
    EXPECT_GT(found, 1000U);
}

TEST(RuleRun, FindingsAreOrdered) {
    RuleRun run = run_of(analysis(source("\\O(*)\\C"), {"gt 5", "critical:gt 8", "gt 1 -IsTrendOnly $True"}));
    run.add_series(0, series("O", "C", "short"));
    run.add_series(1, series("O", "C", "long"));
    for (std::int64_t i = 0; i < 5; ++i) {
        run.add_value(0, i == 4 ? 9 : 0);
        run.add_value(1, i >= 2 ? 6 : 0);
        run.end_sample("PC", i * second);
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
    for (const RuleFinding& f : run.finish([](std::uint32_t number) { return number == 0 ? 2.0 : 3.0; }))
        order.emplace_back(f.threshold, f.series);
    EXPECT_EQ(order, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 0}, {0, 1}, {0, 0}, {2, 1}, {2, 0}}));
}

TEST(RuleRun, ValuesWithoutUseAreIgnored) {
    RuleRun run = run_of(analysis(source("\\O(*)\\C"), {"gt 5"}));
    EXPECT_FALSE(run.add_series(0, series("O", "D", "i")));
    EXPECT_TRUE(run.add_series(1, series("O", "C", "i")));
    run.add_value(0, 9);
    run.add_value(7, 9);
    run.add_value(1, std::numeric_limits<double>::quiet_NaN());
    run.add_value(1, std::numeric_limits<double>::infinity());
    run.end_sample("PC", 1);
    EXPECT_TRUE(run.finish(no_slope).empty());
    EXPECT_EQ(run.skipped(0, 0), "no value in the input");
}

TEST(RuleRun, SamplesWithoutTimeHaveFindingsWithoutTimes) {
    RuleRun run = run_of(analysis(source("\\O(*)\\C"), {"gt 5"}));
    run.add_series(0, series("O", "C", "i"));
    for (int i = 0; i < 3; ++i) {
        run.add_value(0, 9);
        run.end_sample("PC", std::nullopt);
    }
    const auto findings = run.finish(no_slope);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].exceeding, 3U);
    EXPECT_EQ(findings[0].exceeding_time, 0);
}

TEST(RuleRun, TimesMayBeAtTheEndsOfTheirRange) {
    using Ends = std::numeric_limits<std::int64_t>;
    RuleRun run = run_of(analysis(source("\\O(*)\\C"), {"gt 5"}));
    run.add_series(0, series("O", "C", "i"));
    for (const std::int64_t time : {Ends::min(), Ends::max(), Ends::min(), Ends::max(), std::int64_t{0}}) {
        run.add_value(0, 9);
        run.end_sample("PC", time);
    }
    const auto findings = run.finish(no_slope);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].exceeding_time, Ends::max());
}

// Paths

TEST(RuleRun, PathsMatchNamesIgnoringCase) {
    const auto uses = [](std::string_view path, const RuleSeries& names) {
        return run_of(analysis(source(path), {"gt 5"})).add_series(0, names);
    };
    EXPECT_TRUE(uses("\\process(*)\\handle count", series("Process", "Handle Count", "a")));
    EXPECT_FALSE(uses("\\Process\\Handle Count", series("Process", "Handle Count", "a")));
    EXPECT_FALSE(uses("\\Process(*)\\Handle Count", single("Process", "Handle Count")));
    EXPECT_TRUE(uses("\\Process(a*)\\*", series("Process", "Handle Count", "abc")));
    EXPECT_FALSE(uses("\\Process(b*)\\*", series("Process", "Handle Count", "abc")));
    EXPECT_TRUE(uses("\\Proc?ss(_Total)\\% User Time", series("Process", "% User Time", "_total")));
    EXPECT_TRUE(uses("\\IPsec (v4) X(*)\\C", series("IPsec (v4) X", "C", "a(b)")));
    EXPECT_TRUE(uses("\\IPsec (v4)\\C", single("IPsec (v4)", "C")));
    EXPECT_TRUE(uses("\\\\SRV\\O(*)\\C", series("O", "C", "i", "srv")));
    EXPECT_FALSE(uses("\\\\SRV\\O(*)\\C", series("O", "C", "i", "PC")));
    const RuleSeries german{"PC", "Prozess", "Handleanzahl", "Process", "Handle Count", "a", true};
    EXPECT_TRUE(uses("\\Process(*)\\Handle Count", german));
    EXPECT_TRUE(uses("\\Prozess(*)\\Handleanzahl", german));
}

TEST(RuleRun, ExcludedInstancesAreNotCompared) {
    RuleRun run =
        run_of(analysis(source("\\O(*)\\C", "X", "<EXCLUDE INSTANCE='_Total'/><EXCLUDE INSTANCE='Hard*'/>"), {"gt 5"}));
    EXPECT_FALSE(run.add_series(0, series("O", "C", "_total")));
    EXPECT_FALSE(run.add_series(1, series("O", "C", "HarddiskVolume1")));
    EXPECT_TRUE(run.add_series(2, series("O", "C", "C:")));
}

TEST(RuleRun, DisabledAnalysesAreNotEvaluated) {
    RuleRun run = run_of(analysis(source("\\O(*)\\C"), {"gt 5"}, "ENABLED='False'"));
    EXPECT_FALSE(run.add_series(0, series("O", "C", "i")));
    EXPECT_TRUE(run.finish(no_slope).empty());
    EXPECT_EQ(run.skipped(0, 0), "the analysis is disabled in its file");
}

// Periods and trends

TEST(RuleRun, ShortPeriodsAreNoFindings) {
    std::string xml = analysis(source("\\O(*)\\C"), {"gt 5"});
    xml.insert(xml.find("CONDITION"), "LEASTSECONDS='20' ");
    RuleRun run = run_of(xml);
    run.add_series(0, series("O", "C", "spikes"));
    run.add_series(1, series("O", "C", "period"));
    for (std::int64_t i = 0; i < 9; ++i) {
        run.add_value(0, i % 2 == 0 ? 9 : 0);
        run.add_value(1, i == 3 || i == 4 ? 9 : 0);  // from the 3rd sample to the 5th: 20 s
        run.end_sample("PC", i * 10 * second);
    }
    const auto findings = run.finish(no_slope);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].series, 1U);
    EXPECT_EQ(findings[0].longest_from, 20 * second);
    EXPECT_EQ(findings[0].longest_to, 40 * second);
}

TEST(RuleRun, TrendsCompareTheSlope) {
    std::string xml = analysis(source("\\O(*)\\C"), {"gt 100 -IsTrendOnly $True", "lt -100 -IsTrendOnly $True"});
    xml.insert(xml.find("CONDITION"), "LEASTSECONDS='20' ");
    RuleRun run = run_of(xml);
    for (std::uint32_t i = 0; i < 4; ++i) run.add_series(i, series("O", "C", "i" + std::to_string(i)));
    for (std::int64_t sample = 0; sample < 3; ++sample) {
        for (std::uint32_t i = 0; i < 4; ++i)
            if (i != 3 || sample < 2) run.add_value(i, 1);
        run.end_sample("PC", sample * 10 * second);
    }
    const std::vector<double> slopes{99, 101, -150, 1000};  // the last series spans 10 s alone
    const auto findings = run.finish([&slopes](std::uint32_t number) { return slopes[number]; });
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].series, 2U);
    EXPECT_EQ(findings[0].slope, -150);
    EXPECT_EQ(findings[0].limit, -100);
    EXPECT_EQ(findings[1].series, 1U);
    EXPECT_EQ(findings[1].values, 0U);
}

// What limits depend on

const std::string of_processors =
    "<ANALYSIS NAME='Queue' PRIMARYDATASOURCE='x'>" + source("\\System\\Processor Queue Length") +
    source("\\Processor(*)\\% Processor Time", "P") +
    "<THRESHOLD NAME='t' CONDITION='Warning'><CODE><![CDATA[[Int] $N = $P.Count - 1\nIf ($N -eq 0) { $N = 1 }\n"
    "StaticThreshold -CollectionOfCounterInstances $X -Operator 'gt' -Threshold ($N * "
    "2)]]></CODE></THRESHOLD></ANALYSIS>";

TEST(RuleRun, LimitsDependOnTheNumberOfInstances) {
    RuleRun run = run_of(of_processors);
    run.add_series(0, single("System", "Processor Queue Length"));
    for (std::uint32_t i = 1; i <= 5; ++i)
        run.add_series(i, series("Processor", "% Processor Time", i == 5 ? "_Total" : std::to_string(i)));
    // The first sample has no rates, so that the number is known with the second. Its value counts nevertheless.
    for (std::int64_t sample = 0; sample < 3; ++sample) {
        run.add_value(0, sample == 1 ? 8 : 9);
        for (std::uint32_t i = 1; i <= 5 && sample != 0; ++i)
            if (sample == 1 || i != 2) run.add_value(i, 50);
        run.end_sample("PC", sample * second);
    }
    const auto findings = run.finish(no_slope);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].limit, 8);
    EXPECT_EQ(findings[0].exceeding, 2U);
    EXPECT_EQ(findings[0].first, 0);
    EXPECT_EQ(findings[0].last, 2 * second);
    EXPECT_EQ(findings[0].exceeding_time, second);
}

TEST(RuleRun, WithoutTheInstancesThereIsNoLimit) {
    RuleRun run = run_of(of_processors);
    run.add_series(0, single("System", "Processor Queue Length"));
    run.add_value(0, 1000);
    run.end_sample("PC", 0);
    EXPECT_TRUE(run.finish(no_slope).empty());
    EXPECT_EQ(run.skipped(0, 0), "no value of the counter whose instances it counts");
    RuleRun empty = run_of(of_processors);
    empty.finish(no_slope);
    EXPECT_EQ(empty.skipped(0, 0), "no such counter in the input");
}

const std::string of_memory =
    "<QUESTION QUESTIONVARNAME='PhysicalMemory' DATATYPE='string' DEFAULTVALUE='16'/>" +
    analysis(source("\\Memory\\Available MBytes"), {"lt ($([Int] $PhysicalMemory * 1024) * 0.10)"});

/// Returns the limit for memory; `megabytes`: values of the counter, whose instance _Total comes last.
double memory_limit(const std::vector<double>& megabytes, const std::vector<RuleAnswer>& answers, std::string& origin) {
    RuleRun run = run_of(of_memory, answers);
    run.add_series(0, single("Memory", "Available MBytes"));
    for (std::uint32_t i = 0; i < megabytes.size(); ++i)
        run.add_series(i + 1, series("NUMA Node Memory", "Total MBytes", i == 2 ? "_Total" : std::to_string(i)));
    for (std::int64_t sample = 0; sample < 2; ++sample) {
        run.add_value(0, 1);
        for (std::uint32_t i = 0; i < megabytes.size() && sample == 1; ++i) run.add_value(i + 1, megabytes[i]);
        run.end_sample("PC", sample * second);
    }
    const auto findings = run.finish(no_slope);
    origin = std::string(run.answers().at(0).origin) + " " + run.answers().at(0).value;
    EXPECT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings.at(0).exceeding, 2U);
    return findings.at(0).limit;
}

TEST(RuleRun, PhysicalMemoryIsTakenFromTheInput) {
    std::string origin;
    EXPECT_EQ(memory_limit({}, {}, origin), 16384 * 0.10);
    EXPECT_EQ(origin, "default 16");
    EXPECT_EQ(memory_limit({4096, 4096}, {}, origin), 8192 * 0.10);
    EXPECT_EQ(origin, "from the input 8");
    EXPECT_EQ(memory_limit({4096, 4096, 32768}, {}, origin), 32768 * 0.10);
    EXPECT_EQ(memory_limit({4096}, {{"physicalmemory", "64"}}, origin), 65536 * 0.10);
    EXPECT_EQ(origin, "given 64");
}

TEST(RuleRun, AnswersAreChecked) {
    const Rules rules = rules_of(
        "<QUESTION QUESTIONVARNAME='OS' DEFAULTVALUE='A' OPTIONS='A,B'/>"
        "<QUESTION QUESTIONVARNAME='PhysicalMemory' DEFAULTVALUE='16'/>");
    const auto error = [&rules](std::string name, std::string value) {
        const std::vector<RuleAnswer> answers{{std::move(name), std::move(value)}};
        auto run = RuleRun::create(rules, answers);
        return run ? std::string(run->answers()[0].value) : run.error();
    };
    EXPECT_EQ(error("os", "b"), "B");
    EXPECT_EQ(error("OS", "C"), "\"C\" is no answer to the question OS; expected one of: A, B");
    EXPECT_EQ(error("PhysicalMemry", "1"),
              "no question is called \"PhysicalMemry\"; the rules ask OS, PhysicalMemory; did you mean "
              "\"PhysicalMemory\"?");
    const std::vector<RuleAnswer> answers{{"a", "b"}};
    EXPECT_EQ(RuleRun::create(rules_of(""), answers).error(), "no question is called \"a\"; the rules ask no question");
}

TEST(RuleRun, AnAnswerThatIsNoNumberSkipsItsThresholds) {
    RuleRun run = run_of(of_memory, {{"PhysicalMemory", "much"}});
    run.add_series(0, single("Memory", "Available MBytes"));
    run.add_value(0, 1);
    run.end_sample("PC", 0);
    EXPECT_TRUE(run.finish(no_slope).empty());
    EXPECT_EQ(run.skipped(0, 0), "the answer to PhysicalMemory is no number");
}

// Computed series

const std::string utilisation =
    analysis(source("\\Network Interface(*)\\Bytes Total/sec", "B", "<EXCLUDE INSTANCE='lo'/>") +
                 source("\\Network Interface(*)\\Current Bandwidth", "W") +
                 "<DATASOURCE TYPE='Generated' NAME='g' EXPRESSIONPATH='\\Network Interface(*)\\% Utilization' "
                 "COLLECTIONVARNAME='X' EXPRESSION='100 * 8 * [B] / [W]'><EXCLUDE INSTANCE='isatap*'/></DATASOURCE>",
             {"gt 50", "gt 100 -IsTrendOnly $True"});

TEST(RuleRun, ComputedSeriesHaveTheValuesOfTheSameSample) {
    RuleRun run = run_of(utilisation);
    const std::vector<std::string> instances{"eth", "wlan", "lo", "isatap.x"};
    std::uint32_t number = 0;
    for (const char* counter : {"Bytes Total/sec", "Current Bandwidth"})
        for (const std::string& instance : instances)
            run.add_series(number++, series("Network Interface", counter, instance));
    ASSERT_EQ(run.derived().size(), 2U);
    EXPECT_EQ(run.derived()[0].number, RuleRun::first_derived);
    EXPECT_EQ(run.derived()[0].machine, "PC");
    EXPECT_EQ(run.derived()[0].object, "Network Interface");
    EXPECT_EQ(run.derived()[0].instance, "eth");
    EXPECT_EQ(run.derived()[0].counter, "% Utilization");
    // The bandwidth comes before and after the bytes: the order of values does not matter.
    const std::vector<std::pair<double, double>> eth{{125, 2000}, {150, 2000}, {200, 2000}, {200, 0}};
    for (std::size_t i = 0; i < eth.size(); ++i) {
        if (i % 2 == 0) run.add_value(4, eth[i].second);
        run.add_value(0, eth[i].first);
        if (i % 2 == 1) run.add_value(4, eth[i].second);
        run.add_value(1, 1e9);  // wlan has no bandwidth
        run.end_sample("PC", static_cast<std::int64_t>(i) * 10 * second);
        const std::size_t expected = i == 3 ? 0 : 1;  // a division by zero is no value
        ASSERT_EQ(run.derived_values().size(), expected);
        if (expected == 1) {
            EXPECT_EQ(run.derived_values()[0].number, RuleRun::first_derived);
            EXPECT_EQ(run.derived_values()[0].value, 100 * 8 * eth[i].first / eth[i].second);
        }
    }
    const auto findings = run.finish(no_slope);
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].series, RuleRun::first_derived);
    EXPECT_EQ(findings[0].values, 3U);
    EXPECT_EQ(findings[0].exceeding, 2U);
    EXPECT_EQ(findings[0].exceeding_time, 20 * second);
    EXPECT_EQ(findings[0].worst, 80);
    // 50, 60 and 80 % at 0, 10 and 20 s: least squares give 1.5 % per second.
    EXPECT_NEAR(findings[1].slope.value(), 1.5 * 3600, 1e-9);
}

TEST(RuleRun, ACounterWithoutInstancesBelongsToAll) {
    RuleRun run = run_of(analysis(source("\\Process(*)\\Private Bytes", "B") + source("\\Memory\\Commit Limit", "L") +
                                      "<DATASOURCE TYPE='Generated' EXPRESSIONPATH='\\Process(*)\\% of Limit' "
                                      "COLLECTIONVARNAME='X' EXPRESSION='100 * [B] / [L]'/>",
                                  {"gt 50"}));
    run.add_series(0, series("Process", "Private Bytes", "a"));
    run.add_series(1, series("Process", "Private Bytes", "a#1"));
    run.add_series(2, single("Memory", "Commit Limit"));
    run.add_value(0, 60);
    run.add_value(1, 70);
    run.add_value(2, 100);
    run.end_sample("PC", 0);
    ASSERT_EQ(run.derived_values().size(), 2U);
    EXPECT_EQ(run.derived_values()[0].value, 60);
    EXPECT_EQ(run.derived_values()[1].value, 70);
}

TEST(RuleRun, ANewInstanceReplacesTheOneBefore) {
    RuleRun run = run_of(utilisation);
    run.add_series(0, series("Network Interface", "Bytes Total/sec", "eth"));
    run.add_series(1, series("Network Interface", "Current Bandwidth", "eth"));
    run.add_series(2, series("Network Interface", "Current Bandwidth", "eth"));
    run.add_value(0, 125);
    run.add_value(2, 2000);
    run.end_sample("PC", 0);
    ASSERT_EQ(run.derived_values().size(), 1U);
    run.add_series(3, series("Network Interface", "Current Bandwidth", "eth", "OTHER"));
    run.add_value(0, 125);
    run.end_sample("PC", 1);
    EXPECT_EQ(run.derived_values().size(), 0U);
}

TEST(RuleRun, ManySeriesAndThresholdsAreFast) {
    std::string content;
    for (int i = 0; i < 125; ++i) {
        const std::string path = "\\Object " + std::to_string(i % 40) + "(*)\\Counter " + std::to_string(i % 50);
        content += analysis(source(path), {"gt 5"});
    }
    RuleRun run = run_of(content);
    std::uint32_t used = 0;
    const hkpd_test::ProcessorTime adding;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        const std::string object = "Object " + std::to_string(i % 40), counter = "Counter " + std::to_string(i % 50);
        used += run.add_series(i, series(object, counter, "instance " + std::to_string(i))) ? 1U : 0U;
    }
    if (hkpd_test::optimized) {
        EXPECT_LT(adding.seconds(), 0.05);
    }
    EXPECT_GT(used, 500U);
    const hkpd_test::ProcessorTime evaluating;
    constexpr int samples = 1000;
    for (int sample = 0; sample < samples; ++sample) {
        for (std::uint32_t i = 0; i < 2000; ++i) run.add_value(i, i % 10);
        run.end_sample("PC", sample * second);
    }
    if (hkpd_test::optimized) {
        EXPECT_LT(evaluating.seconds() / samples / 2000, 100e-9);
    }
    EXPECT_FALSE(run.finish(no_slope).empty());
}

TEST(RuleRun, HostilePathsTakeBoundedTime) {
    std::string content;
    std::string stars = "\\";
    for (int i = 0; i < 200; ++i) stars += "*a";
    for (int i = 0; i < 2000; ++i) content += analysis(source(stars + "b(*)\\*" + std::to_string(i % 2)), {"gt 5"});
    RuleRun run = run_of(content);
    const hkpd_test::ProcessorTime time;
    const std::string object(1000, 'a');
    for (std::uint32_t i = 0; i < 2000; ++i) run.add_series(i, series(object, "C0", "i"));
    run.finish(no_slope);
    EXPECT_LT(time.seconds(), 30);
    EXPECT_EQ(run.skipped(0, 0), "comparing counter paths with wildcards takes too long");
}

}  // namespace hkpd::rule_run_test
