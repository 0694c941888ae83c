// The series of a run, with samples in any order: each value is in the column of its counter and instance.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/random_lists.hpp"
#include "support/sample_reading.hpp"
#include "support/sqlite_runs.hpp"

namespace hkpd_test {
namespace pdh_series_test {

/// Returns samples of two machines in which objects, instances and counters come and go.
std::vector<blob::Blob> random_samples(std::uint32_t seed) {
    RandomLists lists(seed), others(seed + 1000);
    std::mt19937 random(seed);
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < 60; ++k) blobs.push_back(random() % 4 == 0 ? others.next(k, u"OTHER") : lists.next(k));
    return blobs;
}

/// Selects all of a sample, or a part of it.
std::vector<hkpd::Selected> some_of(const hkpd::Sample& sample, std::mt19937& random) {
    hkpd::Filter filter;
    if (random() % 3 == 0) filter.add_instance("a*");
    if (random() % 3 == 0) filter.add_counter("6");
    std::vector<hkpd::Selected> selected;
    filter.select(sample, selected);
    return selected;
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = std::min(line.find("\",\"", at), line.size() - 1);
        cells.push_back(line.substr(at + 1, end - at - 1));
        at = end + 2;
    }
    return cells;
}

/// A run in two passes through a text log. `selected` has the selected values of each row's sample.
struct Written {
    std::string text;
    std::string faults;
    std::vector<std::multiset<std::string>> selected;
};

/// Writes a run with `first` samples in the first pass.
Written write(std::uint32_t seed, std::size_t first) {
    Written run;
    const auto writer = make_writer(hkpd::Format::pdh_csv, {});
    const auto show = [&](std::size_t most, bool last) {
        std::mt19937 random(seed);
        MemorySource source(random_samples(seed));
        hkpd::Diagnostics diagnostics;
        hkpd::SampleReader reader(source, nullptr, {});
        hkpd::Replay replay(reader, {});
        for (std::size_t k = 0; k < most && replay.next(diagnostics); ++k) {
            const hkpd::Sample& sample = replay.sample();
            const auto selected = some_of(sample, random);
            writer->sample(sample, selected, &replay.cooker(), run.text);
            if (!last) continue;
            auto& values = run.selected.emplace_back();
            for (const hkpd::Selected& part : selected)
                for (const std::uint32_t position : part.columns)
                    for (const std::uint32_t row : part.rows)
                        if (const auto& column = sample.objects()[part.object].columns[position]; column.is_valid(row))
                            values.insert(std::to_string(column.values[row]));
        }
    };
    show(first, false);
    EXPECT_TRUE(writer->again(run.text));
    show(60, true);
    EXPECT_FALSE(writer->again(run.text));
    hkpd::Diagnostics found;
    writer->end(found, run.text);
    run.faults = faults(found);
    return run;
}

std::vector<std::vector<std::string>> table_of(const std::string& text) {
    std::vector<std::vector<std::string>> table;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        table.push_back(cells_of(text.substr(at, end - at)));
        at = end + 1;
    }
    return table;
}

TEST(PdhSeries, ARowHasTheValuesOfItsSample) {
    std::size_t compared = 0;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const Written run = write(seed, 60);
        EXPECT_TRUE(run.faults.empty() || run.faults == "note columns_shared|") << run.faults;
        const auto table = table_of(run.text);
        ASSERT_EQ(table.size(), run.selected.size() + 1);
        for (std::size_t k = 0; k < run.selected.size(); ++k) {
            std::multiset<std::string> found(table[k + 1].begin() + 1, table[k + 1].end());
            found.erase(" ");
            EXPECT_EQ(found, run.selected[k]) << seed << ' ' << k;
            compared += found.size();
        }
    }
    EXPECT_GT(compared, 1000U);
}

/// Checks that columns have the same values if half of the run is unknown when they are fixed.
TEST(PdhSeries, KnownCountersKeepTheirColumnWhateverComesLater) {
    std::size_t compared = 0;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const auto all = table_of(write(seed, 60).text);
        const Written run = write(seed, 30);
        EXPECT_NE(run.faults.find("columns_fixed"), std::string::npos);
        const auto some = table_of(run.text);
        ASSERT_EQ(some.size(), all.size());
        ASSERT_LT(some[0].size(), all[0].size());
        // Columns keep their order. Counters with equal names have equal heads: any column with the head may be the
        // one.
        for (std::size_t c = 1; c < some[0].size(); ++c) {
            bool found = false;
            for (std::size_t a = 1; a < all[0].size() && !found; ++a) {
                found = all[0][a] == some[0][c];
                for (std::size_t k = 1; k < all.size() && found; ++k) found = all[k][a] == some[k][c];
            }
            EXPECT_TRUE(found) << seed << ' ' << some[0][c];
            ++compared;
        }
    }
    EXPECT_GT(compared, 100U);
}

/// Everything that identifies a counter, for one sample.
struct KnownCounter {
    const char *object = "Object", *counter = "Counter";
    std::uint32_t type = blob::counter_type::counter;
    std::int32_t scale = 0;
    std::int64_t frequency = 1000, object_frequency = 1000;
    blob::Kind kind = blob::Kind::single;
};

/// Returns the CounterID of each sample's value, in a database of their own.
std::vector<std::string> ids_of(const std::vector<KnownCounter>& run) {
    const TempFolder folder;
    const std::string path = folder.path("perf.db");
    const auto writer = make_writer(hkpd::Format::sqlite, {.cooked = true, .database = path});
    std::string out;
    writer->begin(out);
    for (const KnownCounter& known : run) {
        hkpd::Titles titles;
        hkpd::TitleTable table("009", "test");
        table.add(2, known.object);
        table.add(6, known.counter);
        titles.add(std::move(table));
        blob::Object object{.title = 2,
                            .kind = known.kind,
                            .counters = {{.title = 6, .type = known.type, .scale = known.scale}},
                            .perf_freq = known.object_frequency};
        (known.kind == blob::Kind::single ? object.values : object.instances.emplace_back().values) = {1};
        const auto samples = read_block({.objects = {object}, .perf_freq = known.frequency}, &titles);
        std::vector<hkpd::Selected> selected;
        hkpd::Filter().select(samples->all.at(0), selected);
        writer->sample(samples->all.at(0), selected, nullptr, out);
    }
    hkpd::Diagnostics found;
    writer->end(found, out);
    EXPECT_EQ(faults(found), "");
    EXPECT_EQ(writer->failure(), "");
    return query(path, "SELECT CounterID FROM CounterData ORDER BY RecordIndex");
}

TEST(SqliteSeries, ACounterIsAnotherIfAnyPropertyChanges) {
    constexpr std::uint32_t object_timer = 0x2061'0500;
    for (const auto& [one, other] : std::vector<std::pair<KnownCounter, KnownCounter>>{
             {{}, {.object = "Other"}},
             {{}, {.counter = "Other"}},
             {{}, {.type = object_timer}},
             {{}, {.scale = 1}},
             {{}, {.frequency = 2000}},
             {{.type = object_timer}, {.type = object_timer, .object_frequency = 2000}},
             {{}, {.kind = blob::Kind::multi}}})
        EXPECT_EQ(ids_of({one, other, other, one, other}), (std::vector<std::string>{"1", "2", "2", "1", "2"}));
}

}  // namespace pdh_series_test
}  // namespace hkpd_test
