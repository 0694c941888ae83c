// Filters and counter paths, with the names used by real machines.
#include "hkpd/select.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/blob_builder.hpp"
#include "support/identity_samples.hpp"
#include "support/processor_time.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace select_test {

using hkpd::CounterPath;
using hkpd::Filter;
using hkpd::Pattern;

TEST(Pattern, IgnoresCase) {
    EXPECT_TRUE(Pattern("processor").matches("Processor"));
    EXPECT_TRUE(Pattern("PROCESSOR").matches("Processor"));
    EXPECT_TRUE(Pattern("ÜBERTRAGUNG").matches("übertragung"));
    EXPECT_TRUE(Pattern("übertragung").matches("ÜBERTRAGUNG"));
    EXPECT_TRUE(Pattern("Ошибки*").matches("ОШИБКИ СТРАНИЦ"));
    EXPECT_TRUE(Pattern("*sYSTÈME*").matches("Le Système"));
    EXPECT_FALSE(Pattern("Processor").matches("Processors"));
    EXPECT_FALSE(Pattern("Processor").matches("Process"));
    EXPECT_FALSE(Pattern("e").matches("é"));
}

TEST(Pattern, Wildcards) {
    const std::pair<std::string_view, std::string_view> matching[] = {
        {"*", ""},          {"*", "anything"},  {"", ""},         {"a*", "a"},          {"a*", "abc"},
        {"*c", "abc"},      {"*c", "c"},        {"a*c", "ac"},    {"a*c", "abcbc"},     {"a?c", "abc"},
        {"?", "é"},         {"??", "日本"},     {"?*", "x"},      {"*?", "x"},          {"**a**", "bab"},
        {"a*b*c", "aXbXc"}, {"*.exe", "a.exe"}, {"?🚀?", "a🚀b"}, {"stra?e", "straße"}, {"% disk*", "% Disk Time"},
        {"[a]", "[A]"},     {"a.c", "a.c"}};
    for (const auto& [pattern, text] : matching) EXPECT_TRUE(Pattern(pattern).matches(text)) << pattern << " " << text;
    const std::pair<std::string_view, std::string_view> others[] = {{"", "a"},      {"?", ""},       {"?", "ab"},
                                                                    {"a?c", "ac"},  {"a*c", "abcd"}, {"?*", ""},
                                                                    {"a.c", "abc"}, {"*a", "ab"},    {"??", "é"}};
    for (const auto& [pattern, text] : others) EXPECT_FALSE(Pattern(pattern).matches(text)) << pattern << " " << text;
}

TEST(Pattern, IndexOrName) {
    const hkpd::Titles::Answer processor{"Processor", 0}, digits{"238", 0};
    EXPECT_TRUE(Pattern("238").matches(238, processor));
    EXPECT_TRUE(Pattern("238").matches(238, std::nullopt));
    EXPECT_TRUE(Pattern("238").matches(4, digits));
    EXPECT_FALSE(Pattern("238").matches(2380, processor));
    EXPECT_FALSE(Pattern("2*").matches(238, processor));
    EXPECT_FALSE(Pattern("processor").matches(238, std::nullopt));
    EXPECT_TRUE(Pattern("proc*").matches(238, processor));
    EXPECT_TRUE(Pattern("*").matches(238, std::nullopt));
    EXPECT_FALSE(Pattern("?*").matches(238, std::nullopt));
    EXPECT_FALSE(Pattern("4294967534").matches(238, processor));  // 2^32 + 238
    EXPECT_FALSE(Pattern("-1").matches(0xFFFFFFFF, processor));
}

TEST(Pattern, AllAreFast) {
    const hkpd_test::ProcessorTime used;
    std::string stars;
    for (int i = 0; i < 200; ++i) stars += "*a";
    EXPECT_FALSE(Pattern(stars + "b").matches(std::string(5000, 'a')));
    EXPECT_TRUE(Pattern(stars + "*").matches(std::string(5000, 'a')));
    EXPECT_FALSE(Pattern(std::string(1000, '*') + "b").matches(std::string(5000, 'a')));
    EXPECT_FALSE(Pattern("*" + std::string(500, '?') + "b").matches(std::string(5000, 'a')));
    EXPECT_LT(used.seconds(), 20);
}

TEST(Pattern, AnyBytesArePatterns) {
    EXPECT_TRUE(Pattern("\xFF").matches("\xFF"));
    EXPECT_FALSE(Pattern("\xC3").matches("é"));
    EXPECT_TRUE(Pattern("*").matches("\xFF\xFE"));
    EXPECT_TRUE(Pattern("a\xE9*").matches("a\xE9z"));
}

TEST(CounterPath, Parts) {
    const auto parts = [](std::string_view text) -> std::string {
        const auto path = CounterPath::parse(text);
        if (!path) return "none";
        EXPECT_EQ(path->text, text);
        return path->machine + "|" + path->object + "|" + path->counter;
    };
    EXPECT_EQ(parts(R"(\System\Threads)"), "|System|Threads");
    EXPECT_EQ(parts(R"(\Processor(_Total)\% Processor Time)"), "|Processor(_Total)|% Processor Time");
    EXPECT_EQ(parts(R"(\\GETAWAY\System\Threads)"), "GETAWAY|System|Threads");
    EXPECT_EQ(parts(R"(\\10.0.0.1\238(_Total)\6)"), "10.0.0.1|238(_Total)|6");
    EXPECT_EQ(parts(R"(\LogicalDisk(C:\mnt)\% Free Space)"), R"(|LogicalDisk(C:\mnt)|% Free Space)");
    EXPECT_EQ(parts(R"(\a (b)(c/d#1)\e (f))"), "|a (b)(c/d#1)|e (f)");
    EXPECT_EQ(parts(R"(System\Threads)"), "|System|Threads");
    EXPECT_EQ(parts(R"(LogicalDisk(C:\mnt)\% Free Space)"), R"(|LogicalDisk(C:\mnt)|% Free Space)");
    for (const std::string_view text : {"", "\\", "\\\\", "\\\\\\", "System", "System\\", "\\System", "\\System\\",
                                        "\\\\GETAWAY", "\\\\GETAWAY\\System", "\\\\GETAWAY\\\\"})
        EXPECT_EQ(parts(text), "none") << text;
}

/// Returns the titles of the objects and counters in the sample below.
hkpd::Titles names() {
    hkpd::TitleTable table("009", "test");
    const std::pair<std::uint32_t, std::string_view> entries[] = {{2, "System"},
                                                                  {230, "Process"},
                                                                  {232, "Thread"},
                                                                  {234, "PhysicalDisk"},
                                                                  {238, "Processor"},
                                                                  {510, "Network Interface"},
                                                                  {700, "MSExchange (Store)"},
                                                                  {702, "Pool (x)"},
                                                                  {704, "Übertragung"},
                                                                  {6, "% Processor Time"},
                                                                  {10, "ID Process"},
                                                                  {12, "Bytes Total/sec"},
                                                                  {14, "% Disk Time"},
                                                                  {16, "Threads"}};
    for (const auto& [index, text] : entries) table.add(index, text);
    hkpd::Titles titles;
    titles.add(std::move(table));
    return titles;
}

blob::Object list(std::uint32_t title, std::vector<std::uint32_t> counters, std::vector<blob::Instance> instances) {
    blob::Object object{.title = title, .kind = blob::Kind::multi, .instances = std::move(instances)};
    for (const std::uint32_t counter : counters) object.counters.push_back({.title = counter});
    return object;
}

class Select : public testing::Test {
  protected:
    Select() {
        samples_ = read_block({.objects =
                                   {
                                       {.title = 2, .counters = {{.title = 16}, {.title = 12}}, .values = {1, 2}},
                                       list(230, {6, 10},
                                            {{.name = u"System"},
                                             {.name = u"svchost"},
                                             {.name = u"svchost"},
                                             {.name = u"a#1"},
                                             {.name = u"svchost"},
                                             {.name = u"a"},
                                             {.name = u"a"},
                                             {.name = u"_Total"}}),
                                       list(232, {6},
                                            {{.name = u"0", .parent_object = 230, .parent = 0},
                                             {.name = u"0", .parent_object = 230, .parent = 1},
                                             {.name = u"1", .parent_object = 230, .parent = 1},
                                             {.name = u"0", .parent_object = 230, .parent = 2},
                                             {.name = u"_Total", .parent_object = 230, .parent = 7}}),
                                       list(234, {14}, {{.name = u"0 C:"}, {.name = u"1 D: E:"}, {.name = u"_Total"}}),
                                       list(510, {12},
                                            {{.name = u"Intel(R) PRO/1000 MT"},
                                             {.name = u"Intel(R) PRO/1000 MT (2)"},
                                             {.name = u"isatap.{1-2}"},
                                             {.name = u"C:\\mnt"}}),
                                       list(700, {6, 12}, {{.name = u"x"}, {.name = u"Store"}}),
                                       {.title = 702, .counters = {{.title = 6}}, .values = {1}},
                                       list(704, {16}, {{.name = u"ÄÖÜ"}}),
                                       list(238, {6, 12, 14}, {{.name = u"0"}, {.name = u"1"}, {.name = u"_Total"}}),
                                   }},
                              &titles_);
    }

    /// Returns object, rows and columns: `238[0,1;6,12] `.
    std::string selected(Filter& filter) {
        const hkpd::Sample& sample = samples_->all.at(0);
        std::vector<hkpd::Selected> found{{99, {1}, {1}}};  // earlier content does not matter
        filter.select(sample, found);
        std::string text;
        for (const hkpd::Selected& part : found) {
            const hkpd::Object& object = sample.objects()[part.object];
            text.append(std::to_string(object.title_index)).append("[");
            for (const std::uint32_t row : part.rows)
                text.append(std::to_string(row)).append(row == part.rows.back() ? "" : ",");
            text += ';';
            for (const std::uint32_t c : part.columns)
                text.append(std::to_string(object.columns[c].title_index)).append(c == part.columns.back() ? "" : ",");
            text += "] ";
        }
        return text;
    }
    std::string with_paths(const std::vector<std::string_view>& paths) {
        Filter filter;
        for (const std::string_view path : paths) filter.add_path(CounterPath::parse(path).value());
        return selected(filter);
    }
    std::string with_path(std::string_view path) { return with_paths({path}); }
    std::string with(const std::vector<std::string_view>& objects, const std::vector<std::string_view>& instances,
                     const std::vector<std::string_view>& counters) {
        Filter filter;
        for (const std::string_view text : objects) filter.add_object(text);
        for (const std::string_view text : instances) filter.add_instance(text);
        for (const std::string_view text : counters) filter.add_counter(text);
        return selected(filter);
    }

    hkpd::Titles titles_ = names();
    std::unique_ptr<Samples> samples_;
};

TEST_F(Select, EverythingWithoutAFilter) {
    EXPECT_EQ(
        with({}, {}, {}),
        "2[0;16,12] 230[0,1,2,3,4,5,6,7;6,10] 232[0,1,2,3,4;6] 234[0,1,2;14] 510[0,1,2,3;12] 700[0,1;6,12] 702[0;6] "
        "704[0;16] 238[0,1,2;6,12,14] ");
}

TEST_F(Select, ObjectsByIndexNameAndWildcard) {
    EXPECT_EQ(with({"238"}, {}, {}), "238[0,1,2;6,12,14] ");
    EXPECT_EQ(with({"PROCESSOR"}, {}, {}), "238[0,1,2;6,12,14] ");
    EXPECT_EQ(with({"proc*or", "System"}, {}, {}), "2[0;16,12] 238[0,1,2;6,12,14] ");
    EXPECT_EQ(with({"übertragung"}, {}, {}), "704[0;16] ");
    EXPECT_EQ(with({"MSExchange (Store)"}, {}, {}), "700[0,1;6,12] ");
    EXPECT_EQ(with({"processors"}, {}, {}), "");
}

TEST_F(Select, FiltersOfDifferentKindsNarrowEachOther) {
    EXPECT_EQ(with({}, {"_Total"}, {}), "230[7;6,10] 232[4;6] 234[2;14] 238[2;6,12,14] ");
    EXPECT_EQ(with({}, {"_Total", "0"}, {"% Processor Time"}), "230[7;6] 232[0,1,3,4;6] 238[0,2;6] ");
    EXPECT_EQ(with({"Process"}, {"svchost"}, {"10"}), "230[1,2,4;10] ");
    EXPECT_EQ(with({"Process*"}, {"_total"}, {"*Time"}), "230[7;6] 238[2;6,14] ");
    EXPECT_EQ(with({"Process"}, {"absent"}, {}), "");
}

TEST_F(Select, InstancesByNameAndNumber) {
    EXPECT_EQ(with({"230"}, {"svchost#2"}, {"10"}), "230[4;10] ");
    EXPECT_EQ(with({"230"}, {"svchost#0"}, {"10"}), "230[1;10] ");
    EXPECT_EQ(with({"230"}, {"svchost#3"}, {"10"}), "");
    EXPECT_EQ(with({"230"}, {"svchost#*"}, {"10"}), "230[1,2,4;10] ");
    EXPECT_EQ(with({"230"}, {"a#1"}, {"10"}), "230[3;10] ");  // the one with this name, not the second a
    EXPECT_EQ(with({"230"}, {"a"}, {"10"}), "230[5,6;10] ");
    EXPECT_EQ(with({"232"}, {"svchost/0"}, {}), "232[1,3;6] ");
    EXPECT_EQ(with({"232"}, {"SVCHOST/0#1"}, {}), "232[3;6] ");
    EXPECT_EQ(with({"234"}, {"? ?: ?:"}, {}), "234[1;14] ");
}

TEST_F(Select, Paths) {
    EXPECT_EQ(with_path(R"(\System\Threads)"), "2[0;16] ");
    EXPECT_EQ(with_path(R"(System\Threads)"), "2[0;16] ");
    EXPECT_EQ(with_path(R"(Processor(_Total)\% Processor Time)"), "238[2;6] ");
    EXPECT_EQ(with_path(R"(\Processor(_Total)\% Processor Time)"), "238[2;6] ");
    EXPECT_EQ(with_path(R"(\PROCESSOR(_TOTAL)\% processor time)"), "238[2;6] ");
    EXPECT_EQ(with_path(R"(\238(_Total)\6)"), "238[2;6] ");
    EXPECT_EQ(with_path(R"(\2\16)"), "2[0;16] ");
    EXPECT_EQ(with_path(R"(\\DEMO\Processor(1)\*)"), "238[1;6,12,14] ");
    EXPECT_EQ(with_path(R"(\\demo\238(1)\6)"), "238[1;6] ");
    EXPECT_EQ(with_path(R"(\\OTHER\238(1)\6)"), "");
    EXPECT_EQ(with_path(R"(\ÜBERTRAGUNG(äöü)\threads)"), "704[0;16] ");
    EXPECT_EQ(with_path(R"(\Processor(7)\% Processor Time)"), "");
    EXPECT_EQ(with_path(R"(\Processor(_Total)\Threads)"), "");
    EXPECT_EQ(with_path(R"(\System(_Total)\Threads)"), "");
}

TEST_F(Select, PathsWithLiteralNames) {
    EXPECT_EQ(with_path(R"(\PhysicalDisk(0 C:)\% Disk Time)"), "234[0;14] ");
    EXPECT_EQ(with_path(R"(\Network Interface(Intel(R) PRO/1000 MT)\Bytes Total/sec)"), "510[0;12] ");
    EXPECT_EQ(with_path(R"(\Network Interface(Intel(R) PRO/1000 MT (2))\Bytes Total/sec)"), "510[1;12] ");
    EXPECT_EQ(with_path(R"(\Network Interface(Intel*)\Bytes Total/sec)"), "510[0,1;12] ");
    EXPECT_EQ(with_path(R"(\Network Interface(C:\mnt)\Bytes Total/sec)"), "510[3;12] ");
    EXPECT_EQ(with_path(R"(\MSExchange (Store)(x)\% Processor Time)"), "700[0;6] ");
    EXPECT_EQ(with_path(R"(\MSExchange (Store)(Store)\% Processor Time)"), "700[1;6] ");
    EXPECT_EQ(with_path(R"(\MSExchange (Store)(*)\*)"), "700[0,1;6,12] ");
    EXPECT_EQ(with_path(R"(\Pool (x)\% Processor Time)"), "702[0;6] ");
}

TEST_F(Select, PathsWithParentsAndNumbers) {
    EXPECT_EQ(with_path(R"(\Process(svchost)\ID Process)"), "230[1;10] ");  // #0 is omitted in paths
    EXPECT_EQ(with_path(R"(\Process(svchost*)\ID Process)"), "230[1,2,4;10] ");
    EXPECT_EQ(with_path(R"(\Process(svchost#2)\ID Process)"), "230[4;10] ");
    EXPECT_EQ(with_path(R"(\Process(svchost#*)\ID Process)"), "230[1,2,4;10] ");
    EXPECT_EQ(with_path(R"(\Process(a#1)\ID Process)"), "230[3;10] ");
    EXPECT_EQ(with_path(R"(\Process(*#1)\ID Process)"), "230[3;10] ");
    EXPECT_EQ(with_path(R"(\Process(svchost#)\ID Process)"), "");
    EXPECT_EQ(with_path(R"(\Process(svchost#99999999999999999999)\ID Process)"), "");
    EXPECT_EQ(with_path(R"(\Thread(svchost/0)\6)"), "232[1;6] ");
    EXPECT_EQ(with_path(R"(\Thread(svchost/0#1)\6)"), "232[3;6] ");
    EXPECT_EQ(with_path(R"(\Thread(svchost/*)\6)"), "232[1,2,3;6] ");
    EXPECT_EQ(with_path(R"(\Thread(*/0)\6)"), "232[0,1,3;6] ");
    EXPECT_EQ(with_path(R"(\Thread(*/*#1)\6)"), "232[3;6] ");
    EXPECT_EQ(with_path(R"(\Thread(*)\6)"), "232[0,1,2,3,4;6] ");
    EXPECT_EQ(with_path(R"(\*(_Total)\% *Time)"), "230[7;6] 234[2;14] 238[2;6,14] ");
}

TEST_F(Select, PathsDoNotSelectTheirCrossProduct) {
    EXPECT_EQ(with_paths({R"(\238(0)\6)", R"(\238(1)\12)"}), "238[0;6] 238[1;12] ");
    EXPECT_EQ(with_paths({R"(\238(0)\6)", R"(\238(0)\12)"}), "238[0;6,12] ");
    EXPECT_EQ(with_paths({R"(\238(1)\6)", R"(\238(0)\6)"}), "238[0,1;6] ");
    EXPECT_EQ(with_paths({R"(\238(0)\6)", R"(\238(0)\6)"}), "238[0;6] ");
    EXPECT_EQ(with_paths({R"(\238(0)\6)", R"(\2\16)"}), "2[0;16] 238[0;6] ");
}

/// Returns the row and column of each cell of an object, as often as it is selected.
std::vector<std::pair<std::uint32_t, std::uint32_t>> cells(const hkpd::Sample& sample, Filter& filter,
                                                           std::size_t object) {
    std::vector<hkpd::Selected> found;
    filter.select(sample, found);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (const hkpd::Selected& part : found)
        for (const std::uint32_t row : part.object == object ? part.rows : std::vector<std::uint32_t>{})
            for (const std::uint32_t column : part.columns) all.emplace_back(row, column);
    std::ranges::sort(all);
    return all;
}

TEST_F(Select, EachRequestedCellOnceAndNoOther) {
    const hkpd::Sample& sample = samples_->all.at(0);
    constexpr std::string_view rows[] = {"0", "1", "_Total", "*"}, columns[] = {"6", "12", "14", "*"};
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        Filter filter;
        std::string text;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
        for (auto count = random() % 4 + 1; count != 0; --count) {
            const auto row = static_cast<std::uint32_t>(random() % 4),
                       column = static_cast<std::uint32_t>(random() % 4);
            const std::string path = "\\238(" + std::string(rows[row]) + ")\\" + std::string(columns[column]);
            text += path + " ";
            filter.add_path(CounterPath::parse(path).value());
            for (std::uint32_t r = 0; r < 3; ++r)
                for (std::uint32_t c = 0; c < 3; ++c)
                    if ((row == 3 || row == r) && (column == 3 || column == c)) expected.emplace_back(r, c);
        }
        std::ranges::sort(expected);
        const auto repeated = std::ranges::unique(expected);
        expected.erase(repeated.begin(), repeated.end());
        ASSERT_EQ(cells(sample, filter, 8), expected) << text;
    }
}

TEST_F(Select, PathsAddToFilters) {
    Filter filter;
    filter.add_object("System");
    filter.add_path(CounterPath::parse(R"(\238(0)\6)").value());
    EXPECT_EQ(selected(filter), "2[0;16,12] 238[0;6] ");
    Filter overlapping;
    overlapping.add_object("238");
    overlapping.add_path(CounterPath::parse(R"(\238(0)\6)").value());
    EXPECT_EQ(cells(samples_->all.at(0), overlapping, 8).size(), 9U);
}

TEST_F(Select, UnmatchedFiltersAreReported) {
    Filter filter;
    filter.add_object("Processor");
    filter.add_object("Prozessor");
    filter.add_instance("_Total");
    filter.add_instance("absent#1");
    filter.add_counter("6");
    filter.add_counter("7");
    filter.add_path(CounterPath::parse(R"(\System\Threads)").value());
    filter.add_path(CounterPath::parse(R"(\System\Fibers)").value());
    EXPECT_EQ(selected(filter), "2[0;16] 238[2;6] ");
    const std::vector<std::string> expected{"object 'Prozessor'", "instance 'absent#1'", "counter '7'",
                                            R"(path '\System\Fibers')"};
    std::vector<std::string> unmatched;
    for (const hkpd::Unmatched& request : filter.unmatched()) unmatched.push_back(request.request);
    EXPECT_EQ(unmatched, expected);
}

TEST_F(Select, AFilterIsMatchedByAnySample) {
    Filter filter;
    filter.add_object("Processor");
    selected(filter);
    const auto other = read_block({.objects = {{.title = 4}}}, &titles_);
    std::vector<hkpd::Selected> found;
    filter.select(other->all.at(0), found);
    EXPECT_TRUE(found.empty());
    EXPECT_TRUE(filter.unmatched().empty());
}

/// A sample of an object with many instances, half of them of one name.
auto crowd(std::uint32_t instances) {
    blob::Object process{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 784}}};
    for (std::uint32_t i = 0; i < instances; ++i) {
        const std::string name = i % 2 == 0 ? "svchost" : "program" + std::to_string(i);
        process.instances.push_back({.name = std::u16string(name.begin(), name.end()), .values = {i}});
    }
    static const hkpd::Titles titles = names();
    return read_block({.objects = {process}}, &titles);
}

/// Each text of an identity selects that one, also if others are really called like texts.
TEST(SelectIdentities, ByTheirTexts) {
    const auto samples = read_block({.objects = {processes({{u"a:5", 7},
                                                            {u"a", 5},
                                                            {u"a", 6},
                                                            {u"a:05", 9},
                                                            {u"A:5:1", 5},
                                                            {u"b#1", 3},
                                                            {u"b", 4},
                                                            {u"c:x", 5},
                                                            {u"b:4:1", 2},
                                                            {u"b", 4}})}});
    const hkpd::Sample& sample = samples->all.at(0);
    const std::vector<std::uint32_t> numbers = hkpd::RunInstances::of(sample)->instances(sample, 0).numbers;
    for (std::uint32_t row = 0; row < numbers.size(); ++row) {
        const std::string text = hkpd::RunInstances::of(sample)->display(numbers[row]);
        Filter filter;
        filter.add_path(*CounterPath::parse("\\230(" + text + ")\\784"));
        std::vector<hkpd::Selected> selected;
        filter.select(sample, selected);
        ASSERT_EQ(selected.size(), 1U) << text;
        EXPECT_EQ(selected[0].rows, std::vector{row}) << text;
    }
}

TEST(SelectMany, PathsAndInstances) {
    constexpr std::uint32_t instances = 24'000, paths = 40'000;
    const auto samples = crowd(instances);
    Filter exact, wild;
    for (std::uint32_t i = 0; i < paths; ++i) {
        exact.add_path(*CounterPath::parse(i % 2 == 0 ? "\\Process(svchost#" + std::to_string(i / 2) + ")\\784"
                                                      : "\\Process(PROGRAM" + std::to_string(i) + ")\\784"));
        wild.add_path(*CounterPath::parse("\\Process(prog*" + std::to_string(i) + ")\\784"));
    }
    std::vector<hkpd::Selected> selected;
    const ProcessorTime time;
    exact.select(samples->all.at(0), selected);
    ASSERT_EQ(selected.size(), 1U);
    EXPECT_EQ(selected[0].rows.size(), instances);
    EXPECT_FALSE(exact.gave_up());
    wild.select(samples->all.at(0), selected);
    EXPECT_TRUE(wild.gave_up());
    EXPECT_LT(time.seconds(), 4.0);
}

TEST(CounterPaths, AreAsLongAsPdhAllows) {
    const std::string longest = "\\a\\" + std::string(CounterPath::longest - 3, 'b');
    EXPECT_TRUE(CounterPath::parse(longest));
    EXPECT_FALSE(CounterPath::parse(longest + 'b'));
    std::string of_two_bytes = "\\a\\";
    for (std::size_t i = 3; i < CounterPath::longest; ++i) of_two_bytes += "\u00E4";
    EXPECT_TRUE(CounterPath::parse(of_two_bytes));
    EXPECT_TRUE(CounterPath::is_too_long(of_two_bytes + "\u00E4"));
}

}  // namespace select_test
}  // namespace hkpd_test
