// For Windows PowerShell 5.1 and later. Where nothing is offered, PowerShell completes names of files by itself.
#include <fmt/format.h>

#include "completion.hpp"

namespace hkpd::command {
namespace {

constexpr std::string_view powershell_quote = "''";

std::string list_for_powershell(const std::vector<std::string_view>& words) {
    std::string list;
    for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + quoted(word, powershell_quote);
    return "@(" + list + ")";
}

void append_texts(std::string& out, const std::vector<Completed>& subcommands) {
    out += "    $texts = [ordered]@{\n";
    for (const Completed& subcommand : subcommands)
        out += fmt::format("        '{}' = {}\n", subcommand.name, quoted(subcommand.summary, powershell_quote));
    out += "    }\n";
}

void append_options(std::string& out, const std::vector<Completed>& subcommands) {
    out += "    $options = @{\n";
    for (const Completed& subcommand : subcommands) {
        out += fmt::format("        '{}' = [ordered]@{{\n", subcommand.name);
        for (const ShownOption& option : subcommand.options)
            out +=
                fmt::format("            '{}' = {}\n", option.name, quoted(short_text(option.text), powershell_quote));
        out += "        }\n";
    }
    out += "    }\n";
}

void append_values(std::string& out, const std::vector<Completed>& subcommands) {
    out += "    # By what stands before the word: a subcommand, or one and its option.\n    $values = @{\n";
    for (const Completed& subcommand : subcommands) {
        if (!subcommand.words.empty())
            out += fmt::format("        '{}' = {}\n", subcommand.name, list_for_powershell(subcommand.words));
        for (const ShownOption& option : subcommand.options)
            if (option.takes == ArgumentKind::word)
                out += fmt::format("        '{} {}' = {}\n", subcommand.name, option.name,
                                   list_for_powershell(option.words));
    }
    out += "    }\n";
}

}  // namespace

std::string powershell_completion(const std::vector<Completed>& subcommands) {
    std::string out =
        "# PowerShell completion for hkpd, as `hkpd completion powershell` writes it\n"
        "Register-ArgumentCompleter -Native -CommandName hkpd, hkpd.exe -ScriptBlock {\n"
        "    param($wordToComplete, $commandAst, $cursorPosition)\n";
    append_texts(out, subcommands);
    append_options(out, subcommands);
    append_values(out, subcommands);
    out +=
        "    $before = @($commandAst.CommandElements |\n"
        "        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |\n"
        "        ForEach-Object { $_.Extent.Text })\n"
        "    $found = [ordered]@{}\n"
        "    if ($before.Count -le 1) {\n"
        "        $found = $texts\n"
        "    } else {\n"
        "        $subcommand = $before[1]\n"
        "        $key = if ($before.Count -eq 2) { $subcommand } else { \"$subcommand $($before[-1])\" }\n"
        "        if ($wordToComplete -notlike '-*' -and $values.ContainsKey($key)) {\n"
        "            foreach ($word in $values[$key]) { $found[$word] = $word }\n"
        "        } elseif ($wordToComplete -like '-*' -and $options.ContainsKey($subcommand)) {\n"
        "            $found = $options[$subcommand]\n"
        "        }\n"
        "    }\n"
        "    foreach ($word in $found.Keys) {\n"
        "        if ($word.StartsWith($wordToComplete)) {\n"
        "            [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', "
        "$found[$word])\n"
        "        }\n"
        "    }\n"
        "}\n";
    return out;
}

}  // namespace hkpd::command
