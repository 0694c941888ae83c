// Files without performance data: each is named for what it is, by every subcommand, with exit code 3 and no output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "run_command.hpp"
#include "support/packed_bytes.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace foreign_cli_test {

using testing::HasSubstr;
using testing::Not;
using namespace std::string_literals;

struct Foreign {
    std::string name, content;
};

std::string utf16(std::string_view ascii) {
    std::string out = "\xFF\xFE";
    for (const char c : ascii) out += {c, '\0'};
    return out;
}

/// Returns a binary file with this beginning, whose rest looks like the content of such files: zeroes and others.
std::string binary(std::string beginning, std::size_t size = 5000) {
    std::uint32_t state = 1;
    while (beginning.size() < size) {
        state = state * 1664525U + 1013904223U;
        beginning += static_cast<char>((state >> 24U) % 3 == 0 ? 0U : state >> 16U);
    }
    return beginning;
}

std::vector<Foreign> every_kind() {
    return {
        {"Windows event log (.evtx)", binary("ElfFile\0\0\0\0\0"s)},
        {"Windows event log (.evt)", binary("\x30\0\0\0LfLe\1\0\0\0"s)},
        {"memory dump", binary("MDMP\x93\xA7\0\0"s)},
        {"memory dump", binary("PAGEDU64\x0F\0\0\0"s)},
        {"registry hive", binary("regf\1\0\0\0"s)},
        {"shortcut (.lnk)", binary("L\0\0\0\1\x14\2\0\0\0\0\0\xC0\0\0\0"s)},
        {"program (PE)", binary("MZ\x90\0\3\0\0\0"s)},
        {"program (ELF)", binary("\x7F"
                                 "ELF\2\1\1\0"s)},
        {"PNG picture", binary("\x89PNG\r\n\x1A\n\0\0\0\rIHDR"s)},
        {"JPEG picture", binary("\xFF\xD8\xFF\xE0\0\x10JFIF\0"s)},
        {"GIF picture", binary("GIF89a\x10\0"s)},
        {"BMP picture", binary("BM\x36\x10\0\0\0\0\0\0\x36\0\0\0"s)},
        {"PDF document", binary("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n"s)},
        {"Office document", binary("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"s)},
        {"7z archive", binary("7z\xBC\xAF\x27\x1C\0\4"s)},
        {"RAR archive", binary("Rar!\x1A\x07\1\0"s)},
        {"CAB archive", binary("MSCF\0\0\0\0"s)},
        {"bzip2 data", binary("BZh91AY&SY\1"s)},
        {"xz data", binary("\xFD"
                           "7zXZ\0\0\4"s)},
        {"tar archive", "perf.blg"s + std::string(249, '\0') + "ustar\0"s + "00" + std::string(248, '\0')},
        {"SQLite database", binary("SQLite format 3\0\x10\0"s)},
        {"Parquet file", binary("PAR1\x15\4\x15\0"s)},
        {"packet capture", binary("\x0A\x0D\x0D\x0A\x1C\0\0\0"s)},
        {"registry export",
         "Windows Registry Editor Version 5.00\r\n\r\n[HKEY_CURRENT_USER\\Software]\r\n\"a\"=\"b\"\r\n"},
        {"registry export", utf16("Windows Registry Editor Version 5.00\r\n\r\n[HKEY_CURRENT_USER\\Software]\r\n")},
        {"output of lodctr /q",
         "\r\nPerformance Counter ID Queries [PERFLIB]:\r\n    Base Index: 0x00000737 (1847)\r\n\r\n[PerfProc] "
         "Performance Counters (Enabled)\r\n    DLL Name: perfproc.dll\r\n"},
        {"output of lodctr", "Info: Successfully rebuilt performance counter setting from system backup store\r\n"},
        {"output of typeperf", "Error: No valid counters.\r\n"},
        {"data collector set (XML)",
         utf16("<?xml version=\"1.0\" "
               "encoding=\"UTF-16\"?>\r\n<DataCollectorSet>\r\n<Status>0</Status></DataCollectorSet>")},
        {"rules of PAL (XML)", "<PAL PALVERSION=\"2.0\"><ANALYSIS NAME=\"x\" ENABLED=\"True\"></ANALYSIS></PAL>"},
        {"page of PAL (HTML)",
         "<HTML>\r\n<HEAD>\r\n<STYLE></STYLE></HEAD><BODY><H1>Analysis of \"perf.blg\"</H1></BODY></HTML>"},
        {"HTML page", "<!DOCTYPE html>\n<html><body>Hello</body></html>"},
        {"XML document", "<?xml version=\"1.0\"?><a/>"},
        {"initialization file of a provider", "[info]\r\ndrivername=Mine\r\nsymbolfile=mine.h\r\n"},
        {"list of counter paths", "\\Processor(_Total)\\% Processor Time\r\n\\Memory\\Available MBytes\r\n"},
        {"JSON document", "{\"a\": [1, 2]}\n"},
        {"Markdown document", "# Title\n\nText with `code`.\n"},
        {"text without a counter path", "Time,Value\n10:00,5\n"},
        {"text without a counter path", "Dear colleague,\r\nplease find the log attached.\r\n"},
        {"text without a counter path", utf16("Dear colleague,\r\nplease find the log attached.\r\n")},
        {"text without a counter path",
         "Sch\xF6ne Gr\xFC\xDF"
         "e aus K\xF6ln\r\n"},
        {"text without a counter path", "x"},
        {"empty file", ""},
        {"zero bytes", std::string(100, '\0')},
        {"zero bytes", std::string(100'000, '\0')},
        {"unknown bytes", binary("\x01\x02\x03\x04\x05")},
    };
}

class ForeignCli : public testing::Test {
  protected:
    TempFolder folder_;
};

TEST_F(ForeignCli, EveryKindIsNamedAndNothingIsWritten) {
    const std::string output = folder_.path("output");
    const std::vector<std::vector<std::string>> commands{{"info"},
                                                         {"top"},
                                                         {"report", "-o", output},
                                                         {"check"},
                                                         {"replay"},
                                                         {"replay", "-o", output},
                                                         {"dump"},
                                                         {"top", "-o", output},
                                                         {"replay", "--summary"}};
    std::size_t number = 0;
    for (const auto& [name, content] : every_kind()) {
        const std::string file = folder_.write("file.bin", content),
                          packed = folder_.write("file.gz", packed::gzip(content));
        // Every command with the first kind; each further kind, packed or not, with some of them in turn.
        const std::size_t step = number == 0 ? 1 : 3;
        for (std::size_t i = number % step; i < commands.size(); i += step) {
            std::vector<std::string> arguments = commands[i];
            // check reads lists of providers.
            if (arguments[0] == "check" && name == "output of lodctr /q") continue;
            arguments.push_back((number / 3 + i / 3) % 2 == 0 ? file : packed);
            const Result result = run(arguments);
            EXPECT_EQ(result.exit, 3) << name << ' ' << arguments[0] << ' ' << result.err;
            EXPECT_THAT(result.err + result.out, HasSubstr("error: " + name + ": ")) << arguments[0];
            EXPECT_FALSE(std::filesystem::exists(output)) << name << ' ' << arguments[0];
            EXPECT_TRUE(arguments[0] == "check" || result.out.empty()) << name << result.out;
        }
        ++number;
    }
}

/// Returns whether a subcommand reads a file of this kind, which has no samples: check reads lists of providers.
bool is_read_by(const std::string& subcommand, std::string_view name) {
    return subcommand == "check" && name == "output of lodctr /q";
}

TEST_F(ForeignCli, EverySubcommandRefusesEveryKind) {
    const std::string output = folder_.path("output");
    std::vector<std::string> files;
    for (const auto& [name, content] : every_kind())
        files.push_back(folder_.write("kind" + std::to_string(files.size()) + ".bin", content));
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"info", "-v"},
                                               {"info", "--counters"},
                                               {"dump", "-v"},
                                               {"dump", "--format", "csv", "-o", output},
                                               {"replay", "-v"},
                                               {"replay", "--format", "jsonl", "-v"},
                                               {"replay", "--jobs", "2", "-v"},
                                               {"replay", "--format", "sqlite", "-o", output, "-v"},
                                               {"replay", "--textfile", output, "-v"},
                                               {"top", "-v"},
                                               {"report", "-v", "-o", output},
                                               {"check", "-v"},
                                               {"check", "-v", "--rules", "windows"},
                                               {"capture", "-v", "-o", output},
                                               {"map", "-v"},
                                               {"titles", "-v", "list"},
                                               {"relog", "-q"},
                                               {"relog", "-f", "csv", "-y", "-o", output}}) {
        std::vector<std::string> arguments = command;
        std::size_t kinds = 0, number = 0;
        for (const auto& [name, content] : every_kind()) {
            const std::string& file = files[number++];
            if (is_read_by(command[0], name)) continue;
            arguments.push_back(file);
            ++kinds;
        }
        SCOPED_TRACE(testing::PrintToString(command));
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 3) << result.err;
        EXPECT_TRUE(command[0] == "check" || command[0] == "map" || result.out.empty()) << result.out;
        EXPECT_FALSE(std::filesystem::exists(output));
        if (std::ranges::count(command, "-v") == 0) continue;  // only the first ones of each kind are named
        const std::string all = result.err + result.out;
        for (std::size_t i = 0; i < kinds; ++i)
            EXPECT_THAT(all, HasSubstr(arguments[command.size() + i] + ": error: ")) << all;
    }
}

TEST_F(ForeignCli, OptionsThatTakeFilesRefuseThem) {
    const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";
    const std::string picture = folder_.write("a.png", every_kind()[8].content), empty = folder_.write("empty", ""),
                      note = folder_.write("note.txt", "Dear colleague,\r\nplease find the log attached.\r\n");
    const std::string directory = folder_.path("exported");
    for (const std::string& file : {picture, empty, note})
        for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
                 {"capture", "--export", directory, file},
                 {"capture", "--info", file},
                 {"dump", "--v2", file},
                 {"map", "--v2", file},
                 {"compare", demo, "--v2", file},
                 {"dump", demo, "--registration", file},
                 {"dump", demo, "--titles", file},
                 {"check", demo, "--services", file},
                 {"titles", "list", file},
                 {"titles", "find", "x", file},
                 {"titles", "export", "--format", "text", file},
                 {"report", demo, "--baseline", file, "-o", folder_.path("page.html")}}) {
            const Result result = run(command);
            EXPECT_EQ(result.exit, 3) << testing::PrintToString(command) << result.err;
            EXPECT_FALSE(std::filesystem::exists(directory));
        }
    EXPECT_THAT(run({"dump", "--v2", picture}).err, HasSubstr("error: PNG picture: this is a picture"));
    EXPECT_THAT(run({"dump", "--v2", note}).err, HasSubstr("this is no V2 (PerfLib) data"));
    EXPECT_THAT(run({"titles", "list", note}).err, HasSubstr("there are no titles in it"));
    EXPECT_THAT(run({"check", demo, "--services", picture}).err, HasSubstr("not a registry export (PNG picture)"));
}

TEST_F(ForeignCli, MapAndTitlesNameThemToo) {
    for (const auto& [name, content] : every_kind()) {
        const std::string file = folder_.write("file.bin", content);
        EXPECT_THAT(run({"map", file}).err, HasSubstr("error: " + name + ": "));
        EXPECT_EQ(run({"map", file}).exit, 3) << name;
        EXPECT_EQ(run({"titles", "list", file}).exit, 3) << name;
        EXPECT_EQ(run({"titles", "list", file}).out, "") << name;
    }
}

TEST_F(ForeignCli, InADirectoryTheyAreCountedAndNamed) {
    const std::string log =
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Memory\\Available MBytes\"\r\n"
        "\"05/14/2024 09:30:00.000\",\"1\"\r\n";
    folder_.write("logs/perf.csv", log);
    std::size_t count = 0;
    for (const auto& [name, content] : every_kind()) folder_.write("logs/" + std::to_string(count++) + ".bin", content);
    const Result quiet = run({"replay", "--summary", folder_.path("logs")});
    EXPECT_EQ(quiet.exit, 0);
    EXPECT_THAT(quiet.err, HasSubstr("number of these files: " + std::to_string(count)));
    const Result all = run({"replay", "-v", "--summary", folder_.path("logs")});
    for (const auto& [name, content] : every_kind()) EXPECT_THAT(all.err, HasSubstr("note: " + name + ": "));

    folder_.write("none/0.png", every_kind()[8].content);
    for (const std::string& input :
         {folder_.path("none"), folder_.write("none.zip", packed::zip({{"0.png", every_kind()[8].content}}))}) {
        const Result none = run({"report", "-v", input, "-o", folder_.path("page.html")});
        EXPECT_EQ(none.exit, 3);
        EXPECT_THAT(none.err, HasSubstr("note: PNG picture: "));
        EXPECT_THAT(none.err, HasSubstr("error: directory without performance data: "));
        EXPECT_FALSE(std::filesystem::exists(folder_.path("page.html")));
    }
}

TEST_F(ForeignCli, WhatIsReadBesidesThemIsWritten) {
    const std::string log = folder_.write("perf.csv",
                                          "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Memory\\Available MBytes\"\r\n"
                                          "\"05/14/2024 09:30:00.000\",\"1\"\r\n");
    const Result result = run({"replay", "--summary", log, folder_.write("a.png", every_kind()[8].content)});
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(result.out, HasSubstr("Available MBytes"));
}

}  // namespace foreign_cli_test
}  // namespace hkpd_test
