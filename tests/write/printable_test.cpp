// Names that would control a terminal, or be formulas in a spreadsheet, in every form of output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/select.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/write.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/blob_builder.hpp"
#include "support/processor_time.hpp"
#include "support/sample_reading.hpp"
#include "write/cells.hpp"

namespace hkpd_test {
namespace printable_test {

using hkpd::Format;
using testing::HasSubstr;

std::string printable(std::string_view text) {
    std::string out;
    hkpd::append_printable(out, text);
    return out;
}

std::string one_line(std::string_view text) {
    std::string out;
    hkpd::append_one_line(out, text);
    return out;
}

std::string json_of(std::string_view text) {
    std::string out = "\x7F kept";
    const std::size_t from = out.size();
    out += text;
    hkpd::escape_json(out, from);
    EXPECT_TRUE(out.starts_with("\x7F kept"));
    return out.substr(from);
}

TEST(Printable, ControlAndFormattingCharactersAreEscaped) {
    EXPECT_EQ(printable(""), "");
    EXPECT_EQ(printable("a \\~"), "a \\~");
    EXPECT_EQ(printable("Größe 日本語 🚀"), "Größe 日本語 🚀");
    EXPECT_EQ(printable(std::string_view("\0\x1F\x7F", 3)), "\\x00\\x1F\\x7F");
    EXPECT_EQ(printable("\u0080a\u009F\u00A0"), "\\x80a\\x9F\u00A0");
    EXPECT_EQ(printable("\u200F\u2028\u202E\u2066\u2069\uFEFF"), "\\u200F\\u2028\\u202E\\u2066\\u2069\\uFEFF");
    EXPECT_EQ(printable("a\xFF\xC3"), "a\\xFF\\xC3");
}

TEST(Printable, EveryPlaceOfATextIsSearchedForSpecialCharacters) {
    for (std::size_t size = 1; size <= 20; ++size)
        for (std::size_t place = 0; place < size; ++place)
            for (int c = 0; c < 256; ++c) {
                std::string text(size, 'x');
                text[place] = static_cast<char>(c);
                const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
                ASSERT_EQ(hkpd::is_plain(text, '"', '\\'), plain) << size << ' ' << place << ' ' << c;
            }
    EXPECT_TRUE(hkpd::is_plain("", '"', ','));
}

TEST(Printable, OneLineUsesBlanks) {
    EXPECT_EQ(one_line("a\r\nb\tc\x1B[2J\x7F\u009B\u2028"), "a  b c [2J   ");
    EXPECT_EQ(one_line("\u202A\u202E\u202C\u2066\u2069x"), "     x");
    EXPECT_EQ(one_line("\u200E\u200F\u061C\u200B\u2060\uFEFF\U000E0041x"), "       x");
    EXPECT_EQ(one_line("می\u200Cخواهم Größe 👩\u200D💻"), "می\u200Cخواهم Größe 👩\u200D💻") << "part of the word";
}

TEST(Printable, JsonKeepsEscapedCharacters) {
    EXPECT_EQ(json_of("{\"a\":\"b\\u001B\"}\n"), "{\"a\":\"b\\u001B\"}\n");
    EXPECT_EQ(json_of("\"ö\x7F\u009B\u202E🚀\"\n"), "\"ö\\u007F\\u009B\\u202E🚀\"\n");
    const std::string hidden = "\x7F\u0085\u00AD\u200F\u2028\u202A\u202E\u2066\u2069\uFEFF\U000E0041";
    const std::string escaped = json_of("\"" + hidden + "\"");
    EXPECT_EQ(escaped, R"("\u007F\u0085\u00AD\u200F\u2028\u202A\u202E\u2066\u2069\uFEFF\uDB40\uDC41")");
    rapidjson::Document document;
    document.Parse(escaped.c_str());
    ASSERT_FALSE(document.HasParseError());
    EXPECT_EQ(std::string_view(document.GetString(), document.GetStringLength()), hidden);
}

/// Writes one sample in a form of output, with this name wherever an input has one.
std::string written(Format format, std::u16string_view name, const std::string& title, bool summary = false) {
    hkpd::TitleTable table("009", "test");
    table.add(9000, title);
    table.add(2, title);
    hkpd::Titles titles;
    titles.add(table);
    blob::Block block{.objects = {{.title = 9000,
                                   .kind = blob::Kind::multi,
                                   .counters = {{.title = 2}},
                                   .instances = {{.name = std::u16string(name), .values = {5}}}}},
                      .machine = std::u16string(name)};
    MemorySource source({blob::build(block)});
    hkpd::SampleReader reader(source, &titles, {});
    hkpd::Replay replay(reader, {});
    const hkpd::WriteOptions options{.titles = &titles, .one_pass = true};
    const auto writer = summary ? hkpd::make_summary_writer(format, options, {}) : hkpd::make_writer(format, options);
    hkpd::Diagnostics diagnostics;
    std::vector<hkpd::Selected> selected;
    std::string out;
    writer->begin(out);
    while (replay.next(diagnostics)) {
        hkpd::Filter().select(replay.sample(), selected);
        writer->sample(replay.sample(), selected, &replay.cooker(), out);
    }
    writer->end(diagnostics, out);
    EXPECT_EQ(diagnostics.count(hkpd::Severity::error), 0U);
    return out;
}

TEST(Printable, NamesAreEscapedInEveryForm) {
    const std::u16string name = u"=a\x1B[31m\x009B\x202E\x2066\r\n\x007F";
    const std::string title = "Ti\x1B[2J\u009B\u202E\u2069\r\n\x7Ftle";
    for (const bool summary : {false, true})
        for (const hkpd::FormatSpec& row : hkpd::output_formats()) {
            if (row.syntax == hkpd::FormatSpec::Syntax::binary) continue;
            const Format format = *hkpd::format_of(row.name);
            const bool tabs = row.syntax == hkpd::FormatSpec::Syntax::tabbed;
            const std::string text = written(format, name, title, summary);
            for (const char c : text)
                EXPECT_FALSE((c >= 0 && c < ' ' && c != '\n' && !(c == '\t' && tabs)) || c == '\x7F') << text;
            for (const std::string_view hidden : {"\u009B", "\u202E", "\u2066", "\u2069"})
                EXPECT_EQ(text.find(hidden), std::string::npos) << text;
            EXPECT_THAT(text, HasSubstr(format == Format::openmetrics && !summary ? "machine=\"=a" : "=a"));
        }
}

/// Returns whether a code has no shape of its own (Unicode 15: UnicodeData.txt, DerivedCoreProperties.txt).
bool is_hidden(char32_t code) {
    static constexpr std::array<std::pair<char32_t, char32_t>, 38> ranges{
        {{0, 0x1F},          {0x7F, 0x9F},         {0xAD, 0xAD},       {0x34F, 0x34F},     {0x600, 0x605},
         {0x61C, 0x61C},     {0x6DD, 0x6DD},       {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
         {0x115F, 0x1160},   {0x17B4, 0x17B5},     {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
         {0x2060, 0x206F},   {0x3164, 0x3164},     {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
         {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},     {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x13438},
         {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},   {0xE0000, 0xE0FFF}, {0xFFFE, 0xFFFF},   {0x1FFFE, 0x1FFFF},
         {0x2FFFE, 0x2FFFF}, {0x3FFFE, 0x3FFFF},   {0x4FFFE, 0x4FFFF}, {0x5FFFE, 0x5FFFF}, {0xEFFFE, 0xEFFFF},
         {0xFFFFE, 0xFFFFF}, {0x10FFFE, 0x10FFFF}, {0x6FFFE, 0x6FFFF}}};
    const auto holds = [code](const auto& range) { return range.first <= code && code <= range.second; };
    return std::ranges::any_of(ranges, holds) || (code & 0xFFFEU) == 0xFFFEU;
}

/// Returns a code in UTF-8, also that of a surrogate, which is not valid.
std::string utf8(char32_t code) {
    const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
    if (code < 0x80) return {byte(code)};
    if (code < 0x800) return {byte(0xC0 | code >> 6U), byte(0x80 | (code & 0x3FU))};
    if (code < 0x10000)
        return {byte(0xE0 | code >> 12U), byte(0x80 | (code >> 6U & 0x3FU)), byte(0x80 | (code & 0x3FU))};
    return {byte(0xF0 | code >> 18U), byte(0x80 | (code >> 12U & 0x3FU)), byte(0x80 | (code >> 6U & 0x3FU)),
            byte(0x80 | (code & 0x3FU))};
}

TEST(Printable, NoCodeWithoutAShapeIsShown) {
    constexpr char32_t last = 0x10FFFF;
    for (char32_t code = 0; code <= last; ++code) {
        const std::string text = utf8(code);
        const bool surrogate = code >= 0xD800 && code < 0xE000, joiner = code == 0x200C || code == 0x200D;
        const std::string shown = printable(text), line = one_line(text);
        if (surrogate) {
            ASSERT_EQ(shown.find_first_not_of("\\x0123456789ABCDEF"), std::string::npos) << shown;
            ASSERT_EQ(line, "   ");
            ASSERT_EQ(json_of(text), "\uFFFD\uFFFD\uFFFD");
        } else if (is_hidden(code)) {
            ASSERT_TRUE(shown.starts_with(code < 0x100 ? "\\x" : "\\u")) << std::hex << std::uint32_t{code};
            ASSERT_EQ(line, joiner ? text : " ") << std::hex << std::uint32_t{code};
            ASSERT_TRUE(code < ' ' || json_of(text).starts_with("\\u")) << std::hex << std::uint32_t{code};
        } else if (code < 0x1343'0 ||
                   code > 0x1345'5) {  // format characters of Unicode 15, which utf8proc may not know
            ASSERT_EQ(shown, text) << std::hex << std::uint32_t{code};
            ASSERT_EQ(line, text) << std::hex << std::uint32_t{code};
            ASSERT_EQ(json_of(text), text) << std::hex << std::uint32_t{code};
        }
    }
}

TEST(Printable, NoFormShowsACodeWithoutAShape) {
    std::vector<char32_t> hidden;
    for (char32_t code = 1; code <= 0x10FFFF; ++code)
        if (is_hidden(code) && (code < 0xE0000 || code % 61 == 0)) hidden.push_back(code);
    constexpr std::size_t at_once = 120;
    for (std::size_t first = 0; first < hidden.size(); first += at_once) {
        const auto part = std::span(hidden).subspan(first, std::min(at_once, hidden.size() - first));
        std::u16string name = u"n\xD800 ";  // a lone surrogate
        std::string title = "t\xED\xA0\x80 ";
        for (const char32_t code : part) {
            title += utf8(code);
            if (code < 0x10000)
                name += static_cast<char16_t>(code);
            else
                name += {static_cast<char16_t>(0xD800 + ((code - 0x10000) >> 10U)),
                         static_cast<char16_t>(0xDC00 + (code & 0x3FFU))};
        }
        for (const bool summary : {false, true})
            for (const hkpd::FormatSpec& row : hkpd::output_formats()) {
                if (row.syntax == hkpd::FormatSpec::Syntax::binary) continue;
                const bool tabs = row.syntax == hkpd::FormatSpec::Syntax::tabbed;
                const std::string text = written(*hkpd::format_of(row.name), name, title, summary);
                for (const char32_t code : part) {
                    if (code == '\n' || (code == '\t' && tabs)) continue;
                    if ((code == 0x200C || code == 0x200D) && row.name.starts_with("pdh-")) continue;
                    ASSERT_EQ(text.find(utf8(code)), std::string::npos)
                        << row.name << ' ' << std::hex << std::uint32_t{code};
                }
                ASSERT_EQ(text.find("\xED\xA0"), std::string::npos) << row.name;
            }
    }
}

TEST(Printable, QuotesOfACellAreDoubled) {
    const auto cell = [](std::string_view text) {
        std::string out = "a\"b,";  // earlier text is kept
        hkpd::append_csv_cell(out, text);
        EXPECT_TRUE(out.starts_with("a\"b,"));
        return out.substr(4);
    };
    EXPECT_EQ(cell(""), ",");
    EXPECT_EQ(cell("a b"), "a b,");
    EXPECT_EQ(cell("\""), "\"\"\"\",");
    EXPECT_EQ(cell("a,b"), "\"a,b\",");
    EXPECT_EQ(cell("=\"\""), "\"'=\"\"\"\"\",");
}

TEST(Printable, ACellOfQuotesTakesLinearTime) {
    constexpr std::size_t many = 4'000'000;  // takes a minute if the rest moves at each of them
    const hkpd_test::ProcessorTime used;
    std::string out;
    hkpd::append_csv_cell(out, std::string(many, '"'));
    EXPECT_LT(used.seconds(), 10);
    EXPECT_TRUE(out == std::string(2 * many + 2, '"') + ',');
}

TEST(Printable, ASpreadsheetReadsNoNameAsAFormula) {
    const auto line = [](std::u16string_view name, const std::string& title, bool summary) {
        std::string text = written(Format::csv, name, title, summary);
        text.erase(0, text.find('\n') + 1);
        EXPECT_EQ(text.find('\n'), text.size() - 1) << "one value per line";
        return text;
    };
    EXPECT_THAT(line(u"=1+1", "+2", false), HasSubstr(",'=1+1,v1,'+2,9000,,,'=1+1,,,1,'=1+1,'+2,2,"));
    EXPECT_THAT(line(u"=1+1", "+2", true), testing::StartsWith("'=1+1,v1,'+2,9000,,,'=1+1,,,1,'+2,2,"));
    EXPECT_THAT(line(u"@A1,\"b\"", "-2", false), HasSubstr(",\"'@A1,\"\"b\"\"\",v1,'-2,9000,"));
    EXPECT_THAT(line(u"\t=1", "\r\n=1", false), HasSubstr(",\\x09=1,v1,\\x0D\\x0A=1,9000,"))
        << "does not begin with an operator";
    EXPECT_THAT(line(u"a=1", "% Time", false), HasSubstr(",a=1,v1,% Time,9000,")) << "no formula";
    // Windows' own form has no such mark.
    EXPECT_THAT(written(Format::pdh_csv, u"=1+1", "+2"), HasSubstr("\"\\\\=1+1\\+2(=1+1)\\+2\""));
}

}  // namespace printable_test
}  // namespace hkpd_test
