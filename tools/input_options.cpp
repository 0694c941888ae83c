#include "input_options.hpp"

#include <fmt/format.h>

#include <charconv>

namespace hkpd::command {

void describe_inputs(po::options_description& shown, InputOptions& o) {
    auto add = shown.add_options();
    add("titles", po::value(&o.titles)->value_name("PATH"),
        "title database, a capture with one, or a directory of them (repeatable; without: those of the capture, and "
        "the system's own "
        "English titles)");
    add("lang", po::value(&o.languages)->value_name("NNN"), "language to prefer, such as 009 or 007 (repeatable)");
    add("object", po::value(&o.objects)->value_name("X"), "objects by index, name or wildcard (repeatable)");
    add("instance", po::value(&o.instances)->value_name("X"), "instances by name or wildcard (repeatable)");
    add("counter", po::value(&o.counters)->value_name("X"), "counters by index, name or wildcard (repeatable)");
    add("path", po::value(&o.paths)->value_name("PATH"),
        "counter path, such as '\\Processor(_Total)\\% Processor Time' (repeatable)");
    add("strict", po::bool_switch(&o.strict), "stop at the first fault");
    add("limit-values", po::value(&o.limit_values)->value_name("N"),
        "most values of a sample (default: a million, or its bytes if those are more)");
    add("verbose,v", po::bool_switch(&o.verbose), "show notes too: what is odd but legal");
}

std::string check_inputs(const InputOptions& options, Limits& limits) {
    for (const std::string& language : options.languages)
        if (!is_language(language))
            return fmt::format("'{}' is no language as Windows numbers them, such as 009 or 007", language);
    const std::string& most = options.limit_values;
    const auto parsed = std::from_chars(most.data(), most.data() + most.size(), limits.values);
    if (!most.empty() && (parsed.ec != std::errc{} || parsed.ptr != most.data() + most.size() || limits.values == 0))
        return fmt::format("--limit-values takes a number above 0, not '{}'", most);
    if (options.inputs.empty()) return "no input: give a file, a directory, or - for standard input";
    return {};
}

std::string make_filter(const InputOptions& options, Filter& filter) {
    for (const std::string& text : options.objects) filter.want_object(text);
    for (const std::string& text : options.instances) filter.want_instance(text);
    for (const std::string& text : options.counters) filter.want_counter(text);
    for (const std::string& text : options.paths) {
        auto path = CounterPath::parse(text);
        if (!path) return fmt::format("'{}' is no counter path, such as '\\Processor(_Total)\\% Processor Time'", text);
        filter.want_path(std::move(*path));
    }
    return {};
}

Input::Input(const InputOptions& options, const Limits& limits, const Range& wanted, Diagnostics& diagnostics)
    : titles_(std::make_unique<Titles>(load_titles(options.titles, options.languages, diagnostics))),
      source_(open_files(options.inputs, limits, wanted)),
      reader_(std::make_unique<SampleReader>(*source_, titles_.get(), limits)) {
    if (options.titles.empty()) reader_->take_titles(*titles_);
}

Exit conclude(std::string_view subcommand, const InputOptions& options, const Diagnostics& diagnostics,
              std::uint32_t samples, const Filter& filter) {
    if (options.strict && diagnostics.any_fault()) {
        const Exit found = report(diagnostics, Verbosity::first_fault);
        return found == Exit::good ? Exit::damaged : found;
    }
    const Exit found = report(diagnostics, options.verbose ? Verbosity::notes_too : Verbosity::faults);
    if (found != Exit::good || samples == 0) return found;
    Exit met = Exit::good;
    for (const std::string& wish : filter.unmet()) {
        fmt::print(stderr, "hkpd {}: no {} in any sample\n", subcommand, wish);
        met = Exit::usage;
    }
    return met;
}

}  // namespace hkpd::command
