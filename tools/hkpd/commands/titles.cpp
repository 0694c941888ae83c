#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "flags/format_option.hpp"
#include "flags/options.hpp"
#include "flags/shared_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/input_list.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

struct TitlesOptions {
    Strings words, languages;
    std::string format = "text", output;
    bool verbose = false;
};

constexpr HelpText titles_help{
    .question = "Which number and which name does a counter have?",
    .usage =
        "list [--format text|json] [FILE]...\nfind [--format text|json] NAME|INDEX [FILE]...\nexport --format "
        "text|json|multi_sz [FILE]...",
    .prose =
        "Reads title databases: REG_MULTI_SZ data, perfcNNN.dat and perfhNNN.dat, text with indices and titles on "
        "alternate lines or on the same line, reg export (.reg) or reg query of the Perflib key, captures, performance "
        "logs (.blg), and directories of these. Without FILE, reads the built-in English titles of Windows.",
    .usual = "",
    .examples =
        "hkpd titles find 'processor*'\n"
        "hkpd titles find 6 perf.blg\n"
        "hkpd titles export --format multi_sz perfc009.dat -o Counter.bin\n",
    .words = "list find export"};

po::options_description describe(TitlesOptions& o) {
    po::options_description shown;
    auto add = shown.add_options();
    add("lang", po::value(&o.languages)->value_name("NNN"), "only titles of this language, such as 009");
    describe_format(shown, o.format, {"text", "json", "multi_sz"});
    describe_output(shown, o.output);
    describe_verbose(shown, o.verbose);
    return shown;
}

void export_multi_sz(std::span<const TitleTable* const> tables, std::string& out) {
    for (const TitleTable* table : tables) append_multi_sz(out, *table);
    out.append(2, '\0');
}

bool is_wanted(const TitleTable& table, const Strings& languages) {
    if (languages.empty()) return true;
    return std::ranges::any_of(languages, [&](const std::string& language) {
        return normal_language(table.language()) == normal_language(language);
    });
}

/// Returns the position of the first file among the words of the command line.
std::size_t first_file(const TitlesOptions& options) { return options.words.front() == "find" ? 2 : 1; }

/// Returns what is wrong with the command line; empty if nothing.
std::string wrong_usage(const TitlesOptions& options) {
    if (options.words.empty()) return "missing command: list, find or export";
    const std::string& verb = options.words.front();
    if (const auto verbs = split(titles_help.words, ' '); std::ranges::count(verbs, verb) == 0)
        return fmt::format("expected list, find or export, found '{}'{}", verb, suggest(verb, verbs));
    if (verb == "find" && options.words.size() < 2) return "find: missing name or index";
    if (verb != "export" && options.format == "multi_sz") return "--format multi_sz requires export";
    for (const std::string& language : options.languages)
        if (!is_language(language)) return not_a_language(language);
    for (const std::string& path : std::span(options.words).subspan(first_file(options)))
        if (std::string wrong = check_output(path, options.output); !wrong.empty()) return wrong;
    return {};
}

Exit run(const TitlesOptions& options) {
    const std::string& verb = options.words.front();
    Strings files(options.words.begin() + static_cast<std::ptrdiff_t>(first_file(options)), options.words.end());
    if (const auto failed = take_inputs("titles", files, false)) return *failed;
    Diagnostics diagnostics;
    const Titles titles = load_titles(files, options.languages, diagnostics);
    Exit found = report(diagnostics, options.verbose ? Verbosity::notes_too : Verbosity::faults);

    std::vector<const TitleTable*> tables;
    for (const std::uint32_t position : titles.order())
        if (const TitleTable& table = titles.tables()[position]; is_wanted(table, options.languages))
            tables.push_back(&table);
    if (titles.empty()) return found == Exit::good ? end_with("titles", Cause::no_title, "no titles found") : found;
    for (const std::string& language : options.languages)
        if (!titles.has_language(language))
            found = std::max(found, end_with("titles", Cause::no_title,
                                             fmt::format("no table in the language {}", normal_language(language))));
    if (tables.empty()) return found;
    std::string out;
    const bool json = options.format == "json";
    if (verb == "find") {
        // The length of the pattern is limited, because a comparison takes time proportional to the product of the
        // lengths of pattern and title.
        if (CounterPath::is_too_long(options.words[1]))
            return usage_error("titles", fmt::format("NAME: expected at most {} characters, found {} bytes",
                                                     CounterPath::longest, options.words[1].size()));
        const Pattern pattern(options.words[1]);
        if (!json) append_matching_titles(out, tables, pattern);
        if (json ? append_titles_json(out, tables, &pattern) == 0 : out.empty()) {
            const Exit none = end_with("titles", Cause::no_title,
                                       fmt::format("no title matches '{}'{}", options.words[1],
                                                   did_you_mean(similar_title(tables, options.words[1]))));
            return found == Exit::good ? none : found;
        }
    } else if (json) {
        append_titles_json(out, tables, nullptr);
    } else if (verb == "list") {
        append_titles(out, tables);
    } else {
        const bool one_language = std::ranges::all_of(
            tables, [&](const TitleTable* table) { return table->language() == tables.front()->language(); });
        if (!one_language) return usage_error("titles", "the tables have several languages: select one with --lang");
        options.format == "text" ? append_title_lines(out, tables) : export_multi_sz(tables, out);
    }
    OutputFile file("titles", options.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    file.write(out);
    return file.finish(found, is_complete(found, tables.size()));
}

}  // namespace

Description describe_titles() {
    TitlesOptions o;
    return {titles_help, describe(o)};
}

Exit titles(const Strings& arguments) {
    TitlesOptions options;
    if (const auto done = parse_options("titles", arguments, describe(options), options.words, titles_help))
        return *done;
    if (const std::string wrong = wrong_usage(options); !wrong.empty()) return usage_error("titles", wrong);
    return run(options);
}

}  // namespace hkpd::command
