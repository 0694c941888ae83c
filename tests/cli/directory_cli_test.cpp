// A directory of blobs with the titles of their machine: an input that needs no option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "capture_cli.hpp"

namespace hkpd_test {
namespace directory_cli_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Strings as .NET writes them with [IO.File]::WriteAllLines, Set-Content or Out-File: UTF-8, a line each.
constexpr std::string_view german =
    "1\r\n1847\r\n2\r\nSystem\r\n904\r\nÜbertragungen/s\r\n900\r\nGröße\r\n902\r\nEmpfänge/s\r\n";
constexpr std::string_view german_help = "901\r\nHilfe für die Größe.\r\n905\r\nWas übertragen wurde.\r\n";

/// Returns the same text as UTF-16, little endian, or as Windows-1252, whose letters are those of Latin-1.
std::string recoded(std::string_view utf8, bool wide) {
    std::string out;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        auto unit = static_cast<unsigned char>(utf8[i]);
        if (unit >= 0x80)
            unit = static_cast<unsigned char>((unit & 0x1FU) << 6U | (static_cast<unsigned char>(utf8[++i]) & 0x3FU));
        out += static_cast<char>(unit);
        if (wide) out += '\0';
    }
    return out;
}
std::string wide(std::string_view utf8) { return "\xFF\xFE" + recoded(utf8, true); }
std::string ansi(std::string_view utf8) { return recoded(utf8, false); }
std::string marked(std::string_view utf8) { return "\xEF\xBB\xBF" + std::string(utf8); }
std::string plain(std::string_view utf8) { return std::string(utf8); }

/// Returns REG_MULTI_SZ made from lines, as in the registry and from tools/capture_remote.py.
std::string multi_sz(std::string_view utf8) {
    std::string text;
    for (const char c : utf8)
        if (c != '\r') text += c == '\n' ? '\0' : c;
    return recoded(text, true) + std::string(2, '\0');
}

class DirectoryInput : public CaptureCli {
  protected:
    static blob::Block at(std::uint64_t second, std::u16string_view machine = u"SERVER") {
        const auto ticks = static_cast<std::int64_t>(second) * 10'000'000;
        return {.objects = {{.title = 900,
                             .counters = {{.title = 902, .type = blob::counter_type::counter}, {.title = 904}},
                             .values = {100 * second, second}}},
                .machine = std::u16string(machine),
                .perf_time = ticks,
                .perf_time_100ns = 132'444'735'601'230'000 + ticks,
                .system_time = {.second = static_cast<std::uint16_t>(second)}};
    }
    /// Returns a block as RegistryKey.GetValue returns it: the whole buffer of 65,000 bytes, with zeros after the
    /// block.
    static std::string dotnet(const blob::Block& block) {
        std::string bytes = to_text(blob::build(block));
        bytes.resize(65'000);
        return bytes;
    }
    std::string write_directory(const std::string& name, const std::string& counter, const std::string& help,
                                std::string_view extension = ".txt") const {
        folder_.write(name + "/000001.bin", dotnet(at(1)));
        folder_.write(name + "/000002.bin", dotnet(at(2)));
        folder_.write(name + "/counter-007" + std::string(extension), counter);
        folder_.write(name + "/help-007" + std::string(extension), help);
        return folder_.path(name);
    }
    std::string german_directory() const { return write_directory("d", plain(german), plain(german_help)); }
};

TEST_F(DirectoryInput, WrittenByPowerShell) {
    // WriteAllLines and Set-Content of PowerShell 7; Set-Content of 5.1; -Encoding utf8 of 5.1; Out-File of 5.1.
    for (const auto encode : {plain, ansi, marked, wide}) {
        const std::string directory = write_directory("d", encode(german), encode(german_help));
        const Result result = dump({directory, "--help-text"});
        EXPECT_EQ(result.exit, 0);
        EXPECT_EQ(result.err, "");
        EXPECT_THAT(result.out, AllOf(HasSubstr("names: counter-007.txt (language 007)"),
                                      HasSubstr("Größe (900), 2 counters\nHilfe für die Größe.\n"),
                                      HasSubstr("  Übertragungen/s    1    Was übertragen wurde.\n")))
            << result.out;
    }
}

TEST_F(DirectoryInput, WrittenByTheRegistry) {
    const std::string directory = write_directory("d", multi_sz(german), multi_sz(german_help), ".multi_sz");
    const Result result = dump({directory, "--sample", "1", "--format", "csv"});
    EXPECT_EQ(result.exit, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, HasSubstr("Größe,900,,,,,,1,,Übertragungen/s,904,PERF_COUNTER_RAWCOUNT,2\n"));
}

TEST_F(DirectoryInput, EveryCommandThatReadsSamplesTakesIt) {
    const std::string directory = german_directory();
    EXPECT_THAT(run({"replay", directory, "--path", R"(\Größe\Empfänge/s)", "--format", "csv"}).out,
                HasSubstr("Empfänge/s,902,PERF_COUNTER_COUNTER,200,100,\n"));
    const std::string made = folder_.path("made.mcap");
    EXPECT_EQ(capture({directory, "-o", made}).err, "");
    EXPECT_THAT(titles_of(made), AllOf(HasSubstr("Übertragungen/s"), HasSubstr("Was übertragen wurde.")));
    EXPECT_EQ(dump({made, "--help-text"}).out, dump({directory, "--help-text"}).out);
    // And back into a directory.
    EXPECT_EQ(capture({"--export", folder_.path("back"), made}).exit, 0);
    EXPECT_EQ(read_file(folder_.path("back/titles-help-007.txt")), german_help);
    EXPECT_EQ(dump({folder_.path("back")}).out, dump({directory}).out);
}

TEST_F(DirectoryInput, TitlesGivenAsAnOptionTakePrecedence) {
    const std::string directory = german_directory();
    const std::string other = folder_.write("other.txt", "900\nSize\n904\nTransfers/s\n");
    EXPECT_THAT(dump({directory, "--titles", other}).out, AllOf(HasSubstr("Size (900)"), Not(HasSubstr("Größe"))));
    EXPECT_THAT(dump({directory, "--titles", directory}).out, HasSubstr("Größe (900)"));
    const std::string made = folder_.path("made.mcap");
    EXPECT_EQ(capture({directory, "--titles", other, "-o", made}).err, "");
    EXPECT_THAT(titles_of(made), AllOf(HasSubstr("Transfers/s"), Not(HasSubstr("Empfänge"))));
}

TEST_F(DirectoryInput, TitlesOnly) {
    const std::string blob = folder_.write("blob.bin", blob::build(at(1)));
    folder_.write("d/counter-007.txt", german);
    const std::string directory = folder_.path("d");
    EXPECT_THAT(dump({blob, "--titles", directory}).out, HasSubstr("Größe (900)"));
    const Result alone = dump({directory});
    EXPECT_EQ(alone.exit, 3);
    EXPECT_THAT(alone.err, HasSubstr("error: directory without performance data"));
    const std::string kept = folder_.write("kept.mcap", "something");
    EXPECT_EQ(capture({directory, "-o", kept}).exit, 3);
    EXPECT_EQ(read_file(kept), "something");
}

TEST_F(DirectoryInput, EachMachineHasItsOwnNames) {
    // Titles installed later have different indices on each machine.
    for (const std::string machine : {"one", "two"}) {
        const std::u16string name(machine.begin(), machine.end());
        folder_.write(machine + "/1.bin", blob::build(at(1, name)));
        folder_.write(machine + "/counter-009.txt", "900\nof " + machine + "\n");
    }
    const std::vector<std::string> both{folder_.path("one"), folder_.path("two")};
    EXPECT_THAT(dump(both).out, AllOf(HasSubstr("of one (900)"), HasSubstr("of two (900)")));
    const std::string made = folder_.path("made.mcap");
    EXPECT_EQ(capture({both[0], both[1], "-o", made}).err, "");
    EXPECT_EQ(dump({made}).out, dump(both).out);
}

TEST_F(DirectoryInput, FaultsOfTitlesAreReported) {
    const std::string directory = write_directory("d", std::string(german) + "x\r\n906\r\n", plain(german_help));
    const Result result = dump({directory});
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.err, AllOf(HasSubstr("counter-007.txt: offset 0x"), HasSubstr("warning: title table")));
    EXPECT_EQ(lines(result.err).size(), 2U) << result.err;
    EXPECT_EQ(dump({directory, "--strict"}).exit, 1);
}

}  // namespace directory_cli_test
}  // namespace hkpd_test
