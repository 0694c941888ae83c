// Places in the rows of a text log that are kept from sample to sample: the same as the columns give when they are
// asked for each value.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/select.hpp"
#include "sample/identity.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/random_lists.hpp"
#include "support/sample_reading.hpp"
#include "write/pdh/columns.hpp"
#include "write/pdh/series.hpp"

namespace hkpd_test {
namespace pdh_cells_test {

/// Samples in which objects, instances and counters come and go, of two machines.
std::vector<blob::Blob> random_samples(std::uint32_t seed) {
    RandomLists lists(seed), others(seed + 1000);
    std::mt19937 random(seed);
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < 60; ++k) blobs.push_back(random() % 4 == 0 ? others.next(k, u"OTHER") : lists.next(k));
    return blobs;
}

void add_to(hkpd::Identities& identities, hkpd::Replay& replay) {
    const bool has_before = replay.cooker().before() != nullptr;
    identities.add(replay.sample(), has_before ? &replay.cooker().matches() : nullptr);
}

/// Calls `with` for each part that has rows, with its place in the list: all of the sample, or a part of it.
template <class With>
void each_part(hkpd::Replay& replay, std::mt19937& random, const With& with) {
    hkpd::Filter filter;
    if (random() % 3 == 0) filter.want_instance("a*");
    if (random() % 3 == 0) filter.want_counter("6");
    std::vector<hkpd::Selected> selected;
    filter.select(replay.sample(), selected);
    for (std::size_t i = 0; i < selected.size(); ++i)
        if (!selected[i].rows.empty()) with(i, selected[i]);
}

TEST(PdhCells, StandWhereTheColumnsSay) {
    std::size_t compared = 0, placed = 0;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        hkpd::Identities identities(1000);
        hkpd::PdhColumns columns(1000);
        hkpd::PdhCells cells(columns, identities, false);
        std::mt19937 random(seed);
        const auto show_all = [&](std::size_t most, const auto& with) {
            MemorySource source(random_samples(seed));
            hkpd::Diagnostics diagnostics;
            hkpd::SampleReader reader(source, nullptr, {});
            hkpd::Replay replay(reader, {});
            for (std::size_t k = 0; k < most && replay.next(diagnostics); ++k) {
                add_to(identities, replay);
                each_part(replay, random, [&](std::size_t place, const hkpd::Selected& part) {
                    with(replay.sample(), part, cells.find(place, replay.sample(), part));
                });
            }
        };
        // What comes in the second half of the run has no column.
        show_all(30, [](const auto&, const auto&, const auto&) {});
        std::string head;
        columns.fix(identities, ',', head);
        cells.forget();
        identities = hkpd::Identities(1000);
        show_all(60, [&](const hkpd::Sample& sample, const hkpd::Selected& part, const hkpd::PdhCells::Part& found) {
            const hkpd::Object& object = sample.objects()[part.object];
            std::map<std::uint32_t, std::uint32_t> ordinals;
            std::vector<std::uint32_t> ordinal;
            for (const hkpd::Column& column : object.columns) ordinal.push_back(ordinals[column.title_index]++);
            ASSERT_EQ(found.counters().size(), part.columns.size());
            for (std::size_t c = 0; c < part.columns.size(); ++c) {
                const std::uint32_t position = part.columns[c];
                ASSERT_EQ(found.counters()[c].position, position);
                const std::uint32_t counter =
                    columns.counter(sample, object, object.columns[position], ordinal[position]);
                ASSERT_EQ(found.counters()[c].number, counter);
                for (std::size_t i = 0; i < part.rows.size(); ++i, ++compared) {
                    const std::uint32_t place = columns.place(counter, identities.number(part.object, part.rows[i]));
                    ASSERT_EQ(found.places(c)[i], place);
                    if (place != hkpd::no_index) ++placed;
                }
            }
        });
        EXPECT_GT(columns.dropped(), 0U);
    }
    EXPECT_GT(placed, 1000U);
    EXPECT_GT(compared, placed);
}

/// Gives each counter that it is asked for a number of its own.
class AskedPlaces final : public hkpd::ValuePlaces {
  public:
    std::uint32_t counter(const hkpd::Sample& /*sample*/, const hkpd::Object& /*object*/,
                          const hkpd::Column& /*column*/, std::uint32_t /*ordinal*/) override {
        return asked_++;
    }
    std::uint32_t place(std::uint32_t counter, std::uint32_t /*identity*/) override { return counter; }

  private:
    std::uint32_t asked_ = 0;
};

/// What a counter may be known by, each time.
struct KnownCounter {
    const char *object = "Object", *counter = "Counter";
    std::int32_t scale = 0;
    std::int64_t frequency = 1000, object_frequency = 1000;
    blob::Kind kind = blob::Kind::single;
};

TEST(PdhCells, ACounterIsAskedForAgainWhereAnythingOfItHasChanged) {
    hkpd::Identities identities(1000);
    AskedPlaces asked;
    hkpd::PdhCells cells(asked, identities, true);
    const auto number_of = [&](const KnownCounter& known) {
        hkpd::Titles titles;
        hkpd::TitleTable table("009", "test");
        table.add(2, known.object);
        table.add(6, known.counter);
        titles.add(std::move(table));
        blob::Object object{.title = 2,
                            .kind = known.kind,
                            .counters = {{.title = 6, .scale = known.scale}},
                            .perf_freq = known.object_frequency};
        (known.kind == blob::Kind::single ? object.values : object.instances.emplace_back().values) = {1};
        const auto samples = read_block({.objects = {object}, .perf_freq = known.frequency}, &titles);
        const hkpd::Sample& sample = samples->all.at(0);
        identities.add(sample, nullptr);
        std::vector<hkpd::Selected> selected;
        hkpd::Filter().select(sample, selected);
        return cells.find(0, sample, selected.at(0)).counters()[0].number;
    };
    EXPECT_EQ(number_of({}), 0U);
    std::uint32_t before = 0;
    for (const KnownCounter& other :
         {KnownCounter{.object = "Other"}, KnownCounter{.counter = "Other"}, KnownCounter{.scale = 1},
          KnownCounter{.frequency = 2000}, KnownCounter{.object_frequency = 2000},
          KnownCounter{.kind = blob::Kind::multi}}) {
        EXPECT_EQ(number_of(other), ++before);
        EXPECT_EQ(number_of(other), before);
        EXPECT_EQ(number_of({}), ++before);
    }
}

}  // namespace pdh_cells_test
}  // namespace hkpd_test
