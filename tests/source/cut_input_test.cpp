// Inputs that another program changes while they are read: what is missing is an error, in every format.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/reader.hpp"
#include "support/demo_machine.hpp"
#include "support/log_samples.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace cut_input_test {

using hkpd::Errc;

std::string blobs() {
    std::string all;
    for (std::uint64_t second = 0; second < 120; ++second) all += to_text(blob::build(demo::machine(second)));
    return all;
}

std::string capture(const TempFolder& folder) {
    const std::string path = folder.path("made.mcap");
    hkpd::Diagnostics faults;
    auto made = hkpd::CaptureFile::create(path, {.samples = 1});
    EXPECT_TRUE(made);
    for (std::uint64_t second = 0; second < 1000; ++second) {
        const blob::Blob block = blob::build(demo::machine(second));
        made->add({.bytes = hkpd::Bytes(block.bytes())}, faults);
    }
    EXPECT_TRUE(made->finish());
    return read_file(hkpd::path_of(path));
}

std::string text_log() {
    std::string text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\System\\Threads\"\r\n";
    for (int row = 0; row < 20'000; ++row) {
        const std::string number = std::to_string(row % 3600 + 1000) + ".5";  // shows the decimal mark at once
        text += "\"05/14/2024 0" + std::to_string(row / 3600) + ":" + (row / 60 % 60 < 10 ? "0" : "") +
                std::to_string(row / 60 % 60) + ":" + (row % 60 < 10 ? "0" : "") + std::to_string(row % 60) +
                ".000\",\"" + number + "\"\r\n";
    }
    return text;
}

/// The samples and the faults of a run during which the file changes after the first sample.
struct Changed {
    std::uint64_t samples = 0;
    hkpd::Diagnostics diagnostics;

    Changed(const std::string& path, const std::function<void()>& change) {
        auto reader = hkpd::Reader::open({path}, {.diagnostics = &diagnostics});
        if (!reader) return;
        while (reader->next())
            if (++samples == 1) change();
    }
    bool is_short() const {
        for (const hkpd::Diagnostic& fault : diagnostics.kept())
            if (fault.error.code == Errc::cannot_read && fault.error.found == hkpd::file_became_shorter) return true;
        return false;
    }
};

TEST(CutInput, IsAnErrorInEveryFormat) {
    const TempFolder folder;
    const std::vector<std::pair<std::string, std::string>> inputs{
        {"blobs.bin", blobs()},
        {"run.mcap", capture(folder)},
        {"run.blg", log_file::build(counting_log(5000)).text()},
        {"run.csv", text_log()},
    };
    for (const auto& [name, content] : inputs) {
        SCOPED_TRACE(name);
        ASSERT_GT(content.size(), 300'000U) << "more than a reader has in memory after one sample";
        const std::string path = folder.write(name, content);
        const Changed unchanged(path, [] {});
        EXPECT_FALSE(unchanged.is_short());
        for (const std::size_t left : {std::size_t{0}, content.size() / 2, content.size() - 1}) {
            folder.write(name, content);
            const Changed cut(path, [&, place = hkpd::path_of(path)] { std::filesystem::resize_file(place, left); });
            EXPECT_LE(cut.samples, unchanged.samples);
            EXPECT_TRUE(cut.is_short()) << left << " of " << content.size();
        }
        folder.write(name, content);
        const Changed grown(path, [&, place = hkpd::path_of(path)] {
            std::ofstream(place, std::ios::binary | std::ios::app) << content;
        });
        EXPECT_GE(grown.samples, unchanged.samples);
        EXPECT_FALSE(grown.is_short());
    }
}

}  // namespace cut_input_test
}  // namespace hkpd_test
