#include "hkpd/overview.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/source.hpp"
#include "names/titles.hpp"
#include "source/directory_titles.hpp"
#include "source/head_and_tail.hpp"
#include "source/input_formats.hpp"
#include "source/object_tally.hpp"
#include "source/time_tally.hpp"
#include "source/unpacked_input.hpp"

namespace hkpd {
namespace {

/// The kinds of inputs from which a source has returned records, and the number of V1 blocks.
struct RecordCounts {
    std::uint64_t v1_blocks = 0;
    std::uint32_t kinds = 0;  // one bit each

    void add(const Record& record) noexcept {
        kinds |= bit_of(record.format == InputKind::unknown ? kind_of(record) : record.format);
        v1_blocks += record.kind == Record::Kind::v1_block ? 1 : 0;
    }
    /// Returns the kind of the source's input; of several, the one that comes first here.
    InputKind kind() const noexcept {
        for (const InputKind kind :
             {InputKind::capture, InputKind::text_log, InputKind::log, InputKind::v1, InputKind::v2})
            if ((kinds & bit_of(kind)) != 0) return kind;
        return kinds == 0 ? InputKind::unknown : static_cast<InputKind>(std::bit_width(kinds) - 1);
    }

  private:
    static std::uint32_t bit_of(InputKind kind) noexcept { return 1U << std::to_underlying(kind); }
    /// Returns the kind of input that has such records, for those of a machine or of files whose format is stated.
    static InputKind kind_of(const Record& record) noexcept {
        switch (record.kind) {
            case Record::Kind::v1_block:
                return InputKind::v1;
            case Record::Kind::v2_block:
                return InputKind::v2;
            case Record::Kind::log_header:
            case Record::Kind::log_row:
                return InputKind::log;
            default:
                return InputKind::unknown;
        }
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

/// Adds the title tables to the overview. Equal tables of several machines are one.
void add_languages(Overview& overview, const Titles& titles, const Titles* before) {
    std::set<std::tuple<const void*, std::string_view, std::string_view>> listed;
    for (const TitleTable& table : titles.tables()) {
        const bool given = before != nullptr && before->contains(table);
        if (!given && table.origin() != builtin_titles().origin() &&
            listed.emplace(table.titles_address(), table.language(), table.origin()).second)
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
    const std::size_t most = options.limits.named_machines;
    TimeTally times(skipped, most * sample_sources);
    std::set<std::string> machines;
    std::uint64_t v1_samples = 0;
    while (reader.next()) {
        const Sample& sample = reader.sample();
        v1_samples += sample.source == SampleSource::v1 ? 1 : 0;
        const std::string machine = sample.machine.value_or("");
        if (machines.size() < most && !machine.empty() && machines.insert(machine).second)
            overview.machines.push_back(machine);
        objects.add(sample);
        times.add(sample);
    }
    times.fill(overview, diagnostics);
    count_samples(overview, reader.count(), v1_samples, counts, skipped);
    overview.objects = objects.take(reader.titles());
    overview.objects_exact = !objects.overflowed();
    add_languages(overview, reader.titles(), options.titles ? &*options.titles : nullptr);
    if (overview.kind != InputKind::unknown || reader.count() == 0) return;
    overview.kind = counts.kind();
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
        const auto unpacked = unpack_quietly(window, options.limits.bytes, options.limits);
        const Bytes bytes = unpacked ? Bytes(unpacked->span()) : window.peek(most_title_bytes(options.limits) + 1);
        Record record{Record::Kind::titles, bytes, {.input = input}};
        record.name = name;
        add_titles(titles, record, options.limits, FaultSink(diagnostics, record.place));
        if (const auto failure = read_failure(file)) diagnostics.add(*failure);
    }
    add_languages(overview, titles, nullptr);
}

/// Returns the kind of a file; `unknown` also for one that cannot be read.
InputKind kind_of(const std::string& path, const Limits& limits) {
    FileStream file(path);
    if (!file) return InputKind::unknown;
    StreamWindow window(file);
    return recognise(window, limits);
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

Overview summarize(std::span<const std::byte> bytes, const OverviewOptions& options, Diagnostics& diagnostics) {
    Overview overview;
    overview.bytes = bytes.size();
    Skipped skipped;
    auto source = options.all ? open_bytes(bytes, options.limits, options.log_zones, options.encoding)
                              : open_head_and_tail(bytes, options.limits, options.sample_above_bytes, skipped,
                                                   options.log_zones, options.encoding);
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
        if (overview.kind == InputKind::titles ||
            (overview.kind == InputKind::unknown && is_title_file({path}, options.limits)))
            titles = {path};
    }
    if (!titles.empty()) {
        overview.kind = InputKind::titles;
        read_titles(overview, titles, options, diagnostics);
        return overview;
    }
    Skipped skipped;
    auto source = overview.kind == InputKind::v2 ? open_v2(path, options.limits)
                  : options.all
                      ? open_files({path}, options.limits, options.subdirectories, options.log_zones, options.encoding)
                      : open_head_and_tail({path}, options.limits, options.subdirectories, options.sample_above_bytes,
                                           skipped, options.log_zones, options.encoding);
    read_samples(overview, std::move(source), skipped, options, diagnostics);
    if (overview.kind == InputKind::capture && path != "-") overview.capture = read_capture_info(path, options.limits);
    // The parts were read one after the other, and the file may only have grown meanwhile.
    const bool is_file = path != "-" && overview.kind != InputKind::directory;
    if (is_file && size_of_file(path) < overview.bytes) diagnostics.add(read_error(input_changed));
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
