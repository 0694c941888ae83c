// First lines of text logs as people leave them: other first cells, dates in other orders and in two columns, columns
// with names of their own, zones that were cut off.
#include "text_log/text_head.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/places.hpp"
#include "support/text_samples.hpp"

namespace hkpd_test {
namespace text_head_test {

using testing::ElementsAre;
using testing::SizeIs;

TEST(TextLogHead, ZoneAndBias) {
    const auto zone = [](std::string_view cell) -> std::string {
        const auto parsed = hkpd::TextLogHead::parse(cell);
        EXPECT_LE((parsed.zone ? 1 : 0) + (parsed.is_zone_damaged ? 1 : 0) + (parsed.cut_name ? 1 : 0), 1) << cell;
        if (parsed.is_zone_damaged) return "damaged" + (parsed.minutes ? std::to_string(*parsed.minutes) : "");
        if (parsed.cut_name) return "cut " + *parsed.cut_name;
        return (parsed.zone ? parsed.zone->name + "," + std::to_string(parsed.zone->bias) : "unknown") +
               (parsed.has_other_text ? " and text" : "");
    };
    EXPECT_EQ(zone("(PDH-CSV 4.0) (Pacific Standard Time)(480)"), "Pacific Standard Time,480");
    EXPECT_EQ(zone("(PDH-TSV 4.0) (W. Europe Standard Time)(-60)"), "W. Europe Standard Time,-60");
    EXPECT_EQ(zone("(PDH-CSV 4.0) (Zeit (Berlin))(-60)"), "Zeit (Berlin),-60");
    EXPECT_EQ(zone("(PDH-CSV 4.0) (Paris, Madrid (heure d'\xC3\xA9t\xC3\xA9))(-120)"),
              "Paris, Madrid (heure d'\xC3\xA9t\xC3\xA9),-120");
    EXPECT_EQ(zone("(Pacific Daylight Time)(420)"), "Pacific Daylight Time,420");
    EXPECT_EQ(zone("(PDH-CSV 4.0)"), "unknown");  // as typeperf writes it
    EXPECT_EQ(zone("(PDH-CSV 4.0) "), "unknown");
    EXPECT_EQ(zone("(PDH-CSV 4.0) ()(-540)"), ",-540");
    EXPECT_EQ(zone("(PDH-CSV 4.0) (x)(1440)"), "x,1440");
    EXPECT_EQ(zone("(PDH-CSV 4.0) (x)(-1440)"), "x,-1440");
    EXPECT_EQ(zone("(PDH-CSV 4.0) (x)(1441)"), "damaged1441");
    EXPECT_EQ(zone("(PDH-CSV 4.0) (x)(-99999)"), "damaged-99999");
    for (const char* cell :
         {"(PDH-CSV 4.0) (x)(y)", "(PDH-CSV 4.0) (x)(<80)", "(PDH-CSV 4.0) (x)()", "(PDH-CSV 4.0) (x)( 480)",
          "(PDH-CSV 4.0) (x)(480.5)", "(PDH-CSV 4.0) (x)(99999999999)", "(x)(+1)"})
        EXPECT_EQ(zone(cell), "damaged") << cell;
    EXPECT_EQ(zone("(PDH-CSV 4.0) (GMT Standard Time)(0) Time"), "GMT Standard Time,0 and text");
    EXPECT_EQ(zone("Time (Pacific Standard Time)(480)"), "Pacific Standard Time,480 and text");
    EXPECT_EQ(zone("(PDH-CSV 4.0) Time"), "unknown and text");
    for (const char* cell : {"Time", "Time (local)", "Zeit (UTC+1)"})
        EXPECT_THAT(zone(cell), testing::StartsWith("unknown and")) << cell;
    EXPECT_EQ(zone(""), "unknown");
    EXPECT_EQ(zone("(PDH-CSV 4.0) ("), "cut ");
    EXPECT_EQ(zone("(PDH-CSV 4.0) (Paris, Madrid (heure d"), "cut Paris, Madrid (heure d");
    EXPECT_EQ(zone("(PDH-CSV 4.0) (Pacific Standard Time)"), "cut Pacific Standard Time");
    EXPECT_EQ(zone("(PDH-CSV 4.0) (Pacific Standard Time)("), "cut Pacific Standard Time");
    EXPECT_EQ(zone("(PDH-CSV 4.0) (Pacific Standard Time)(48"), "cut Pacific Standard Time");
    EXPECT_EQ(zone("(("), "cut (");
}

bool is_log(std::string_view text) {
    hkpd::StreamWindow window(std::as_bytes(std::span(text)));
    return hkpd::is_text_log(window);
}

TEST(TextLogHead, ACounterPathMakesALog) {
    for (const char* line :
         {R"("Time","\\PC\A\B")", R"("Time","\\PC\Сервер\Всего")", R"(Timestamp;\\PC\A\B)", "Date\tTime\t\\\\PC\\A\\B",
          R"(,\A\B)", R"("","\A(x)\B")", "\xE6\x97\xA5\xE4\xBB\x98,\\\\PC\\A\\B", R"("Time","Sessions","\\PC\A\B")",
          "\n\nTime,\\\\PC\\A\\B\n"})
        EXPECT_TRUE(is_log(line)) << line;
    EXPECT_TRUE(is_log("Time," + std::string(5'000, 'x') + ",\\\\PC\\A\\B\n"));
    for (const char* line : {"Time,A,B", R"("\\PC\A\B","\\PC\A\C")", R"(Time,\A)", R"(a \\PC\A\B)",
                             "Time\n,\\\\PC\\A\\B", R"(Time,\\PC\A)", "\x01,\\\\PC\\A\\B"})
        EXPECT_FALSE(is_log(line)) << line;
}

/// Returns the samples of a log with this first line and these rows, without what is certain, and its faults.
struct Read {
    std::vector<std::string> rows;
    std::string faults;
};
Read read(const std::string& text) {
    const auto samples = read_text_log(text);
    Read found{text_content(*samples), {}};
    for (const hkpd::Diagnostic& fault : samples->diagnostics.kept()) {
        if (fault.error.code == hkpd::Errc::text_log) continue;
        found.faults +=
            fmt::format("{} {}:{}|", severity_name(fault.severity), code_name(fault.error.code), fault.error.field);
    }
    return found;
}

constexpr std::string_view path = R"("\\PC\A\B")";

TEST(TextLogHead, RenamedFirstCells) {
    for (const char* first : {"\"Time\"", "Timestamp", "Date", "\"\"", "", "\"Zeit, lokal\""}) {
        const Read found = read(fmt::format("{},{}\n\"11/26/2016 13:46:30.874\",\"1\"\n", first, path));
        EXPECT_THAT(found.rows, ElementsAre(R"(1480167990874 PC A\B=1.000000)")) << first;
        EXPECT_EQ(found.faults, "note text_head:heading|note text_zone:|") << first;
    }
    const Read suffix = read(
        fmt::format("\"(PDH-CSV 4.0) (GMT Standard Time)(0) Time\",{}\n\"11/26/2016 13:46:30.874\",\"1\"\n", path));
    EXPECT_THAT(suffix.rows, ElementsAre(R"(1480167990874 PC A\B=1.000000)"));
    EXPECT_EQ(suffix.faults, "note text_head:text|");
    // A second log in the same text.
    const std::string one = fmt::format("\"Time\",{}\n\"11/26/2016 13:46:30.874\",\"1\"\n", path);
    EXPECT_THAT(read(one + one).rows, SizeIs(2));
}

TEST(TextLogHead, CutZones) {
    const auto faults = [](const char* first) {
        const Read found = read(fmt::format("\"{}\",{}\n\"11/26/2016 13:46:30.000\",\"1\"\n", first, path));
        EXPECT_THAT(found.rows, SizeIs(1)) << first;
        return found.rows[0].substr(0, 10) + " " + found.faults;
    };
    EXPECT_EQ(faults("(PDH-CSV 4.0) ("), "1480167990 note text_zone:cut|");
    EXPECT_EQ(faults("(PDH-CSV 4.0) ()(-540)"), "1480135590 note text_zone:name|");
    EXPECT_EQ(faults("(PDH-CSV 4.0) (Tokyo Standard Time)(-540)"), "1480135590 ");
    EXPECT_EQ(faults("(PDH-CSV 4.0) (Paris, Madrid)(-60)"), "1480164390 ");
    EXPECT_EQ(faults("(PDH-CSV 4.0) (Paris, Madrid (heure d"), "1480164390 note text_zone:minutes|");
    // A cut name is known if it is the beginning of one alone.
    EXPECT_EQ(faults("(PDH-CSV 4.0) (Central Daylight Time (Mexico"), "1480189590 note text_zone:minutes|");
    EXPECT_EQ(faults("(PDH-CSV 4.0) (Tokyo Stand"), "1480135590 note text_zone:minutes|");
    EXPECT_EQ(faults("(PDH-CSV 4.0) (Central Daylight Time"), "1480167990 note text_zone:cut|");
}

/// Returns the times of the rows with these cells, in seconds, and the faults about them.
std::string times(const std::string& first_cells, const std::vector<std::string>& rows, const char* separator = ",") {
    std::string text = first_cells + separator + std::string(path) + "\n";
    for (const std::string& row : rows) text += row + separator + "1\n";
    const Read found = read(text);
    std::string all;
    for (const std::string& row : found.rows) all += row.substr(0, row.find(' ')) + " ";
    for (std::string_view rest = found.faults; !rest.empty(); rest.remove_prefix(rest.find('|') + 1))
        if (rest.substr(0, rest.find('|')).contains("text_time")) all.append(rest.substr(0, rest.find('|')));
    return all;
}

TEST(TextLogHead, DatesInTheOrdersOfCountries) {
    const char* const hint = "\"(PDH-CSV 4.0)\"";
    const std::string two = "1480167990000 1480254390000 ";  // 2016-11-26 and -27, 13:46:30
    EXPECT_EQ(times(hint, {"11/26/2016 13:46:30", "11/27/2016 13:46:30"}), two + "note text_time:month");
    EXPECT_EQ(times("Time", {"26/11/2016 13:46:30", "27/11/2016 13:46:30"}), two + "note text_time:day");
    EXPECT_EQ(times("Time", {"26.11.2016 13:46:30", "27.11.2016 13:46:30"}, ";"), two + "note text_time:day");
    EXPECT_EQ(times("Time", {"2016-11-26 13:46:30", "2016-11-27T13:46:30"}), two + "note text_time:year");
    EXPECT_EQ(times("Time", {"2016/11/26 13:46:30", "2016/11/27 1:46:30 PM"}), two + "note text_time:year");
    // In two columns.
    EXPECT_EQ(times("Date,Time", {"11/26/2016,13:46:30", "11/27/2016,1:46:30 PM"}), two + "note text_time:month");
    EXPECT_EQ(times("Date\tHeure", {"26/11/2016\t13:46:30", "27/11/2016\t13:46:30"}, "\t"), two + "note text_time:day");
    EXPECT_EQ(times("Datum;Uhrzeit", {"26.11.2016;\"13:46:30,000\"", "27.11.2016;13:46:30"}, ";"),
              two + "note text_time:day");
    EXPECT_EQ(
        times("\xE6\x97\xA5\xE4\xBB\x98,\xE6\x99\x82\xE5\x88\xBB", {"2016/11/26,13:46:30", "2016/11/27,13:46:30"}),
        two + "note text_time:year");
    EXPECT_EQ(times("Date,Time", {"2016-11-26,13:46:30", "2016-11-27,13:46:30"}), two + "note text_time:year");
    // Each of the numbers can be a month: what goes on from day to day is the day.
    EXPECT_EQ(times("Time", {"03/02/2016 00:00:00", "04/02/2016 00:00:00"}),
              "1454457600000 1454544000000 note text_time:day");
    EXPECT_EQ(times("Time", {"02/03/2016 00:00:00", "02/04/2016 00:00:00"}),
              "1454457600000 1454544000000 note text_time:month");
    // A later row decides, also after many.
    std::vector<std::string> many(20'000, "03/02/2016 00:00:00");
    many.push_back("13/02/2016 00:00:00");
    EXPECT_THAT(times("Time", many), testing::StartsWith("1454457600000 "));
    // Nothing decides: the usual order, and a warning; a log with Windows' first cell has that order.
    EXPECT_EQ(times("Time", {"02/03/2016 00:00:00"}), "1454457600000 warning text_time:order");
    EXPECT_EQ(times(hint, {"02/03/2016 00:00:00"}), "1454457600000 note text_time:month");
    EXPECT_EQ(times("Time", {"02/03/2016 00:00:00.000"}), "1454457600000 ") << "the form of PDH";
    EXPECT_EQ(times(hint, {"26/11/2016 13:46:30.000", "27/11/2016 13:46:30.000"}), two + "note text_time:day");
    // A second log in the same text follows the order of the first, if it does not show its own.
    const std::string second = "\"\"," + std::string(path) + "\n01/11/2026 05:03:55.502,1\n";
    EXPECT_THAT(read("Time," + std::string(path) + "\n31/10/2026 23:03:55.502,1\n" + second).rows,
                testing::ElementsAre(testing::StartsWith("1793487835502 "), testing::StartsWith("1793509435502 ")));
    // A first log that shows nothing follows the one after it.
    const std::string last = "Time," + std::string(path) + "\n13/08/2020 00:47:51,1\n";
    EXPECT_THAT(read("Time," + std::string(path) + "\n12/08/2020 23:42:51,1\n" + last).rows,
                testing::ElementsAre(testing::StartsWith("1597275771000 "), testing::StartsWith("1597279671000 ")));
    // A row that does not fit is an error, never another date.
    EXPECT_EQ(times("Time", {"26/11/2016 13:46:30", "27/11/2016 13:46:30", "11/28/2016 13:46:30"}),
              two + " note text_time:dayerror text_time:");
}

TEST(TextLogHead, TimesOfTheYears1900To2149) {
    const char* const hint = "\"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)\"";
    EXPECT_EQ(times(hint, {"01/01/1900 12:00:00.000", "12/31/2149 12:00:00.000"}), "-2208949200000 5680234800000 ");
    EXPECT_EQ(times(hint, {"12/31/1899 12:00:00.000", "11/26/2016 13:46:30.000"}), " 1480164390000 error text_time:");
    EXPECT_EQ(times(hint, {"11/26/2016 13:46:30.000", "01/01/2150 12:00:00.000"}), "1480164390000  error text_time:");
}

TEST(TextLogHead, ColumnsWithNamesOfOnesOwn) {
    const auto log = [](const char* headings, const std::vector<std::string>& rows) {
        std::string text = fmt::format("\"(PDH-CSV 4.0) (UTC)(0)\",{}\n", headings);
        for (const std::string& row : rows) text += "11/26/2016 13:46:30.874," + row + "\n";
        return read(text);
    };
    const Read last = log(R"("\\PC\A\B","Sessions")", {"1,2", "3,4"});
    EXPECT_THAT(last.rows, ElementsAre(R"(1480167990874 PC A\B=1.000000 Other columns\Sessions=2.000000)",
                                       R"(1480167990874 PC A\B=3.000000 Other columns\Sessions=4.000000)"));
    EXPECT_EQ(last.faults, "note text_column:name|");
    const Read only = log("Sessions", {" ", "1", "2"});
    EXPECT_THAT(only.rows, ElementsAre("1480167990874  Other columns\\Sessions=!",
                                       "1480167990874  Other columns\\Sessions=1.000000",
                                       "1480167990874  Other columns\\Sessions=2.000000"));
    const Read first = log(R"(Sessions,"\\PC\A\B")", {"1,2"});
    EXPECT_THAT(first.rows, ElementsAre(R"(1480167990874 PC Other columns\Sessions=1.000000 A\B=2.000000)"));
    const Read comment = log(R"("\\PC\A\B","what was done")", {"1,", "2,restarted"});
    EXPECT_THAT(comment.rows, ElementsAre(R"(1480167990874 PC A\B=1.000000)", R"(1480167990874 PC A\B=2.000000)"));
    EXPECT_EQ(comment.faults, "note text_comment:|");
    const Read empty = log(R"("\\PC\A\B",)", {"1,", "2,"});
    EXPECT_EQ(empty.faults, "");
    const Read nameless = log(R"("\\PC\A\B","")", {"1,5"});
    EXPECT_EQ(nameless.faults, "error text_column:|");
    EXPECT_THAT(nameless.rows, ElementsAre(R"(1480167990874 PC A\B=1.000000)"));
    // A number long after is not lost in silence.
    std::vector<std::string> many(9'000, "1," + std::string(2'000, 'x'));
    many.push_back("1,7");
    EXPECT_EQ(log(R"("\\PC\A\B","what was done")", many).faults, "note text_comment:|error text_column:number|");
    const Read without_machine = log(R"("\A(x)\B",Sessions)", {"1,2"});
    EXPECT_THAT(without_machine.rows, ElementsAre(R"(1480167990874  A(x)\B=1.000000 Other columns\Sessions=2.000000)"));
}

}  // namespace text_head_test
}  // namespace hkpd_test
