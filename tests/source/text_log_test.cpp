// Text logs (CSV and TSV) as inputs: lines, cells, times, and what is damaged in them.
#include "text_log/text_log.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/text_samples.hpp"

namespace hkpd_test {
namespace text_log_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view head = R"x("(PDH-CSV 4.0) (Pacific Standard Time)(480)")x";

std::vector<std::string> rest_of(hkpd::TextCells& cells) {
    std::vector<std::string> all;
    while (const auto cell = cells.next()) all.push_back(std::string(cell->text) + (cell->closed ? "" : "<open"));
    return all;
}

std::vector<std::string> cells_of(std::string_view line, char separator = ',') {
    hkpd::TextCells cells(line, separator);
    return rest_of(cells);
}

TEST(TextCells, Quoting) {
    EXPECT_THAT(cells_of(R"("a","b c","")"), ElementsAre("a", "b c", ""));
    EXPECT_THAT(cells_of(R"(a, b ,)"), ElementsAre("a", "b", ""));
    EXPECT_THAT(cells_of(""), ElementsAre(""));
    EXPECT_THAT(cells_of(R"("a""b","""","""c""")"), ElementsAre("a\"b", "\"", "\"c\""));  // RFC 4180
    EXPECT_THAT(cells_of(R"("a"",b",c)"), ElementsAre("a\",b", "c"));
    EXPECT_THAT(cells_of(R"("\\M\Process(a"b)\X","1")"), ElementsAre(R"(\\M\Process(a"b)\X)", "1"));  // not doubled
    EXPECT_THAT(cells_of(R"("a,b","c)"), ElementsAre("a,b", "c<open"));
    EXPECT_THAT(cells_of("\"a\"\tb", '\t'), ElementsAre("a", "b"));
    EXPECT_THAT(cells_of("\"0,5\";\"1\"", ';'), ElementsAre("0,5", "1"));
}

// A number that is read where its cell begins is the one in the cell that `next` returns, and the cells after it are
// the same.
TEST(TextCells, NumbersAreThoseOfTheirCells) {
    std::size_t numbers = 0;
    for (const std::string text : {"0",       "-1",     "12.345678901234567",
                                   "1.5e300", "1e999",  "nan",
                                   "inf",     "0x10",   " 1",
                                   "1 ",      "1\"\"2", "1\"2",
                                   "\"\"",    "",       " ",
                                   "1;2",     "1.2.3",  "--1",
                                   "-",       "x",      "1\\"})
        for (const std::string& cell : {text, '"' + text + '"', '"' + text, text + '"'})
            for (const char* rest : {"", ",", ",\"2\"", ",2,\"x", "\"", ",\""}) {
                const std::string line = cell + rest;
                hkpd::TextCells expected(line, ','), found(line, ',');
                if (const auto number = found.next_number()) {
                    ++numbers;
                    const auto whole = expected.next();
                    ASSERT_TRUE(whole && whole->closed) << line;
                    EXPECT_EQ(number->text, whole->text) << line;
                    const auto read = hkpd::TextNumber::read(whole->text, hkpd::DecimalMark::point);
                    EXPECT_EQ(read.kind, hkpd::TextNumber::Kind::number) << line;
                    EXPECT_EQ(read.value, number->value) << line;
                }
                EXPECT_EQ(rest_of(found), rest_of(expected)) << line;
            }
    EXPECT_GE(numbers, 40U);
}

/// Returns the number that a cell is with this mark, `-` for no value, `!` for a damaged cell.
std::string number_of(std::string_view text, hkpd::DecimalMark mark) {
    const hkpd::TextNumber number = hkpd::TextNumber::read(text, mark);
    if (number.kind == hkpd::TextNumber::Kind::number) return fmt::format("{}", number.value);
    EXPECT_EQ(number.value, 0.0);
    return number.kind == hkpd::TextNumber::Kind::missing ? "-" : "!";
}

TEST(TextNumber, Forms) {
    using enum hkpd::DecimalMark;
    for (const hkpd::DecimalMark mark : {unknown, point}) {
        EXPECT_EQ(number_of(" 86.93735103284412 ", mark), "86.93735103284412");
        EXPECT_EQ(number_of("1.5e300", mark), "1.5e+300");
        EXPECT_EQ(number_of("1.", mark), "1");  // as strtod reads it
        EXPECT_EQ(number_of("1.234", mark), "1.234");
    }
    for (const hkpd::DecimalMark mark : {unknown, comma}) {
        EXPECT_EQ(number_of("0,25", mark), "0.25");
        EXPECT_EQ(number_of(" 86,93735103284412 ", mark), "86.93735103284412");
        EXPECT_EQ(number_of("1,5e300", mark), "1.5e+300");
    }
    for (const hkpd::DecimalMark mark : {unknown, point, comma}) {
        EXPECT_EQ(number_of("0", mark), "0");
        EXPECT_EQ(number_of("-1", mark), "-1");
        EXPECT_EQ(number_of("1234567", mark), "1234567");
        for (const char* text : {"", " ", "nan", "inf", "1.#QNAN", "-1.#IND", "-1,#IND"})
            EXPECT_EQ(number_of(text, mark), "-") << text;
        for (const char* text :
             {"x", "1 2", "1,2,3", "1.000,5", "1,000.5", "1.234.567", "1,234,567", "0x10", ".", ",", "--1"})
            EXPECT_EQ(number_of(text, mark), "!") << text;
    }
}

TEST(TextNumber, IsReadWithTheMarkOfItsLogOnly) {
    using enum hkpd::DecimalMark;
    for (const char* text : {"0.25", "1.234", "12.5", "1.5e3"}) EXPECT_EQ(number_of(text, comma), "!") << text;
    for (const char* text : {"0,25", "1,234", "12,5", "1,5e3"}) EXPECT_EQ(number_of(text, point), "!") << text;
    EXPECT_EQ(number_of("1,234", comma), "1.234");
    EXPECT_EQ(number_of("1,234", unknown), "!") << "may be a thousand";
    EXPECT_EQ(number_of("-12,345", unknown), "!");
}

TEST(TextNumber, WhatACellShows) {
    using enum hkpd::DecimalMark;
    for (const char* text : {"0.25", "0.250", "1234.567", "1.23", "1.2345", "1.", ".5", "1,234.5", "1,234,567", "-0.5",
                             "1.234e2", "1,234,567.25"})
        EXPECT_EQ(hkpd::mark_shown_by(text), point) << text;
    for (const char* text :
         {"0,25", "0,250", "1234,567", "1,23", "1,2345", "1.234,5", "1.234.567", " -0,5 ", "1,234e2"})
        EXPECT_EQ(hkpd::mark_shown_by(text), comma) << text;
    for (const char* text : {"", " ", "12", "1.234", "1,234", "31,,5", "1..5", "1,2,3", "-999,999", "x.5", "1.#IND",
                             "11/26/2016 13:46:30.874", ",", "1e5"})
        EXPECT_EQ(hkpd::mark_shown_by(text), unknown) << text;
}

std::unique_ptr<LogSamples> read(std::string_view text, const hkpd::Limits& limits = {}) {
    return read_text_log(text, limits);
}
std::vector<std::string> content(const LogSamples& samples) { return text_content(samples); }

const std::string good = std::string(head) +
                         R"(,"\\PC\Processor(0)\% Processor Time","\\PC\Memory\Available Bytes")"
                         "\n\"11/26/2016 13:46:30.874\",\" \",\"12\"\n\"11/26/2016 13:46:31.874\",\"0.5\",\"13\"\n";
constexpr std::string_view first =
    R"(1480196790874 PC Processor(0)\% Processor Time=! Memory\Available Bytes=12.000000)";
constexpr std::string_view second =
    R"(1480196791874 PC Processor(0)\% Processor Time=0.500000 Memory\Available Bytes=13.000000)";

TEST(TextLog, Rows) {
    const auto samples = read(good);
    EXPECT_THAT(content(*samples), ElementsAre(first, second));
    EXPECT_EQ(samples->all[0].zone->name, "Pacific Standard Time");
    EXPECT_EQ(samples->all[0].zone->bias, 480);
    EXPECT_EQ(samples->all[0].source, hkpd::SampleSource::log);
    EXPECT_EQ(placed_faults(samples->diagnostics), "note text_log@0|");
    // The place of a sample is that of its line.
    EXPECT_EQ(samples->all[1].origin.offset, good.rfind("\"11/26"));
    // PDH_RAW_COUNTER's time is UTC in a sample.
    EXPECT_EQ(samples->all[0].objects()[0].columns[0].taken[0], 131'246'703'908'740'000U);
}

TEST(TextLog, EncodingsAndLineEnds) {
    const auto with_crlf = [](std::string_view text) {
        std::string out;
        for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
        return out;
    };
    const auto wide = [](std::string_view text, bool big) {
        std::string out;
        for (const char c : text) out += big ? std::string{'\0', c} : std::string{c, '\0'};
        return out;
    };
    for (const std::string& text :
         {with_crlf(good), "\xEF\xBB\xBF" + good, "\xFF\xFE" + wide(good, false), "\xFE\xFF" + wide(good, true),
          wide(good, false), "\r\n\r\n" + good, good.substr(0, good.size() - 1), good + "\n \n",
          "\xFF\xFE" + wide("\r\n" + with_crlf(good), false)})
        EXPECT_THAT(content(*read(text)), ElementsAre(first, second));
}

TEST(TextLog, NamesOfAnyEncoding) {
    const auto instance = [](std::string_view name) -> std::string {
        const auto samples = read(std::string(head) + ",\"\\\\PC\\Process(" + std::string(name) +
                                  ")\\Handles\"\n\"11/26/2016 13:46:30.874\",\"1\"\n");
        return samples->all.empty() ? "" : std::string(*samples->all[0].objects()[0].instances[0].name);
    };
    EXPECT_EQ(instance("b\xC3\xA4r"), "b\xC3\xA4r");
    EXPECT_EQ(instance("b\xE4r"), "b\xC3\xA4r");  // Windows-1252
    EXPECT_EQ(instance("a\"\"b"), "a\"b");
    EXPECT_EQ(instance("a\"b"), "a\"b");
    EXPECT_EQ(instance("a,b"), "a,b");
    EXPECT_EQ(instance("Intel(R) 825 (2)"), "Intel(R) 825 (2)");
    EXPECT_EQ(instance("C:\\mnt"), "C:\\mnt");
    EXPECT_EQ(instance("svchost/3#2"), "svchost/3#2");
}

TEST(TextLog, OtherSeparators) {
    std::string tabs = good, semicolons = good;
    for (std::size_t at = 0; (at = tabs.find("\",\"", at)) != std::string::npos;) tabs[at + 1] = '\t';
    for (std::size_t at = 0; (at = semicolons.find("\",\"", at)) != std::string::npos;) semicolons[at + 1] = ';';
    semicolons.replace(semicolons.find("0.5"), 3, "0,5");
    EXPECT_THAT(content(*read(tabs)), ElementsAre(first, second));
    EXPECT_THAT(content(*read(semicolons)), ElementsAre(first, second));
    std::string bare;
    for (const char c : good)
        if (c != '"') bare += c;
    EXPECT_THAT(content(*read(bare)), ElementsAre(first, second));
}

TEST(TextLog, SeveralMachinesAndLogs) {
    const std::string two = std::string(head) + R"(,"\\A\System\Threads","\\B\System\Threads")"
                                                "\n\"11/26/2016 13:46:30.874\",\"1\",\"2\"\n";
    const auto samples = read(two + good);
    EXPECT_THAT(content(*samples), ElementsAre("1480196790874 A System\\Threads=1.000000",
                                               "1480196790874 B System\\Threads=2.000000", first, second));
    EXPECT_THAT(samples->numbers, ElementsAre(0U, 0U, 1U, 2U));  // a row is one sample of several machines
}

TEST(TextLog, WithoutAZone) {
    std::string text = good;
    text.replace(1, head.size() - 2, "(PDH-CSV 4.0)");
    const auto samples = read(text + "Exiting, please wait...\nThe command completed successfully.\n");
    EXPECT_EQ(content(*samples)[0], "1480167990874" + std::string(first.substr(13)));  // 8 hours earlier
    EXPECT_FALSE(samples->all[0].zone);
    EXPECT_THAT(fault_codes(samples->diagnostics), "text_log|text_zone|text_other|text_other|");
    EXPECT_FALSE(samples->diagnostics.any_fault());
}

TEST(TextLog, ADamagedZoneIsReported) {
    const auto faults = [](std::string_view minutes) {
        std::string text = good;
        text.replace(text.find("(480)"), 5, "(" + std::string(minutes) + ")");
        const auto samples = read(text);
        EXPECT_EQ(content(*samples)[0], "1480167990874" + std::string(first.substr(13))) << "as UTC";
        EXPECT_FALSE(samples->all[0].zone);
        std::string found;
        for (const hkpd::Diagnostic& fault : samples->diagnostics.kept()) {
            if (fault.error.code != hkpd::Errc::text_zone) continue;
            EXPECT_EQ(fault.severity, hkpd::Severity::warning);
            hkpd::append_message(found, fault.error);
        }
        return found;
    };
    const std::string sentence =
        "the time zone in the first line is damaged: a name and whole minutes from -1440 to 1440 are expected, as in "
        "(Pacific Standard Time)(480); times are local times of an unknown zone; --log-tz states it";
    EXPECT_EQ(faults("<80"), sentence);
    EXPECT_EQ(faults(""), sentence);
    EXPECT_EQ(faults("99999"), sentence + ": expected 1440, found 99999");
    EXPECT_EQ(faults("-2000"), sentence + ": expected -1440, found -2000");
}

/// Returns a log of one column with these cells.
std::string log_of(const std::vector<std::string>& cells, std::string_view separator = ",") {
    std::string text = std::string(head) + std::string(separator) +
                       R"("\\PC\Memory\Available Bytes")"
                       "\n";
    for (const std::string& cell : cells)
        text.append("\"11/26/2016 13:46:30.874\"").append(separator).append("\"").append(cell).append("\"\n");
    return text;
}

/// Returns the values of a log of one column; `!` for damaged ones.
std::vector<std::string> values_of(const std::string& text) {
    std::vector<std::string> found;
    for (const std::string& sample : content(*read(text))) {
        const std::string value = sample.substr(sample.rfind('=') + 1);
        found.push_back(value == "!!" ? "!" : fmt::format("{}", std::stod(value)));
    }
    return found;
}

TEST(TextLog, CellsHaveOneDecimalMark) {
    EXPECT_THAT(values_of(log_of({"0.5", "1,234", "12"})), ElementsAre("0.5", "!", "12"));
    EXPECT_THAT(values_of(log_of({"1,234", "12", "0.5"})), ElementsAre("!", "12", "0.5"))
        << "what follows decides, too";
    EXPECT_THAT(values_of(log_of({"1.234", "12", "0,5"})), ElementsAre("!", "12", "0.5"));
    EXPECT_THAT(values_of(log_of({"1,234", "12", "0,5"})), ElementsAre("1.234", "12", "0.5"));
    EXPECT_THAT(values_of(log_of({"0,5", "0.25", "1.5"})), ElementsAre("!", "0.25", "1.5")) << "most cells decide";
    EXPECT_THAT(values_of(log_of({"1,234"})), ElementsAre("!"));
    EXPECT_THAT(values_of(log_of({"1.234"})), ElementsAre("1.234")) << "as PDH writes it";
    EXPECT_THAT(values_of(log_of({"1,234", "1.234"}, ";")), ElementsAre("1.234", "!"));
    EXPECT_THAT(values_of(log_of({"1.234", "0.5"}, ";")), ElementsAre("1.234", "0.5"));
    // Each of several logs in one text has its own.
    EXPECT_THAT(values_of(log_of({"0.5", "1,234"}) + log_of({"0,5", "1,234"})),
                ElementsAre("0.5", "!", "0.5", "1.234"));
    EXPECT_EQ(fault_codes(read(log_of({"0.5", "1,234"}))->diagnostics), "text_log|text_cell|");
    // In UTF-16, and after many integers.
    std::string wide = "\xFF\xFE";
    for (const char c : log_of({"1,234", "0.5"})) wide += {c, '\0'};
    EXPECT_THAT(values_of(wide), ElementsAre("!", "0.5"));
    std::vector<std::string> many(20'000, "12");
    many.front() = "1,234";
    many.back() = "0,5";
    const auto values = values_of(log_of(many));
    EXPECT_EQ(values.front(), "1.234");
    EXPECT_EQ(values.back(), "0.5");
}

TEST(TextLog, MinusOneIsNoValueWhereNumbersHaveDecimals) {
    const auto values = [](const char* counter, const std::vector<std::string>& cells) {
        std::string text = std::string(head) + ",\"\\\\PC\\A\\" + counter + "\"\n";
        for (const std::string& cell : cells) text += "\"11/26/2016 13:46:30.874\",\"" + cell + "\"\n";
        const auto samples = read(text);
        std::string all;
        for (const std::string& row : content(*samples)) all += row.substr(row.rfind('=') + 1) + " ";
        for (const hkpd::Diagnostic& fault : samples->diagnostics.kept()) {
            if (fault.error.code != hkpd::Errc::text_cell) continue;
            all += fmt::format("{} {}", severity_name(fault.severity), fault.error.found);
        }
        return all;
    };
    EXPECT_EQ(values("X", {"96.000000", "-1", "-1"}), "96.000000 ! ! note 2");
    EXPECT_EQ(values("X", {"-1", "0.5"}), "! 0.500000 note 1") << "what follows decides, too";
    EXPECT_EQ(values("X", {"-1.000000", "96.000000"}), "-1.000000 96.000000 ");
    EXPECT_EQ(values("X", {"3", "-1"}), "3.000000 -1.000000 ") << "may be a value";
    EXPECT_EQ(values("X/sec", {"3", "-1"}), "3.000000 ! note 1");
    EXPECT_EQ(values("% X", {"3", "-1"}), "3.000000 ! note 1");
    EXPECT_EQ(values("X", {"-1", "-1"}), "-1.000000 -1.000000 ");
    EXPECT_EQ(values("X", {"3", " ", "", "N/A", "#NV", "-1.#IND", "nan"}), "3.000000 ! ! ! ! ! ! ");
    // In one log with six decimals, all columns are those of typeperf.
    const auto two =
        read(std::string(head) + R"(,"\\PC\A\B","\\PC\A\C")" +
             "\n\"11/26/2016 13:46:30.874\",\"-1\",\"14.000000\"\n\"11/26/2016 13:46:31.874\",\"-1\",\"15.000000\"\n");
    EXPECT_THAT(content(*two),
                ElementsAre("1480196790874 PC A\\B=! A\\C=14.000000", "1480196791874 PC A\\B=! A\\C=15.000000"));
    EXPECT_EQ(two->all[0].objects()[0].columns[0].status[0], hkpd::ValueStatus::not_recorded);
}

TEST(TextLog, ABadCellIsNamed) {
    const auto samples = read(std::string(head) + R"(,"\\SRV1\PhysicalDisk(21 D:)\Avg. Disk sec/Read")" +
                              "\n\"07/26/2026 20:16:00.877\",\"0.004\"\n\"07/26/2026 20:17:00.877\",\"0.0O4\"\n"
                              "\"07/26/2026 20:18:00.877\",\"1x\",\"2\"\n\"07/26/2026 20;19\",\"1\"\n");
    std::vector<std::string> messages;
    for (const hkpd::Diagnostic& fault : samples->diagnostics.kept()) {
        std::string text;
        append_message(text, fault);
        if (fault.cell) messages.push_back(text.substr(text.find(": line")));
        if (!fault.cell || fault.error.code != hkpd::Errc::text_cell) continue;
        EXPECT_EQ(fault.cell->object, "PhysicalDisk");
        EXPECT_EQ(fault.cell->instance, "21 D:");
        EXPECT_EQ(fault.cell->counter, "Avg. Disk sec/Read");
        EXPECT_EQ(fault.cell->machine, "SRV1");
    }
    EXPECT_THAT(
        messages,
        ElementsAre(
            R"(: line 3, time 07/26/2026 20:17:00.877, \\SRV1\PhysicalDisk(21 D:)\Avg. Disk sec/Read, found "0.0O4")",
            R"(: line 4, time 07/26/2026 20:18:00.877, found "1x")", ": line 5, time 07/26/2026 20;19"));
}

// Where a row has a cell more than the first line, the cell of a counter is in a column of comments.
TEST(TextLog, ABadCellIsNamedAmongComments) {
    for (const auto& [cell, found] : {std::pair("37..5", ", found \"37..5\""), std::pair("restart", "")}) {
        const auto samples = read(std::string(head) + ",\"\\\\SRV1\\Memory\\Pages/sec\",\"Sessions\"\n" +
                                  "\"01/16/2023 13:49:57.723\",\"900000.25\",\"" + cell + "\",\"2.18\"\n");
        std::string text;
        for (const hkpd::Diagnostic& fault : samples->diagnostics.kept())
            if (fault.error.code == hkpd::Errc::text_row) append_message(text, fault);
        EXPECT_THAT(text, testing::EndsWith(std::string(": line 2, time 01/16/2023 13:49:57.723") + found));
    }
}

TEST(TextLog, DamagedRows) {
    const auto rows = [](std::string_view more) { return read(good + std::string(more)); };
    const auto faults = [](const LogSamples& samples) {
        std::string text = placed_faults(samples.diagnostics);
        text.erase(0, std::string_view("note text_log@0|").size());
        for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos; ++at) {
            EXPECT_EQ(text.substr(at + 1, text.find('|', at) - at - 1), std::to_string(good.size()));
            text.erase(at, text.find('|', at) - at);
        }
        return text;
    };
    const auto third = [](const LogSamples& samples) {
        return samples.all.size() == 3 ? content(samples)[2] : std::to_string(samples.all.size());
    };
    const std::string time = "\"11/26/2016 13:46:32.874\"";
    const std::string nothing = R"(1480196792874 PC Processor(0)\% Processor Time=!! Memory\Available Bytes=!!)";
    const std::string half = R"(1480196792874 PC Processor(0)\% Processor Time=0.250000 Memory\Available Bytes=!!)";
    const std::string both =
        R"(1480196792874 PC Processor(0)\% Processor Time=0.250000 Memory\Available Bytes=14.000000)";
    // What a cut has left is certain. Without a cut, the missing cell can be any of them, and so can the added one.
    for (const char* cut : {",\"0.25\",\"1", ",0.25,", ",\"0.25\",\"1\n", ",0.25,\"14"}) {
        const auto found = rows(time + cut);
        EXPECT_EQ(third(*found), half) << cut;
        EXPECT_EQ(faults(*found), "error text_row|") << cut;
    }
    for (const char* cells :
         {",\"0.25\"\n", ",\"0.25\"", ",\"0.25\",\"14\",\n", ",\"0.25\",\"14\",\"\",\" \"\n",
          ",\"0.25\",\"14\",\"15\",\"16\"\n", ",0,25,14\n", ",0.25", ",\"0.25\",14,x", "\n", ",x\n"}) {
        const auto found = rows(time + cells);
        EXPECT_EQ(third(*found), nothing) << cells;
        EXPECT_EQ(faults(*found), "error text_row|") << cells;
    }
    const auto whole = rows(time + ",0.25,14");
    EXPECT_EQ(third(*whole), both);
    EXPECT_EQ(faults(*whole), "");
    const auto no_number = rows("\"11/26/2016 13:46:32.874\",\"0.25\",\"many\"\n");
    EXPECT_EQ(third(*no_number), half);
    EXPECT_EQ(faults(*no_number), "error text_cell|");
    const auto no_time = rows("\"26.11.2016 13:46\",\"0.25\",\"14\"\n");
    EXPECT_EQ(third(*no_time), R"( PC Processor(0)\% Processor Time=0.250000 Memory\Available Bytes=14.000000)");
    EXPECT_EQ(faults(*no_time), "error text_time|");
    const auto other = rows("something else\n");
    EXPECT_EQ(third(*other), "2");
    EXPECT_EQ(faults(*other), "note text_other|");
}

TEST(TextLog, DamagedHeadings) {
    const auto with = [](std::string_view headings) {
        return read(std::string(head) + std::string(headings) + "\n\"11/26/2016 13:46:30.874\",\"1\",\"2\",\"3\"\n");
    };
    const auto comment = read(std::string(head) + R"(,"\\PC\A\B","\\PC\A\C","a comment")" +
                              "\n\"11/26/2016 13:46:30.874\",\"1\",\"2\",\"\"\n");
    EXPECT_THAT(content(*comment), ElementsAre("1480196790874 PC A\\B=1.000000 A\\C=2.000000"));
    EXPECT_EQ(fault_codes(comment->diagnostics), "text_log|text_comment|");
    EXPECT_FALSE(comment->diagnostics.any_fault());
    const auto damaged = with(R"(,"\\PC\A\B","\A C","\\PC\A\D")");
    EXPECT_THAT(content(*damaged), ElementsAre("1480196790874 PC A\\B=1.000000 A\\D=3.000000"));
    EXPECT_EQ(placed_faults(damaged->diagnostics), "note text_log@0|error text_column@0|");
    const auto longest = with(R"(,"\\PC\A\B","\\PC\)" + std::string(2048, 'A') + R"(\C","\\PC\A\D")");
    EXPECT_EQ(content(*longest), content(*damaged));
    const auto repeated = with(R"(,"\\PC\A(x)\B","\\PC\A(X)\B","\\PC\A(x)\B")");
    EXPECT_THAT(content(*repeated), ElementsAre("1480196790874 PC A(x)\\B=1.000000 A(X)\\B=2.000000 A(x)\\B=3.000000"));
}

TEST(TextLog, ACommentNeedsNoCells) {
    const auto samples =
        read(std::string(head) + R"(,"\\PC\A\B","a comment")" + "\n\"11/26/2016 13:46:30.874\",\"1\"\n");
    EXPECT_THAT(content(*samples), ElementsAre("1480196790874 PC A\\B=1.000000"));
    EXPECT_EQ(fault_codes(samples->diagnostics), "text_log|text_comment|");
}

TEST(TextLog, LongLinesAreBounded) {
    hkpd::Limits limits;
    limits.bytes = 16 * (good.find('\n') + 1);
    EXPECT_THAT(read(good, limits)->all, SizeIs(2));
    const auto samples = read(good + std::string(good.size(), '1'), limits);
    EXPECT_THAT(samples->all, SizeIs(2));
    EXPECT_EQ(fault_codes(samples->diagnostics), "text_log|byte_limit|");
    // A row that is shorter than the number of its columns costs nothing.
    std::string many(head);
    for (int i = 0; i < 1000; ++i) many.append(",\"\\\\PC\\A\\").append(std::to_string(i)).append("\"");
    const auto wide = read(many + "\n\"11/26/2016 13:46:30.874\",\"1\"\n");
    EXPECT_THAT(wide->all, IsEmpty());
    EXPECT_EQ(fault_codes(wide->diagnostics), "text_log|text_row|");
}

TEST(TextLog, TooManyColumns) {
    std::string many(head);
    constexpr std::size_t beyond = hkpd::TextLogStream::most_columns + 2;
    for (std::size_t i = 0; i < beyond; ++i) many.append(",\"\\A\\").append(std::to_string(i)).append("\"");
    many += "\n\"11/26/2016 13:46:30.874\"";
    for (std::size_t i = 0; i < beyond; ++i) many += ",1";
    const auto samples = read(many);
    ASSERT_THAT(samples->all, SizeIs(1));
    EXPECT_THAT(samples->all[0].objects()[0].columns, SizeIs(hkpd::TextLogStream::most_columns));
    EXPECT_EQ(fault_codes(samples->diagnostics), "text_log|text_column|text_column|");
}

}  // namespace text_log_test
}  // namespace hkpd_test
