// `capture --export`: the names of the files, and the way back from the directory to the same records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "capture_cli.hpp"
#include "run_command.hpp"
#include "support/log_samples.hpp"
#include "support/mcap_builder.hpp"

namespace hkpd_test {
namespace export_cli_test {

using testing::HasSubstr;
namespace fs = std::filesystem;

std::string repeated(std::string_view text, std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
}

class ExportCli : public CaptureCli {
  protected:
    /// Exports a capture, and returns the directory.
    std::string exported(const std::string& path, const std::string& name) const {
        const Result result = capture({"--export", folder_.path(name), path});
        EXPECT_EQ(result.exit, 0) << result.err;
        return folder_.path(name);
    }
    /// Returns the lines of a manifest for records, without those on the capture's own origin.
    static std::vector<std::string> records_of(const std::string& directory) {
        std::vector<std::string> all = lines(read_file(directory + "/manifest.jsonl"));
        std::erase_if(all, [](const std::string& line) { return line.contains("\"provenance\""); });
        return all;
    }
    /// Makes a capture from a directory.
    std::string again(const std::string& directory) const {
        const std::string path = folder_.path("again.mcap");
        const Result result = capture({directory, "-o", path});
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_EQ(result.err, "");
        return path;
    }
    std::string simulated() const {
        const std::string path = folder_.path("simulated.mcap");
        EXPECT_EQ(capture({"--simulate", "--count", "3", "-o", path}).exit, 0);
        return path;
    }
};

TEST_F(ExportCli, BothInterfacesAreReadBackWhole) {
    const std::string path = simulated(), directory = exported(path, "out"), back = again(directory);
    EXPECT_EQ(records_of(exported(back, "twice")), records_of(directory));
    for (const std::string source : {"v1", "v2"}) {
        const Result before = dump({"--source", source, "--format", "csv", path});
        EXPECT_THAT(before.out, HasSubstr(source));
        EXPECT_EQ(dump({"--source", source, "--format", "csv", back}).out, before.out);
        EXPECT_EQ(dump({"--source", source, "--format", "csv", directory}).out, before.out);
    }
    EXPECT_THAT(capture({"--info", back}).out, HasSubstr("seed       1"));
}

TEST_F(ExportCli, FilesThatTheManifestDoesNotListAreReadToo) {
    const std::string directory = exported(simulated(), "out");
    folder_.write("out/zzz.bin", demo_blobs(2));
    const Result result = dump({directory, "--source", "v1", "--format", "csv", "--object", "2"});
    EXPECT_THAT(result.out, testing::AllOf(HasSubstr("SIMULATED"), HasSubstr("DEMO")));
}

TEST_F(ExportCli, WhatCannotBeReadIsReported) {
    const std::string directory = exported(simulated(), "out");
    fs::remove(directory + "/000023.v2-query");
    std::string manifest = read_file(directory + "/manifest.jsonl");
    manifest +=
        "{\"file\":\"../x\",\"kind\":\"v1-block\"}\n{\"file\":\"x\",\"kind\":\"other\"}\n[[[\n{\"kind\":{\"a\":{}}}\n";
    folder_.write("out/manifest.jsonl", manifest);
    const Result result = capture({directory, "-o", folder_.path("again.mcap")});
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(result.err, HasSubstr("000023.v2-query: error: cannot be read"));
    EXPECT_THAT(
        result.err,
        HasSubstr(
            "manifest.jsonl: error: a line of the manifest is damaged, and the file it names is not read: line "));
    EXPECT_EQ(
        std::ranges::count(lines(result.err), true,
                           [](const std::string& line) { return line.contains("a line of the manifest is damaged"); }),
        4)
        << result.err;
}

TEST_F(ExportCli, CheckReadsEachBlockOnce) {
    const std::string whole = simulated(), directory = exported(whole, "out");
    const auto checked = [](const std::string& input) {
        const std::string out = run({"check", input}).out;
        return out.substr(std::min(out.find("checked: "), out.size()));
    };
    EXPECT_THAT(checked(whole), HasSubstr("sample"));
    EXPECT_EQ(checked(directory), checked(whole));
    fs::remove(directory + "/manifest.jsonl");  // the V2 files are then checked by themselves, without a warning
    EXPECT_EQ(checked(directory), checked(whole));
    EXPECT_THAT(run({"check", directory}).out, testing::Not(HasSubstr("manifest.jsonl")));
}

TEST_F(ExportCli, V2WithoutAManifestIsAWarning) {
    const std::string directory = exported(simulated(), "out");
    fs::remove(directory + "/manifest.jsonl");
    const Result result = capture({directory, "-o", folder_.path("again.mcap")});
    EXPECT_THAT(result.err,
                HasSubstr("000023.v2: warning: V2 (PerfLib) data in a directory is read only if a manifest.jsonl"));
}

/// Names of titles that act when files have them: other directories, devices, endings, what shells and terminals read.
const std::vector<std::string> acting_names{"../../evil",
                                            R"(..\..\evil2)",
                                            "/etc/x",
                                            "C:evil",
                                            "a:ads",  //
                                            "NUL",
                                            "NUL .txt",
                                            "AUX\u00A0.txt",
                                            "nul\u0301",
                                            "CON\u0131",
                                            "CONIN$",
                                            "CONOUT$",
                                            "CLOCK$",  //
                                            "COM0",
                                            "COM\u00B9",
                                            "com\u00B9.txt",
                                            "LPT\u00B2",  //
                                            "desktop.ini",
                                            "autorun.inf",
                                            "x.lnk",
                                            "y.BLG",
                                            "000001.bin",
                                            "counter-009.txt",
                                            "titles",  //
                                            "foo.",
                                            "foo ",
                                            ".hidden",
                                            "~",
                                            "-rf",
                                            "A",
                                            "a",
                                            "\u017F",  //
                                            "\x1B[2Jx",
                                            "a\nb",
                                            "\u202Egpj.exe",
                                            "file\u200Bname",  //
                                            "%SystemRoot%",
                                            "$(id)",
                                            "$HOME",
                                            "`id`",
                                            "a b;rm",  //
                                            repeated("\u00E9", 150),
                                            repeated("\u3042", 70),
                                            std::string(300, 'x') + ".blg"};

TEST_F(ExportCli, NamesHaveNoMeaningToAnySystem) {
    mcap_file::Builder file;
    file.channels.clear();
    unsigned id = 10;
    for (const std::string& name : acting_names) {
        file.add(mcap_file::channel(id, "titles/" + name, "x-hkpd-titles", {{"name", name}}));
        file.add(mcap_file::message(id++, 1, 1, std::string("1\0\0\0A\0\0\0", 8)));
    }
    const std::string out = folder_.path("out");
    const Result result = capture({"--export", out, folder_.write("names.mcap", file.finish())});
    std::error_code error;
    std::size_t count = 0;
    for (const std::string& path : hkpd::files_in(out, error)) {
        const std::string name = path.substr(out.size() + 1);
        EXPECT_TRUE(name == "manifest.jsonl" || name.starts_with("titles-")) << name;
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_."), std::string::npos) << name;
        EXPECT_LE(std::ranges::count(name, '.'), 1) << name;
        ++count;
    }
    EXPECT_EQ(count, acting_names.size() + 1);
    EXPECT_EQ(result.exit, 0) << result.err;
}

}  // namespace export_cli_test
}  // namespace hkpd_test
