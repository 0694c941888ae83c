// Metrics text from samples, through every layer that a command uses.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/names.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/blob_builder.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {

using MakeSource = std::function<std::unique_ptr<hkpd::Source>()>;

inline MakeSource blobs_again(std::vector<blob::Blob> blobs) {
    return [blobs = std::move(blobs)] { return std::make_unique<MemorySource>(blobs); };
}

/// The text written, and the writer's diagnostics at the end: `error output_limit 3|`.
struct MetricOutput {
    std::string text, faults;
    unsigned passes = 0;
};

inline MetricOutput write_metrics(const MakeSource& make_source, const hkpd::WriteOptions& options) {
    const auto writer = hkpd::make_writer(hkpd::Format::openmetrics, options);
    MetricOutput output;
    std::vector<hkpd::Selected> selected;
    writer->begin(output.text);
    do {
        ++output.passes;
        const auto source = make_source();
        hkpd::SampleReader reader(*source, options.titles, {});
        hkpd::Replay replay(reader, {});
        hkpd::Filter filter;
        hkpd::Diagnostics ignored;
        while (replay.next(ignored)) {
            filter.select(replay.sample(), selected);
            writer->sample(replay.sample(), selected, &replay.cooker(), output.text);
        }
    } while (!options.one_pass && writer->again(output.text));
    hkpd::Diagnostics found;
    writer->end(found, output.text);
    for (const hkpd::Diagnostic& fault : found.kept())
        output.faults.append(severity_name(fault.severity))
            .append(" ")
            .append(code_name(fault.error.code))
            .append(" ")
            .append(std::to_string(fault.error.found))
            .append("|");
    return output;
}

/// Returns the number of lines that are points.
inline std::size_t count_points(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        if (text[at] != '#') ++count;
    return count;
}

/// Returns Windows' own names.
inline const hkpd::Titles& builtin() {
    static const hkpd::Titles titles = [] {
        hkpd::Titles made;
        made.add(hkpd::builtin_titles());
        return made;
    }();
    return titles;
}

inline hkpd::WriteOptions with_titles(const hkpd::Titles& titles = builtin()) { return {.titles = &titles}; }

/// The text after each sample, and the writer's diagnostics at the end.
struct Textfile {
    std::vector<std::string> texts;
    std::string end, faults;
};

inline Textfile write_textfile(const MakeSource& make_source, const hkpd::WriteOptions& options = with_titles()) {
    const auto writer = hkpd::make_textfile_writer(options);
    const auto source = make_source();
    hkpd::SampleReader reader(*source, options.titles, {});
    hkpd::ReplayOptions how;
    how.one_source = true;
    hkpd::Replay replay(reader, how);
    hkpd::Filter filter;
    hkpd::Diagnostics ignored, found;
    std::vector<hkpd::Selected> selected;
    Textfile file;
    std::string none;
    while (replay.next(ignored)) {
        filter.select(replay.sample(), selected);
        writer->sample(replay.sample(), selected, &replay.cooker(), none);
        writer->write(file.texts.emplace_back());
    }
    EXPECT_EQ(none, "");
    writer->end(found, file.end);
    for (const hkpd::Diagnostic& fault : found.kept())
        file.faults += std::string(code_name(fault.error.code)) + " " + std::to_string(fault.error.found) + "|";
    return file;
}

/// Returns a block of this second; its performance clock matches.
inline blob::Block block_at_second(std::uint16_t second, std::vector<blob::Object> objects) {
    return {.objects = std::move(objects),
            .perf_time = 1'000'000 + second * 10'000'000LL,
            .system_time = {.second = second}};
}

/// Returns the lines of the text that contain `part`: those of a family, or with a label.
inline std::string lines_with(std::string_view text, std::string_view part) {
    std::string found;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n') + 1);
        if (line.find(part) != std::string_view::npos) found += line;
        text.remove_prefix(line.size());
    }
    return found;
}

}  // namespace hkpd_test
