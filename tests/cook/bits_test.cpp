// Whole columns are cooked in blocks where all their values are ordinary. Here every value is cooked a second time,
// alone and from its own readings, and must be equal to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "hkpd/cook.hpp"
#include "identity/matcher.hpp"
#include "support/blob_builder.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace cook_bits_test {

/// Holds every type that has a formula, with the type of the base that follows it; 0: none.
struct TypeAndBase {
    std::uint32_t type, base;
};
constexpr std::uint32_t raw_base = 0x4003'0403, average_base = 0x4003'0402, sample_base = 0x4003'0401,
                        wide_base = 0x4003'0500, multi_base = 0x4203'0500;
constexpr TypeAndBase types[] = {{0x0000'0000, 0},           {0x0000'0100, 0},
                                 {0x0001'0000, 0},           {0x0001'0100, 0},
                                 {0x0001'2000, 0},           {0x0040'0400, 0},
                                 {0x0040'0500, 0},           {0x0041'0400, 0},
                                 {0x0045'0400, 0},           {0x0045'0500, 0},
                                 {0x0055'0500, 0},           {0x0065'0500, 0},
                                 {0x1041'0400, 0},           {0x1041'0500, 0},
                                 {0x2002'0400, raw_base},    {0x2002'0500, wide_base},
                                 {0x2041'0500, 0},           {0x2047'0500, wide_base},
                                 {0x2051'0500, 0},           {0x2057'0500, wide_base},
                                 {0x2061'0500, 0},           {0x2067'0500, wide_base},
                                 {0x20C2'0400, sample_base}, {0x2141'0500, 0},
                                 {0x2151'0500, 0},           {0x2241'0500, multi_base},
                                 {0x2251'0500, multi_base},  {0x2341'0500, multi_base},
                                 {0x2351'0500, multi_base},  {0x3002'0400, average_base},
                                 {0x3024'0500, 0},           {0x4002'0500, average_base},
                                 {0x4000'0200, 0},           {0x8000'0000, 0}};

std::uint32_t size_of(std::uint32_t type) { return (type & 0x300) == 0x100 || type == 0x0001'2000 ? 8 : 4; }

constexpr std::size_t list_rows = 70;

/// A list, or an object of one row, with a counter of each type, and its changes from one second to the next.
class RandomColumns {
  public:
    RandomColumns(std::uint32_t seed, std::size_t rows) : random_(seed) {
        object_.title = 100;
        object_.kind = rows == 1 ? blob::Kind::single : blob::Kind::multi;
        for (const TypeAndBase& one : types) {
            add(one.type);
            if (one.base != 0) add(one.base);
        }
        for (std::size_t row = 0; row < rows; ++row) object_.instances.push_back(instance());
    }

    /// Numbers of all sizes, some that can be cooked in blocks and some that cannot.
    void count(bool small) {
        for (blob::Instance& instance : object_.instances) {
            for (std::size_t c = 0; c < object_.counters.size(); ++c) {
                auto& value = std::get<std::uint64_t>(instance.values[c].data);
                if (below(small ? 300 : 10) == 0)
                    value = number(small ? 40 : 64);
                else
                    value += number(30);
                if (object_.counters[c].size == 4) value &= 0xFFFF'FFFF;
            }
        }
    }
    void move_rows() {
        auto& rows = object_.instances;
        rows.erase(rows.begin() + below(rows.size()));
        rows.insert(rows.begin() + below(rows.size()), instance());
        std::swap(rows[below(rows.size())], rows[below(rows.size())]);
    }
    /// Most values of some rows are cut off, once only.
    blob::Block block(std::int64_t clock, std::int64_t frequency, bool damaged) {
        blob::Object shown = object_;
        shown.perf_time = clock;
        shown.perf_freq = frequency;
        for (blob::Instance& instance : shown.instances)
            if (damaged && below(9) == 0) instance.block_length = 8 * (1 + below(20));
        return {.objects = {shown}, .perf_time = clock, .perf_freq = frequency, .perf_time_100ns = 7'000 + clock};
    }

    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  private:
    std::uint64_t number(std::uint32_t bits) { return random_() >> (63 - below(bits)); }
    void add(std::uint32_t type) {
        const auto title = static_cast<std::uint32_t>(200 + 2 * object_.counters.size());
        object_.counters.push_back(
            {.title = title, .type = type, .size = size_of(type), .scale = static_cast<std::int32_t>(below(5)) - 2});
    }
    blob::Instance instance() {
        const std::string name = std::to_string(named_++);
        blob::Instance made{.name = std::u16string(name.begin(), name.end())};
        for (std::size_t c = 0; c < object_.counters.size(); ++c) made.values.emplace_back(number(30));
        return made;
    }

    std::mt19937_64 random_;
    blob::Object object_;
    std::uint32_t named_ = 0;
};

/// Cooks a value alone: the reference.
hkpd::CookedValue cook_alone(const hkpd::Cooker& cooker, const hkpd::Sample& now, std::size_t column, std::size_t row) {
    const hkpd::Object& object = now.objects()[0];
    const hkpd::Column& shown = object.columns[column];
    const hkpd::Reading reading = read(now, object, shown, row);
    const std::uint32_t old_row = cooker.matches().rows(0)[row];
    hkpd::CookedValue value;
    if (old_row == hkpd::no_index) {
        value = cook(shown.type, nullptr, reading, cooker.options(), hkpd::Reason::instance_new);
    } else {
        const hkpd::Object& old = cooker.before()->objects()[0];
        const hkpd::Reading before = read(*cooker.before(), old, old.columns[column], old_row);
        value = cook(shown.type, &before, reading, cooker.options());
    }
    if (cooker.options().scale) value.value = hkpd::scaled(value.value, shown.scale);
    return value;
}

/// Checks every value of the columns against the reference and returns the number of values.
std::size_t expect_same(hkpd::Cooker& cooker, const hkpd::Sample& now) {
    const hkpd::Object& object = now.objects()[0];
    std::size_t compared = 0;
    for (std::size_t c = 0; c < object.columns.size(); ++c) {
        const hkpd::CookedColumn column = cooker.column(0, c);
        for (std::size_t row = 0; row < object.instances.size(); ++row, ++compared) {
            const hkpd::CookedValue alone = cook_alone(cooker, now, c, row), whole = column[row];
            EXPECT_EQ(std::bit_cast<std::uint64_t>(whole.value), std::bit_cast<std::uint64_t>(alone.value))
                << std::hex << object.columns[c].type << std::dec << " row " << row << ": " << whole.value << ", not "
                << alone.value;
            EXPECT_EQ(whole.reason, alone.reason) << std::hex << object.columns[c].type;
        }
    }
    return compared;
}

void expect_columns_as_values(std::uint32_t seed, std::size_t rows) {
    constexpr std::int64_t second = 10'000'000;
    RandomColumns columns(seed, rows);
    hkpd::CookOptions options;
    options.cap = columns.below(2) == 0;
    options.clamp = columns.below(2) == 0;
    options.unwrap = columns.below(2) == 0;
    options.scale = columns.below(2) == 0;
    options.multi_timer = static_cast<hkpd::MultiTimer>(columns.below(3));
    std::vector<blob::Blob> blobs;
    for (std::int64_t k = 0; k < 8; ++k) {
        const bool usual = columns.below(3) != 0, damaged = columns.below(4) == 0;
        // Now and then the clock stops, runs backwards, or has no frequency.
        const std::int64_t clock = usual ? 100 + k * second : (7 - k) / 2 * second;
        blobs.push_back(
            blob::build(columns.block(clock, usual ? second : std::int64_t{columns.below(3)} - 1, damaged)));
        columns.count(k % 2 == 0);
        if (rows != 1 && columns.below(2) == 0) columns.move_rows();
    }
    const auto samples = read_blobs(std::move(blobs));
    ASSERT_EQ(samples->all.size(), 8U);
    hkpd::Cooker cooker(options);
    std::size_t compared = 0;
    for (std::size_t k = 1; k < samples->all.size(); ++k) {
        cooker.begin(&samples->all[k - 1], samples->all[k]);
        compared += expect_same(cooker, samples->all[k]);
    }
    EXPECT_GT(compared, 7U * rows * std::size(types));
}

class CookBits : public testing::TestWithParam<std::uint32_t> {};

TEST_P(CookBits, ColumnsEqualTheirValues) { expect_columns_as_values(GetParam(), list_rows); }
TEST_P(CookBits, ObjectsOfOneRowEqualTheirValues) { expect_columns_as_values(GetParam(), 1); }

INSTANTIATE_TEST_SUITE_P(Seeds, CookBits, testing::Range(0U, 30U));

}  // namespace cook_bits_test
}  // namespace hkpd_test
