#include "hkpd/overview.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "blg/blg.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/source.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"
#include "source/head_and_tail.hpp"
#include "source/object_tally.hpp"
#include "source/text_log.hpp"
#include "source/time_tally.hpp"
#include "source/unpack.hpp"

namespace hkpd {
namespace {

/// The kinds of records that a source has returned, and their number.
struct RecordCounts {
    std::uint64_t v1_blocks = 0;
    bool capture = false, log = false, v1 = false, v2 = false;

    void add(const Record& record) noexcept {
        capture |= record.sequence.has_value() || record.kind == Record::Kind::provenance;
        log |= record.kind == Record::Kind::log_row || record.kind == Record::Kind::log_header;
        v1 |= record.kind == Record::Kind::v1_block;
        v2 |= record.kind == Record::Kind::v2_block;
        v1_blocks += record.kind == Record::Kind::v1_block ? 1 : 0;
    }
    InputKind kind() const noexcept {
        if (capture) return InputKind::capture;
        if (log) return InputKind::log;
        if (v1) return InputKind::v1;
        return v2 ? InputKind::v2 : InputKind::unknown;
    }
};

/// Counts the records that another source returns.
class CountedSource final : public Source {
  public:
    CountedSource(std::unique_ptr<Source> source, RecordCounts& counts) : source_(std::move(source)), counts_(counts) {}

    std::optional<Record> next(Diagnostics& diagnostics) override {
        auto record = source_->next(diagnostics);
        if (record) counts_.add(*record);
        return record;
    }

  private:
    std::unique_ptr<Source> source_;
    RecordCounts& counts_;
};

void add_languages(Overview& overview, const Titles& titles, const Titles* before) {
    for (const TitleTable& table : titles.tables()) {
        const bool given = before != nullptr && std::ranges::find(before->tables(), table) != before->tables().end();
        if (!given && table.origin() != builtin_titles().origin())
            overview.languages.push_back({table.language(), table.origin(), table.size()});
    }
}

/// Sets the number of samples. A skipped block counts as many samples as, on average, the blocks that were read.
void count_samples(Overview& overview, std::uint64_t read, std::uint64_t v1_samples, const RecordCounts& counts,
                   const Skipped& skipped) {
    overview.complete = !skipped.any;
    overview.samples = read + skipped.v2_blocks + skipped.log_rows;
    overview.samples_exact = !skipped.rows_estimated && (skipped.v1_blocks == 0 || v1_samples == counts.v1_blocks);
    const double each =
        static_cast<double>(v1_samples) / static_cast<double>(std::max<std::uint64_t>(counts.v1_blocks, 1));
    overview.samples += overview.samples_exact || v1_samples == counts.v1_blocks
                            ? skipped.v1_blocks
                            : static_cast<std::uint64_t>(each * static_cast<double>(skipped.v1_blocks));
}

/// Fills the overview from all samples of a source, and from what the source has skipped.
void read_samples(Overview& overview, std::unique_ptr<Source> source, const Skipped& skipped,
                  const OverviewOptions& options, Diagnostics& diagnostics) {
    RecordCounts counts;
    ReaderOptions how{.limits = options.limits, .compare = false, .languages = options.languages};
    how.titles = options.titles;
    how.diagnostics = &diagnostics;
    Reader reader(std::make_unique<CountedSource>(std::move(source), counts), std::move(how));
    ObjectTally objects(options.limits, options.paths);
    TimeTally times(skipped, std::size_t{options.limits.machines} * sample_sources);
    std::uint64_t v1_samples = 0;
    while (reader.next()) {
        const Sample& sample = reader.sample();
        v1_samples += sample.source == SampleSource::v1 ? 1 : 0;
        const std::string machine = sample.machine.value_or("");
        if (overview.machines.size() < options.limits.machines && !machine.empty() &&
            std::ranges::find(overview.machines, machine) == overview.machines.end())
            overview.machines.push_back(machine);
        objects.add(sample);
        times.add(sample);
    }
    times.fill(overview);
    count_samples(overview, reader.count(), v1_samples, counts, skipped);
    overview.objects = objects.take(reader.titles());
    overview.objects_exact = !objects.overflowed();
    add_languages(overview, reader.titles(), options.titles ? &*options.titles : nullptr);
    if (overview.kind != InputKind::unknown || reader.count() == 0) return;
    overview.kind = counts.kind();
    // The records of a text log are those of the binary log that relog would make of it.
    const auto of_text = [](const Diagnostic& fault) { return fault.error.code == Errc::text_log; };
    if (overview.kind == InputKind::log && std::ranges::any_of(diagnostics.kept(), of_text))
        overview.kind = InputKind::text_log;
}

/// Fills the overview from title databases.
void read_titles(Overview& overview, const std::vector<std::string>& files, const OverviewOptions& options,
                 Diagnostics& diagnostics) {
    Titles titles;
    for (const std::string& path : files) {
        const std::uint32_t input = diagnostics.add_input(path);
        FileStream file(path);
        StreamWindow window(file);
        const std::string name = path_text(path_of(path).filename());
        Record record{Record::Kind::titles, window.peek(2 * options.limits.title_bytes + 1), {.input = input}};
        record.name = name;
        add_titles(titles, record, options.limits, FaultSink(diagnostics, record.place));
    }
    add_languages(overview, titles, nullptr);
}

/// Returns the kind of a file; `unknown` also for one that cannot be read.
InputKind kind_of(const std::string& path, const Limits& limits) {
    FileStream file(path);
    if (!file) return InputKind::unknown;
    if (CaptureReader::is_capture(file)) return InputKind::capture;
    StreamWindow window(file);
    if (packing_of(window.peek(packing_bytes)) == Packing::zip) return InputKind::archive;
    if (blg::is_log(window.peek(blg::first_bytes_needed))) return InputKind::log;
    if (is_text_log(window)) return InputKind::text_log;
    if (v1::has_signature(window.peek(8))) return InputKind::v1;
    if (v2::is_data_block(window.peek(limits.bytes))) return InputKind::v2;
    std::vector<std::string> files{path};
    return take_title_files(files, limits).empty() ? InputKind::unknown : InputKind::titles;
}

/// Returns a file of V2 blocks as a source. The identifiers of its query are in a file of the same name, as
/// `hkpd capture --export` writes them, or unknown.
std::unique_ptr<Source> open_v2(const std::string& path, const Limits& limits) {
    V2Files files{.blocks = {path}};
    const std::string identifiers = path_text(path_of(path).replace_extension(".v2-query"));
    if (identifiers != path && is_regular_file(identifiers)) files.identifiers.push_back(identifiers);
    return open_v2_files(std::move(files), limits);
}

std::optional<CaptureInfo> read_capture_info(const std::string& path, const Limits& limits) {
    FileStream file(path);
    if (!CaptureReader::is_capture(file)) return std::nullopt;
    return CaptureReader(file, limits).info({});  // its faults are found again when the samples are read
}

}  // namespace

std::string_view kind_name(InputKind kind) noexcept {
    constexpr std::array<std::string_view, 9> names{"unknown", "v1",       "v2",     "directory", "capture",
                                                    "log",     "text_log", "titles", "archive"};
    return names[std::to_underlying(kind)];
}

Overview summarize(std::span<const std::byte> bytes, const OverviewOptions& options, Diagnostics& diagnostics) {
    Overview overview;
    overview.bytes = bytes.size();
    Skipped skipped;
    auto source = options.all ? open_bytes(bytes, options.limits)
                              : open_head_and_tail(bytes, options.limits, options.whole, skipped);
    read_samples(overview, std::move(source), skipped, options, diagnostics);
    return overview;
}

Overview summarize(const std::string& path, const OverviewOptions& options, Diagnostics& diagnostics) {
    Overview overview;
    std::vector<std::string> titles;
    if (path != "-" && is_directory(path)) {
        overview.kind = InputKind::directory;
        std::error_code error;
        std::vector<std::string> members = files_in(path, error);
        for (const std::string& member : members) overview.bytes += size_of_file(member);
        if (options.subdirectories == Subdirectories::read)
            for (const std::string& directory : directories_below(path, error))
                for (const std::string& member : files_in(directory, error)) overview.bytes += size_of_file(member);
        titles = take_title_files(members, options.limits);
        if (!members.empty()) titles.clear();  // they name the samples of the other files
    } else if (path != "-") {
        overview.kind = kind_of(path, options.limits);
        overview.bytes = size_of_file(path);
        if (overview.kind == InputKind::titles) titles = {path};
    }
    if (!titles.empty()) {
        overview.kind = InputKind::titles;
        read_titles(overview, titles, options, diagnostics);
        return overview;
    }
    Skipped skipped;
    auto source = overview.kind == InputKind::v2 ? open_v2(path, options.limits)
                  : options.all
                      ? open_files({path}, options.limits, options.subdirectories)
                      : open_head_and_tail({path}, options.limits, options.subdirectories, options.whole, skipped);
    read_samples(overview, std::move(source), skipped, options, diagnostics);
    if (overview.kind == InputKind::capture && path != "-") overview.capture = read_capture_info(path, options.limits);
    return overview;
}

Overview summarize(std::unique_ptr<Source> source, const OverviewOptions& options, Diagnostics& diagnostics) {
    Overview overview;
    read_samples(overview, std::move(source), {}, options, diagnostics);
    return overview;
}

void visit_paths(const Overview& overview, const std::function<bool(std::string_view)>& take) {
    std::string path;
    for (const Overview::Object& object : overview.objects) {
        const std::string begin = (object.machine.empty() ? "\\" : "\\\\" + object.machine + "\\") + object.path_name;
        for (const Overview::Object::Part& part : object.parts)
            for (const std::string& counter : part.counters) {
                if (!object.is_list && !take(path.assign(begin).append("\\").append(counter))) return;
                for (const std::string& instance : part.instances)
                    if (!take(path.assign(begin).append("(").append(instance).append(")\\").append(counter))) return;
            }
    }
}

}  // namespace hkpd
