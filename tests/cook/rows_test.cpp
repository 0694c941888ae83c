// Tiles of cooked columns: any range of rows has the values of the complete column.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "hkpd/cook.hpp"
#include "support/random_lists.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace cook_rows_test {

/// Returns the bits of a column's values, and the reasons.
struct Bits {
    explicit Bits(const hkpd::CookedColumn& column, std::size_t first = 0, std::size_t count = ~std::size_t{0}) {
        for (std::size_t i = first; i < column.values.size() && i - first < count; ++i) {
            values.push_back(std::bit_cast<std::uint64_t>(column.values[i]));
            reasons.push_back(column.reasons[i]);
        }
        EXPECT_EQ(column.values.size(), column.reasons.size());
    }
    bool operator==(const Bits&) const = default;

    std::vector<std::uint64_t> values;
    std::vector<hkpd::Reason> reasons;
};

TEST(CookRows, EqualThoseOfTheColumn) {
    RandomLists lists(7);
    std::mt19937 random(7);
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < 100; ++k) blobs.push_back(lists.next(k));
    const auto samples = read_blobs(std::move(blobs));
    hkpd::Cooker whole({}), parts({});
    std::size_t compared = 0;
    for (std::size_t k = 0; k < samples->all.size(); ++k) {
        const hkpd::Sample* before = k == 0 ? nullptr : &samples->all[k - 1];
        const hkpd::Sample& now = samples->all[k];
        whole.begin(before, now);
        parts.begin(before, now);
        for (std::size_t o = 0; o < now.objects().size(); ++o) {
            const hkpd::Object& object = now.objects()[o];
            const std::size_t rows = object.instances.size(), step = 1 + random() % 5;
            for (std::size_t first = 0; first < rows; first += step) {
                const std::size_t count = std::min(step, rows - first);
                std::vector<hkpd::CookedColumn> tile;  // all of them stay valid together
                for (std::size_t c = 0; c < object.columns.size(); ++c) tile.push_back(parts.rows(o, c, first, count));
                for (std::size_t c = 0; c < object.columns.size(); ++c, ++compared)
                    EXPECT_EQ(Bits(tile[c]), Bits(whole.column(o, c), first, count)) << k << ' ' << o << ' ' << c;
            }
        }
    }
    EXPECT_GT(compared, 500U);
}

/// Checks that the next sample has tiles of its own, even for the same rows.
TEST(CookRows, AreCookedAgainForEachSample) {
    const auto samples =
        read_run({{plain(100, {{.name = u"a", .values = {7}}})}, {plain(100, {{.name = u"a", .values = {8}}})}});
    ASSERT_EQ(samples->all.size(), 2U);
    hkpd::Cooker cooker({});
    cooker.begin(nullptr, samples->all[0]);
    EXPECT_EQ(cooker.rows(0, 0, 0, 1).values[0], 7);
    cooker.begin(&samples->all[0], samples->all[1]);
    EXPECT_EQ(cooker.rows(0, 0, 0, 1).values[0], 8);
}

}  // namespace cook_rows_test
}  // namespace hkpd_test
