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

const std::string call = "StaticThreshold -CollectionOfCounterInstances $C -Operator 'gt' -Threshold ";

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

/// Returns the text that an expression makes, character by character: a limit is a number.
std::string text(const std::string& expression) {
    std::string made;
    const std::string begin = "$X = " + expression + "\n";
    const auto size = static_cast<std::size_t>(run(begin + call + "$X.Length").result);
    for (std::size_t i = 0; i < size; ++i)
        for (char c = ' '; c <= '~'; ++c) {
            const std::string one = c == '\'' ? "\"'\"" : std::string("'") + c + "'";
            const std::string tests = "If ($X.Substring(" + std::to_string(i) + ", 1).IndexOf(" + one + ") -eq 0) {";
            if (run(begin + tests + call + "1}").failure == Outcome::Failure::none) made += c;
        }
    return made;
}

std::string reason(const std::string& code) {
    const auto script = pal::parse_threshold(code);
    return script ? "" : script.error();
}

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
    EXPECT_TRUE(holds("5 -ne $null"));
    EXPECT_FALSE(holds("'' -eq $null"));
    EXPECT_TRUE(holds("5 -ne '-'"));
}

TEST(RuleScript, ArgumentsOfTheComparison) {
    const auto comparison = [](const std::string& code) { return pal::parse_threshold(code).value().comparison; };
    const std::string every =
        "#// A comment\n\nstaticthreshold -Threshold 1 -IsTrendOnly $True -Operator \"le\" "
        "-CollectionOfCounterInstances $CollectionOfX  # another\n\n#// end";
    EXPECT_EQ(comparison(every).collection, "CollectionOfX");
    EXPECT_TRUE(comparison(every).is_trend);
    EXPECT_EQ(run(every).operation, pal::Operation::less_equal);
    EXPECT_EQ(run("StaticThreshold -CollectionOfCounterInstances $C -Operator ge -Threshold 1").operation,
              pal::Operation::greater_equal);
    EXPECT_EQ(run("StaticThreshold -CollectionOfCounterInstances $C -Operator 'eq' -Threshold 1").operation,
              pal::Operation::equal);
    EXPECT_FALSE(comparison(call + "1 -IsTrendOnly $False").is_trend);
    EXPECT_EQ(run(call + "-1.5").result, -1.5);
    EXPECT_EQ(run(call + "(2 * 3)").result, 6);
}

TEST(RuleScript, ABranchMayCompareInAnotherWay) {
    const std::string less = "StaticThreshold -CollectionOfCounterInstances $C -Operator 'lt' -Threshold 3";
    const std::string code = "If ($C.Count -gt 4) {" + call + "7} Else {" + less + "}";
    EXPECT_EQ(run(code, 5).operation, pal::Operation::greater);
    EXPECT_EQ(run(code, 5).result, 7);
    EXPECT_EQ(run(code, 4).operation, pal::Operation::less);
    EXPECT_EQ(run(code, 4).result, 3);
    EXPECT_EQ(run(call + "7\n" + less).failure, Outcome::Failure::two_ways);
}

TEST(RuleScript, Texts) {
    EXPECT_EQ(text("'Windows'.Substring(0,3)"), "Win");
    EXPECT_EQ(text("$OS.substring(8)"), "Server");
    EXPECT_EQ(text("[string] $OS.ToUpper()"), "WINDOWS SERVER");
    EXPECT_EQ(text("'A' + 1 + 'b'"), "A1b");
    EXPECT_EQ(text("\"$OS has $($C.Count - 1) disks\""), "Windows Server has 4 disks");
    EXPECT_EQ(text("'a;b;;c'.Split(';')[3]"), "c");
    EXPECT_EQ(text("'\\??\\C:\\pagefile.sys' -Replace('\\\\\\?\\?\\\\','') -replace '\\\\PAGEFILE.sys', ''"), "C:");
    EXPECT_EQ(text("'\u00e4b'.Substring(1, 1)"), "b");  // characters, not bytes
    EXPECT_EQ(limit("'\u00e4b'.Length"), 2);
    EXPECT_EQ(limit("'a,b,c'.Split(',').Count"), 3);
    EXPECT_EQ(limit("''.Split(',').Count"), 1);
    EXPECT_EQ(limit("'abc'.IndexOf('c')"), 2);
    EXPECT_EQ(limit("'abc'.IndexOf('C')"), -1);
    EXPECT_EQ(limit("[int] '5' + '6'"), 11);
    EXPECT_EQ(run(call + "('abc'.Substring(4).Length)").failure, Outcome::Failure::no_item);
    EXPECT_EQ(run(call + "('abc'.Substring(1, 3).Length)").failure, Outcome::Failure::no_item);
    EXPECT_EQ(run("If ('a' -match 'a*') {" + call + "1}").failure, Outcome::Failure::pattern);
}

TEST(RuleScript, ListsAndMaps) {
    EXPECT_EQ(limit("@('a', 'b', 'c').Count"), 3);
    EXPECT_EQ(limit("@().Count"), 0);
    EXPECT_EQ(limit("(@(1, 2) + 3)[2]"), 3);
    EXPECT_EQ(run("$L = New-Object System.Collections.ArrayList\n[void] $L.Add(5); $L.Add(6)\n$L[0] = 7\n" + call +
                  "($L[0] + $L[1] + $L.Count)")
                  .result,
              15);
    // Copies of a list are the same list.
    EXPECT_EQ(run("$L = @(1)\n$M = $L\n$M.Add(2)\n" + call + "$L.Count").result, 2);
    EXPECT_EQ(run("$M = @{}\n$M.Add('a', 2); $M['B'] = 3; $M['A'] = 4\n" + call + "($M['a'] * 10 + $M['b'] + $M.Count)")
                  .result,
              45);
    EXPECT_EQ(
        run("$M = @{}\n$M['a'] = 2; $M['b'] = 3\n$S = 0; ForEach ($K in $M.Keys) { $S += $M[$K] }\n" + call + "$S")
            .result,
        5);
    EXPECT_EQ(run("$L = @(1)\n" + call + "$L[1]").failure, Outcome::Failure::no_item);
    EXPECT_EQ(run("$M = @{}\n" + call + "$M['x']").failure, Outcome::Failure::no_item);
    EXPECT_EQ(run("$X = 1\n" + call + "$X['x']").failure, Outcome::Failure::wrong_kind);
}

TEST(RuleScript, Loops) {
    EXPECT_EQ(run("$S = 0\nFor ($i=0;$i -lt 5;$i++)\n{ $S = $S + $i }\n" + call + "$S").result, 10);
    EXPECT_EQ(
        run("$S = 0\nFor ($i=9;$i -ge 0;$i -= 2) { If ($i -eq 5) { continue }; If ($i -lt 2) {break}; $S += $i }\n" +
            call + "$S")
            .result,
        9 + 7 + 3);
    EXPECT_EQ(run("$S = ''\nForEach ($x in 'a,b,c'.Split(','))\n{\n$S = $x + $S\n}\n" + call + "$S.Length").result, 3);
    EXPECT_EQ(run("$i = 1\nwhile ($i -lt 100) { $i *= 2 }\n" + call + "$i").result, 128);
    EXPECT_EQ(run("$i = 5\ndo { $i++ } until ($i -gt 3)\n" + call + "$i").result, 6);
    EXPECT_EQ(run("$i = 5\ndo { $i-- } while ($i -gt 3)\n" + call + "$i").result, 3);
    // An inner loop is left alone.
    EXPECT_EQ(run("$S = 0\nFor ($i=0;$i -lt 3;$i++) { For ($k=0;$k -lt 9;$k++) { If ($k -eq 2) { break }; $S++ } }\n" +
                  call + "$S")
                  .result,
              6);
}

TEST(RuleScript, SwitchTakesAllEqualCases) {
    const auto chosen = [](const std::string& value) {
        return run("$X = 0\nswitch (" + value +
                   ")\n{\n 'windows server' { $X += 1 }\n 2 { $X += 10; break }\n 2 { $X += 100 }\n"
                   " 'WINDOWS SERVER' { $X += 1000 }\n default { $X = -1 }\n}\n" +
                   call + "$X")
            .result;
    };
    EXPECT_EQ(chosen("$OS"), 1001);
    EXPECT_EQ(chosen("$(1 + 1)"), 10);
    EXPECT_EQ(chosen("'other'"), -1);
}

TEST(RuleScript, EveryEvaluationIsBounded) {
    const auto fails = [](const std::string& code) {
        const auto script = pal::parse_threshold(code + "\n" + call + "1");
        return script ? pal::describe(*script, run(code + "\n" + call + "1")) : script.error();
    };
    EXPECT_EQ(fails("$i = 0\nwhile ($True)\n{\n$i++ }"), "its script takes too many steps in one sample (line 2)");
    EXPECT_EQ(fails("For (;;) { }"), "its script takes too many steps in one sample (line 1)");
    EXPECT_EQ(fails("$S = 'xxxxxxxx'\nwhile ($True) {\n $S = $S + $S }"),
              "its script makes too many texts or elements (line 3)");
    EXPECT_EQ(fails("$L = @(1)\nwhile ($True) {\n $L = $L + $L }"),
              "its script makes too many texts or elements (line 3)");
    EXPECT_EQ(fails("$L = @()\nForEach ($x in $L) { }\n$L.Add($L)\nForEach ($x in $L) { $L.Add(1) }"),
              "its script takes too many steps in one sample (line 4)");
}

TEST(RuleScript, ReasonsWhyAScriptIsNotEvaluated) {
    EXPECT_EQ(reason("$X = 1\n\n$Y = Get-Date\n"), "uses the script command Get-Date (line 3)");
    const auto reason = [](const std::string& code) {
        std::string text = script_test::reason(code);
        const std::string line = " (line 1)";
        return text.ends_with(line) ? text.substr(0, text.size() - line.size()) : text;
    };
    EXPECT_EQ(reason("Remove-Item C:\\ -Recurse"), "uses the script command Remove-Item");
    EXPECT_EQ(reason(call + "1;Invoke-Expression $OS"), "uses the script command Invoke-Expression");
    EXPECT_EQ(reason(call + "(Get-Date)"), "uses the script command Get-Date");
    EXPECT_EQ(reason("$X = \"$(Get-Date)\""), "uses the script command Get-Date");
    EXPECT_EQ(reason("break"), "uses the script command break");
    EXPECT_EQ(reason("$X = New-Object System.Net.WebClient"), "uses the script command New-Object");
    EXPECT_EQ(reason("$X = $OS.GetType()"), "calls the method GetType");
    EXPECT_EQ(reason("$X = $OS.Chars"), "uses the property Chars");
    EXPECT_EQ(reason("$X = 'a'.Split()"), "calls the method Split with 0 arguments");
    EXPECT_EQ(reason("$X = [System.IO.File]::Delete('x')"), "uses the type System.IO.File");
    EXPECT_EQ(reason("$X = [math]::Pow(2, 3)"), "calls the method Pow");
    EXPECT_EQ(reason("[regex] $X = 1"), "uses the type regex");
    EXPECT_EQ(reason("$X = $C[0];" + call + "1"), "uses single values of $C");
    EXPECT_EQ(reason("$X++ + 1"), "uses \"+\" in a way that is no arithmetic");
    EXPECT_EQ(reason("$X = 'a"), "has a text without its closing quote");
    EXPECT_EQ(reason("$X = \"a`tb\""), "uses a text with an escape");
    EXPECT_EQ(reason("$X = 12abc"), "has the number 12abc");
    EXPECT_EQ(reason("$X = 1 % 2"), "uses \"%\" in a way that is no arithmetic");
    EXPECT_EQ(reason("$X = 1"), "does not call StaticThreshold");
    EXPECT_EQ(reason(""), "does not call StaticThreshold");
    EXPECT_EQ(reason("StaticThreshold -Operator 'gt' -Threshold 1"),
              "calls StaticThreshold without a collection, an operator or a threshold");
    EXPECT_EQ(reason("StaticThreshold -CollectionOfCounterInstances $C -Operator 'ne' -Threshold 1"),
              "compares by the operator ne, which PAL takes for gt");
    EXPECT_EQ(reason(call + "1 -Verbose"), "calls StaticThreshold with -Verbose");
    EXPECT_EQ(reason(call + "1;StaticThreshold -CollectionOfCounterInstances $D -Operator 'gt' -Threshold 1"),
              "compares in more than one way");
    EXPECT_EQ(reason("CreateAlert -TimeSliceIndex 0 -CounterInstanceObject 'x'"),
              "raises alerts for something that is no counter");
    EXPECT_EQ(reason("CreateAlert -TimeSliceIndex 0"), "calls CreateAlert without an instance or a sample");
    EXPECT_EQ(reason(call + "1 }"), "uses \"}\" in a way that is no arithmetic");
    EXPECT_EQ(reason("If ($True) { " + call + "1"), "has an incomplete statement");
    EXPECT_EQ(reason(call + "1 | Out-File x"), "uses \"|\" in a way that is no arithmetic");
    EXPECT_EQ(reason("$X = 1 & calc.exe"), "uses \"&\" in a way that is no arithmetic");
    EXPECT_EQ(reason("If AvgProcessor > 75 Then\n IsAvgThresholdBroken = True\nEnd If"),
              "is written in VBScript, which PAL no longer runs either");
}

TEST(RuleScript, NamesOfCollectionsMayHaveOtherCharacters) {
    const std::vector<std::string> names{"Of A==>B#1", "Of A", "Plain"};
    const auto compared = [&](const std::string& name) {
        const auto script = pal::parse_threshold(
            "StaticThreshold -CollectionOfCounterInstances $" + name + " -Operator 'gt' -Threshold 20", names);
        return script ? script->comparison.collection : script.error();
    };
    EXPECT_EQ(compared("Of A==>B#1"), "Of A==>B#1");
    EXPECT_EQ(compared("of a"), "of a");
    EXPECT_EQ(compared("Plain"), "Plain");
    EXPECT_EQ(compared("Other==>B"), "calls StaticThreshold without a collection, an operator or a threshold (line 1)");
}

TEST(RuleScript, DepthAndSizeAreBounded) {
    EXPECT_EQ(reason("$X = " + std::string(1000, '(') + "1" + std::string(1000, ')')), "is nested too deeply (line 1)");
    EXPECT_EQ(reason("$X = " + std::string(60000, '-') + "1"), "uses \"--\" in a way that is no arithmetic (line 1)");
    std::string minus = "$X = ", sum = "$X = 1", blocks, long_script = "$X = 1 #";
    for (int i = 0; i < 10000; ++i) minus += "- ";
    for (int i = 0; i < 10000; ++i) sum += "+1";
    for (int i = 0; i < 1000; ++i) blocks += "If ($True) {";
    long_script += std::string(pal::longest_script, 'x');
    EXPECT_EQ(reason(minus + "1"), "is nested too deeply (line 1)");
    EXPECT_EQ(reason(sum), "has too long an expression (line 1)");
    EXPECT_EQ(reason(blocks), "is nested too deeply (line 1)");
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
    EXPECT_EQ(describe("$X = $([Int]$PLEHealth) * 0.7\n" + call + "$X", {0, no_index}), "> PLEHealth * 0.7");
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

TEST(RuleScript, OtherLoopsAreNotRecognised) {
    const auto fails = [](const std::string& code) {
        const auto source = pal::parse_computed(code);
        return source ? "" : source.error().substr(0, source.error().find(" (line"));
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
    EXPECT_EQ(pal::parse_source_expression("1 + 2").error(), "uses no counter (line 1)");
    EXPECT_EQ(pal::parse_source_expression("[a] + Get-Date").error(), "uses the script command Get-Date (line 1)");
    EXPECT_EQ(pal::parse_source_expression("[a] [b]").error(), "uses \"[\" in a way that is no arithmetic (line 1)");
}

}  // namespace hkpd::script_test
