#include "hkpd/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "capture_files.hpp"
#include "hkpd/recorder.hpp"
#include "hkpd/source.hpp"
#include "input_options.hpp"
#include "progress.hpp"

namespace hkpd::command {
namespace {

namespace fs = std::filesystem;

struct CaptureCommand {
    Strings from, words, titles, meta;
    std::string output, flush, directory;
    bool info = false, verbose = false;
};

constexpr HelpText help{
    "usage: hkpd capture --from INPUT... -o FILE.mcap [--titles PATH]... [--flush SECONDS]\n"
    "       hkpd capture --info FILE\n"
    "       hkpd capture --export DIRECTORY FILE\n\n"
    "Makes a capture (an MCAP file) from blobs, directories of them, standard input (-) or other captures, torn ones\n"
    "too: what is sound in them is in the new one. Lists a capture. Writes the blobs and title databases of one back\n"
    "into files, byte for byte.\n\n",
    "\n  hkpd capture --from blobs/ --titles counter-009.txt -o run.mcap\n"
    "  hkpd capture --from torn.mcap -o whole.mcap\n"
    "  hkpd capture --info run.mcap\n"};

po::options_description describe(CaptureCommand& o) {
    po::options_description shown = new_options();
    auto add = shown.add_options();
    add("from", po::value(&o.from)->value_name("INPUT")->multitoken(), "what to make a capture of");
    add("output,o", po::value(&o.output)->value_name("FILE"), "the capture to write; - for standard output");
    add("titles", po::value(&o.titles)->value_name("PATH"),
        "title database to take along, a capture with one, or a directory of them (repeatable)");
    add("meta", po::value(&o.meta)->value_name("KEY=VALUE"),
        "a note on where it comes from, such as os='Windows Server 2022' (repeatable)");
    add("flush", po::value(&o.flush)->value_name("SECONDS"),
        "write what there is at the end of a sample, once so long has passed (default 10; 0: after each sample)");
    add("info", po::bool_switch(&o.info), "list a capture");
    add("export", po::value(&o.directory)->value_name("DIRECTORY"), "write the blobs and title databases of a capture");
    add("verbose,v", po::bool_switch(&o.verbose), "show notes too: what is odd but legal");
    return shown;
}

/// The file that a capture is written to. What it is given is with the system when `write` returns.
class Output {
  public:
    explicit Output(const std::string& path) : file_(path == "-" ? stdout : std::fopen(path.c_str(), "wb")) {}
    ~Output() {
        if (file_ != nullptr && file_ != stdout) std::fclose(file_);
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    bool opened() const noexcept { return file_ != nullptr; }
    bool write(std::span<const std::byte> bytes) {
        const bool written =
            std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size() && std::fflush(file_) == 0;
        if (!written && error_ == 0) error_ = errno;
        return written;
    }
    bool close() {
        if (file_ != stdout && std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
        return error_ == 0;
    }
    int error() const noexcept { return error_; }

  private:
    std::FILE* file_;
    int error_ = 0;
};

/// Says why the output must not be written: it is the input, or among the files of an input that is a directory.
std::string check_output(const std::string& input, const std::string& output) {
    std::error_code error;
    if (output == "-") return {};
    const auto is_output = [&](const fs::path& path) { return fs::equivalent(path, output, error); };
    if (is_output(input == "-" ? "/dev/stdin" : input))
        return fmt::format("'{}' is an input and would be overwritten", output);
    if (!fs::is_directory(input, error)) return {};
    const std::vector<std::string> members = files_in(input, error);
    if (is_output(input) || std::ranges::any_of(members, is_output) ||
        fs::equivalent(input, fs::absolute(output, error).parent_path(), error))
        return fmt::format("'{}' would be among the inputs: write it into another directory", output);
    return {};
}

/// What is wrong with the options for making a capture; else nothing.
std::string check_making(CaptureCommand& o, CaptureOptions& options) {
    o.from.insert(o.from.end(), o.words.begin(), o.words.end());
    if (o.from.empty()) return "say what to do: --from INPUT... -o FILE, --info FILE or --export DIRECTORY FILE";
    if (o.output.empty()) return "where to? give -o FILE, or -o - for standard output";
    for (const Strings* inputs : {&o.from, &o.titles})
        for (const std::string& input : *inputs)
            if (std::string wrong = check_output(input, o.output); !wrong.empty()) return wrong;
    for (const std::string& note : o.meta)
        if (note.find('=') == std::string::npos || note.front() == '=')
            return fmt::format("--meta takes KEY=VALUE, not '{}'", note);
    if (o.flush.empty()) return {};
    double seconds = 0;
    constexpr double most = 1e6;
    const char* const end = o.flush.data() + o.flush.size();
    const auto parsed = std::from_chars(o.flush.data(), end, seconds);
    if (parsed.ec != std::errc{} || parsed.ptr != end || !(seconds >= 0 && seconds <= most))
        return fmt::format("--flush takes seconds, 0 to {:.0f}, not '{}'", most, o.flush);
    options.time = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    return {};
}

CaptureWriter::Metadata provenance(const CaptureCommand& o) {
    CaptureWriter::Metadata entries{{"tool", "hkpd " HKPD_VERSION}};
    for (const std::string& note : o.meta) {
        const std::size_t equals = note.find('=');
        entries[note.substr(0, equals)] = note.substr(equals + 1);
    }
    return entries;
}

Exit make(const CaptureCommand& o, const CaptureOptions& options) {
    Diagnostics diagnostics;
    const Verbosity verbosity = o.verbose ? Verbosity::notes_too : Verbosity::faults;
    std::vector<TitleFile> titles = read_title_files(o.titles, diagnostics);
    const auto source = open_files(o.from, {});
    auto record = source->next(diagnostics);
    for (; record && record->kind == Record::Kind::v1_block && !v1::has_signature(record->bytes);
         record = source->next(diagnostics))
        diagnostics.add(Severity::error,
                        {Errc::not_performance_data, record->bytes.offset(), "PERF_DATA_BLOCK", "Signature", 0, 0});
    if (!record) return report(diagnostics, verbosity);  // a file that is there stays as it is

    Output output(o.output);
    const auto cannot_write = [&](const std::string& why) {
        report(diagnostics, verbosity);
        fmt::print(stderr, "hkpd capture: {}: cannot be written: {}\n", o.output, why);
        return Exit::unreadable;
    };
    if (!output.opened()) return cannot_write(std::strerror(errno));
    CaptureWriter writer([&output](std::span<const std::byte> bytes) { return output.write(bytes); }, options);
    Recorder recorder(writer);
    recorder.set_provenance(provenance(o));
    for (TitleFile& file : titles)
        recorder.add_titles({std::move(file.name), std::move(file.content),
                             file.tables.empty() ? std::string{} : file.tables.front().language()});
    {
        Progress progress(o.output == "-");
        for (; record && writer.good(); record = source->next(diagnostics)) {
            recorder.add(*record, diagnostics);
            progress.show(recorder.samples());
        }
    }
    recorder.finish();
    writer.finish();
    const bool written = writer.good();
    if (!output.close() || !written)
        return cannot_write(output.error() == 0 ? "more channels than the format has" : std::strerror(output.error()));
    return report(diagnostics, verbosity);
}

}  // namespace

Exit capture(const Strings& arguments) {
    CaptureCommand o;
    if (const auto done = parse_options("capture", arguments, describe(o), o.words, help)) return *done;
    const bool making = !o.from.empty() || !o.output.empty();
    if (making + o.info + !o.directory.empty() > 1)
        return usage_error("capture", "one thing at a time: --from, --info or --export");
    const Verbosity verbosity = o.verbose ? Verbosity::notes_too : Verbosity::faults;
    if (o.info || !o.directory.empty()) {
        if (!o.titles.empty() || !o.meta.empty() || !o.flush.empty())
            return usage_error("capture", "--titles, --meta and --flush go with --from");
        if (o.words.size() != 1) return usage_error("capture", "give one capture");
        return o.info ? list_capture(o.words.front(), verbosity)
                      : export_capture(o.words.front(), o.directory, verbosity);
    }
    CaptureOptions options;
    options.library = "hkpd " HKPD_VERSION;
    if (const std::string wrong = check_making(o, options); !wrong.empty()) return usage_error("capture", wrong);
    return make(o, options);
}

}  // namespace hkpd::command
