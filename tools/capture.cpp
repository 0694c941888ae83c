#include "hkpd/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "capture_export.hpp"
#include "capture_output.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"
#include "hkpd/version.hpp"
#include "host.hpp"
#include "info.hpp"
#include "input_options.hpp"
#include "live_input.hpp"
#include "output_file.hpp"
#include "progress.hpp"

namespace hkpd::command {
namespace {

struct CaptureCommand {
    Strings from, words, titles, meta;
    V2Files v2;
    LiveOptions live;
    std::optional<std::string> flush, limit_expansion, limit_files;
    Limits limits{};
    std::uint64_t most_files = 1'000'000;
    std::string output, directory;
    bool v1 = false, v2_only = false, both = false, info = false, verbose = false, recursive = false;

    bool from_files() const { return !from.empty() || !v2.blocks.empty() || !v2.registrations.empty(); }
};

constexpr HelpText capture_help{
    .usage =
        "--from INPUT... -o FILE.mcap [--titles FILE]... [--flush SECONDS]\n"
        "--live|--simulate [--object X]... [--count N] [--interval SECONDS] -o FILE.mcap\n"
        "--info FILE\n"
        "--export DIRECTORY FILE",
    .prose =
        "Creates a capture (an MCAP file) from blobs, directories, standard input (-), performance logs (.blg) or "
        "captures, keeping the valid data of truncated ones, or from this or a simulated machine until Ctrl-C, --count "
        "or --duration. --info lists a capture; --export writes its records to files, byte for byte.",
    .usual = "from output titles live object interval count duration simulate info export",
    .examples =
        "hkpd capture --from blobs/ --titles counter-009.txt -o run.mcap\n"
        "hkpd capture --live --object Processor --object Process --duration 3600 -o run.mcap\n"
        "hkpd capture --simulate --count 60 --interval 1 -o demo.mcap\n"
        "hkpd capture --from truncated.mcap -o repaired.mcap\n"
        "hkpd capture --from log.blg -o log.mcap\n"
        "hkpd capture --info run.mcap\n"};

po::options_description describe(CaptureCommand& o) {
    po::options_description shown;
    auto add = shown.add_options();
    add("from", po::value(&o.from)->value_name("INPUT")->multitoken(), "V1 blobs, logs, captures, directories, or -");
    add("from-v2", po::value(&o.v2.blocks)->value_name("FILE")->multitoken(),
        "V2 data blocks, as returned by PerfQueryCounterData");
    add("identifiers", po::value(&o.v2.identifiers)->value_name("FILE")->multitoken(),
        "identifiers for the --from-v2 files, as returned by PerfQueryCounterInfo: one file for all or one for each");
    add("registration", po::value(&o.v2.registrations)->value_name("FILE")->multitoken(),
        "names and types for V2, as returned by PerfQueryCounterSetRegistrationInfo");
    describe_recursive(shown, o.recursive);
    describe_live(shown, o.live);
    add("v1", po::bool_switch(&o.v1), "live or simulated: only V1, the registry interface");
    add("v2", po::bool_switch(&o.v2_only), "live or simulated: only V2, the PerfLib interface");
    add("both", po::bool_switch(&o.both),
        "live or simulated: both V1 (registry) and V2 (PerfLib), and a message if the machine has no V2 (default: "
        "both, without this message)");
    add("object", po::value(&o.live.wanted.objects)->value_name("X"),
        "objects to read from a machine: name, wildcard, index or GUID (repeatable)");
    add("lang", po::value(&o.live.wanted.languages)->value_name("NNN"),
        "live: also store titles in this language, such as 007 for German (repeatable)");
    describe_simulated_machine(shown, o.live.simulate);
    add("output,o", po::value(&o.output)->value_name("FILE"),
        "capture to write; - for standard output. If FILE exists, the new capture is written to FILE.part, which must "
        "not exist yet, and replaces FILE when complete");
    add("titles", po::value(&o.titles)->value_name("FILE"),
        "title database to store, a capture that contains one, or a directory of these (repeatable)");
    add("meta", po::value(&o.meta)->value_name("KEY=VALUE"),
        "note on the origin of the capture, such as os='Windows Server 2022' (repeatable)");
    add("flush", text_option(o.flush, "SECONDS"),
        "write buffered samples at this interval (default 10; 0: after each sample)");
    add("info", po::bool_switch(&o.info), "list the contents of a capture: hkpd info --all");
    add("export", po::value(&o.directory)->value_name("DIRECTORY"),
        "write all records of a capture to files in DIRECTORY; --from DIRECTORY reads them");
    add("limit-files", text_option(o.limit_files, "N"), "maximum number of files to export (default 1000000)");
    describe_expansion(shown, o.limit_expansion);
    add("verbose,v", po::bool_switch(&o.verbose), "also show notes: unusual but valid data");
    return shown;
}

/// Returns what is wrong with the options for reading a machine. If nothing is wrong, returns an empty text and selects
/// the interfaces to read.
std::string check_interfaces(CaptureCommand& o) {
    if (o.v1 + o.v2_only + o.both > 1) return "--v1, --v2 and --both cannot be combined";
    if (std::string wrong = check_live(o.live, 0); !wrong.empty()) return wrong;
    LiveQuery& wanted = o.live.wanted;
    if (!o.live.any())
        return o.v1 || o.v2_only || o.both || !wanted.objects.empty() || !wanted.languages.empty()
                   ? "--v1, --v2, --both, --object and --lang require --live or --simulate"
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
    o.from.insert(o.from.end(), o.words.begin(), o.words.end());
    if (std::string wrong = check_interfaces(o); !wrong.empty()) return wrong;
    if (o.live.any() && o.from_files())
        return "a machine and files cannot be combined: create two captures, then one --from both";
    if (!o.live.any() && !o.from_files())
        return "missing action: --from INPUT... -o FILE, --live -o FILE, --simulate -o FILE, --info FILE or --export "
               "DIRECTORY FILE";
    if (std::string wrong = check_identifiers(o.v2, "--from-v2"); !wrong.empty()) return wrong;
    if (o.output.empty()) return "missing output: give -o FILE, or -o - for standard output";
    for (const Strings* inputs : {&o.from, &o.titles, &o.v2.blocks, &o.v2.identifiers, &o.v2.registrations})
        for (const std::string& input : *inputs)
            if (std::string wrong = check_output(input, o.output, o.recursive && inputs == &o.from); !wrong.empty())
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
    add_provenance(entries, o.live);
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
            .add(Severity::error,
                 {Errc::not_performance_data, record->bytes.offset(), "PERF_DATA_BLOCK", "Signature", 0, 0});
    return record;
}

/// Creates a capture from a source.
Exit make(const CaptureCommand& o, const CaptureOptions& options, Source& source, const LiveInput* live,
          Diagnostics& diagnostics) {
    const auto begun = std::chrono::steady_clock::now();
    const Verbosity verbosity = o.verbose ? Verbosity::notes_too : Verbosity::faults;
    std::vector<TitleFile> titles = read_title_files(o.titles, diagnostics);
    const auto first = first_record(source, diagnostics);
    if (!first) return report_nothing(diagnostics, verbosity, live != nullptr);  // an existing output is unchanged

    CaptureOutput output(o.output);
    const auto cannot_write = [&](const std::string& why) {
        report(diagnostics, verbosity);
        complain("capture", fmt::format("{}: cannot be written: {}", o.output, why));
        return Exit::unreadable;
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
        fmt::print(stderr, "{}",
                   summary(live->cost(), output, recorder.samples(), std::chrono::steady_clock::now() - begun));
    else if (o.output != "-")
        report_written(o.output, {.samples = recorder.samples()}, output.size());
    return report(diagnostics, verbosity);
}

/// Creates a capture from the files or the machine that the options name.
Exit make(const CaptureCommand& o, const CaptureOptions& options) {
    Diagnostics diagnostics;
    const bool progress = shows_progress(o.output == "-");
    if (!o.live.any()) {
        auto source = open_inputs(o.from, o.v2, o.limits, o.recursive);
        if (progress) source = with_progress(std::move(source));
        return make(o, options, *source, nullptr, diagnostics);
    }
    auto opened = std::make_unique<LiveInput>(o.live, diagnostics);
    const LiveInput& live = *opened;
    std::unique_ptr<Source> source = std::move(opened);
    if (progress) source = with_progress(std::move(source));
    const Exit exit = make(o, options, *source, &live, diagnostics);
    return_if_abandoned(live, exit);
    return exit;
}

}  // namespace

Description describe_capture() {
    CaptureCommand o;
    return {capture_help, describe(o)};
}

Exit capture(const Strings& arguments) {
    CaptureCommand o;
    if (const auto done = parse_options("capture", arguments, describe(o), o.words, capture_help)) return *done;
    const bool making = o.from_files() || o.live.any() || !o.output.empty();
    if (making + o.info + !o.directory.empty() > 1)
        return usage_error("capture", "--from, --live, --simulate, --info and --export cannot be combined");
    if (const std::string wrong = read_expansion(o.limit_expansion, o.limits); !wrong.empty())
        return usage_error("capture", wrong);
    if (const std::string wrong = read_number("--limit-files", o.limit_files, 1, no_index, o.most_files);
        !wrong.empty())
        return usage_error("capture", wrong);
    const Verbosity verbosity = o.verbose ? Verbosity::notes_too : Verbosity::faults;
    if (o.info || !o.directory.empty()) {
        if (!o.titles.empty() || !o.meta.empty() || o.flush)
            return usage_error("capture", "--titles, --meta and --flush require --from, --live or --simulate");
        if (!o.v2.identifiers.empty()) return usage_error("capture", "--identifiers requires --from-v2");
        if (const std::string wrong = check_interfaces(o); !wrong.empty()) return usage_error("capture", wrong);
        if (o.words.size() != 1) return usage_error("capture", "expected one capture");
        return o.info ? show_overviews(o.words, {.limits = o.limits}, true, verbosity)
                      : export_capture(o.words.front(), o.directory, o.limits, o.most_files, verbosity);
    }
    CaptureOptions options;
    options.library = written_by();
    if (const std::string wrong = check_making(o, options); !wrong.empty()) return usage_error("capture", wrong);
    return make(o, options);
}

}  // namespace hkpd::command
