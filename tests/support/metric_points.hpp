// The points that samples must yield in OpenMetrics, computed value by value and independently of the writer.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "hkpd/counter_type.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/write.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/metric_output.hpp"
#include "write/metrics/names.hpp"

namespace hkpd_test {

using Labels = std::map<std::string, std::string>;

/// A point; its series is a name and labels in a notation of these tests: `name|instance=0|machine=DEMO`.
struct Point {
    std::string series;
    std::int64_t time = 0;  ///< milliseconds since 1970
    double value = 0;

    auto operator<=>(const Point&) const = default;
};
using Points = std::set<Point>;

/// Returns a name as OpenMetrics shows it: control characters as `\x1B`, except the line feed, for which the format has
/// an escape.
inline std::string shown_name(std::string_view name) {
    std::string shown;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('\n', at), name.size());
        hkpd::append_printable(shown, name.substr(at, end - at));
        if (end != name.size()) shown += '\n';
        at = end + 1;
    }
    return shown;
}

inline std::string series_of(std::string_view name, const Labels& labels) {
    std::string series(name);
    for (const auto& [label, value] : labels)
        if (!value.empty()) series.append("|").append(label).append("=").append(value);
    return series;
}

/// The points of one sample.
class ExpectedPoints {
  public:
    ExpectedPoints(const hkpd::Sample& sample, Points& points) : sample_(sample), points_(points) {}

    void add() {
        hkpd::RunInstances& run = *hkpd::RunInstances::of(sample_);
        for (std::size_t o = 0; o < sample_.objects().size(); ++o) {
            const auto& numbers = run.instances(sample_, o).numbers;
            object_ = &sample_.objects()[o];
            for (std::size_t row = 0; row < object_->instances.size(); ++row) {
                Labels labels{{"machine", shown_name(sample_.machine.value_or(""))}};
                if (object_->kind == hkpd::Kind::multi) {
                    if (!object_->instances[row].name) continue;
                    const hkpd::Identity identity = run[numbers[row]];
                    labels["instance"] = shown_name(identity.instance());
                    labels["parent"] = shown_name(identity.parent.value_or(""));
                    if (identity.pid) labels["pid"] = std::to_string(*identity.pid);
                    if (identity.instance_id) labels["instance_id"] = std::to_string(*identity.instance_id);
                    if (identity.life > 1) labels["life"] = std::to_string(identity.life);
                }
                for (const hkpd::Column& column : object_->columns)
                    if (column.storage == hkpd::Storage::number && column.is_valid(row)) add_value(column, row, labels);
            }
        }
    }

  private:
    void add_value(const hkpd::Column& column, std::size_t row, const Labels& labels) {
        const std::string_view type = hkpd::counter_type_name(column.type);
        const auto raw = static_cast<double>(column.values[row]);
        const auto add = [&](std::string_view end, double value) { add_point(column, end, labels, value); };
        const auto base = [&] {
            return static_cast<double>(object_->columns[static_cast<std::size_t>(column.base)].values[row]);
        };
        const auto is = [type](std::initializer_list<std::string_view> names) {
            return std::ranges::find(names, type) != names.end();
        };
        if (is({"PERF_COUNTER_COUNTER", "PERF_COUNTER_BULK_COUNT"})) {
            add("_total", raw);
        } else if (is({"PERF_COUNTER_RAWCOUNT", "PERF_COUNTER_LARGE_RAWCOUNT", "PERF_COUNTER_RAWCOUNT_HEX"})) {
            add("", raw);
        } else if (is({"PERF_100NSEC_TIMER", "PERF_PRECISION_100NS_TIMER", "PERF_COUNTER_100NS_QUEUELEN_TYPE"})) {
            add("_seconds_total", raw / 1e7);
        } else if (is({"PERF_100NSEC_TIMER_INV"})) {
            add("_inactive_seconds_total", raw / 1e7);
        } else if (is({"PERF_COUNTER_LARGE_QUEUELEN_TYPE"})) {
            add("_seconds_total", raw / static_cast<double>(sample_.perf.frequency));
        } else if (is({"PERF_RAW_FRACTION"})) {
            if (base() != 0) add("_ratio", raw / base());
        } else if (is({"PERF_AVERAGE_TIMER"})) {
            add("_seconds_total", raw / static_cast<double>(sample_.perf.frequency));
            add("_base_total", base());
        } else if (is({"PERF_AVERAGE_BULK"})) {
            add("_total", raw);
            add("_base_total", base());
        } else if (is({"PERF_ELAPSED_TIME"})) {
            const auto now = static_cast<std::uint64_t>(object_->clock.time), start = column.values[row];
            const double passed = start == 0 || start >= now ? 0 : static_cast<double>(now - start);
            if (object_->clock.frequency > 0) add("_seconds", passed / static_cast<double>(object_->clock.frequency));
        } else if (!hkpd::CounterType{column.type}.is_base()) {
            ADD_FAILURE() << "what is " << type << "?";
        }
    }

    void add_point(const hkpd::Column& column, std::string_view end, const Labels& labels, double value) {
        std::string name = "hkpd_";
        name += hkpd::metric_words(object_->name, "object " + std::to_string(object_->title_index));
        name += '_';
        name += hkpd::metric_words(column.name, "index " + std::to_string(column.title_index));
        // The unit of a timer's value comes last in the name.
        if (constexpr std::string_view unit = "_seconds"; end.starts_with(unit) || end.starts_with("_base"))
            if (const std::size_t at = name.find(unit); at != std::string::npos) name.erase(at, unit.size());
        if (!name.ends_with(end) || end.empty()) name += end;
        if (end.empty() && (name.ends_with("_count") || name.ends_with("_total"))) name += "_value";
        const std::int64_t time = *hkpd::unix_time(sample_) / 1'000'000;
        EXPECT_TRUE(points_.insert({series_of(name, labels), time, value}).second) << name;
    }

    const hkpd::Sample& sample_;
    Points& points_;
    const hkpd::Object* object_ = nullptr;
};

inline Points expected_points(const MakeSource& make_source, const hkpd::Titles* titles) {
    Points points;
    hkpd::Diagnostics ignored;
    const auto source = make_source();
    hkpd::SampleReader reader(*source, titles, {});
    hkpd::Replay replay(reader, {});
    while (replay.next(ignored)) ExpectedPoints(replay.sample(), points).add();
    return points;
}

/// Returns the first few points that are in only one of the two.
inline std::string difference(const Points& expected, const Points& found) {
    std::string text;
    int left = 10;
    const auto add = [&](std::string_view what, const Points& all, const Points& others) {
        for (const Point& point : all)
            if (!others.contains(point) && left-- > 0)
                text += std::string(what) + point.series + " @" + std::to_string(point.time) + " = " +
                        std::to_string(point.value) + "\n";
    };
    add("missing ", expected, found);
    add("extra ", found, expected);
    return text;
}

}  // namespace hkpd_test
