#include "flags/map_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <utility>

#include "flags/format_option.hpp"
#include "flags/shared_options.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

constexpr HelpText map_help{
    .usage = "[OPTION]... FILE...\nFILE --at OFFSET",
    .prose =
        "Shows the structure, field, value and meaning of every byte, and bytes that belong to no structure. FILE "
        "contains blocks of the registry (V1) or of the PerfLib functions (V2), identifiers of a query or "
        "registration info, or is a capture of these; the kind is detected by content. - is standard input.",
    .usual = "at record object all format output titles lang v2 verbose",
    .examples =
        "hkpd map block.bin | less\n"
        "hkpd map block.bin --at 0x2d0\n"
        "hkpd map block.bin --object Processor\n"
        "hkpd map capture.mcap --record 3\n"
        "hkpd map block.bin --format json | jq '.inputs[].entries[] | select(.kind == \"gap\")'\n",
    .details =
        "The offset of --at is from the start of the file or, in a capture, of the record. With --object, totals are "
        "those of the whole input. A file of --registration that is not recognised is decoded as one string.\n"};

po::options_description describe(MapArguments& o) {
    po::options_description shown;
    auto add = shown.add_options();
    add("at", text_option(o.at, "OFFSET"), "only the byte at this offset, decimal or 0x...");
    add("record", text_option(o.record, "N"), "captures: only this record, counted from 0");
    add("object", text_option(o.object, "X"), "only this object: index, name or wildcard");
    add("all", po::bool_switch(&o.all), "show all bytes of long entries, not only 24");
    describe_format(shown, o.format, {"text", "json"});
    add("json", po::bool_switch(&o.json), "");  // the name of --format json in earlier versions
    describe_output(shown, o.output);
    describe_title_files(shown, o.titles);
    describe_languages(shown, o.languages);
    describe_v2_files(shown, {&o.v2, &o.registrations, &o.identifiers});
    describe_value_limit(shown, o.limit_values);
    describe_expansion(shown, o.limit_expansion);
    describe_verbose(shown, o.verbose);
    return shown;
}

/// Parses a number, decimal or hexadecimal with `0x`.
std::optional<std::uint64_t> parse_offset(std::string_view text) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const std::string_view digits = hex ? text.substr(2) : text;
    std::uint64_t value = 0;
    const char* const end = std::to_address(digits.end());
    const auto parsed = std::from_chars(digits.data(), end, value, hex ? 16 : 10);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    return value;
}

/// Fills the filter and the limits. Returns what is wrong with the command line; empty if nothing.
std::string take_map_options(const MapArguments& arguments, MapFilter& request, Limits& limits) {
    const std::size_t inputs =
        arguments.inputs.size() + arguments.v2.size() + arguments.identifiers.size() + arguments.registrations.size();
    if (inputs == 0) return "no input: give a file, or - for standard input";
    for (const Strings* files :
         {&arguments.inputs, &arguments.v2, &arguments.identifiers, &arguments.registrations, &arguments.titles})
        for (const std::string& path : *files)
            if (std::string wrong = check_output(path, arguments.output); !wrong.empty()) return wrong;
    for (const std::string& language : arguments.languages)
        if (!is_language(language)) return not_a_language(language);
    if (arguments.at) {
        request.at = parse_offset(*arguments.at);
        if (!request.at) return fmt::format("--at: expected an offset, decimal or 0x..., found '{}'", *arguments.at);
        if (inputs != 1) return "--at: expected one input";
    }
    if (arguments.object) {
        request.object.emplace(*arguments.object);
        request.nearest = Nearest(*arguments.object);
    }
    std::uint32_t record = 0;
    if (std::string wrong = read_number("--record", arguments.record, 0, no_index - 1, record); !wrong.empty())
        return wrong;
    if (arguments.record) request.record = record;
    if (std::string wrong = read_expansion(arguments.limit_expansion, limits); !wrong.empty()) return wrong;
    constexpr std::uint64_t most = std::uint64_t{1} << 40U;
    return read_number("--limit-values", arguments.limit_values, 1, most, limits.values);
}

}  // namespace

bool MapFilter::holds(const MapEntry& entry) {
    if (at) return entry.whole.contains(*at - entry.whole.offset(), 1);
    if (!object) return true;
    std::optional<Titles::Answer> name;
    if (!entry.object_name.empty()) name = Titles::Answer{entry.object_name, 0};
    if (std::exchange(offered, entry.object) != entry.object) nearest.offer(entry.object_name);
    return entry.object != no_index && object->matches(entry.object, name);
}

Description describe_map() {
    MapArguments o;
    return {map_help, describe(o)};
}

std::optional<Exit> read_map(const Strings& arguments, MapArguments& o, MapFilter& request, Limits& limits) {
    if (const auto done = parse_options("map", arguments, describe(o), o.inputs, map_help)) return done;
    if (o.json && o.format == "text") return usage_error("map", "--json and --format text cannot be combined");
    o.json = o.json || o.format == "json";
    if (const std::string wrong = take_map_options(o, request, limits); !wrong.empty())
        return usage_error("map", wrong);
    return std::nullopt;
}

}  // namespace hkpd::command
