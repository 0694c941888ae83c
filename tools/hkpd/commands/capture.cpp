#include "hkpd/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "commands/info.hpp"
#include "flags/input_options.hpp"
#include "flags/redact_option.hpp"
#include "flags/shared_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/export.hpp"
#include "hkpd/source.hpp"
#include "hkpd/version.hpp"
#include "hkpd/write.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/host.hpp"
#include "terminal/input_list.hpp"
#include "terminal/live_input.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

struct CaptureCommand {
    CaptureCommand() { live.usual_count = 0; }

    Strings inputs, titles, meta;
    Strings more_inputs;  // of --from, their option in earlier versions
    V2Files v2;
    LiveOptions live;
    RedactChoice redact;
    std::optional<std::string> flush, limit_expansion, limit_files;
    Limits limits{};
    std::uint64_t most_files = 1'000'000;
    std::string output, directory, source;
    bool v1 = false, v2_only = false, both = false, info = false, verbose = false, recursive = false;

    bool from_files() const { return !inputs.empty() || !v2.blocks.empty() || !v2.registrations.empty(); }
};

constexpr HelpText capture_help{
    .question = "How is performance data kept unchanged, to be looked at elsewhere?",
    .usage =
        "INPUT... -o FILE.mcap [--titles FILE]... [--flush SECONDS]\n"
        "--live|--simulate [--object X]... [--count N] [--interval SECONDS] -o FILE.mcap\n"
        "--info FILE\n"
        "--export DIRECTORY FILE",
    .prose =
        "Creates a capture (an MCAP file) from blobs, directories, standard input (-), performance logs (.blg, .csv, "
        ".tsv, text of Get-Counter) or captures, keeping the valid data of truncated ones, or from this or a simulated "
        "machine until Ctrl-C, --count or --duration.",
    .usual = "output titles live object interval count duration simulate info export",
    .examples =
        "hkpd capture perf.blg -o perf.mcap\n"
        "hkpd capture --simulate --count 60 --interval 1 -o demo.mcap\n"
        "hkpd capture --live --object Processor --object Process --duration 3600 -o run.mcap\n"
        "hkpd capture blobs/ --titles counter-009.txt -o run.mcap\n"
        "hkpd capture truncated.mcap -o repaired.mcap\n"
        "hkpd capture --info run.mcap\n",
    .details =
        "If the FILE of --output exists, the new capture is written to FILE.part, which must not exist yet, and "
        "replaces FILE when complete. -o - writes to standard output.\n"
        "A machine is read through both V1 (the registry) and V2 (PerfLib). --source both also reports a machine "
        "without V2; v1 and v2 select one interface. With --simulate and without --live, the samples follow each other "
        "without waiting. --lang stores titles in further languages.\n"
        "--export writes the records of a capture byte for byte; hkpd capture DIRECTORY reads them again.\n",
    .redact_details = redact_details};

po::options_description describe(CaptureCommand& o) {
    po::options_description shown;
    auto add = shown.add_options();
    add("from", po::value(&o.more_inputs)->value_name("INPUT")->multitoken(), "");
    add("from-v2", po::value(&o.v2.blocks)->value_name("FILE")->multitoken(),
        "V2 blocks, as PerfQueryCounterData returns them");
    describe_v2_names(shown, {nullptr, &o.v2.registrations, &o.v2.identifiers});
    describe_recursive(shown, o.recursive);
    describe_live(shown, o.live);
    describe_simulated_machine(shown, o.live.simulate);
    add("source", choice(o.source, "v1 v2 both"), "live, simulated: interface to read");
    for (const auto& [name, given] : {std::pair("v1", &o.v1), std::pair("v2", &o.v2_only), std::pair("both", &o.both)})
        add(name, po::bool_switch(given), "");  // --source in earlier versions
    add("object", po::value(&o.live.wanted.objects)->value_name("X"),
        "objects: index, name, wildcard or GUID (repeatable)");
    add("lang", po::value(&o.live.wanted.languages)->value_name("NNN"),
        "live: also titles in this language: 007 (repeatable)");
    add("output,o", po::value(&o.output)->value_name("FILE"), "capture to write");
    add("titles", po::value(&o.titles)->value_name("FILE"), "title database to store, or a directory (repeatable)");
    add("meta", po::value(&o.meta)->value_name("KEY=VALUE"), "note on the origin: os='Windows 11' (repeatable)");
    add("flush", text_option(o.flush, "SECONDS"), "write samples at this interval (default 10; 0: each)");
    add("info", po::bool_switch(&o.info), "list the contents of a capture: hkpd info --all");
    add("export", po::value(&o.directory)->value_name("DIRECTORY"), "write the records of a capture to files in it");
    add("limit-files", text_option(o.limit_files, "N"), "maximum number of files to export (default 1000000)");
    describe_expansion(shown, o.limit_expansion);
    describe_redact(shown, o.redact);
    describe_verbose(shown, o.verbose);
    return shown;
}

/// Returns what is wrong with the options for reading a machine. If nothing is wrong, returns an empty text and selects
/// the interfaces to read.
std::string check_interfaces(CaptureCommand& o) {
    if (o.v1 + o.v2_only + o.both + !o.source.empty() > 1)
        return "--v1, --v2 and --both cannot be combined: use --source v1, v2 or both";
    o.v1 = o.v1 || o.source == "v1";
    o.v2_only = o.v2_only || o.source == "v2";
    o.both = o.both || o.source == "both";
    if (std::string wrong = check_live(o.live); !wrong.empty()) return wrong;
    LiveQuery& wanted = o.live.wanted;
    if (!o.live.any())
        return o.v1 || o.v2_only || o.both || !wanted.objects.empty() || !wanted.languages.empty()
                   ? "--source, --object and --lang require --live or --simulate (blocks of V2 are given with "
                     "--from-v2)"
                   : "";
    for (const std::string& language : wanted.languages)
        if (!is_language(language)) return not_a_language(language);
    wanted.v1 = !o.v2_only;
    wanted.v2 = !o.v1;
    if (!wanted.v1 && !o.live.query.empty()) return query_without_registry;
    o.live.v2_if_there = !o.v2_only && !o.both;
    return {};
}

/// Returns what is wrong with the options for creating a capture. If nothing is wrong, returns an empty text and sets
/// `options.time` as --flush requests.
std::string check_making(CaptureCommand& o, CaptureOptions& options) {
    if (std::string wrong = check_interfaces(o); !wrong.empty()) return wrong;
    if (o.live.any() && o.from_files())
        return "a machine and files cannot be combined: create two captures, then one from both";
    if (!o.live.any() && !o.from_files())
        return "missing input: give INPUT... -o FILE, --live -o FILE, --simulate -o FILE, --info FILE or --export "
               "DIRECTORY FILE";
    if (std::string wrong = check_identifiers(o.v2, "--from-v2"); !wrong.empty()) return wrong;
    if (o.output.empty()) return "missing output: give -o FILE, or -o - for standard output";
    for (const Strings* inputs : {&o.inputs, &o.titles, &o.v2.blocks, &o.v2.identifiers, &o.v2.registrations})
        for (const std::string& input : *inputs)
            if (std::string wrong = check_output(input, o.output, o.recursive && inputs == &o.inputs); !wrong.empty())
                return wrong;
    for (const std::string& note : o.meta)
        if (note.find('=') == std::string::npos || note.front() == '=')
            return fmt::format("--meta: expected KEY=VALUE, found '{}'", note);
    std::chrono::nanoseconds flush = options.time;
    if (std::string wrong = read_seconds("--flush", o.flush, 0, flush); !wrong.empty()) return wrong;
    options.time = std::chrono::duration_cast<std::chrono::milliseconds>(flush);
    return {};
}

std::string written_by() { return fmt::format("hkpd {}", linked_version()); }

CaptureWriter::Metadata provenance(const CaptureCommand& o) {
    CaptureWriter::Metadata entries{{"tool", written_by()}};
    for (const std::string& note : o.meta) {
        const std::size_t equals = note.find('=');
        entries[note.substr(0, equals)] = note.substr(equals + 1);
    }
    CaptureWriter::Metadata machine;
    add_provenance(machine, o.live);
    if (o.redact.names)
        for (const char* key : {"query", "objects"}) machine.erase(key);  // they have names of objects
    entries.merge(machine);                                               // --meta takes precedence
    return entries;
}

/// Returns the summary of a live capture for standard error.
std::string summary(const CollectionCost& cost, const CaptureOutput& output, std::uint64_t samples,
                    std::chrono::duration<double> passed) {
    constexpr double second = 1e9, millisecond = 1e6, percent = 100;
    const auto real = [](std::uint64_t number) { return static_cast<double>(number); };
    const auto each = [&](std::uint64_t number, std::uint64_t of) {
        return real(number) / real(std::max<std::uint64_t>(of, 1));
    };
    const double processor = real(processor_time()) / second;
    std::string text = fmt::format("{} samples{} in {:.1f} s, {:.0f} bytes of the capture each\n", samples,
                                   cost.v1.samples != 0 && cost.v2.samples != 0 ? " of both interfaces" : "",
                                   passed.count(), each(output.size(), samples));
    for (const auto& [name, api] : {std::pair("V1", cost.v1), std::pair("V2", cost.v2)})
        if (api.samples != 0)
            text += fmt::format("{}: {} samples, {:.0f} bytes and {:.3f} ms each\n", name, api.samples,
                                each(api.bytes, api.samples), each(api.nanoseconds, api.samples) / millisecond);
    return text + fmt::format("hkpd itself: {:.2f} s of processor time, {:.2f} % of one processor\n", processor,
                              percent * processor / passed.count());
}

/// Returns whether a record is left out because `--titles` replaces it. Only title databases found next to blobs are
/// left out. A title database from a capture has a time, and is copied.
bool is_replaced(const CaptureCommand& o, const Record& record) {
    return !o.titles.empty() && !o.live.any() && record.kind == Record::Kind::titles && !record.time;
}

/// Writes `record` and all further records of the source to the capture, except title databases that `--titles`
/// replaces. Returns false if writing fails.
bool record_all(const CaptureCommand& o, Recorder& recorder, CaptureWriter& writer, Source& source,
                std::optional<Record> record, Diagnostics& diagnostics) {
    for (; record && writer.good(); record = source.next(diagnostics)) {
        if (is_replaced(o, *record)) continue;
        recorder.add(*record, FaultSink(diagnostics, record->place));
    }
    recorder.finish();
    writer.finish();
    return writer.good();
}

/// Returns the first record to write to the capture. V1 blocks without a signature before this record are reported and
/// skipped.
std::optional<Record> first_record(Source& source, Diagnostics& diagnostics) {
    auto record = source.next(diagnostics);
    for (; record && record->kind == Record::Kind::v1_block && !v1::has_signature(record->bytes);
         record = source.next(diagnostics))
        FaultSink(diagnostics, record->place)
            .add({Errc::not_performance_data, record->bytes.offset(), "PERF_DATA_BLOCK", "Signature", 0, 0});
    return record;
}

/// Reports the faults of the inputs, and what a machine does not have of what was requested. Returns the exit code.
Exit report_inputs(const CaptureCommand& o, const Diagnostics& diagnostics) {
    using Kind = UnmatchedQuery::Kind;
    const Exit found = report(diagnostics, o.verbose ? Verbosity::notes_too : Verbosity::faults);
    return std::max(found, report_unmatched("capture", o.live, {Kind::object, Kind::index, Kind::language}));
}

/// Returns the title databases that --titles names, with --redact those tables of them that have names.
std::vector<TitleFile> title_files(const CaptureCommand& o, Diagnostics& diagnostics) {
    std::vector<TitleFile> files = read_title_files(o.titles, diagnostics);
    if (!o.redact.names) return files;
    redact_diagnostics(diagnostics, {}, 0, *o.redact.names);
    std::vector<TitleFile> redacted;
    for (const TitleFile& file : files)
        for (const TitleTable& table : file.tables) {
            TitleTable made = redact(table, *o.redact.names);
            if (made.size() == 0) continue;
            TitleFile& added = redacted.emplace_back(TitleFile{"titles", {}, {}});
            append_multi_sz(added.content, made);
            added.content.append(2, '\0');
            added.tables.push_back(std::move(made));
        }
    return redacted;
}

/// Returns a source with pseudonyms in place of names, if they are requested.
std::unique_ptr<Source> with_pseudonyms(const CaptureCommand& o, std::unique_ptr<Source> source) {
    if (!o.redact.names) return source;
    return redact(std::move(source), o.redact.names, o.limits, o.live.any() ? InputNames::machines : InputNames::files);
}

/// Creates a capture from a source.
Exit make(const CaptureCommand& o, const CaptureOptions& options, Source& source, const LiveInput* live,
          Diagnostics& diagnostics) {
    const auto begun = std::chrono::steady_clock::now();
    std::vector<TitleFile> titles = title_files(o, diagnostics);
    const auto first = first_record(source, diagnostics);
    if (!first) {  // an existing output is unchanged
        const Exit found = report_inputs(o, diagnostics);
        if (found == Exit::good) return end_with("capture", Cause::no_sample);
        return live != nullptr && found == exit_of(Cause::damaged) ? exit_of(Cause::silent_machine) : found;
    }

    CaptureOutput output(o.output);
    const auto cannot_write = [&](const std::string& why) {
        report_inputs(o, diagnostics);
        return end_with("capture", Cause::unwritable, o.output + ':', why);
    };
    if (!output.opened()) return cannot_write(output.why());
    CaptureWriter writer([&output](std::span<const std::byte> bytes) { return output.write(bytes); }, options);
    Recorder recorder(writer);
    recorder.set_provenance(provenance(o));
    for (TitleFile& file : titles)
        recorder.add_titles({std::move(file.name), std::move(file.content),
                             file.tables.empty() ? std::string{} : file.tables.front().language()});
    const bool written = record_all(o, recorder, writer, source, first, diagnostics);
    if (!output.close(written) || !written) return cannot_write(output.why());
    if (live != nullptr && o.live.live)
        write_error(summary(live->cost(), output, recorder.samples(), std::chrono::steady_clock::now() - begun));
    else if (o.output != "-")
        report_written(o.output, {.samples = recorder.samples()}, output.size());
    return report_inputs(o, diagnostics);
}

/// Creates a capture from the files or the machine that the options name.
Exit make(const CaptureCommand& o, const CaptureOptions& options) {
    Diagnostics diagnostics;
    const bool progress = shows_progress(o.output == "-");
    if (!o.live.any()) {
        auto source = open_inputs(o.inputs, o.v2, o.limits, subdirectories_of(o.recursive));
        if (progress) source = with_progress(std::move(source));
        source = with_pseudonyms(o, std::move(source));
        return conclude_redaction("capture", o.redact, make(o, options, *source, nullptr, diagnostics));
    }
    auto opened = std::make_unique<LiveInput>(o.live, diagnostics);
    const LiveInput& live = *opened;
    std::unique_ptr<Source> source = std::move(opened);
    if (progress) source = with_progress(std::move(source));
    source = with_pseudonyms(o, std::move(source));
    const Exit exit = conclude_redaction("capture", o.redact, make(o, options, *source, &live, diagnostics));
    return_if_abandoned(live, exit);
    return exit;
}

/// Writes the records of a capture into files, and shows how many. Other kinds of records than blobs and title
/// databases are named only if the capture has them.
Exit export_records(const CaptureCommand& o, Verbosity verbosity) {
    Diagnostics diagnostics;
    const auto done = export_capture(o.inputs.front(), o.directory, {o.limits, o.most_files}, diagnostics);
    if (!done) return report(diagnostics, verbosity);
    if (!done->failure.empty()) {
        complain("capture", done->failure);
        report(diagnostics, verbosity);
        return exit_of(done->is_full ? Cause::damaged : Cause::unwritable);
    }
    std::string out;
    append_printable(out, o.directory);
    out += fmt::format(": {} blobs and {} title databases", done->blobs, done->titles);
    if (done->v2_blocks + done->queries + done->registrations != 0)
        out += fmt::format(", {} V2 blocks, {} queries and {} registrations", done->v2_blocks, done->queries,
                           done->registrations);
    if (done->log_records != 0) out += fmt::format(", {} records of logs", done->log_records);
    out += '\n';
    write_out(out);
    return report(diagnostics, verbosity);
}

}  // namespace

Description describe_capture() {
    CaptureCommand o;
    return {capture_help, describe(o)};
}

Exit capture(const Strings& arguments) {
    CaptureCommand o;
    if (const auto done = parse_options("capture", arguments, describe(o), o.inputs, capture_help)) return *done;
    const bool showing = o.info || !o.directory.empty();
    const bool making = !o.v2.blocks.empty() || !o.v2.registrations.empty() || !o.more_inputs.empty() || o.live.any() ||
                        !o.output.empty();
    if ((making && showing) || (o.info && !o.directory.empty()))
        return usage_error("capture", "--output, --live, --simulate, --info and --export cannot be combined");
    o.inputs.insert(o.inputs.begin(), o.more_inputs.begin(), o.more_inputs.end());
    if (const auto failed = take_inputs("capture", o.inputs, o.recursive)) return *failed;
    if (const std::string wrong = read_expansion(o.limit_expansion, o.limits); !wrong.empty())
        return usage_error("capture", wrong);
    if (const std::string wrong = read_number("--limit-files", o.limit_files, 1, no_index, o.most_files);
        !wrong.empty())
        return usage_error("capture", wrong);
    if (const auto failed = prepare_redaction("capture", o.redact)) return *failed;
    const Verbosity verbosity = o.verbose ? Verbosity::notes_too : Verbosity::faults;
    if (showing) {
        if (!o.titles.empty() || !o.meta.empty() || o.flush)
            return usage_error("capture", "--titles, --meta and --flush require --output");
        if (o.redact.wanted)
            return usage_error("capture", "--redact requires --output: create a capture with pseudonyms first");
        if (!o.v2.identifiers.empty()) return usage_error("capture", "--identifiers requires --from-v2");
        if (const std::string wrong = check_interfaces(o); !wrong.empty()) return usage_error("capture", wrong);
        if (o.inputs.size() != 1) return usage_error("capture", "expected one capture");
        return o.info ? show_overviews(o.inputs, {.limits = o.limits}, true, verbosity) : export_records(o, verbosity);
    }
    CaptureOptions options;
    options.library = written_by();
    if (const std::string wrong = check_making(o, options); !wrong.empty()) return usage_error("capture", wrong);
    return make(o, options);
}

}  // namespace hkpd::command
