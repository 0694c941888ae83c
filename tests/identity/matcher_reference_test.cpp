// Matching compared with a slow implementation of the same rule, and on real processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "identity/matcher.hpp"
#include "support/identity_samples.hpp"
#include "support/random_lists.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace matcher_reference_test {

/// Compares with complete descriptions of all instances. One matcher is used for all.
TEST(Matcher, AgreesWithFullDescriptions) {
    hkpd::Matcher matcher;
    std::size_t matched = 0, unmatched = 0, damaged = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        RandomLists lists(seed);
        std::vector<blob::Blob> blobs;
        for (std::size_t k = 0; k < 12; ++k) blobs.push_back(lists.next(k));
        const auto samples = read_blobs(std::move(blobs));
        ASSERT_EQ(samples->all.size(), 12U);
        for (std::size_t k = 1; k < samples->all.size(); ++k) {
            const hkpd::Sample &before = samples->all[k - 1], &now = samples->all[k];
            WhoIsWho who_before(before), who_now(now);
            matcher.match(before, now);
            for (std::size_t o = 0; o < now.objects().size(); ++o) {
                const std::uint32_t title = now.objects()[o].title_index;
                const std::size_t old =
                    now.find(title) == o ? before.find(title).value_or(hkpd::no_index) : std::size_t{hkpd::no_index};
                const std::size_t candidates = old == hkpd::no_index ? 0 : before.objects()[old].instances.size();
                ASSERT_EQ(matcher.object(o), old);
                ASSERT_EQ(matcher.rows(o).size(), old == hkpd::no_index ? 0 : now.objects()[o].instances.size());
                for (std::size_t row = 0; row < matcher.rows(o).size(); ++row) {
                    const auto& who = who_now(o, row);
                    std::uint32_t expected = hkpd::no_index;
                    for (std::uint32_t i = 0; who.traceable && i < candidates; ++i)
                        if (who_before(old, i).traceable && who_before(old, i).text == who.text) expected = i;
                    ASSERT_EQ(matcher.rows(o)[row], expected) << seed << " " << k << " " << who.text;
                    ++(expected != hkpd::no_index ? matched : who.traceable ? unmatched : damaged);
                }
            }
        }
    }
    EXPECT_GT(matched, 5000U);
    EXPECT_GT(unmatched, 1000U);
    EXPECT_GT(damaged, 500U);
}

class WindowsMatcher : public WindowsData {};

TEST_F(WindowsMatcher, ProcessesOfVistaMatchById) {
    Samples samples;
    const auto source = hkpd::open_files({path("data/v1/vista-2007")}, {});
    read_all(*source, nullptr, {}, samples);
    ASSERT_EQ(samples.all.size(), 11U);
    using Known = std::set<std::pair<std::string, std::uint64_t>>;  // Idle and _Total share id 0
    std::size_t changes = 0;
    hkpd::Matcher matcher;
    for (std::size_t k = 1; k < samples.all.size(); ++k) {
        const auto process = [&](std::size_t sample) { return *samples.all[sample].find(process_object); };
        const hkpd::Object &before = samples.object(k - 1, process(k - 1)), &now = samples.object(k, process(k));
        const auto known = [](const hkpd::Object& object, std::size_t row) {
            const auto column = std::ranges::find(object.columns, id_process, &hkpd::Column::title_index);
            return std::pair(std::string(*object.instances.at(row).name), column->values[row]);
        };
        Known all;
        for (std::size_t row = 0; row < before.instances.size(); ++row) all.insert(known(before, row));
        ASSERT_EQ(all.size(), before.instances.size());
        matcher.match(samples.all[k - 1], samples.all[k]);
        const auto rows = matcher.rows(process(k));
        ASSERT_EQ(rows.size(), now.instances.size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
            ASSERT_EQ(rows[row] != hkpd::no_index, all.contains(known(now, row)));
            if (rows[row] != hkpd::no_index) {
                ASSERT_EQ(known(now, row), known(before, rows[row]));
            }
            if (rows[row] != row) ++changes;
        }
    }
    EXPECT_GT(changes, 0U);
}

}  // namespace matcher_reference_test
}  // namespace hkpd_test
