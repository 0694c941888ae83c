// Help as manual pages in roff with the macros of man(7).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "build_facts.hpp"
#include "flags/help.hpp"
#include "hkpd/version.hpp"
#include "terminal/cause.hpp"

namespace hkpd::command {
namespace {

/// The terms that help texts, messages and output use. CONTRIBUTING.md has more terms, for developers.
constexpr auto terms = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"V1", "the registry interface: what RegQueryValueEx(HKEY_PERFORMANCE_DATA) returns"},
    {"V2", "the PerfLib interface: what PerfQueryCounterData and the other consumer functions return"},
    {"blob", "the bytes that one call returned, unchanged"},
    {"object, counterset",
     "a group of counters with a common subject, such as Process: an object in V1, a counterset in V2"},
    {"instance", "one member of an object, such as one process"},
    {"_Total", "the instance that a provider adds for the sum or the mean of all others"},
    {"counter", "one value of each instance; its type decides how it is computed and shown"},
    {"title index",
     "the number of an object or counter in V1; the title database of a language has its name and help text"},
    {"raw value, cooked value",
     "the number that was stored, and the one computed from it by the formula of the counter type (PDH: formatted "
     "value); rates are computed from two consecutive samples"},
    {"base", "the second number that the formulas of fractions and averages divide by: a counter of its own in V1"},
    {"sample", "all objects of one machine at one moment"},
    {"record", "one entry of a capture or log: a blob, titles, provenance"},
    {"capture", "an MCAP file of records, written by hkpd capture"},
    {"log",
     "a performance log, written by PerfMon, logman or relog: .blg, or a text (.csv, .tsv, text of Get-Counter)"},
    {"provider, consumer", "the program that supplies counters, and the program that reads them"},
    {"fault", "anything in the input that breaks a rule: an error, a warning, or a note for unusual but valid data"},
});

constexpr std::size_t source_width = 72;

/// Escapes a text for roff. Hyphens are escaped too: roff can show an unescaped hyphen as another character, and a
/// copied option would then not work.
std::string roff(std::string_view text) {
    std::string out;
    for (const std::string_view::value_type c : text) {
        if ((c == '.' || c == '\'') && (out.empty() || out.ends_with('\n'))) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if (c == '\'')
            out += "\\(aq";
        else if (c == '^')
            out += "\\(ha";
        else if (c == '~')
            out += "\\(ti";
        else if (c == '`')
            out += "\\(ga";
        else
            out += c;
    }
    return out;
}

/// Returns a paragraph as roff source: wrapped into lines of up to `source_width` characters, then escaped.
std::string paragraph_of_man(std::string_view text) {
    std::string broken;
    append_wrapped(broken, text, 0, source_width);
    return roff(broken);
}

std::string upper_case(std::string_view name) {
    std::string out;
    for (const std::string_view::value_type c : name)
        out += c >= 'a' && c <= 'z' ? static_cast<std::string_view::value_type>(c - 'a' + 'A') : c;
    return out;
}

std::string begin(std::string_view title, std::string_view name, std::string_view summary) {
    return fmt::format(".TH {} 1 \"{}\" \"hkpd {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", title, build_date(),
                       linked_version(), roff(name), roff(summary));
}

void append_paragraphs_of_man(std::string& out, std::string_view text) {
    bool first = true;
    for (const std::string_view paragraph : split(text, '\n')) {
        if (!first) out += ".PP\n";
        out += paragraph_of_man(paragraph);
        first = false;
    }
}

void append_option_of_man(std::string& out, const ShownOption& option) {
    out += ".TP\n";
    if (!option.letter.empty()) out += fmt::format("\\fB{}\\fR, ", roff(option.letter));
    out += fmt::format("\\fB{}\\fR", roff(option.name));
    if (!option.value.empty()) out += fmt::format(" \\fI{}\\fR", roff(option.value));
    out += '\n' + paragraph_of_man(option.text);
}

void append_notes(std::string& out, const HelpText& text) {
    bool first = true;
    for (const std::string_view details :
         {text.details, text.input_details, text.shared_details, text.redact_details}) {
        if (details.empty()) continue;
        out += std::exchange(first, false) ? ".SH NOTES\n" : ".PP\n";
        append_paragraphs_of_man(out, details);
    }
}

/// Returns the causes for which a subcommand ends, with those of the same exit code next to each other.
std::vector<CauseRow> rows_by_exit() {
    std::vector<CauseRow> rows(causes().begin(), causes().end());
    std::ranges::stable_sort(rows, {}, &CauseRow::exit);
    return rows;
}

void append_exit_codes(std::string& out) {
    out += ".SH EXIT STATUS\n";
    std::optional<Exit> code;
    for (const CauseRow& row : rows_by_exit()) {
        if (code != row.exit) out += fmt::format("{}.TP\n.B {}\n", code ? "\n" : "", static_cast<int>(row.exit));
        out += fmt::format("{}{}", code == row.exit ? "; " : "", roff(row.meaning));
        code = row.exit;
    }
    out += '\n';
}

void append_see_also(std::string& out, std::string_view but) {
    out += ".SH SEE ALSO\n";
    std::string pages;
    if (!but.empty()) pages = ".BR hkpd (1)";
    for (const Subcommand& other : subcommands())
        if (other.name != but) pages += fmt::format("{}.BR hkpd\\-{} (1)", pages.empty() ? "" : ",\n", other.name);
    out += pages + ",\n.BR hkpd\\-tutorial (7)\n";
}

}  // namespace

std::string man_page(const Subcommand& subcommand) {
    const Description description = whole_description(subcommand);
    const HelpText& text = description.text;
    std::string out = begin(fmt::format("HKPD\\-{}", upper_case(subcommand.name)),
                            fmt::format("hkpd-{}", subcommand.name), subcommand.summary);
    out += ".SH SYNOPSIS\n";
    for (bool first = true; const std::string_view usage : split(text.usage, '\n')) {
        if (!std::exchange(first, false)) out += ".br\n";
        out += fmt::format("\\fBhkpd {}\\fR {}\n", subcommand.name, roff(usage));
    }
    out += ".SH DESCRIPTION\n" + paragraph_of_man(text.question) + ".PP\n";
    append_paragraphs_of_man(out, text.prose);
    out += ".SH OPTIONS\n";
    for (const auto& [heading, options] : in_groups(shown_options(description))) {
        if (!heading.empty()) out += fmt::format(".SS {}\n", heading);
        for (const ShownOption& option : options) append_option_of_man(out, option);
    }
    append_notes(out, text);
    append_exit_codes(out);
    out += ".SH EXAMPLES\n.nf\n" + roff(text.examples);
    out += ".fi\n";
    append_see_also(out, subcommand.name);
    return out;
}

std::string man_page_of_all() {
    std::string out = begin("HKPD", "hkpd", "decode Windows performance data");
    out +=
        ".SH SYNOPSIS\n\\fBhkpd\\fR \\fISUBCOMMAND\\fR [OPTION]... INPUT...\n.br\n\\fBhkpd\\fR INPUT...\n.br\n"
        "\\fBhkpd \\-\\-help\\fR\n.br\n\\fBhkpd \\-\\-version\\fR\n.SH DESCRIPTION\n";
    append_paragraphs_of_man(out, about_hkpd);
    out += ".PP\n" + paragraph_of_man(about_input_alone);
    out += ".SH EXAMPLES\n";
    for (const auto& [command, question] : first_examples)
        out += fmt::format(".TP\n.B {}\n{}\n", roff(command), roff(question));
    out += ".SH SUBCOMMANDS\n";
    std::string_view group;
    for (const Subcommand& subcommand : subcommands()) {
        if (subcommand.group != std::exchange(group, subcommand.group)) out += fmt::format(".SS {}\n", group);
        out += fmt::format(".TP\n.BR hkpd\\-{} (1)\n{}\n", subcommand.name, roff(subcommand.summary));
    }
    out += ".SH TERMS\n";
    for (const auto& [term, meaning] : terms)
        out += fmt::format(".TP\n\\fB{}\\fR\n{}", roff(term), paragraph_of_man(meaning));
    append_exit_codes(out);
    append_see_also(out, "");
    return out;
}

}  // namespace hkpd::command
