// Runs of made-up samples that are added to a database of SQLite.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "blob_builder.hpp"
#include "database.hpp"
#include "hkpd/replay.hpp"
#include "hkpd/write/writer.hpp"
#include "sample_reading.hpp"
#include "temp_folder.hpp"

namespace hkpd_test {

/// Runs are written as `hkpd replay` writes them.
class Sqlite : public testing::Test {
  protected:
    static const hkpd::Titles& built_in() {
        static const hkpd::Titles titles = [] {
            hkpd::Titles own;
            own.add(hkpd::builtin_titles());
            return own;
        }();
        return titles;
    }

    /// The objects of a machine, so many seconds after 2020-09-13 12:26:40.123 UTC.
    static blob::Blob sample_at(std::uint16_t second, std::vector<blob::Object> objects,
                                std::u16string machine = u"M") {
        constexpr std::int64_t ticks = 10'000'000;
        blob::Block block{.objects = std::move(objects), .machine = std::move(machine)};
        block.perf_time += second * ticks;
        block.perf_time_100ns += second * ticks;
        block.system_time.second = static_cast<std::uint16_t>(block.system_time.second + second);
        return blob::build(block);
    }

    /// An object (2, System) without instances.
    static blob::Object lone(std::vector<blob::Counter> counters, std::vector<blob::Value> values) {
        return {.title = 2, .counters = std::move(counters), .values = std::move(values)};
    }

    /// A sample of one value.
    static blob::Blob one() { return sample_at(0, {lone({{.title = 44}}, {1})}); }

    /// Adds a run to the database; says why not, or what was left out. Between samples something may happen.
    std::string write(std::vector<blob::Blob> blobs, hkpd::WriteOptions options = {},
                      const std::function<void()>& between = {}) const {
        if (options.database.empty()) options.database = path_;
        options.cooked = true;
        const auto writer = make_writer(hkpd::Format::sqlite, options);
        std::string out;
        writer->begin(out);
        MemorySource source(std::move(blobs));
        hkpd::SampleReader reader(source, &built_in(), {});
        hkpd::Replay replay(reader, {});
        hkpd::Filter filter;
        hkpd::Diagnostics heard, ours;
        std::vector<hkpd::Selected> selected;
        for (bool first = true; replay.next(heard); first = false) {
            filter.select(replay.sample(), selected);
            if (between && !first) between();
            writer->sample(replay.sample(), selected, &replay.cooker(), out);
        }
        writer->end(ours, out);
        EXPECT_EQ(out, "");
        return std::string(writer->failure()) + faults(ours);
    }
    std::vector<std::string> rows(const std::string& statement) const { return query(path_, statement); }
    std::string row(const std::string& statement) const { return query_row(path_, statement); }

    TempFolder folder_;
    std::string path_ = folder_.path("perf.db");
};

}  // namespace hkpd_test
