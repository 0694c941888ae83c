#include "flags/input_options.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <span>

#include "flags/shared_options.hpp"
#include "flags/time_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"
#include "terminal/cause.hpp"
#include "terminal/input_file.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

std::optional<SampleSource> source_of(std::string_view name) {
    for (const SampleSource source : {SampleSource::v1, SampleSource::v2, SampleSource::log})
        if (name == source_name(source)) return source;
    return std::nullopt;
}

}  // namespace

void describe_interface(po::options_description& shown, InputOptions& o) {
    shown.add_options()("source",
                        choice("v1 v2 log")->notifier([&o](const std::string& name) { o.only = source_of(name); }),
                        "only samples of the registry, PerfLib or logs; default: all of files, v1 of a machine");
}

void describe_sources(po::options_description& shown, InputOptions& o) {
    describe_title_files(shown, o.titles);
    describe_languages(shown, o.languages);
    shown.add_options()("names", choice("log english")->notifier([&o](const std::string& name) {
        o.english_names = name == "english";
    }),
                        "names as in the input (log, default), or in English");
    describe_v2_files(shown, {&o.v2.blocks, &o.v2.registrations, &o.v2.identifiers});
    describe_log_zones(shown, o.log_zone_texts);
    describe_encoding(shown, o.encoding_name);
    describe_recursive(shown, o.recursive);
    describe_live(shown, o.live);
    describe_value_limit(shown, o.limit_values);
    describe_expansion(shown, o.limit_expansion);
    describe_verbose(shown, o.verbose);
}

void describe_inputs(po::options_description& shown, InputOptions& o) {
    describe_sources(shown, o);
    auto add = shown.add_options();
    add("object", po::value(&o.objects)->value_name("X"), "objects: index, name, wildcard or GUID (repeatable)");
    add("instance", po::value(&o.instances)->value_name("X"), "instances: name or wildcard (repeatable)");
    add("counter", po::value(&o.counters)->value_name("X"), "counters: index, id, name, wildcard (repeatable)");
    add("path", po::value(&o.paths)->value_name("PATH"), "counter path such as '\\System\\Threads' (repeatable)");
    add("cf", po::value(&o.path_files)->value_name("FILE"), "file of counter paths, one per line (also -cf)");
    add("limit-names", text_option(o.limit_names, "MIB"),
        "maximum size of all names in the output: this number of MiB (default 256) plus 64 bytes for each byte of "
        "input; values with further names are left out, with an error");
    add("strict", po::bool_switch(&o.strict), "stop at the first warning or error");
}

std::optional<Exit> read_path_files(std::string_view subcommand, InputOptions& options) {
    for (const std::string& file : options.path_files) {
        const auto content = read_file(file);
        if (!content) {
            complain(subcommand, content.error());
            return exit_of(Cause::unreadable);
        }
        const auto paths = read_path_list(Bytes(std::as_bytes(std::span(*content))));
        if (paths.empty()) return usage_error(subcommand, fmt::format("{}: no counter path found", file));
        for (const std::string& path : paths) {
            if (!CounterPath::parse(path))
                return usage_error(subcommand, fmt::format("{}: {}", file, not_a_path(path)));
            options.paths.push_back(path);
        }
    }
    return std::nullopt;
}

std::string check_identifiers(const V2Files& v2, std::string_view option) {
    if (!v2.identifiers.empty() && v2.blocks.empty())
        return fmt::format("--identifiers requires {}, whose blocks answer that query", option);
    if (v2.identifiers.size() > 1 && v2.identifiers.size() != v2.blocks.size())
        return fmt::format("{} files for --identifiers and {} for {}: give one for all files or one for each",
                           v2.identifiers.size(), v2.blocks.size(), option);
    return {};
}

/// Checks the options of a machine, selects the interface to read, and requests the objects that the filters need.
/// Returns what is wrong with the options; empty if nothing.
std::string check_machine(InputOptions& options) {
    LiveOptions& live = options.live;
    if (std::string wrong = check_live(live); !wrong.empty() || !live.any()) return wrong;
    if (!options.inputs.empty() || !options.v2.blocks.empty())
        return "a machine and files cannot be combined: make a capture of each";
    if (options.only == SampleSource::log) return "--source log applies to files: use v1 or v2 for a machine";
    live.wanted.v1 = options.only != SampleSource::v2;
    live.wanted.v2 = options.only == SampleSource::v2;
    if (!live.wanted.v1 && !live.query.empty()) return query_without_registry;
    live.wanted.languages = options.languages;
    if (!options.titles.empty()) return {};  // the filters name objects as these titles do, and the machine may not
    live.wanted.objects = options.objects;
    for (const std::string& path : options.paths)
        if (const auto parsed = CounterPath::parse(path)) live.wanted.objects.push_back(parsed->object);
    return {};
}

std::string check_inputs(InputOptions& options, Limits& limits) {
    for (const std::string& language : options.languages)
        if (!is_language(language)) return not_a_language(language);
    if (options.english_names && options.languages.empty()) options.languages = {"009"};
    if (std::string wrong = read_log_zones(options.log_zone_texts, options.log_zones); !wrong.empty()) return wrong;
    if (std::string wrong = read_encoding(options.encoding_name, options.encoding); !wrong.empty()) return wrong;
    constexpr std::uint64_t most_values = std::numeric_limits<std::uint64_t>::max();
    if (std::string wrong = read_number("--limit-values", options.limit_values, 1, most_values, limits.values);
        !wrong.empty())
        return wrong;
    if (std::string wrong = read_expansion(options.limit_expansion, limits); !wrong.empty()) return wrong;
    constexpr std::uint64_t mib = 1U << 20U, most_names = 1'000'000;
    std::uint64_t names = limits.names / mib;
    if (std::string wrong = read_number("--limit-names", options.limit_names, 1, most_names, names); !wrong.empty())
        return wrong;
    limits.names = names * mib;
    if (std::string wrong = check_identifiers(options.v2, "--v2"); !wrong.empty()) return wrong;
    if (std::string wrong = check_machine(options); !wrong.empty()) return wrong;
    if (options.inputs.empty() && options.v2.blocks.empty() && !options.live.any())
        return "no input: give a file, a directory, - for standard input, --v2 FILE, or --live on Windows";
    return {};
}

Strings all_inputs(const InputOptions& options) {
    Strings all = options.inputs;
    for (const Strings* more : {&options.v2.blocks, &options.v2.identifiers, &options.v2.registrations})
        all.insert(all.end(), more->begin(), more->end());
    return all;
}

bool selects_any(const InputOptions& options) noexcept {
    return !options.objects.empty() || !options.instances.empty() || !options.counters.empty() ||
           !options.paths.empty() || !options.path_files.empty();
}

std::string make_filter(const InputOptions& options, Filter& filter) {
    const auto add = [&](const Strings& texts, NameKind kind, void (Filter::*to)(std::string_view)) {
        for (const std::string& text : texts) {
            const auto pattern = redacted_pattern(options.redact, kind, text);
            if (!pattern) return pattern.error();
            (filter.*to)(*pattern);
        }
        return std::string();
    };
    if (std::string wrong = add(options.objects, NameKind::title, &Filter::add_object); !wrong.empty()) return wrong;
    if (std::string wrong = add(options.instances, NameKind::instance, &Filter::add_instance); !wrong.empty())
        return wrong;
    if (std::string wrong = add(options.counters, NameKind::title, &Filter::add_counter); !wrong.empty()) return wrong;
    for (const std::string& text : options.paths) {
        const auto shown = redacted_path(options.redact, text);
        if (!shown) return shown.error();
        auto path = CounterPath::parse(*shown);
        if (!path) return not_a_path(text);
        filter.add_path(std::move(*path));
    }
    return {};
}

Input::Input(const InputOptions& options, ReaderOptions how, Diagnostics& diagnostics)
    : reader_(open(options, std::move(how), diagnostics)) {}

Reader Input::open(const InputOptions& options, ReaderOptions how, Diagnostics& diagnostics) {
    const std::shared_ptr<Pseudonyms>& names = options.redact.names;
    const std::size_t inputs = diagnostics.inputs().size();
    const Diagnostics::Mark mark = diagnostics.mark();
    how.titles = load_titles(options.titles, options.languages, diagnostics);
    if (names) {
        redact_diagnostics(diagnostics, mark, inputs, *names);
        how.titles = redact(*how.titles, options.languages, *names);
    }
    how.input_titles = options.titles.empty();
    how.languages = options.languages;
    how.english_names = options.english_names;
    how.only = options.only;
    how.diagnostics = &diagnostics;
    std::unique_ptr<Source> source;
    if (options.live.any()) {
        auto live = std::make_unique<LiveInput>(options.live, diagnostics);
        live_ = live.get();
        source = std::move(live);
    } else {
        source = open_inputs(options.inputs, options.v2, how.limits, subdirectories_of(options.recursive),
                             options.log_zones, options.encoding);
        if (options.progress) source = with_progress(std::move(source));
    }
    if (names)
        source =
            redact(std::move(source), names, how.limits, options.live.any() ? InputNames::machines : InputNames::files);
    return Reader(std::move(source), std::move(how));
}

void use_limits(WriteOptions& write, const Limits& limits) {
    write.series = limits.series;
    write.names = limits.names;
    write.statistics = limits.statistics;
}

std::string not_a_path(std::string_view text) {
    constexpr std::size_t enough = 60;
    if (CounterPath::is_too_long(text))
        return fmt::format("'{}...' is not a counter path: it has {} bytes, and PDH allows {} characters",
                           text.substr(0, enough), text.size(), CounterPath::longest);
    return fmt::format("'{}' is not a counter path such as '\\Processor(_Total)\\% Processor Time'", text);
}

namespace {

void warn_of(const TextLog& log, Errc code, const char* field, Diagnostics& diagnostics) {
    diagnostics.add(
        {Severity::warning, {code, log.offset, "text log", field, 0, 0}, no_index, no_index, {.input = log.input}});
}

}  // namespace

void report_no_raw_values(const Reader& reader, Diagnostics& diagnostics) {
    for (const TextLog& log : reader.text_logs()) warn_of(log, Errc::text_raw, "", diagnostics);
}

void report_local_times(const Reader& reader, Diagnostics& diagnostics) {
    for (const TextLog& log : reader.text_logs())
        if (!log.zone_stated) warn_of(log, Errc::text_zone, "numbers", diagnostics);
}

}  // namespace hkpd::command
