// `hkpd titles`: list, find and export, and import again.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "json_text.hpp"
#include "run_command.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace titles_cli_test {

using namespace std::string_literals;
using Arguments = std::vector<std::string>;

constexpr std::string_view small = "1\n1847\n2\nSystem\n4\nMemory\n6\n% Processor Time\n8\n \n10\nMemory again\n";

class TitlesCommand : public testing::Test {
  protected:
    std::string out(const Arguments& arguments, int exit = 0) const {
        const Result result = titles(arguments);
        EXPECT_EQ(result.exit, exit) << result.err;
        EXPECT_TRUE(exit != 0 || result.err.empty()) << result.err;
        return result.out;
    }

    TempFolder folder_;
    std::string small_ = folder_.write("perfc009.dat", small);
    std::string german_ = folder_.write("perfc007.dat", "2\nSystem\n4\nSpeicher\n704\nÜbertragung\n");
};

TEST_F(TitlesCommand, List) {
    EXPECT_EQ(
        out({"list", small_}),
        "     1  1847\n     2  System\n     4  Memory\n     6  % Processor Time\n     8   \n    10  Memory again\n");
    const std::string both = out({"list", small_, german_});
    EXPECT_LT(both.find("perfc009.dat (language 009)\n"), both.find("Memory again"));
    EXPECT_LT(both.find("Memory again"), both.find("perfc007.dat (language 007)\n")) << both;
    EXPECT_EQ(out({"list", small_, german_, "--lang", "7"}), "     2  System\n     4  Speicher\n   704  Übertragung\n");
}

TEST_F(TitlesCommand, APatternHasTheLengthOfACounterPathAtMost) {
    const Result result = titles({"find", std::string(2049, '*')});
    EXPECT_EQ(result.exit, 2);
    EXPECT_TRUE(result.err.contains("expected at most 2048 characters, found 2049 bytes")) << result.err;
}

TEST_F(TitlesCommand, BuiltIn) {
    EXPECT_GT(lines(out({"list"})).size(), 600U);
    EXPECT_EQ(out({"find", "238"}), "   238  Processor\n");
    EXPECT_EQ(out({"find", "% processor time"}), "     6  % Processor Time\n");
}

TEST_F(TitlesCommand, Find) {
    EXPECT_EQ(out({"find", "2", small_}), "     2  System\n");
    EXPECT_EQ(out({"find", "memory*", small_}), "     4  Memory\n    10  Memory again\n");
    EXPECT_EQ(out({"find", "*ÜBER*", german_}), "   704  Übertragung\n");
    const std::string both = out({"find", "4", small_, german_});
    EXPECT_EQ(lines(both).size(), 2U);
    EXPECT_NE(both.find("Speicher  [perfc007.dat (language 007)]\n"), std::string::npos) << both;
    const Result none = titles({"find", "nonsense", small_});
    EXPECT_EQ(none.exit, 2);
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(lines(none.err).size(), 1U);
    EXPECT_NE(none.err.find("nonsense"), std::string::npos);
    EXPECT_EQ(titles({"find", "1", small_}).exit, 2) << "index 1 is no title";
}

TEST_F(TitlesCommand, ExportText) {
    EXPECT_EQ(out({"export", small_}), "1\t1847\n2\tSystem\n4\tMemory\n6\t% Processor Time\n8\t \n10\tMemory again\n");
    EXPECT_EQ(out({"export", "--format", "text", german_}), "2\tSystem\n4\tSpeicher\n704\tÜbertragung\n");
}

TEST_F(TitlesCommand, ExportJson) {
    const auto document = parse_json(out({"export", "--format", "json", small_, german_}));
    EXPECT_EQ(keys(document), "tables");
    EXPECT_EQ(keys(at(document, "tables", 0)), "language,source,titles");
    EXPECT_EQ(json_text(at(document, "tables", 0, "language")), "\"009\"");
    EXPECT_EQ(json_text(at(document, "tables", 0, "source")), "\"perfc009.dat\"");
    EXPECT_EQ(json_text(at(document, "tables", 0, "titles", 4)), "{\"index\":8,\"text\":\" \"}");
    EXPECT_EQ(json_text(at(document, "tables", 1, "titles", 2)), "{\"index\":704,\"text\":\"Übertragung\"}");
    const auto unknown = parse_json(out({"export", "--format", "json", folder_.write("titles.bin", "2\tx\n")}));
    EXPECT_EQ(json_text(at(unknown, "tables", 0, "language")), "null");
}

TEST_F(TitlesCommand, ExportMultiSz) {
    const auto wide = [](std::string_view text) {
        std::string bytes;
        for (const char c : text) bytes += c, bytes += '\0';
        return bytes;
    };
    EXPECT_EQ(out({"export", "--format", "multi_sz", folder_.write("perfc009.dat", "2\tSystem\n4\tMemory\n")}),
              wide("2\0System\0004\0Memory\0\0"s));
}

TEST_F(TitlesCommand, AllFormsHaveTheSameTitles) {
    for (const std::string& first : {small_, german_}) {
        const std::string text = out({"export", first}), name = first.substr(first.size() - 12);
        for (const std::string format : {"text", "multi_sz"}) {
            const std::string exported = folder_.write(format + "/" + name, out({"export", "--format", format, first}));
            EXPECT_EQ(out({"export", exported}), text) << format;
            EXPECT_EQ(out({"export", "--format", "json", exported}), out({"export", "--format", "json", first}))
                << format;
        }
    }
    const std::string builtin = folder_.write("builtin/perfc009.dat", out({"export", "--format", "multi_sz"}));
    EXPECT_EQ(out({"list", builtin}), out({"list"}));
}

TEST_F(TitlesCommand, SeveralLanguagesAreNotMixed) {
    const Result mixed = titles({"export", small_, german_});
    EXPECT_EQ(mixed.exit, 2);
    EXPECT_EQ(mixed.out, "");
    EXPECT_NE(mixed.err.find("--lang"), std::string::npos);
    EXPECT_EQ(out({"export", "--lang", "007", small_, german_}), "2\tSystem\n4\tSpeicher\n704\tÜbertragung\n");
    EXPECT_EQ(titles({"export", "--lang", "00c", small_, german_}).exit, 2);
}

TEST_F(TitlesCommand, Directories) {
    folder_.write("readme", "nothing");
    EXPECT_EQ(lines(out({"list", folder_.path()})).size(), 6U + 3 + 3);
    folder_.write("empty/readme", "nothing");
    EXPECT_EQ(titles({"list", folder_.path("empty")}).exit, 3);
}

TEST_F(TitlesCommand, InputsThatCannotBeRead) {
    EXPECT_EQ(titles({"list", folder_.path("missing")}).exit, 3);
    const Result blob = titles({"list", folder_.write("blob.bin", "P\0E\0R\0F\0"s + std::string(100, '\1'))});
    EXPECT_EQ(blob.exit, 3);
    EXPECT_EQ(blob.out, "");
    EXPECT_EQ(lines(blob.err).size(), 1U) << blob.err;
}

TEST_F(TitlesCommand, FaultsAreReported) {
    const Result result = titles({"list", folder_.write("perfc009.dat", "2\nSystem\nx\nlost\n4\nMemory\n6\n")});
    EXPECT_EQ(result.exit, 0) << "warnings";
    EXPECT_EQ(result.out, "     2  System\n     4  Memory\n");
    EXPECT_EQ(lines(result.err).size(), 3U) << result.err;
    EXPECT_NE(result.err.find("offset 0x9"), std::string::npos) << result.err;
}

TEST_F(TitlesCommand, RepeatedIndicesAreKept) {
    const std::string twice = folder_.write("perfc00c.dat", "2\tone\n4\tother\n2\ttwo\n");
    const Result result = titles({"find", "2", twice});
    EXPECT_EQ(result.exit, 0);
    EXPECT_EQ(result.out, "     2  one\n     2  two\n");
    EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
    EXPECT_EQ(titles({"export", twice}).out, "2\tone\n4\tother\n2\ttwo\n");
}

TEST_F(TitlesCommand, NoTitleReachesATerminalUnescaped) {
    const std::string evil = folder_.write(nameable("evil\x1B.txt"), "2\tSys\x1B[2Jtem\u202E\n4\tplain\n");
    for (const Arguments& arguments :
         {Arguments{"list", evil}, Arguments{"find", "*", evil}, Arguments{"find", "*", evil, small_}})
        EXPECT_EQ(out(arguments).find_first_of("\x1B\t"), std::string::npos);
}

class WindowsTitlesCommand : public WindowsData {};
class RealTitlesCommand : public SharedDir {};

TEST_F(WindowsTitlesCommand, MultiSzIsIdenticalToTheLastByte) {
    const std::string vista = path("data/titles/vista-2007-counter-009.multisz");
    const Result result = titles({"export", "--format", "multi_sz", vista});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_TRUE(result.out == read_file(vista) + "\0\0"s);
    const Result text = titles({"export", vista});
    EXPECT_EQ(lines(text.out).size(), 1839U);
}

TEST_F(RealTitlesCommand, EveryTableIsRead) {
    for (const std::string name :
         {"data/titles/counter-009.txt", "live/blobs/samba-counter009.bin", "live/blobs/samba-explain009.bin",
          "live/blobs/wine64-counter009.bin", "live/blobs/wine64-help009.bin"}) {
        const Result result = titles({"list", path(name)});
        EXPECT_EQ(result.exit, 0) << name << result.err;
        EXPECT_NE(result.out, "") << name;
    }
    EXPECT_EQ(titles({"list", path("live/blobs/samba-global-ok.bin")}).exit, 3);
    const Result find = titles({"find", "% processor time", path("data/titles/counter-009.txt")});
    EXPECT_EQ(find.out, "     6  % Processor Time\n 16926  % Processor Time\n");
}

TEST_F(TitlesCommand, ListAndFindWriteJson) {
    const Result found = run({"titles", "find", "% processor t*", "--format", "json"});
    EXPECT_EQ(found.exit, 0) << found.err;
    EXPECT_TRUE(found.out.contains(R"("titles":[{"index":6,"text":"% Processor Time"}])")) << found.out;
    EXPECT_EQ(run({"titles", "list", "--format", "json"}).out, run({"titles", "export", "--format", "json"}).out);
    EXPECT_EQ(run({"titles", "find", "no such title", "--format", "json"}).exit, 2);
    EXPECT_EQ(run({"titles", "list", "--format", "multi_sz"}).exit, 2);
}

}  // namespace titles_cli_test
}  // namespace hkpd_test
