// Named files in a directory, each a part of the input: read as the directory, one after the other, as results of the
// PerfLib functions, and the last two together, or in one of these ways. The first byte has options; the second is
// unused.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "file_parts.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "output.hpp"
#include "properties.hpp"
#include "registration_name.hpp"
#include "source/sample_reader.hpp"
#include "source/v2_files.hpp"
#include "usual_titles.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;
namespace fs = std::filesystem;

/// A directory for one input, in memory if the system has such a place; removed with the object.
class Directory {
  public:
    Directory() {
        const fs::path memory = "/dev/shm";
        std::string name = (access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path()) / "hkpd-XXXXXX";
        require(mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    ~Directory() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }

    void hold(const Part& part) const {
        const fs::path path = path_ / part.name;
        if (part.name == "missing") return;
        fs::create_directories(part.name == "folder" ? path : path.parent_path());
        if (part.name != "folder") std::ofstream(path, std::ios::binary) << part.content;
    }
    std::string name() const { return path_.string(); }

  private:
    fs::path path_;
};

struct Options {
    explicit Options(unsigned first) : titles(first & 1U), countersets(first & 2U) {
        if ((first & 4U) != 0) only = (first & 8U) != 0 ? SampleSource::v2 : SampleSource::v1;
        // So small that files reach what otherwise takes a gigabyte.
        if ((first & 16U) != 0) {
            limits.bytes = limits.chunk = 1024;
            limits.title_bytes = 256;
            limits.values = 4;
            limits.series = limits.tables = 2;
        }
        paths = (first & 32U) != 0;
    }
    bool titles, countersets, paths = false;
    std::optional<SampleSource> only{};
    Limits limits = small_limits;
};

std::string describe(const Record& record) {
    std::string text = std::to_string(static_cast<int>(record.kind));
    for (const std::string_view part : {record.machine, record.name, record.language}) text.append(" ").append(part);
    for (const std::uint64_t part : {record.time.value_or(0), std::uint64_t{record.sequence.value_or(0)},
                                     std::uint64_t{record.request}, std::uint64_t{record.title_index.value_or(0)}})
        text.append(" ").append(std::to_string(part));
    const std::string_view bytes(reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size());
    text.append(" ").append(guid_text(record.counterset)).append(guid_text(record.log)).append(" ");
    return text.append(std::to_string(std::hash<std::string_view>{}(bytes))).append("\n");
}

/// Records what another source returns.
class Watched final : public Source {
  public:
    Watched(std::unique_ptr<Source> source, std::string& text) : source_(std::move(source)), text_(text) {}

    std::optional<Record> next(Diagnostics& diagnostics) override {
        auto record = source_->next(diagnostics);
        if (record && record->kind == Record::Kind::v2_registration) require_registration_name(*record);
        if (record && text_.size() < 1U << 20U) text_ += describe(*record);
        return record;
    }

  private:
    std::unique_ptr<Source> source_;
    std::string& text_;
};

/// Returns all that a source yields: its records, the samples made of them, and their faults.
std::string read(std::unique_ptr<Source> source, const Options& options, std::uint64_t largest) {
    std::string text, records;
    Watched watched(std::move(source), records);
    static UsualTitles usual;
    Titles& titles = usual.get();
    Countersets countersets;
    SampleReader reader(watched, &titles, options.limits);
    if (options.titles) reader.take_titles(titles);
    if (options.countersets) reader.take_countersets(countersets);
    if (options.only) reader.take_only(*options.only);
    reader.print_provenance([&records](const Record& record) { records += describe(record); });
    Diagnostics diagnostics;
    Sample sample;
    std::vector<Selected> selected;
    Filter filter;
    if (options.paths)
        for (const char* path : {R"(\*(a)\*)", R"(\*\*)", R"(\*(*)\W*)"}) filter.add_path(*CounterPath::parse(path));
    const auto writer = make_writer(Format::jsonl, {&titles});
    writer->begin(text);
    while (reader.next(sample, diagnostics)) {
        filter.select(sample, selected);
        if (text.size() < 1U << 20U) writer->sample(sample, selected, nullptr, text);
    }
    writer->end(diagnostics, text);
    require_form(Format::jsonl, text);
    require_diagnostics(diagnostics);
    // Places in a record of a capture are relative to that record, which may have been compressed.
    for (const Diagnostic& found : diagnostics.kept())
        require(!has_place(found.error.code) ||
                found.error.offset <=
                    (found.place.record == no_index ? largest : std::max(largest, options.limits.chunk)));
    for (const Diagnostic& found : diagnostics.kept()) append_diagnostic(text, diagnostics, found);
    return text + records;
}

/// Sorts files by their names, as `hkpd` does.
V2Files v2_files(const std::vector<std::string>& paths) {
    V2Files files;
    for (const std::string& path : paths) {
        if (path.ends_with(".v2-query"))
            files.identifiers.push_back(path);
        else if (path.ends_with(".v2-registration"))
            files.registrations.push_back(path);
        else
            files.blocks.push_back(path);
    }
    return files;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const Effort effort(data, size);
    const Options options(data[0]);
    const Directory directory;
    std::vector<std::string> paths;
    std::uint64_t largest = 0;
    for (const Part& part : split({reinterpret_cast<const char*>(data) + 2, size - 2})) {
        directory.hold(part);
        paths.push_back(directory.name() + "/" + std::string(part.name));
        largest = std::max<std::uint64_t>(largest, part.content.size());
    }
    const std::array<std::function<std::unique_ptr<Source>()>, 4> ways{
        [&] { return open_files({directory.name()}, options.limits); },
        [&] { return open_files(paths, options.limits); },
        [&] { return open_v2_files(v2_files(paths), options.limits); },
        [&] {
            std::vector<std::unique_ptr<Source>> both;
            both.push_back(open_files(paths, options.limits));
            both.push_back(open_v2_files(v2_files(paths), options.limits));
            return chain(std::move(both));
        }};
    for (std::size_t i = 0; i < ways.size(); ++i) {
        if (!effort.takes(i, ways.size())) continue;
        const Budget budget(size, small_limits.values * 4, 16);
        const std::string once = read(ways[i](), options, largest);
        require(!effort.thorough() || once == read(ways[i](), options, largest));
    }
    return 0;
}
