// Numbers of instances compared with complete descriptions of them, for many instances, and over a run of real
// processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "identity/matcher.hpp"
#include "support/identity_samples.hpp"
#include "support/processor_time.hpp"
#include "support/random_lists.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace identities_reference_test {

/// Checks over a run that there is one number for each description, and one description for each number.
class Known {
  public:
    void check(const hkpd::Sample& sample, const hkpd::Identities& all) {
        WhoIsWho who(sample);
        std::set<std::uint32_t> seen;
        for (std::size_t o = 0; o < sample.objects().size(); ++o) {
            const hkpd::Object& object = sample.objects()[o];
            for (std::size_t row = 0; row < object.instances.size(); ++row) {
                const std::uint32_t number = all.number(o, row);
                ASSERT_LT(number, all.size());
                ASSERT_TRUE(seen.insert(number).second) << "two instances with one number";
                ASSERT_EQ(all[number].object, object.title_index);
                if (sample.find(object.title_index) != o) continue;  // repeated
                const std::string text = sample.machine.value() + " " + who(o, row).text;
                ASSERT_EQ(numbers_.emplace(text, number).first->second, number) << text;
                ASSERT_EQ(texts_.emplace(number, text).first->second, text) << number;
            }
        }
    }
    std::size_t size() const { return numbers_.size(); }

  private:
    std::map<std::string, std::uint32_t> numbers_;
    std::map<std::uint32_t, std::string> texts_;
};

/// Checks that the numbers are the same with and without matches, which only save work.
TEST(Identities, AgreeWithFullDescriptions) {
    std::size_t known = 0;
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        RandomLists one(seed), other(1000 + seed);
        std::vector<blob::Blob> blobs;
        for (std::size_t k = 0; k < 20; ++k)
            blobs.push_back(k % 3 == 2 ? other.next(k, u"OTHER") : one.next(k, u"ONE"));
        const auto samples = read_blobs(std::move(blobs));
        ASSERT_EQ(samples->all.size(), 20U);
        hkpd::Matcher matcher;
        hkpd::Identities matched(100'000), searched(100'000);
        std::map<std::string, const hkpd::Sample*> before;
        Known by_match, by_search;
        for (const hkpd::Sample& sample : samples->all) {
            const hkpd::Sample*& last = before[sample.machine.value()];
            if (last != nullptr) matcher.match(*last, sample);
            matched.add(sample, last == nullptr ? nullptr : &matcher);
            searched.add(sample, nullptr);
            last = &sample;
            ASSERT_NO_FATAL_FAILURE(by_match.check(sample, matched)) << seed;
            ASSERT_NO_FATAL_FAILURE(by_search.check(sample, searched)) << seed;
            ASSERT_EQ(matched.size(), searched.size());
        }
        for (std::uint32_t i = 0; i < matched.size(); ++i) ASSERT_EQ(matched[i].path(), searched[i].path());
        EXPECT_FALSE(matched.overflowed() || searched.overflowed());
        known += by_match.size();
    }
    EXPECT_GT(known, 3000U);
}

TEST(Identities, ManyWithOneNameAreAsFastAsSorting) {
    constexpr std::uint32_t count = 100'000;
    blob::Object object = plain(10, {});
    for (std::uint32_t i = 0; i < count; ++i) object.instances.push_back({.name = u"svchost", .values = {1}});
    const auto samples = read_run({{object}});
    hkpd::Identities all(count);
    const hkpd_test::ProcessorTime used;
    all.add(samples->all.at(0), nullptr);
    EXPECT_LT(used.seconds(), 5);
    EXPECT_EQ(all[count - 1].name, "svchost#99999");
    EXPECT_FALSE(all.overflowed());
}

class WindowsIdentities : public WindowsData {};

TEST_F(WindowsIdentities, ProcessesOfVistaAreAsManyAsNamesWithIds) {
    Samples samples;
    const auto source = hkpd::open_files({path("data/v1/vista-2007")}, {});
    read_all(*source, nullptr, {}, samples);
    ASSERT_EQ(samples.all.size(), 11U);
    hkpd::Matcher matcher;
    hkpd::Identities all(10'000);
    std::set<std::pair<std::string, std::uint64_t>> known;
    for (std::size_t k = 0; k < samples.all.size(); ++k) {
        const hkpd::Sample& sample = samples.all[k];
        if (k != 0) matcher.match(samples.all[k - 1], sample);
        all.add(sample, k == 0 ? nullptr : &matcher);
        const hkpd::Object& object = sample.objects()[sample.find(process_object).value()];
        const auto id = std::ranges::find(object.columns, id_process, &hkpd::Column::title_index);
        for (std::size_t row = 0; row < object.instances.size(); ++row)
            known.emplace(*object.instances[row].name, id->values[row]);
    }
    std::size_t count = 0;
    std::set<std::pair<std::uint32_t, std::string>> paths;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (all[i].object == process_object) ++count;
        EXPECT_TRUE(paths.emplace(all[i].object, all[i].path()).second) << all[i].path();
    }
    EXPECT_GT(count, 50U);
    EXPECT_EQ(count, known.size());
}

}  // namespace identities_reference_test
}  // namespace hkpd_test
