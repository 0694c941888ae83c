// Names that would control a terminal, or be formulas in a spreadsheet, in every form of output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>
#include <string_view>
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
