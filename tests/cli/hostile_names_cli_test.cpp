// Names with effects where they are shown: they move a terminal's cursor, set its title, reverse text, begin a formula
// in a spreadsheet. Through every form of output of `dump` and `replay`, and their diagnostics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace hostile_names_cli_test {

using testing::HasSubstr;

/// An instance's name in the blob, and in UTF-8.
struct Name {
    std::u16string_view utf16;
    std::string_view utf8;
};

constexpr std::array<Name, 21> names{{{u"\x1B]0;x\x07", "\x1B]0;x\x07"},
                                      {u"\x1B[2J", "\x1B[2J"},
                                      {u"\x009B"
                                       u"31m",
                                       "\u009B31m"},
                                      {u"\x0090q\x009C", "\u0090q\u009C"},
                                      {u"bell\x07", "bell\x07"},
                                      {u"a\rb", "a\rb"},
                                      {u"a\r\nb\n", "a\r\nb\n"},
                                      {u"a\tb", "a\tb"},
                                      {u"\x7F", "\x7F"},
                                      {u"\x2028next", "\u2028next"},
                                      {u"\x202E"
                                       u"gpj.exe",
                                       "\u202Egpj.exe"},
                                      {u"\x2066x\x2069", "\u2066x\u2069"},
                                      {u"<script>alert(1)</script>", "<script>alert(1)</script>"},
                                      {u"=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0"},
                                      {u"+1", "+1"},
                                      {u"-1", "-1"},
                                      {u"@SUM(1)", "@SUM(1)"},
                                      {u"\t=1", "\t=1"},
                                      {u"\r=1", "\r=1"},
                                      {u"it's \"quoted\", twice", "it's \"quoted\", twice"},
                                      {u"so\x00ADm\x180En\xFFFEo\xFDD0p", "so\u00ADm\u180En\uFFFEo\uFDD0p"}}};

constexpr std::u16string_view machine = u"=M\x1B[2J\x009B\x202E\r\n";

std::string blobs() {
    std::string bytes;
    for (std::uint32_t second = 0; second < 2; ++second) {
        using namespace blob::counter_type;
        blob::Object list{.title = 9000,
                          .kind = blob::Kind::multi,
                          .counters = {{.title = 9002, .type = bulk_count, .size = 8},
                                       {.title = 9004},
                                       {.title = 9006, .type = text_unicode, .size = 16}},
                          .instances = {}};
        for (const Name& name : names)
            list.instances.push_back(
                {std::u16string(name.utf16), {100 + second, 7, blob::utf16(u"=\x1B[1m\x009B\r\n")}});
        blob::Block block{.objects = {list}, .machine = std::u16string(machine)};
        block.perf_time += second * block.perf_freq;
        block.perf_time_100ns += second * std::int64_t{10'000'000};
        block.system_time.second = static_cast<std::uint16_t>(block.system_time.second + second);
        bytes += to_text(blob::build(block));
    }
    return bytes;
}

std::string titles_database() {
    using namespace std::string_view_literals;
    return blob::utf16(
        u"1\0009006\0009000\0=O\x1B[2J\x009B\0009001\0+help\x1B[2J\x202E\r\n\0009002\0-C\x1B[2J\r\n/sec\0"
        u"9004\0@D\x202E\0009006\0\t=T\0\0"sv);
}

/// Returns the next character of valid UTF-8 text.
char32_t next_character(std::string_view text, std::size_t& at) {
    const auto lead = static_cast<unsigned char>(text.at(at++));
    if (lead < 0xC0) return lead;
    char32_t character = lead & (lead < 0xE0 ? 0x1FU : lead < 0xF0 ? 0x0FU : 0x07U);
    for (int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3; more != 0; --more)
        character = character << 6U | (static_cast<unsigned char>(text.at(at++)) & 0x3FU);
    return character;
}

/// Returns whether no character has an effect, except line ends and those in `allowed`.
testing::AssertionResult is_harmless(std::string_view text, std::string_view allowed = "") {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t from = at;
        const char32_t c = next_character(text, at);
        if (c == U'\n' || (c < 0x80 && allowed.find(static_cast<char>(c)) != std::string_view::npos)) continue;
        const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
        const bool turns = c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
        const bool hidden = c == 0xAD || c == 0x180E || c == 0xFDD0 || c >= 0xFFFE;
        if (control || turns || hidden)
            return testing::AssertionFailure() << "character " << static_cast<std::uint32_t>(c) << " at " << from
                                               << ": " << testing::PrintToString(text.substr(from, 60));
    }
    return testing::AssertionSuccess();
}

/// Returns the cells of CSV, RFC 4180.
std::vector<std::vector<std::string>> csv_rows(std::string_view text) {
    std::vector<std::vector<std::string>> rows;
    bool quoted = false, begins = true;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (begins) rows.emplace_back(1);
        begins = false;
        std::string& cell = rows.back().back();
        if (text[at] == '"' && quoted && at + 1 < text.size() && text[at + 1] == '"')
            cell += text[at++];
        else if (text[at] == '"')
            quoted = !quoted;
        else if (text[at] == ',' && !quoted)
            rows.back().emplace_back();
        else if (text[at] == '\n' && !quoted)
            begins = true;
        else
            cell += text[at];
    }
    EXPECT_FALSE(quoted);
    return rows;
}

class HostileNames : public testing::Test {
  protected:
    /// Returns the output with the hostile titles too, after checking that nothing failed and that nothing in it has an
    /// effect.
    std::string shown(std::vector<std::string> arguments, std::string_view allowed = "") const {
        arguments.insert(arguments.end(), {input_, "--titles", titles_, "-v"});
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_TRUE(is_harmless(result.out, allowed)) << testing::PrintToString(arguments);
        EXPECT_TRUE(is_harmless(result.err)) << testing::PrintToString(arguments);
        return result.out;
    }

    TempFolder folder_;
    std::string input_ = folder_.write("blobs.bin", blobs()), titles_ = folder_.write("Counter 009", titles_database());
};

TEST_F(HostileNames, InTables) {
    for (const std::string& text : {shown({"dump"}), shown({"dump", "--types", "--help-text"}), shown({"replay"}),
                                    shown({"replay", "--raw"}), shown({"replay", "--summary"})}) {
        EXPECT_THAT(text, HasSubstr("=cmd|' /C calc'!A0")) << "plain text is not escaped";
        EXPECT_THAT(text, HasSubstr("<script>alert(1)</script>"));
        EXPECT_GE(lines(text).size(), names.size());
    }
}

TEST_F(HostileNames, InJsonParseToThemselves) {
    const rapidjson::Document document = parse_json(shown({"dump", "--format", "json", "--help-text"}));
    const auto& instances = document["samples"][0]["objects"][0]["instances"];
    ASSERT_EQ(instances.Size(), names.size());
    for (rapidjson::SizeType i = 0; i < instances.Size(); ++i)
        EXPECT_EQ(std::string_view(instances[i]["name"].GetString(), instances[i]["name"].GetStringLength()),
                  names[i].utf8);
    EXPECT_EQ(document["samples"][0]["machine"].GetString(), std::string("=M\x1B[2J\u009B\u202E\r\n"));
    EXPECT_FALSE(parse_json(shown({"replay", "--format", "json"})).HasParseError());
}

TEST_F(HostileNames, InJsonLinesParseToThemselves) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"dump"}, {"replay"}, {"replay", "--raw"}, {"replay", "--summary"}}) {
        std::vector<std::string> arguments = command;
        arguments.insert(arguments.end(), {"--format", "jsonl"});
        std::set<std::string> seen;
        for (const std::string& line : lines(shown(arguments))) {
            const rapidjson::Document value = parse_json(line);
            seen.emplace(value["instance"].GetString(), value["instance"].GetStringLength());
        }
        for (const Name& name : names) EXPECT_TRUE(seen.contains(std::string(name.utf8))) << name.utf8;
    }
}

TEST_F(HostileNames, InCsvAreNoFormulas) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"dump"}, {"replay"}, {"replay", "--raw"}, {"replay", "--summary"}}) {
        std::vector<std::string> arguments = command;
        arguments.insert(arguments.end(), {"--format", "csv"});
        const auto rows = csv_rows(shown(arguments));
        ASSERT_GT(rows.size(), names.size());
        std::set<std::string> instances;
        for (const std::vector<std::string>& row : rows) {
            ASSERT_EQ(row.size(), rows[0].size());
            for (std::size_t c = 0; c < row.size(); ++c) {
                EXPECT_TRUE(row[c].empty() || std::string_view("=+-@\t\r").find(row[c][0]) == std::string_view::npos)
                    << rows[0][c] << ": " << testing::PrintToString(row[c]);
                if (rows[0][c] == "instance") instances.insert(row[c]);
            }
        }
        for (const char* const defused : {"'=cmd|' /C calc'!A0", "'+1", "'-1", "'@SUM(1)", "it's \"quoted\", twice"})
            EXPECT_TRUE(instances.contains(defused)) << defused;
        EXPECT_EQ(instances.size(), names.size() + 1) << "they are as many as before, and the head";
    }
}

TEST_F(HostileNames, InPdhForms) {
    for (const auto& [format, tab] : {std::pair("pdh-csv", ""), std::pair("pdh-tsv", "\t")}) {
        const std::string text = shown({"replay", "--format", format}, tab);
        EXPECT_THAT(text, HasSubstr("(=cmd|' /C calc'!A0)\\")) << "as Windows writes it";
        EXPECT_EQ(lines(text).size(), 3U) << "a head and two samples";
        std::string windows = shown({"replay", "--format", format, "--crlf"}, std::string("\r") + tab);
        for (std::size_t at = 0; (at = windows.find("\r\n", at)) != std::string::npos; ++at) windows.erase(at, 1);
        EXPECT_EQ(windows, text) << "the only carriage returns are at the ends of lines";
    }
}

TEST_F(HostileNames, InOpenMetrics) {
    for (const std::string& text :
         {shown({"replay", "--format", "openmetrics"}), shown({"replay", "--format", "openmetrics", "--cooked"})}) {
        EXPECT_THAT(text, testing::EndsWith("# EOF\n"));
        for (const std::string& line : lines(text))
            EXPECT_TRUE(line.starts_with("# ") || line.starts_with("hkpd_")) << line << ": a name broke the line";
    }
}

/// Error messages name the input and the arguments.
TEST_F(HostileNames, InErrorMessages) {
    const std::string hostile = "no\x1B[2J\x07\u009B\u202Esuch";
    const auto expect_harmless_error = [&](std::vector<std::string> arguments) {
        const Result result = run(arguments);
        EXPECT_NE(result.exit, 0);
        EXPECT_NE(result.err, "");
        EXPECT_TRUE(is_harmless(result.err)) << testing::PrintToString(arguments);
        EXPECT_TRUE(is_harmless(result.out)) << testing::PrintToString(arguments);
    };
    for (const char* const command : {"dump", "replay"}) {
        expect_harmless_error({command, hostile});
        expect_harmless_error({command, input_, "--titles", hostile});
        expect_harmless_error({command, input_, "--format", hostile});
        expect_harmless_error({command, input_, "--object", hostile});
        expect_harmless_error({command, input_, "--path", "\\" + hostile + "\\" + hostile});
        expect_harmless_error({command, input_, "--lang", hostile});
        expect_harmless_error({command, input_, "--" + hostile});
        expect_harmless_error({command, input_, "--limit-values", hostile});
    }
    expect_harmless_error({"replay", input_, "--from", hostile});
    expect_harmless_error({"replay", input_, "--tz", hostile});
    expect_harmless_error({"replay", input_, "--cf", hostile});
    expect_harmless_error({hostile});
    const std::string cut = blobs().substr(0, 700);
    for (const char* const format : {"table", "json", "jsonl", "csv"})
        expect_harmless_error(
            {"dump", folder_.write(nameable("cut" + hostile), cut), "--titles", titles_, "--format", format});
}

}  // namespace hostile_names_cli_test
}  // namespace hkpd_test
