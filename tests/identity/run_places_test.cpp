// The places of a run: what the columns of Windows' text logs stand for.
#include "identity/run_places.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/identity_samples.hpp"

namespace hkpd_test {
namespace run_places_test {

using Objects = std::vector<blob::Object>;

/// The numbers of places in each sample of a run, for its first object.
class PlacedRun {
  public:
    explicit PlacedRun(std::vector<Objects> run, std::uint64_t most = 1000, std::uint64_t name_bytes = 100'000)
        : all(most, name_bytes), run_(std::move(run)) {
        pass();
    }
    void pass() {
        const auto samples = read_run(run_);
        for (const hkpd::Sample& sample : samples->all) numbers.push_back(places(all.numbers(sample, 0)));
    }
    /// Returns the texts of the first places; `*` follows those that several had.
    std::string texts(std::uint32_t count) const {
        std::string text;
        for (std::uint32_t i = 0; i < count; ++i)
            text.append(i == 0 ? "" : ",").append(all.text(i)).append(all.is_shared(i) ? "*" : "");
        return text;
    }

    hkpd::RunPlaces all;
    std::vector<std::string> numbers;  // by sample

  private:
    std::vector<Objects> run_;
};

TEST(RunPlaces, ThoseAfterAProcessThatEndsMoveUp) {
    PlacedRun run({{processes({{u"a", 1}, {u"a", 2}, {u"a", 3}, {u"b", 4}})},
                   {processes({{u"a", 1}, {u"a", 3}, {u"b", 4}})},
                   {processes({{u"a", 1}, {u"a", 3}, {u"b", 4}})}});
    EXPECT_EQ(run.numbers, (std::vector<std::string>{"0 1 2 3", "0 1 3", "0 1 3"}));
    EXPECT_EQ(run.texts(4), "a,a#1*,a#2,b");
    EXPECT_FALSE(run.all.overflowed());
}

TEST(RunPlaces, OneProcessAfterAnotherSharesAPlace) {
    PlacedRun run({{processes({{u"a", 1}, {u"b", 2}})},
                   {processes({{u"b", 2}})},
                   {processes({{u"A", 3}, {u"b", 2}})},
                   {processes({{u"b", 2}, {u"a", 3}})}});
    EXPECT_EQ(run.numbers, (std::vector<std::string>{"0 1", "1", "0 1", "1 0"}));
    EXPECT_EQ(run.texts(2), "a*,b");
}

TEST(RunPlaces, OfInstancesWithoutIdsAreNeverShared) {
    const blob::Instance a{.name = u"a"}, b{.name = u"b"};
    PlacedRun run({{plain(10, {a, a, b})}, {plain(10, {a, b})}, {plain(10, {b})}, {plain(10, {a, b, a})}});
    EXPECT_EQ(run.numbers, (std::vector<std::string>{"0 1 2", "0 2", "2", "0 2 1"}));
    EXPECT_EQ(run.texts(3), "a,a#1,b");
    PlacedRun ids({{plain(10, {{.name = u"a", .unique_id = 1}})}, {plain(10, {{.name = u"a", .unique_id = 2}})}});
    EXPECT_EQ(ids.texts(1), "a*");
}

TEST(RunPlaces, HaveTheNamesOfParents) {
    const auto all = [](std::uint32_t id) {
        return plain(10, {{.name = u"c", .parent_object = process_object, .parent = id - 1},
                          {.name = u"c", .parent_object = process_object, .parent = 2}});
    };
    const blob::Object parents = processes({{u"p", 1}, {u"p", 2}, {u"q", 3}});
    PlacedRun run({{all(1), parents}, {all(2), parents}});
    EXPECT_EQ(run.numbers, (std::vector<std::string>{"0 1", "0 1"}));
    EXPECT_EQ(run.texts(2), "p/c*,q/c");
}

TEST(RunPlaces, AnotherPassHasTheSame) {
    PlacedRun run({{processes({{u"a", 1}, {u"a", 2}, {u"b", 5}})}, {processes({{u"a", 2}, {u"c", 3}, {u"b", 5}})}});
    const auto first = run.numbers;
    EXPECT_EQ(first, (std::vector<std::string>{"0 1 2", "0 3 2"}));
    const std::string texts = run.texts(4);
    EXPECT_EQ(texts, "a*,a#1,b,c");
    run.all.restart();
    run.numbers.clear();
    run.pass();
    EXPECT_EQ(run.numbers, first);
    EXPECT_EQ(run.texts(4), texts);
}

TEST(RunPlaces, ObjectsWithoutAListHaveOneWithoutAText) {
    PlacedRun run({{{.title = 2, .counters = {{.title = 6}}, .values = {1}}}});
    EXPECT_EQ(run.numbers, std::vector<std::string>{"0"});
    EXPECT_EQ(run.all.text(0), "");
}

TEST(RunPlaces, AreLimited) {
    const Objects objects{plain(10, {{.name = u"a"}, {.name = u"b"}, {.name = u"c"}})};
    PlacedRun exactly({objects, objects}, 3);
    EXPECT_FALSE(exactly.all.overflowed());
    PlacedRun run({objects, objects}, 2);
    EXPECT_EQ(run.numbers, (std::vector<std::string>{"0 1 -", "0 1 -"}));
    EXPECT_TRUE(run.all.overflowed());
    PlacedRun bytes({objects, objects}, 100, 5);
    EXPECT_EQ(bytes.numbers, (std::vector<std::string>{"0 1 -", "0 1 -"}));
    EXPECT_TRUE(bytes.all.overflowed());
}

}  // namespace run_places_test
}  // namespace hkpd_test
