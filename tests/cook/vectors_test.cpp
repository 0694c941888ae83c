// Published and real results: the values that Windows' own PDH cooked from the raw values in a log, and test vectors of
// the formulas.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json_text.hpp"
#include "hkpd/counter_type.hpp"
#include "support/cook_text.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace cook_vectors_test {

using hkpd::CookOptions;
using hkpd::Reading;
using hkpd::Reason;

class WindowsCookVectors : public WindowsData {};
class RealCookVectors : public SharedDir {};

/// Represents one of the two samples of a pair. Its second number is the clock or the base, depending on the type.
Reading reading_of(const rapidjson::Value& pair, int position) {
    const auto second = static_cast<std::int64_t>(at(pair, "second", position).GetInt64());
    return {.value = at(pair, "first", position).GetUint64(),
            .clock = second,
            .base = static_cast<std::uint64_t>(second),
            .frequency = at(pair, "timebase").GetInt64()};
}

TEST_F(WindowsCookVectors, EveryBitEqualsPdh) {
    rapidjson::Document document;
    document.Parse(read_file(folder_ / "data/vectors/pdh-cooked.json").c_str());
    ASSERT_FALSE(document.HasParseError());
    std::map<std::uint32_t, int> pairs;
    for (const auto& pair : at(document, "vectors").GetArray()) {
        const std::uint32_t type = at(pair, "type").GetUint();
        const std::string expected = at(pair, "cooked").GetString();
        const Reading before = reading_of(pair, 0), now = reading_of(pair, 1);
        const hkpd::CookedValue cooked = cook(type, &before, now, {});
        ++pairs[type];
        EXPECT_EQ(cooked.reason, Reason::none) << json_text(pair);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(cooked.value),
                  std::bit_cast<std::uint64_t>(std::strtod(expected.c_str(), nullptr)))
            << number_text(cooked.value) << " of " << json_text(pair);
    }
    EXPECT_EQ(pairs, (std::map<std::uint32_t, int>{{0x00010000, 24},
                                                   {0x10410400, 24},
                                                   {0x10410500, 120},
                                                   {0x20020400, 24},
                                                   {0x20570500, 24},
                                                   {0x21510500, 24}}));
}

/// A row of the file of formulas.
struct Row {
    std::string mode, name;
    std::uint32_t type = 0;
    bool has_before = false;
    Reading before, now;
    std::string expected, text;
};

std::uint64_t unsigned_of(const std::string& cell) { return std::strtoull(cell.c_str(), nullptr, 0); }
std::int64_t signed_of(const std::string& cell) { return std::strtoll(cell.c_str(), nullptr, 0); }

Row row_of(const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
        if (c == ',')
            cells.emplace_back();
        else if (c != '\r')
            cells.back() += c;
    }
    cells.resize(std::max<std::size_t>(cells.size(), 11));  // the source follows them
    const std::int64_t frequency = signed_of(cells[9]);
    return {.mode = cells[0],
            .name = cells[1],
            .type = static_cast<std::uint32_t>(unsigned_of(cells[2])),
            .has_before = !cells[3].empty(),
            .before = {unsigned_of(cells[3]), signed_of(cells[5]), unsigned_of(cells[7]), frequency},
            .now = {unsigned_of(cells[4]), signed_of(cells[6]), unsigned_of(cells[8]), frequency},
            .expected = cells[10],
            .text = line};
}

CookOptions options_of(const std::string& mode) {
    return {.cap = mode != "no-cap", .clamp = mode == "clamp", .unwrap = mode == "unwrap"};
}

/// Names of statuses in pdhmsg.h.
std::uint32_t status_of(std::string_view name) {
    static const std::map<std::string_view, std::uint32_t> statuses{
        {"ERR:PDH_CSTATUS_INVALID_DATA", 0xC0000BBA},
        {"ERR:PDH_CALC_NEGATIVE_VALUE", 0x800007D8},
        {"ERR:PDH_CALC_NEGATIVE_DENOMINATOR", 0x800007D6},
        {"ERR:PDH_CALC_NEGATIVE_TIMEBASE", 0x800007D7},
    };
    const auto found = statuses.find(name);
    EXPECT_NE(found, statuses.end()) << name;
    return found != statuses.end() ? found->second : 0;
}

/// Returns the reason that may come with a value: none, except where Windows or .NET show the value by convention.
bool may_be_combined(Reason reason, const Row& row) {
    const std::string_view name = row.name;
    if (row.mode == "clamp") return reason == Reason::counter_went_back || reason == Reason::idle_exceeds_interval;
    if (row.expected == "100" && reason == Reason::capped) return row.mode != "no-cap";
    if (row.expected == "0" && name.starts_with("PERF_AVERAGE_")) return reason == Reason::zero_base;
    if (row.expected == "0" && name == "PERF_ELAPSED_TIME") return reason == Reason::not_started;
    return reason == Reason::none;
}

/// Returns whether the values differ by at most 4 units in the last place.
bool is_near(double value, double expected) {
    return std::abs(value - expected) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(expected);
}

void check(const Row& row) {
    const hkpd::CookedValue cooked =
        cook(row.type, row.has_before ? &row.before : nullptr, row.now, options_of(row.mode));
    const std::string outcome = cooked_text(cooked) + " of " + row.text;
    if (row.expected == "ERR:not-displayable") {
        EXPECT_EQ(cooked.reason, Reason::not_displayable) << outcome;
        EXPECT_FALSE(cooked.has_value()) << outcome;
    } else if (row.expected.starts_with("ERR:")) {
        EXPECT_EQ(pdh_status(cooked.reason), status_of(row.expected)) << outcome;
        EXPECT_FALSE(cooked.has_value()) << outcome;
    } else {
        // All numbers of the file are written in full but these two.
        static const std::set<std::string> rounded{"0.3333333333333333", "0.1"};
        const double expected = std::strtod(row.expected.c_str(), nullptr);
        EXPECT_TRUE(rounded.contains(row.expected) ? is_near(cooked.value, expected) : cooked.value == expected)
            << outcome;
        EXPECT_TRUE(may_be_combined(cooked.reason, row)) << outcome;
    }
}

TEST_F(RealCookVectors, Formulas) {
    std::ifstream file(folder_ / "data/vectors/formulas.csv");
    std::string line;
    ASSERT_TRUE(std::getline(file, line));
    ASSERT_TRUE(line.starts_with("mode,type,hex,N0,N1,D0,D1,B0,B1,freq,expected,")) << line;
    std::map<std::string, int> rows;
    while (std::getline(file, line)) {
        const Row row = row_of(line);
        ++rows[row.mode];
        EXPECT_EQ(hkpd::counter_type_of(row.name), row.type) << line;
        if (row.mode != "none") check(row);
    }
    // Rows of the mode `none` have results of other libraries.
    EXPECT_EQ(rows,
              (std::map<std::string, int>{{"clamp", 2}, {"default", 62}, {"no-cap", 2}, {"none", 14}, {"unwrap", 1}}));
}

}  // namespace cook_vectors_test
}  // namespace hkpd_test
