// The scripts of thresholds: what is evaluated, to which number, and what is not. Numbers are worked out by hand.
#include "rules/script.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rules/tokens.hpp"

namespace hkpd::script_test {

using pal::Outcome;
using pal::Value;
using Named = std::vector<std::pair<std::string, Value>>;

const Named usual{{"PhysicalMemory", Value::of("16")}, {"UserVa", Value::of("2048")},
                  {"OS", Value::of("Windows Server")}, {"IsOltp", Value::of_truth(true)},
                  {"PLEHealth", Value::of(" 1000 ")},  {"Word", Value::of("many")}};

/// Evaluates a threshold; all collections have `count` instances.
Outcome run(const std::string& code, double count = 5, const Named& named = usual) {
    const auto script = pal::parse_threshold(code);
    if (!script) {
        ADD_FAILURE() << code << ": " << script.error();
        return {};
    }
    std::vector<Value> variables;
    for (const std::string& variable : script->variables) {
        const auto found =
            std::ranges::find_if(named, [&](const auto& n) { return pal::same_name(n.first, variable); });
        variables.push_back(found == named.end() ? Value{} : found->second);
    }
    const std::vector<double> counts(script->collections.size(), count);
    return pal::evaluate(*script, {variables, counts, {}});
}

/// Returns the limit of a threshold whose argument is `expression`.
double limit(const std::string& expression) {
    const Outcome outcome =
        run("$X = " + expression + "\nStaticThreshold -CollectionOfCounterInstances $C -Operator 'gt' -Threshold $X");
    EXPECT_EQ(outcome.failure, Outcome::Failure::none) << expression;
    return outcome.result;
}

std::string reason(const std::string& code) {
    const auto script = pal::parse_threshold(code);
    return script ? "" : script.error();
}

const std::string call = "StaticThreshold -CollectionOfCounterInstances $C -Operator 'gt' -Threshold ";

TEST(RuleScript, NumbersAndUnits) {
    EXPECT_EQ(limit("50"), 50);
    EXPECT_EQ(limit("0.025"), 0.025);
    EXPECT_EQ(limit(".5"), 0.5);
    EXPECT_EQ(limit("1KB"), 1024);
    EXPECT_EQ(limit("100MB"), 104857600);
    EXPECT_EQ(limit("1gb"), 1073741824);
    EXPECT_EQ(limit("8TB"), 8796093022208);
    EXPECT_EQ(limit("0.5PB"), 562949953421312);
}

TEST(RuleScript, ArithmeticHasTheUsualPrecedence) {
    EXPECT_EQ(limit("2 + 3 * 4"), 14);
    EXPECT_EQ(limit("(2 + 3) * 4"), 20);
    EXPECT_EQ(limit("$(2 + 3) * 4"), 20);
    EXPECT_EQ(limit("20 - 3 - 4"), 13);
    EXPECT_EQ(limit("64 / 4 / 2"), 8);
    EXPECT_EQ(limit("-2 * -3"), 6);
    EXPECT_EQ(limit("-(2 + 3)"), -5);
    EXPECT_EQ(limit("2 +\n 3"), 5);
    EXPECT_EQ(limit("(2\n + 3\n)"), 5);
    EXPECT_EQ(limit("2 + `\r\n 3"), 5);
    EXPECT_EQ(limit("0.60 * 2GB"), 0.60 * 2147483648.0);
}

TEST(RuleScript, CastsRoundHalvesToTheEvenInteger) {
    EXPECT_EQ(limit("[int] 2.5"), 2);
    EXPECT_EQ(limit("[INT]3.5"), 4);
    EXPECT_EQ(limit("[int] -2.5"), -2);
    EXPECT_EQ(limit("[int] 2.4 * 10"), 20);  // a cast is of the next operand alone
    EXPECT_EQ(limit("[int] (2.4 * 10)"), 24);
    EXPECT_EQ(limit("[double] 2.5"), 2.5);
    EXPECT_EQ(limit("[int] ''"), 0);
    EXPECT_EQ(limit("[Math]::Round(2.5)"), 2);
    EXPECT_EQ(limit("[math]::round(0.375, 2)"), 0.38);
    EXPECT_EQ(limit("[math]::round(0.125, 2)"), 0.12);
    EXPECT_EQ(limit("[math]::Abs(3 - 5)"), 2);
}

TEST(RuleScript, AnswersAreNumbersWhereTheyAreUsedAsNumbers) {
    EXPECT_EQ(limit("$([Int] $PhysicalMemory * 1024) * 0.10"), 16384 * 0.10);
    EXPECT_EQ(limit("$physicalmemory * 2"), 32);
    EXPECT_EQ(limit("-$([Int]$PLEHealth) * 0.30"), -300);
    const Outcome text = run(call + "($Word * 2)");
    EXPECT_EQ(text.failure, Outcome::Failure::not_a_number);
    const auto script = pal::parse_threshold(call + "($Word * 2)");
    EXPECT_EQ(pal::describe(*script, text), "the answer to Word is no number");
}

TEST(RuleScript, AVariableWithATypeKeepsIt) {
    EXPECT_EQ(run("[int] $X = 5\n$X = $X / 2\n" + call + "$X").result, 2);
    EXPECT_EQ(run("$X = 5\n$X = $X / 2\n" + call + "$X").result, 2.5);
    EXPECT_EQ(run("[Int] $N = $C.Count - 1; " + call + "($N * 2)").result, 8);
}

TEST(RuleScript, BranchesAreTaken) {
    const std::string code =
        "If ($C.Count -gt 4) { $X = 1 } ElseIf ($C.Count -eq 4)\n{\n $X = 2\n}\nElse\n{ $X = 3 }\n";
    EXPECT_EQ(run(code + call + "$X", 5).result, 1);
    EXPECT_EQ(run(code + call + "$X", 4).result, 2);
    EXPECT_EQ(run(code + call + "$X", 3).result, 3);
    const std::string in_branches = "if ($C.Count -ge 2) {" + call + "1} else {" + call + "2}";
    EXPECT_EQ(run(in_branches, 2).result, 1);
    EXPECT_EQ(run(in_branches, 1).result, 2);
    EXPECT_EQ(run("If ($C.Count -lt 1) {" + call + "1}").failure, Outcome::Failure::no_result);
    // Of several limits in force, the one that most values exceed decides.
    EXPECT_EQ(run(call + "7\n" + call + "3\n" + call + "5").result, 3);
}

TEST(RuleScript, Conditions) {
    const auto holds = [](const std::string& condition) {
        return run("$X = 0; If (" + condition + ") {$X = 1}\n" + call + "$X").result == 1;
    };
    EXPECT_TRUE(holds("$True"));
    EXPECT_FALSE(holds("$False"));
    EXPECT_TRUE(holds("3 -gt 2 -and 2 -le 2"));
    EXPECT_TRUE(holds("(3 -lt 2) -or (2 -ne 3)"));
    EXPECT_FALSE(holds("-not (2 -eq 2)"));
    EXPECT_TRUE(holds("$OS -eq 'windows server'"));
    EXPECT_FALSE(holds("$OS -eq 'Windows'"));
    EXPECT_TRUE(holds("$UserVa -eq 2048"));
    EXPECT_TRUE(holds("$UserVa -gt 300"));  // as numbers, not as texts
    EXPECT_TRUE(holds("$($IsOltp) -eq $True"));
    EXPECT_TRUE(holds("$IsOltp -eq 'True'"));
    EXPECT_FALSE(holds("$IsOltp -eq $False"));
    EXPECT_TRUE(holds("$IsOltp"));
}

TEST(RuleScript, ArgumentsOfTheComparison) {
    const auto comparison = [](const std::string& code) { return pal::parse_threshold(code).value().comparison; };
    const auto all = comparison(
        "#// A comment\n\nstaticthreshold -Threshold 1 -IsTrendOnly $True -Operator \"le\" "
        "-CollectionOfCounterInstances $CollectionOfX  # another\n\n#// end");
    EXPECT_EQ(all.collection, "CollectionOfX");
    EXPECT_EQ(all.operation, pal::Operation::less_equal);
    EXPECT_TRUE(all.is_trend);
    EXPECT_EQ(comparison("StaticThreshold -CollectionOfCounterInstances $C -Operator ge -Threshold 1").operation,
              pal::Operation::greater_equal);
    EXPECT_FALSE(comparison(call + "1 -IsTrendOnly $False").is_trend);
    EXPECT_EQ(run(call + "-1.5").result, -1.5);
    EXPECT_EQ(run(call + "(2 * 3)").result, 6);
}

TEST(RuleScript, ReasonsWhyAScriptIsNotEvaluated) {
    EXPECT_EQ(reason("ForEach ($x in $C) { }"), "uses the script command ForEach");
    EXPECT_EQ(reason("For ($i=0;$i -lt 1;$i++) { " + call + "1 }"), "uses the script command For");
    EXPECT_EQ(reason("while ($True) { }"), "uses the script command while");
    EXPECT_EQ(reason("switch ($OS) { }"), "uses the script command switch");
    EXPECT_EQ(reason("Remove-Item C:\\ -Recurse"), "uses the script command Remove-Item");
    EXPECT_EQ(reason(call + "1\nInvoke-Expression $OS"), "uses the script command Invoke-Expression");
    EXPECT_EQ(reason(call + "(Get-Date)"), "uses the script command Get-Date");
    EXPECT_EQ(reason("$X = $OS.ToUpper()"), "calls the method ToUpper");
    EXPECT_EQ(reason("$X.Add(1)"), "calls the method Add");
    EXPECT_EQ(reason("$X = [System.IO.File]::Delete('x')"), "uses \".\" in a way that is no arithmetic");
    EXPECT_EQ(reason("$X = [math]::Pow(2, 3)"), "calls the method Pow");
    EXPECT_EQ(reason("$X = [string] $OS"), "uses the type string");
    EXPECT_EQ(reason("[string] $X = 1"), "uses the type string");
    EXPECT_EQ(reason("$X = $C[0]"), "uses single values of $C");
    EXPECT_EQ(reason("$X++"), "uses \"++\" in a way that is no arithmetic");
    EXPECT_EQ(reason("$X += 1"), "uses \"+=\" in a way that is no arithmetic");
    EXPECT_EQ(reason("$X = \"$OS\""), "uses a text in a way that is no arithmetic");
    EXPECT_EQ(reason("$X = 'a"), "has a text without its closing quote");
    EXPECT_EQ(reason("$X = 12abc"), "has the number 12abc");
    EXPECT_EQ(reason("$X = 1 % 2"), "uses \"%\" in a way that is no arithmetic");
    EXPECT_EQ(reason("$X = 1"), "does not call StaticThreshold");
    EXPECT_EQ(reason(""), "does not call StaticThreshold");
    EXPECT_EQ(reason("StaticThreshold -Operator 'gt' -Threshold 1"),
              "calls StaticThreshold without a collection, an operator or a threshold");
    EXPECT_EQ(reason("StaticThreshold -CollectionOfCounterInstances $C -Operator 'eq' -Threshold 1"),
              "compares by the operator eq");
    EXPECT_EQ(reason(call + "1 -Verbose"), "calls StaticThreshold with -Verbose");
    EXPECT_EQ(reason(call + "1\nStaticThreshold -CollectionOfCounterInstances $D -Operator 'gt' -Threshold 1"),
              "compares in more than one way");
    EXPECT_EQ(reason(call + "1 }"), "uses \"}\" in a way that is no arithmetic");
    EXPECT_EQ(reason("If ($True) { " + call + "1"), "has an incomplete statement");
    EXPECT_EQ(reason(call + "1 | Out-File x"), "uses \"|\" in a way that is no arithmetic");
    EXPECT_EQ(reason("$X = 1 & calc.exe"), "uses \"&\" in a way that is no arithmetic");
}

TEST(RuleScript, DepthAndSizeAreBounded) {
    EXPECT_EQ(reason("$X = " + std::string(1000, '(') + "1" + std::string(1000, ')')), "is nested too deeply");
    EXPECT_EQ(reason("$X = " + std::string(60000, '-') + "1"), "uses \"--\" in a way that is no arithmetic");
    std::string minus = "$X = ", sum = "$X = 1", blocks, long_script = "$X = 1 #";
    for (int i = 0; i < 10000; ++i) minus += "- ";
    for (int i = 0; i < 10000; ++i) sum += "+1";
    for (int i = 0; i < 1000; ++i) blocks += "If ($True) {";
    long_script += std::string(pal::longest_script, 'x');
    EXPECT_EQ(reason(minus + "1"), "is nested too deeply");
    EXPECT_EQ(reason(sum), "has too long an expression");
    EXPECT_EQ(reason(blocks), "is nested too deeply");
    EXPECT_EQ(reason(long_script), "is longer than 64 KiB");
}

TEST(RuleScript, FailuresOfEvaluation) {
    EXPECT_EQ(run(call + "(1 / 0)").failure, Outcome::Failure::not_finite);
    EXPECT_EQ(
        run("$X = 999999999999PB * 999999999999PB\n$X = $X * $X * $X * $X * $X * $X * $X\n" + call + "$X").failure,
        Outcome::Failure::not_finite);
    EXPECT_EQ(run(call + "$Nothing").failure, Outcome::Failure::unset);
    EXPECT_EQ(run(call + "($C.Count)", std::numeric_limits<double>::quiet_NaN()).failure,
              Outcome::Failure::unknown_count);
}

TEST(RuleScript, ComparisonsAreDescribed) {
    const auto describe = [](const std::string& code, std::vector<std::uint32_t> questions) {
        const auto script = pal::parse_threshold(code).value();
        questions.resize(script.variables.size(), no_index);
        const std::vector<std::string> paths(script.collections.size(), R"(\Processor(*)\% Processor Time)");
        return pal::describe_comparison(script, paths, questions);
    };
    EXPECT_EQ(describe(call + "80", {}), "> 80");
    EXPECT_EQ(describe(call + "100MB -IsTrendOnly $True", {}), "slope > 104857600 per hour");
    EXPECT_EQ(describe("$X = $([Int]$PLEHealth) * 0.7\n" + call + "$X", {no_index, 0}), "> PLEHealth * 0.7");
    EXPECT_EQ(describe("[Int] $N = $C.Count - 1\nIf ($N -eq 0) { $N = 1 }\n$T = $N * 2\n" + call + "$T", {}),
              R"(> (number of \Processor(*)\% Processor Time - 1 or 1) * 2)");
    EXPECT_EQ(describe("If ($OLTP) { $V = 90 } Else { $V = 50 }\n" + call + "$V", {0}), "> 90 or 50");
    EXPECT_EQ(describe(call + "(1 - (2 - 3))", {}), "> 1 - (2 - 3)");
}

// Computed data sources

double compute(const pal::ComputedSource& source, const std::vector<double>& elements) {
    const std::vector<Value> variables(source.script.variables.size());
    const Outcome outcome = pal::evaluate(source.script, {variables, {}, elements});
    return outcome.failure == Outcome::Failure::none ? outcome.result : std::numeric_limits<double>::quiet_NaN();
}

/// A loop over instances of the same name, as in PAL's files, with a body of our own.
std::string loop(const std::string& body) {
    return R"(
      $Result = @{}
      For ($i=0;$i -lt $Bytes.Count;$i++)
      {
        For ($a=0;$a -lt $Width.Count;$a++)
        {
          If ($Bytes[$i].CounterInstance -eq $Width[$a].CounterInstance)
          {
            $b = $a
          }
        }
        $alValues = New-Object System.Collections.ArrayList
        For ($v=0;$v -lt $Bytes[$i].Value.Count;$v++)
        {
)" + body + R"(
        }
        $sName = "\\$($Bytes[$i].CounterComputer)\Result"
        $Result.Add($sName,$alValues)
      })";
}

TEST(RuleScript, LoopsOverInstancesAreRecognised) {
    const auto source = pal::parse_computed(loop(R"(
        If (($Bytes[$i].QuantizedAvg[$v] -gt 0) -and ($Width[$b].Value[$v] -gt 0))
        {
            [int]$x = (([double]$Bytes[$i].QuantizedAvg[$v] * 8) / [double]$Width[$b].QuantizedAvg[$v]) * 100
            [void] $alValues.Add($x)
        }
        Else { [void] $alValues.Add(0) })"));
    ASSERT_TRUE(source) << source.error();
    EXPECT_EQ(source->inputs, (std::vector<std::string>{"Bytes", "Width"}));
    EXPECT_FALSE(source->by_server_instance);
    EXPECT_EQ(compute(*source, {125, 2000}), 50);
    EXPECT_EQ(compute(*source, {126, 2000}), 50);  // 50.4 %, rounded by the script
    EXPECT_EQ(compute(*source, {0, 2000}), 0);
    EXPECT_EQ(compute(*source, {125, 0}), 0);
    EXPECT_TRUE(std::isnan(compute(*source, {125, std::numeric_limits<double>::quiet_NaN()})));
}

TEST(RuleScript, OtherLoopsAreNotRun) {
    const auto fails = [](const std::string& code) {
        const auto source = pal::parse_computed(code);
        return source ? "" : source.error();
    };
    EXPECT_EQ(fails(loop("For ($x=0;$x -lt 9;$x++) { }")), "uses the script command For");
    EXPECT_EQ(fails(loop("[void] $alValues.Add($Bytes[$v].Value[$i])")), "uses single values of $Bytes");
    EXPECT_EQ(fails(loop("[void] $alValues.Add($Bytes.Count)")), "uses the number of instances");
    EXPECT_EQ(fails(loop("$alValues.Add(1)")), "calls the method Add");
    EXPECT_EQ(fails("$Result = @{}\nRemove-Item x"), "is no loop of the known form");
    EXPECT_EQ(fails(loop("[void] $alValues.Add(1)") + "\nRemove-Item x"), "is no loop of the known form");
    EXPECT_EQ(fails(""), "is no loop of the known form");
    const auto twice = pal::parse_computed(loop("[void] $alValues.Add(1)\n[void] $alValues.Add(2)"));
    ASSERT_TRUE(twice);
    EXPECT_TRUE(std::isnan(compute(*twice, {1, 2})));
}

TEST(RuleScript, ExpressionsNameCollectionsInBrackets) {
    const auto source = pal::parse_source_expression("100 * 8 * [Bytes] / [Width]");
    ASSERT_TRUE(source) << source.error();
    EXPECT_EQ(source->inputs, (std::vector<std::string>{"Bytes", "Width"}));
    EXPECT_EQ(compute(*source, {125, 2000}), 50);
    EXPECT_TRUE(std::isnan(compute(*source, {125, 0})));
    EXPECT_EQ(pal::parse_source_expression("[a] + [A] + [b]")->inputs.size(), 2U);
    EXPECT_EQ(pal::parse_source_expression("1 + 2").error(), "uses no counter");
    EXPECT_EQ(pal::parse_source_expression("[a] + Get-Date").error(), "uses the script command Get-Date");
    EXPECT_EQ(pal::parse_source_expression("[a] [b]").error(), "uses \"[\" in a way that is no arithmetic");
}

}  // namespace hkpd::script_test
