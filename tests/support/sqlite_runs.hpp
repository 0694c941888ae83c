// Runs of invented samples that are added to an SQLite database.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/blob_builder.hpp"
#include "support/database.hpp"
#include "support/sample_reading.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {

/// A run that is written as by `hkpd replay`, one sample at a time.
class SqliteRun {
  public:
    /// Begins the run. The titles must outlive it.
    SqliteRun(std::vector<blob::Blob> blobs, hkpd::WriteOptions options, const hkpd::Titles& titles)
        : source_(std::move(blobs)), reader_(source_, &titles, {}), replay_(reader_, {}) {
        options.cooked = true;
        writer_ = make_writer(hkpd::Format::sqlite, options);
        writer_->begin(out_);
    }

    /// Writes the next sample; returns false at the end.
    bool next() {
        if (!replay_.next(reported_)) return false;
        filter_.select(replay_.sample(), selected_);
        writer_->sample(replay_.sample(), selected_, &replay_.cooker(), out_);
        return true;
    }
    /// Ends the run; returns what failed, or what was left out.
    std::string end() {
        hkpd::Diagnostics ours;
        writer_->end(ours, out_);
        EXPECT_EQ(out_, "");
        return std::string(writer_->failure()) + faults(ours);
    }

  private:
    MemorySource source_;
    hkpd::SampleReader reader_;
    hkpd::Replay replay_;
    hkpd::Filter filter_;
    hkpd::Diagnostics reported_;
    std::vector<hkpd::Selected> selected_;
    std::unique_ptr<hkpd::Writer> writer_;
    std::string out_;
};

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

    /// Returns the objects of a machine, `second` seconds after 2020-09-13 12:26:40.123 UTC.
    static blob::Blob sample_at(std::uint16_t second, std::vector<blob::Object> objects,
                                std::u16string machine = u"M") {
        constexpr std::int64_t ticks = 10'000'000;
        blob::Block block{.objects = std::move(objects), .machine = std::move(machine)};
        block.perf_time += second * ticks;
        block.perf_time_100ns += second * ticks;
        block.system_time.second = static_cast<std::uint16_t>(block.system_time.second + second);
        return blob::build(block);
    }

    /// Returns an object (2, System) without instances.
    static blob::Object lone(std::vector<blob::Counter> counters, std::vector<blob::Value> values) {
        return {.title = 2, .counters = std::move(counters), .values = std::move(values)};
    }

    /// Returns a sample of one value.
    static blob::Blob one() { return sample_at(0, {lone({{.title = 44}}, {1})}); }

    /// Adds a run to the database; returns what failed, or what was left out. A callback may act between samples.
    std::string write(std::vector<blob::Blob> blobs, hkpd::WriteOptions options = {},
                      const std::function<void()>& between = {}) const {
        const std::size_t count = blobs.size();
        SqliteRun run = begin(std::move(blobs), std::move(options));
        for (std::size_t i = 0; i < count; ++i) {
            if (between && i != 0) between();
            run.next();
        }
        return run.end();
    }
    SqliteRun begin(std::vector<blob::Blob> blobs, hkpd::WriteOptions options = {}) const {
        if (options.database.empty()) options.database = path_;
        options.raw_values = true;
        return {std::move(blobs), std::move(options), built_in()};
    }
    std::vector<std::string> rows(const std::string& statement) const { return query(path_, statement); }
    std::string row(const std::string& statement) const { return query_row(path_, statement); }

    TempFolder folder_;
    std::string path_ = folder_.path("perf.db");
};

}  // namespace hkpd_test
