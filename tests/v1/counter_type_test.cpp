// Counter types: names, fields, and how cooking treats each.
#include "hkpd/counter_type.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "hkpd/cook.hpp"

namespace hkpd_test {
namespace counter_type_test {

using hkpd::CounterType;

enum class Samples : std::uint8_t { none, one, two };
constexpr auto none = Samples::none, one = Samples::one, two = Samples::two;

/// A type as given by winperf.h and learn.microsoft.com "Counter types".
struct Known {
    std::string_view name;  ///< without PERF_
    std::uint32_t bits;
    char size;  ///< 4, 8, 0, v(ariable); - if no source states it or the bits state otherwise
    Samples samples;
    std::string_view unit;
    bool is_base = false;
};

constexpr Known known_types[] = {
    {"COUNTER_RAWCOUNT_HEX", 0x00000000, '4', one, ""},
    {"COUNTER_LARGE_RAWCOUNT_HEX", 0x00000100, '8', one, ""},
    {"COUNTER_TEXT", 0x00000B00, 'v', none, ""},
    {"COUNTER_RAWCOUNT", 0x00010000, '4', one, ""},
    {"COUNTER_LARGE_RAWCOUNT", 0x00010100, '8', one, ""},
    {"DOUBLE_RAW", 0x00012000, '-', one, ""},
    {"COUNTER_DELTA", 0x00400400, '4', two, ""},
    {"COUNTER_LARGE_DELTA", 0x00400500, '8', two, ""},
    {"SAMPLE_COUNTER", 0x00410400, '4', two, ""},
    {"COUNTER_QUEUELEN_TYPE", 0x00450400, '4', two, ""},
    {"COUNTER_LARGE_QUEUELEN_TYPE", 0x00450500, '8', two, ""},
    {"COUNTER_100NS_QUEUELEN_TYPE", 0x00550500, '8', two, ""},
    {"COUNTER_OBJ_TIME_QUEUELEN_TYPE", 0x00650500, '8', two, ""},
    {"COUNTER_COUNTER", 0x10410400, '4', two, "/sec"},
    {"COUNTER_BULK_COUNT", 0x10410500, '8', two, "/sec"},
    {"RAW_FRACTION", 0x20020400, '4', one, "%"},
    {"LARGE_RAW_FRACTION", 0x20020500, '8', one, "%"},
    {"COUNTER_TIMER", 0x20410500, '8', two, "%"},
    {"PRECISION_SYSTEM_TIMER", 0x20470500, '8', two, "%"},
    {"100NSEC_TIMER", 0x20510500, '8', two, "%"},
    {"PRECISION_100NS_TIMER", 0x20570500, '8', two, "%"},
    {"OBJ_TIME_TIMER", 0x20610500, '8', two, "%"},
    {"PRECISION_OBJECT_TIMER", 0x20670500, '8', two, "%"},
    {"SAMPLE_FRACTION", 0x20C20400, '4', two, "%"},
    {"COUNTER_TIMER_INV", 0x21410500, '8', two, "%"},
    {"100NSEC_TIMER_INV", 0x21510500, '8', two, "%"},
    {"COUNTER_MULTI_TIMER", 0x22410500, '8', two, "%"},
    {"100NSEC_MULTI_TIMER", 0x22510500, '8', two, "%"},
    {"COUNTER_MULTI_TIMER_INV", 0x23410500, '8', two, "%"},
    {"100NSEC_MULTI_TIMER_INV", 0x23510500, '8', two, "%"},
    {"AVERAGE_TIMER", 0x30020400, '4', two, "secs"},
    {"ELAPSED_TIME", 0x30240500, '8', one, "secs"},
    {"COUNTER_NODATA", 0x40000200, '0', none, ""},
    {"AVERAGE_BULK", 0x40020500, '8', two, ""},
    {"SAMPLE_BASE", 0x40030401, '4', none, "", true},
    {"AVERAGE_BASE", 0x40030402, '4', none, "", true},
    {"RAW_BASE", 0x40030403, '4', none, "", true},
    {"LARGE_RAW_BASE", 0x40030500, '8', none, "", true},
    {"COUNTER_MULTI_BASE", 0x42030500, '8', none, "", true},
    {"COUNTER_HISTOGRAM_TYPE", 0x80000000, '-', none, ""},
};

std::string described(std::uint32_t type) {
    std::string text;
    hkpd::append_counter_type(text, type);
    return text;
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

TEST(CounterType, NamesAreFoundBothWays) {
    for (const Known& known : known_types) {
        const std::string name = "PERF_" + std::string(known.name);
        EXPECT_EQ(hkpd::counter_type_name(known.bits), name);
        for (const std::string& form : {name, std::string(known.name), lower(name), lower(known.name),
                                        "Perf_" + std::string(known.name), "PERF_" + lower(known.name)})
            EXPECT_EQ(hkpd::counter_type_of(form), known.bits) << form;
    }
}

TEST(CounterType, OneValueWithTwoNamesAndOneNameWithTwoValues) {
    EXPECT_EQ(hkpd::counter_type_of("PERF_PRECISION_TIMESTAMP"), 0x40030500U);
    EXPECT_EQ(hkpd::counter_type_of("precision_timestamp"), 0x40030500U);
    EXPECT_EQ(hkpd::counter_type_name(0x40030500), "PERF_LARGE_RAW_BASE");
    EXPECT_EQ(hkpd::counter_type_name(0x40030503), "PERF_LARGE_RAW_BASE");
    EXPECT_FALSE(hkpd::is_displayable(0x40030503));
}

TEST(CounterType, OtherNamesAreUnknown) {
    for (const std::string_view name :
         {"", " ", "PERF", "PERF_", "_", "COUNTER", "PERF_COUNTER_COUNTERS", "PERF_COUNTER_COUNTE", "COUNTER_COUNTER ",
          " COUNTER_COUNTER", "PERF_PERF_COUNTER_COUNTER", "PERFCOUNTER_COUNTER", "ERF_COUNTER_COUNTER", "0x10410400",
          "272696320", "COUNTER-COUNTER", "PERF_COUNTER_COUNTER,"})
        EXPECT_EQ(hkpd::counter_type_of(name), std::nullopt) << name;
    EXPECT_EQ(hkpd::counter_type_of(std::string_view("COUNTER_COUNTER\0", 16)), std::nullopt);
    EXPECT_EQ(hkpd::counter_type_of(std::string(100'000, 'A')), std::nullopt);
    for (const std::uint32_t bits : {0x12345678U, 0xFFFFFFFFU, 0x10410401U, 0x00012001U, 0x40030404U})
        EXPECT_EQ(hkpd::counter_type_name(bits), "") << bits;
}

TEST(CounterType, FieldsOfEach) {
    for (const Known& known : known_types) {
        const CounterType type{known.bits};
        EXPECT_EQ(type.is_base(), known.is_base) << known.name;
        EXPECT_EQ(type.is_text(), known.name == "COUNTER_TEXT") << known.name;
        EXPECT_EQ(type.inverse(), known.name.ends_with("_INV")) << known.name;
        EXPECT_EQ(type.multi(), known.name.find("MULTI") != std::string_view::npos) << known.name;
        EXPECT_EQ(type.is_hex(), known.name.ends_with("_HEX") || known.size == '0' || known.bits >> 31 != 0)
            << known.name;
        const auto size =
            known.size == 'v' ? std::nullopt : std::optional(static_cast<std::uint32_t>(known.size - '0'));
        if (known.size != '-') {
            EXPECT_EQ(type.value_size(), size) << known.name;
        }
    }
}

TEST(CounterType, UnitAndNumberOfSamplesOfEach) {
    for (const Known& known : known_types) {
        EXPECT_EQ(hkpd::needs_two_samples(known.bits), known.samples == two) << known.name;
        EXPECT_EQ(hkpd::is_displayable(known.bits), known.samples != none) << known.name;
        EXPECT_EQ(hkpd::cooked_unit(known.bits), known.unit) << known.name;
    }
}

TEST(CounterType, UnitsOfUnknownTypesFollowTheirDisplayBits) {
    for (const std::uint32_t rest : {0x02345678U, 0x0041'0401U, 0x0FFF'FFFFU}) {
        constexpr std::string_view units[16] = {"", "/sec", "%", "secs"};
        for (std::uint32_t display = 0; display < 16; ++display) {
            EXPECT_EQ(hkpd::cooked_unit(display << 28 | rest), units[display]) << display;
            EXPECT_FALSE(hkpd::is_displayable(display << 28 | rest)) << display;
            EXPECT_FALSE(hkpd::needs_two_samples(display << 28 | rest)) << display;
        }
    }
}

TEST(CounterType, DescriptionsAreAppended) {
    std::string text = "before: ";
    hkpd::append_counter_type(text, 0x10410400);
    EXPECT_EQ(text, "before: 4 bytes, counter, rate, ticks, delta, /sec");
}

TEST(CounterType, EachFieldChangesTheDescription) {
    constexpr std::uint32_t rate = 0x10410400;
    for (const int bit : {8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 28, 29, 30, 31})
        EXPECT_NE(described(rate ^ 1U << bit), described(rate)) << bit << ": " << described(rate);
    std::set<std::string> seen;
    for (std::uint32_t subtype = 0; subtype < 8; ++subtype) seen.insert(described(0x1040'0400 | subtype << 16));
    EXPECT_EQ(seen.size(), 8U);
}

/// Returns whether the text is a list of printable words and numbers separated by single commas and blanks.
bool is_list_of_words(std::string_view text) {
    return !text.empty() && text.front() != ',' && text.front() != ' ' && text.back() != ',' && text.back() != ' ' &&
           text.find(",,") == std::string_view::npos && text.find(", ,") == std::string_view::npos &&
           text.find("  ") == std::string_view::npos &&
           std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

TEST(CounterType, AnyValueIsDescribed) {
    std::mt19937 random(1);
    for (std::uint32_t i = 0; i < 0x1'0000; ++i) {
        // All values of the upper half, and of the fields in the lower half.
        for (const std::uint32_t bits :
             {i << 16 | (i & 0xFFFF), i << 16 | (static_cast<std::uint32_t>(random()) & 0xFFFF), i << 4}) {
            const std::string text = described(bits);
            ASSERT_TRUE(is_list_of_words(text)) << bits << ": " << text;
        }
    }
}

}  // namespace counter_type_test
}  // namespace hkpd_test
