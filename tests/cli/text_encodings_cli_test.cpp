// Text logs whose parts have other line ends and encodings than the first: every row is read, or an error names the
// line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "run_command.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace text_encodings_cli_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string head = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\SRV1\\System\\Processes\"";

std::string row(int minute) { return fmt::format("\"07/15/2026 14:{0:02}:00.000\",\"{1}\"", minute, 200 + minute); }

/// Returns a header and rows of these minutes, each with an end.
std::string text_of(const std::vector<int>& minutes, std::string_view end, bool with_head = true) {
    std::string text = with_head ? head + std::string(end) : "";
    for (const int minute : minutes) text += row(minute) + std::string(end);
    return text;
}

std::string little(std::string_view text) {
    std::string out;
    for (const char c : text) out += {c, '\0'};
    return out;
}
std::string big(std::string_view text) {
    std::string out;
    for (const char c : text) out += {'\0', c};
    return out;
}

class TextEncodingsCli : public testing::Test {
  protected:
    /// Returns the value of each row, and the exit code.
    std::string values(const std::string& text, std::vector<std::string> options = {}) {
        const std::string path = folder_.write("log.csv", text);
        std::vector<std::string> arguments{"replay", "--format", "csv", path};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Result result = run(arguments);
        std::string found;
        for (const std::string& line : lines(result.out))
            if (!line.starts_with("time,")) {
                const std::string up_to_value = line.substr(0, line.rfind(','));
                found += up_to_value.substr(up_to_value.rfind(',') + 1) + " ";
            }
        return found + "exit " + std::to_string(result.exit);
    }
    /// Returns what `check -v` states about a text.
    Result check(const std::string& text) { return run({"check", "-v", folder_.write("log.csv", text)}); }

    TempFolder folder_;
};

constexpr std::string_view all_five = "201 202 203 204 205 exit 0";

TEST_F(TextEncodingsCli, LineEnds) {
    for (const std::string_view end : {"\n", "\r\n", "\r\r\n", "\r", "\r\r\r\n", "\n\r"})
        EXPECT_EQ(values(text_of({1, 2, 3, 4, 5}, end)), all_five);
    EXPECT_EQ(values(text_of({1, 2}, "\r\n") + text_of({3, 4}, "\r", false) + text_of({5}, "\r\r\n", false)), all_five);
    for (const std::string_view end : {"\n", "\r\n", "\r\r\n", "\r"}) {
        EXPECT_EQ(values("\xFF\xFE" + little(text_of({1, 2, 3, 4, 5}, end))), all_five);
        EXPECT_EQ(values("\xFE\xFF" + big(text_of({1, 2, 3, 4, 5}, end))), all_five);
    }
}

TEST_F(TextEncodingsCli, ZeroBytesInPlaceOfText) {
    for (const std::size_t zeros : {1U, 2U, 3U, 4096U, 300'001U}) {
        const std::string padding(zeros, '\0');
        EXPECT_EQ(values(text_of({1, 2, 3, 4, 5}, "\r\n") + padding), all_five) << zeros;
        EXPECT_EQ(values(text_of({1, 2}, "\r\n") + padding + text_of({3, 4, 5}, "\r\n", false)), all_five) << zeros;
        std::string unended = text_of({1, 2, 3, 4, 5}, "\r\n");
        unended.resize(unended.size() - 2);
        EXPECT_EQ(values(unended + padding), all_five) << zeros;
        EXPECT_EQ(values("\xFF\xFE" + little(text_of({1, 2, 3, 4, 5}, "\r\n")) + padding), all_five) << zeros;
    }
    const Result result = check(text_of({1, 2}, "\r\n") + std::string(100, '\0'));
    EXPECT_THAT(result.out, HasSubstr("zero bytes in place of text are skipped: line 4, found 100"));
    // A row that the zero bytes cut is reported.
    std::string cut = text_of({1, 2, 3}, "\r\n");
    cut.resize(cut.size() - 8);
    EXPECT_THAT(values(cut + std::string(4096, '\0')), HasSubstr("exit 1"));
}

TEST_F(TextEncodingsCli, PartsInOtherEncodings) {
    const std::string utf8 = "\xEF\xBB\xBF", le = "\xFF\xFE", be = "\xFE\xFF";
    for (const bool with_head : {false, true})
        for (const std::string_view end : {"\r\n", "\n"})
            for (const bool is_ended : {true, false}) {
                const auto first = [&] {
                    std::string text = text_of({1, 2}, end);
                    if (!is_ended) text.resize(text.size() - end.size());
                    return text;
                }();
                const std::string rest = text_of({3, 4, 5}, end, with_head);
                SCOPED_TRACE(fmt::format("head {} end {} ended {}", with_head, end.size(), is_ended));
                EXPECT_EQ(values(first + le + little(rest)), all_five);
                EXPECT_EQ(values(first + be + big(rest)), all_five);
                EXPECT_EQ(values(utf8 + first + utf8 + rest), all_five);
                EXPECT_EQ(values(le + little(first) + le + little(rest)), all_five);
                EXPECT_EQ(values(be + big(first) + be + big(rest)), all_five);
                EXPECT_EQ(values(first + little(rest)), all_five);
                EXPECT_EQ(values(be + big(first) + little(rest)), all_five);
                EXPECT_EQ(values(le + little(first) + big(rest)), all_five);
                EXPECT_EQ(values(le + little(first) + rest), all_five);
                EXPECT_EQ(values(be + big(first) + rest), all_five);
                EXPECT_EQ(values(le + little(first) + utf8 + rest), all_five);
                EXPECT_EQ(values(le + little(first) + le + little(text_of({3}, end, false)) + text_of({4}, end, false) +
                                 little(text_of({5}, end, false))),
                          all_five);
                if (is_ended) {
                    EXPECT_EQ(values(first + "\r\n" + little("\r\n" + rest)), all_five);
                }
            }
    const Result result = check(text_of({1, 2}, "\r\n") + little(text_of({3}, "\r\n", false)));
    EXPECT_THAT(result.out, HasSubstr("from this line on, the text is in another code page"));
    EXPECT_THAT(result.out, HasSubstr("line 4, found 1200"));
}

TEST_F(TextEncodingsCli, PartsInOtherEncodingsWhoseLinesEndWithCr) {
    const std::string first = text_of({1, 2}, "\r"), le = "\xFF\xFE", be = "\xFE\xFF";
    for (const std::string_view heading : {"\"(PDH-CSV 4.0)\"", "\"Time\"", "(Date)", "\"\""}) {
        const std::string rest =
            std::string(heading) + ",\"\\\\SRV1\\System\\Threads\"\r" + text_of({3, 4, 5}, "\r", false);
        SCOPED_TRACE(heading);
        EXPECT_EQ(values(le + little(first) + rest), all_five);
        EXPECT_EQ(values(be + big(first) + rest), all_five);
        EXPECT_EQ(values(be + big(first) + little(rest)), all_five);
        EXPECT_EQ(values(le + little(first) + big(rest)), all_five);
        EXPECT_EQ(values(first + le + little(rest)), all_five);
        EXPECT_EQ(values(first + be + big(rest)), all_five);
        EXPECT_EQ(values(first + little(rest)), all_five);
    }
}

/// Returns a log with one counter and this head, in the bytes of some code page.
std::string log_of(const std::string& zone, const std::string& path) {
    return "\"(PDH-CSV 4.0) (" + zone + ")(0)\",\"" + path + "\"\r\n" + row(1) + "\r\n";
}

TEST_F(TextEncodingsCli, TheCodePageIsGuessedFromNamesAndZone) {
    const auto name = [&](const std::string& text) {
        const Result result = run({"replay", "--format", "csv", "--names", "log", folder_.write("log.csv", text)});
        const auto all = lines(result.out);
        return all.size() < 2 ? result.err : all[1];
    };
    // "Process(<name>)" in a log whose zone is Russian, Japanese, Polish; and without a hint.
    EXPECT_THAT(name(log_of("Russian Standard Time", "\\\\S\\Process(\xEF\xF0\xE8\xEC\xE5\xF0)\\Handle Count")),
                HasSubstr("пример"));
    EXPECT_THAT(name(log_of("Tokyo Standard Time", "\\\\S\\Process(\x93\x8C\x8B\x9E)\\Handle Count")),
                HasSubstr("東京"));
    EXPECT_THAT(name(log_of("China Standard Time", "\\\\S\\Process(\xB1\xB1\xBE\xA9)\\Handle Count")),
                HasSubstr("北京"));
    EXPECT_THAT(name(log_of("Central European Standard Time", "\\\\S\\Process(\xB3\xF3\x64\x9F)\\Handle Count")),
                HasSubstr("łódź"));
    EXPECT_THAT(name(log_of("W. Europe Standard Time", "\\\\S\\Process(b\xE4r)\\Handle Count")), HasSubstr("bär"));
    // The names of counters decide, whatever the zone is: "Процессор(_Total)\% загруженности процессора" in 1251 and
    // 866.
    EXPECT_THAT(name(log_of("UTC",
                            "\\\\S\\\xCF\xF0\xEE\xF6\xE5\xF1\xF1\xEE\xF0(_Total)\\% \xE7\xE0\xE3\xF0\xF3\xE6\xE5"
                            "\xED\xED\xEE\xF1\xF2\xE8 \xEF\xF0\xEE\xF6\xE5\xF1\xF1\xEE\xF0\xE0")),
                HasSubstr("Процессор"));
    EXPECT_THAT(name(log_of("UTC",
                            "\\\\S\\\x8F\xE0\xAE\xE6\xA5\xE1\xE1\xAE\xE0(_Total)\\% \xA7\xA0\xA3\xE0\xE3\xA6\xA5"
                            "\xAD\xAD\xAE\xE1\xE2\xA8 \xAF\xE0\xAE\xE6\xA5\xE1\xE1\xAE\xE0\xA0")),
                HasSubstr("Процессор"));
    // Cells without quotes; and a name in ASCII that is known, which does not count.
    EXPECT_THAT(name("(PDH-CSV 4.0) (UTC)(0),\\\\S\\\xCF\xE0\xEC\xFF\xF2\xFC\\\xC4\xEE\xF1\xF2\xF3\xEF\xED\xEE "
                     "\xE1\xE0\xE9\xF2\r\n07/15/2026 14:01:00.000,201\r\n"),
                HasSubstr("Память"));
    EXPECT_THAT(name(log_of("Central European Standard Time", "\\\\S\\Dysk fizyczny(0)\\\xB3\xF3\x64\x9F")),
                HasSubstr("łódź"));
    const Result noted = check(log_of("Russian Standard Time", "\\\\S\\Process(\xEF\xF0)\\Handle Count"));
    EXPECT_THAT(noted.out, HasSubstr("characters outside ASCII are read in this code page"));
    EXPECT_THAT(noted.out, HasSubstr("line 1, found 1251"));
    EXPECT_THAT(check(log_of("UTC", "\\\\S\\Process(a)\\Handle Count")).out, Not(HasSubstr("text_encoding")));
}

TEST_F(TextEncodingsCli, TheZoneDecidesBetweenPagesThatHaveTheSameNames) {
    // Systém is the same in 1250 and 1252, Počet procesů is not; nothing else is known.
    const Result result = check(log_of("Central Europe Standard Time",
                                       "\\\\SRV1\\Syst\xE9m\\Po\xE8"
                                       "et p\xF9"));
    EXPECT_THAT(result.out, HasSubstr("1250"));
}

TEST_F(TextEncodingsCli, BytesThatAreLostAreCounted) {
    const Result result = check(log_of("Tokyo Standard Time", "\\\\S\\Process(\x93\x8C\xFF\xFF)\\Handle Count"));
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.out, HasSubstr("are lost: line 1, found 2"));
}

TEST_F(TextEncodingsCli, ALaterPartInAnotherCodePage) {
    const std::string russian = log_of("Russian Standard Time", "\\\\S\\Process(\xEF\xF0)\\Handle Count"),
                      utf8 = log_of("UTC", "\\\\S\\Process(\xD0\xBF\xD1\x80)\\Handle Count"),
                      german = log_of("W. Europe Standard Time", "\\\\S\\Process(b\xE4r)\\Handle Count");
    const Result result = run({"replay", "--format", "csv", folder_.write("log.csv", russian + utf8 + german)});
    EXPECT_EQ(result.exit, 0);
    const auto all = lines(result.out);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_THAT(all[1], HasSubstr("пр"));
    EXPECT_THAT(all[2], HasSubstr("пр"));
    EXPECT_THAT(all[3], HasSubstr("bär"));
    const Result notes = check(russian + utf8 + german);
    EXPECT_THAT(notes.out, HasSubstr("line 3, found 65001"));
    EXPECT_THAT(notes.out, HasSubstr("line 5, found 1252"));
}

TEST_F(TextEncodingsCli, AStatedEncoding) {
    const auto names = [&](const std::string& text, const std::string& encoding, const std::string& subcommand) {
        const std::string path = folder_.write("log.csv", text);
        const Result result = subcommand == "info" ? run({"info", "--counters", "--encoding", encoding, path})
                                                   : run({subcommand, "--encoding", encoding, path});
        return result.exit == 0 ? result.out : result.err;
    };
    const std::string koi8 = log_of("Nowhere", "\\\\S\\Process(\xC4\xC1)\\Handle Count");
    for (const char* subcommand : {"info", "replay", "top"}) {
        EXPECT_THAT(names(koi8, "KOI8-R", subcommand), HasSubstr("да")) << subcommand;
        EXPECT_THAT(names(koi8, "1251", subcommand), HasSubstr("ДБ")) << subcommand;
        EXPECT_THAT(names(koi8, "cp1252", subcommand), HasSubstr("ÄÁ")) << subcommand;
    }
    // A byte order mark is stronger; UTF-16 without one can be stated; bytes that are not of the encoding are lost.
    EXPECT_THAT(names("\xEF\xBB\xBF" + log_of("UTC", "\\\\S\\Process(\xC3\xA4)\\Handle Count"), "1251", "replay"),
                HasSubstr("ä"));
    EXPECT_THAT(names(little(log_of("UTC", "\\\\S\\Process(a)\\Handle Count")), "utf-16le", "replay"),
                HasSubstr("Handle Count"));
    EXPECT_EQ(run({"replay", "--encoding", "utf-8", folder_.write("log.csv", koi8)}).exit, 1);
    for (const char* wrong :
         {"", "nothing", "iso-2022-jp", "utf-7", "utf-32", "ebcdic-us", "a/b", "//TRANSLIT", "70000"})
        EXPECT_EQ(run({"replay", "--encoding", wrong, folder_.write("log.csv", koi8)}).exit, 2) << wrong;
}

}  // namespace text_encodings_cli_test
}  // namespace hkpd_test
