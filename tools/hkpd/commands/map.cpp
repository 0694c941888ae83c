// `hkpd map`: the structure, field, value and meaning of every byte.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "flags/format_option.hpp"
#include "flags/shared_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/map_run.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/input_list.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

struct MapCommand {
    MapRun run;
    std::optional<std::string> at, record, object, limit_values, limit_expansion;
    std::string format, output;
    bool json = false, all = false, verbose = false;
};

constexpr HelpText map_help{
    .question = "What does each byte of a blob mean?",
    .usage = "[OPTION]... FILE...\nFILE --at OFFSET",
    .prose =
        "Shows the structure, field, value and meaning of every byte, and bytes that belong to no structure. FILE "
        "contains blocks of the registry (V1) or of the PerfLib functions (V2), identifiers of a query or "
        "registration info, or is a capture of these; the kind is detected by content. - is standard input.",
    .usual = "at record object all format output titles lang v2 verbose",
    .examples =
        "hkpd map block.bin | less\n"
        "hkpd map block.bin --at 0x2d0\n"
        "hkpd map run.mcap --record 3\n"
        "hkpd map block.bin --object Processor\n"
        "hkpd map block.bin --format json | jq '.inputs[].entries[] | select(.kind == \"gap\")'\n",
    .details =
        "The offset of --at is from the start of the file or, in a capture, of the record. With --object, totals are "
        "those of the whole input. A file of --registration that is not recognised is decoded as one string.\n"};

po::options_description describe(MapCommand& o) {
    po::options_description shown;
    auto add = shown.add_options();
    add("at", text_option(o.at, "OFFSET"), "only the byte at this offset, decimal or 0x...");
    add("record", text_option(o.record, "N"), "captures: only this record, counted from 0");
    add("object", text_option(o.object, "X"), "only this object: index, name or wildcard");
    add("all", po::bool_switch(&o.all), "show all bytes of long entries, not only 24");
    describe_format(shown, o.format, {"text", "json"});
    add("json", po::bool_switch(&o.json), "");  // the name of --format json in earlier versions
    describe_output(shown, o.output);
    describe_title_files(shown, o.run.titles);
    describe_languages(shown, o.run.languages);
    describe_v2_files(shown, {&o.run.v2.blocks, &o.run.v2.registrations, &o.run.v2.identifiers});
    describe_value_limit(shown, o.limit_values);
    describe_expansion(shown, o.limit_expansion);
    describe_verbose(shown, o.verbose);
    return shown;
}

/// Parses an offset, decimal or hexadecimal with `0x`.
std::optional<std::uint64_t> parse_offset(std::string_view text) {
    constexpr int decimal = 10, hexadecimal = 16;
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    return whole_number<std::uint64_t>(hex ? text.substr(2) : text, hex ? hexadecimal : decimal);
}

/// Fills the run from the texts of the options. Returns what is wrong with the command line; empty if nothing.
std::string take_map_options(MapCommand& o) {
    MapRun& run = o.run;
    if (o.json && o.format == "text") return "--json and --format text cannot be combined";
    const bool json = o.json || o.format == "json";
    const std::size_t inputs =
        run.inputs.size() + run.v2.blocks.size() + run.v2.identifiers.size() + run.v2.registrations.size();
    if (inputs == 0) return "no input: give a file, or - for standard input";
    for (const Strings* files : {&run.inputs, &run.v2.blocks, &run.v2.identifiers, &run.v2.registrations, &run.titles})
        for (const std::string& path : *files)
            if (std::string wrong = check_output(path, o.output); !wrong.empty()) return wrong;
    for (const std::string& language : run.languages)
        if (!is_language(language)) return not_a_language(language);
    if (o.at) {
        run.at = parse_offset(*o.at);
        if (!run.at) return fmt::format("--at: expected an offset, decimal or 0x..., found '{}'", *o.at);
        if (inputs != 1) return "--at: expected one input";
    }
    if (o.object) run.object.emplace(*o.object);
    std::uint32_t record = 0;
    if (std::string wrong = read_number("--record", o.record, 0, no_index - 1, record); !wrong.empty()) return wrong;
    if (o.record) run.record = record;
    if (std::string wrong = read_expansion(o.limit_expansion, run.limits); !wrong.empty()) return wrong;
    if (json)
        run.writer = make_map_json();
    else if (!run.at)
        run.writer = make_map_listing(o.all);
    constexpr std::uint64_t most = std::uint64_t{1} << 40U;
    return read_number("--limit-values", o.limit_values, 1, most, run.limits.values);
}

/// Returns the description of a record that is not a block.
std::string_view words_of(Record::Kind kind) noexcept {
    switch (kind) {
        case Record::Kind::log_header:
            return "the header of a performance log";
        case Record::Kind::log_catalogue:
            return "the catalogue of a performance log";
        case Record::Kind::log_row:
            return "a row of a performance log (hkpd capture --export writes the blocks in it into files)";
        case Record::Kind::log_trailer:
            return "the trailer of a performance log";
        default:
            return "a title database";
    }
}

/// Returns the message for options that do not fit the inputs.
std::string mismatch_message(const MapMismatch& found, const MapRun& run) {
    using Kind = MapMismatch::Kind;
    switch (found.kind) {
        case Kind::log:
            return found.file + " is a performance log, which has no blocks to map: use hkpd dump";
        case Kind::titles:
            return found.file + " is a title database, which has no blocks to map: use hkpd titles";
        case Kind::not_a_capture:
            return found.file + " is not a capture: --record applies to captures only";
        case Kind::offset_in_capture:
            return found.file + " is a capture: select the record for --at with --record";
        case Kind::no_record:
            return fmt::format("no record {} in {}", run.record.value_or(0), found.file);
        case Kind::record_without_blocks:
            return fmt::format("record {} is {}, which has no blocks to map", run.record.value_or(0),
                               words_of(found.record));
        case Kind::beyond_end:
            return fmt::format("offset {:#x} is beyond the end of the input ({:#x} bytes)", run.at.value_or(0),
                               found.size);
        case Kind::no_object:
            break;
    }
    return fmt::format("no object '{}'{}", run.object ? run.object->text() : "", did_you_mean(found.nearest));
}

/// Reports that options do not fit the inputs. Returns the exit code: an input of another kind is as one that cannot be
/// read.
Exit report_mismatch(const MapMismatch& found, const MapRun& run) {
    using Kind = MapMismatch::Kind;
    const std::string message = mismatch_message(found, run);
    if (found.kind != Kind::log && found.kind != Kind::titles && found.kind != Kind::not_a_capture)
        return usage_error("map", message);
    complain("map", message);
    return exit_of(Cause::unreadable);
}

}  // namespace

Description describe_map() {
    MapCommand o;
    return {map_help, describe(o)};
}

Exit map(const Strings& arguments) {
    MapCommand o;
    if (const auto done = parse_options("map", arguments, describe(o), o.run.inputs, map_help)) return *done;
    if (const auto failed = take_inputs("map", o.run.inputs, false)) return *failed;
    if (const std::string wrong = take_map_options(o); !wrong.empty()) return usage_error("map", wrong);
    OutputFile file("map", o.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    Diagnostics diagnostics;
    const MapResult result = write_map(o.run, [&file](std::string& text) { file.write(text); }, diagnostics);
    Exit found = report(diagnostics, o.verbose ? Verbosity::notes_too : Verbosity::faults);
    if (result.is_damaged) found = std::max(found, exit_of(Cause::damaged));
    if (result.mismatch && found != exit_of(Cause::unreadable)) found = report_mismatch(*result.mismatch, o.run);
    return file.finish(found, is_complete(found, result.inputs));
}

}  // namespace hkpd::command
