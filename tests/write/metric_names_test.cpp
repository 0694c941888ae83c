// Names and types of counters in OpenMetrics.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "hkpd/counter_type.hpp"
#include "hkpd/write.hpp"
#include "write/metrics/names.hpp"

namespace hkpd_test {
namespace metric_names_test {

using hkpd::Metric;

std::string name(std::string_view title) { return hkpd::metric_words(hkpd::Titles::Answer{title, 0}, "index 6"); }

TEST(MetricNames, Titles) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> names{
        {"Processor", "processor"},
        {"% Processor Time", "processor_time"},
        {"Current Disk Queue Length", "current_disk_queue_length"},
        {"Free & Zero Page List Bytes", "free_zero_page_list_bytes"},
        {"Working Set - Private", "working_set_private"},
        {".NET CLR Memory", "net_clr_memory"},
        {"# Gen 0 Collections", "gen_0_collections"},
        {"Avg. Disk Bytes/Read", "avg_disk_bytes_read"},
        {"Lock Wait Time (ms)", "lock_wait_time_ms"},
        {"Total Server Memory (KB)", "total_server_memory_kb"},
        {"Free Megabytes", "free_megabytes"},
        {"User's Time", "user_s_time"},
        {"MS TCP Loopback", "ms_tcp_loopback"},
        {"Performance Counter Timeouts", "performance_counter_timeouts"},
        {"_a__c_", "a_c"},
        {"größer", "gr_er"},
        {"% загруженности процессора", "index_6"},
        {"6", "6"},
        {"", "index_6"},
        {"a\"b\\c\nd\xE2\x80\xAE", "a_b_c_d"},
    };
    for (const auto& [title, expected] : names) EXPECT_EQ(name(title), expected) << title;
    EXPECT_EQ(name(std::string(1024, 'x')), std::string(256, 'x'));
    EXPECT_EQ(hkpd::metric_words(std::nullopt, "object 238"), "object_238");
}

TEST(MetricNames, TheWordSec) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> names{
        {"Bytes Sent/sec", "bytes_sent"},
        {"Requests/Sec", "requests"},
        {"Bytes/sec Sent", "bytes_sent"},
        {"# of Exceps Thrown / sec", "of_exceps_thrown"},
        {"I/O Database Reads/sec", "i_o_database_reads"},
        {"/sec", "index_6"},
        {"Avg. Disk sec/Transfer", "avg_disk_seconds_transfer"},
        {"sec", "seconds"},
        {"Up (sec)", "up_seconds"},
        {"a/b sec", "a_b_seconds"},
        {"Bytes/second", "bytes_second"},
        {"Bytes/s", "bytes_s"},
        {"msec/Call, secs", "msec_call_secs"},
    };
    for (const auto& [title, expected] : names) EXPECT_EQ(name(title), expected) << title;
}

/// Returns type, name, unit and quantity of each metric of a counter: `counter x_seconds (seconds) = seconds`.
std::string kinds(std::span<const Metric> metrics) {
    constexpr std::string_view types[] = {"counter", "gauge", "unknown"};
    constexpr std::string_view quantities[] = {"number", "floating", "seconds", "ratio", "base", "cooked"};
    hkpd::MetricNames names;
    std::string text;
    for (const Metric& metric : metrics) {
        text.append(text.empty() ? "" : ", ").append(types[static_cast<std::size_t>(metric.type)]).append(" ");
        text += names.claim("x", "y", metric, 0);
        if (!metric.unit.empty()) text.append(" (").append(metric.unit).append(")");
        text.append(" = ").append(quantities[static_cast<std::size_t>(metric.quantity)]);
    }
    return text;
}

TEST(MetricNames, Kinds) {
    struct Case {
        std::string_view type, metrics, without_frequency = metrics;
    };
    constexpr std::string_view timer = "counter x_y_seconds (seconds) = seconds", ticks = "counter x_y_ticks = number",
                               inverse = "counter x_y_inactive_seconds (seconds) = seconds",
                               inverse_ticks = "counter x_y_inactive_ticks = number", count = "counter x_y = number",
                               multi = "counter x_y_seconds (seconds) = seconds, gauge x_y_instances = base",
                               multi_inverse =
                                   "counter x_y_inactive_seconds (seconds) = seconds, gauge x_y_instances = base",
                               with_base = "counter x_y = number, counter x_y_base = base";
    const std::initializer_list<Case> cases{
        {"PERF_COUNTER_COUNTER", count},
        {"PERF_COUNTER_BULK_COUNT", count},
        {"PERF_SAMPLE_COUNTER", count},
        {"PERF_COUNTER_DELTA", count},
        {"PERF_COUNTER_LARGE_DELTA", count},
        {"PERF_COUNTER_RAWCOUNT", "gauge x_y = number"},
        {"PERF_COUNTER_LARGE_RAWCOUNT", "gauge x_y = number"},
        {"PERF_COUNTER_RAWCOUNT_HEX", "gauge x_y = number"},
        {"PERF_COUNTER_LARGE_RAWCOUNT_HEX", "gauge x_y = number"},
        {"PERF_DOUBLE_RAW", "gauge x_y = floating"},
        {"PERF_COUNTER_TIMER", timer, ticks},
        {"PERF_100NSEC_TIMER", timer, ticks},
        {"PERF_OBJ_TIME_TIMER", timer, ticks},
        {"PERF_PRECISION_SYSTEM_TIMER", timer, ticks},
        {"PERF_PRECISION_100NS_TIMER", timer, ticks},
        {"PERF_PRECISION_OBJECT_TIMER", timer, ticks},
        {"PERF_COUNTER_QUEUELEN_TYPE", timer, ticks},
        {"PERF_COUNTER_LARGE_QUEUELEN_TYPE", timer, ticks},
        {"PERF_COUNTER_100NS_QUEUELEN_TYPE", timer, ticks},
        {"PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE", timer, ticks},
        {"PERF_COUNTER_TIMER_INV", inverse, inverse_ticks},
        {"PERF_100NSEC_TIMER_INV", inverse, inverse_ticks},
        {"PERF_COUNTER_MULTI_TIMER", multi, "counter x_y_ticks = number, gauge x_y_instances = base"},
        {"PERF_100NSEC_MULTI_TIMER", multi, "counter x_y_ticks = number, gauge x_y_instances = base"},
        {"PERF_COUNTER_MULTI_TIMER_INV", multi_inverse,
         "counter x_y_inactive_ticks = number, gauge x_y_instances = base"},
        {"PERF_100NSEC_MULTI_TIMER_INV", multi_inverse,
         "counter x_y_inactive_ticks = number, gauge x_y_instances = base"},
        {"PERF_RAW_FRACTION", "gauge x_y_ratio (ratio) = ratio"},
        {"PERF_LARGE_RAW_FRACTION", "gauge x_y_ratio (ratio) = ratio"},
        {"PERF_SAMPLE_FRACTION", with_base},
        {"PERF_AVERAGE_BULK", with_base},
        {"PERF_AVERAGE_TIMER", "counter x_y_seconds (seconds) = seconds, counter x_y_base = base",
         "counter x_y_ticks = number, counter x_y_base = base"},
        {"PERF_ELAPSED_TIME", "gauge x_y_seconds (seconds) = cooked"},
        {"PERF_COUNTER_TEXT", ""},
        {"PERF_COUNTER_NODATA", ""},
        {"PERF_COUNTER_HISTOGRAM_TYPE", ""},
        {"PERF_SAMPLE_BASE", ""},
        {"PERF_AVERAGE_BASE", ""},
        {"PERF_RAW_BASE", ""},
        {"PERF_LARGE_RAW_BASE", ""},
        {"PERF_COUNTER_MULTI_BASE", ""},
    };
    for (const Case& one : cases) {
        const auto type = hkpd::counter_type_of(one.type);
        ASSERT_TRUE(type) << one.type;
        EXPECT_EQ(kinds(hkpd::metrics_of(*type, true)), one.metrics) << one.type;
        EXPECT_EQ(kinds(hkpd::metrics_of(*type, false)), one.without_frequency) << one.type;
    }
    EXPECT_EQ(kinds(hkpd::metrics_of(0x1234'0400, true)), "unknown x_y = number");
}

TEST(MetricNames, CookedKinds) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> cases{
        {"PERF_COUNTER_COUNTER", "gauge x_y_per_second (per_second) = cooked"},
        {"PERF_SAMPLE_COUNTER", "gauge x_y = cooked"},
        {"PERF_COUNTER_RAWCOUNT", "gauge x_y = cooked"},
        {"PERF_100NSEC_TIMER_INV", "gauge x_y_percent (percent) = cooked"},
        {"PERF_RAW_FRACTION", "gauge x_y_percent (percent) = cooked"},
        {"PERF_AVERAGE_TIMER", "gauge x_y_seconds (seconds) = cooked"},
        {"PERF_ELAPSED_TIME", "gauge x_y_seconds (seconds) = cooked"},
        {"PERF_AVERAGE_BULK", "gauge x_y = cooked"},
        {"PERF_RAW_BASE", ""},
        {"PERF_COUNTER_TEXT", ""},
        {"PERF_COUNTER_NODATA", ""},
    };
    for (const auto& [type, expected] : cases)
        EXPECT_EQ(kinds(hkpd::cooked_metrics_of(*hkpd::counter_type_of(type))), expected) << type;
    EXPECT_EQ(kinds(hkpd::cooked_metrics_of(0x1234'0400)), "");
}

constexpr Metric a_counter{Metric::Type::counter, Metric::Quantity::number};
constexpr Metric a_gauge{Metric::Type::gauge, Metric::Quantity::number};
constexpr Metric a_timer{Metric::Type::counter, Metric::Quantity::seconds, "", "seconds"};
constexpr Metric an_unknown{Metric::Type::unknown, Metric::Quantity::number};

std::string claim(hkpd::MetricNames& names, std::string_view counter, const Metric& metric, std::uint32_t index) {
    return names.claim("o", counter, metric, index);
}
std::string claim(std::string_view counter, const Metric& metric) {
    hkpd::MetricNames names;
    return claim(names, counter, metric, 2);
}

TEST(MetricNames, ALaterEqualNameGetsANumber) {
    hkpd::MetricNames names;
    EXPECT_EQ(claim(names, "x", a_gauge, 2), "o_x");
    EXPECT_EQ(claim(names, "x", a_gauge, 4), "o_x_4");
    EXPECT_EQ(claim(names, "x", an_unknown, 6), "o_x_6");
    EXPECT_EQ(claim(names, "x", a_gauge, 4), "o_x_4_2");
    EXPECT_EQ(claim(names, "x", a_gauge, 4), "o_x_4_3");
    EXPECT_EQ(claim(names, "y_4", a_gauge, 8), "o_y_4");
    EXPECT_EQ(claim(names, "y", a_gauge, 4), "o_y");
    EXPECT_EQ(claim(names, "y", a_gauge, 4), "o_y_4_2");
    EXPECT_EQ(claim(names, "z", a_timer, 10), "o_z_seconds");
    EXPECT_EQ(claim(names, "z", a_timer, 12), "o_z_12_seconds");
    EXPECT_EQ(claim(names, "z", a_timer, 12), "o_z_12_2_seconds");
    EXPECT_EQ(names.claim("o_x", "4", a_gauge, 14), "o_x_4_14") << "of another object";
}

TEST(MetricNames, SamplesOfACounterClashWithNothing) {
    hkpd::MetricNames names;
    EXPECT_EQ(claim(names, "a", a_counter, 2), "o_a");  // its samples are named o_a_total
    EXPECT_EQ(claim(names, "a_total", a_timer, 4), "o_a_total_seconds");
    EXPECT_EQ(claim(names, "a_created", a_gauge, 6), "o_a_created_6");
    EXPECT_EQ(claim(names, "c_created", a_gauge, 12), "o_c_created");
    EXPECT_EQ(claim(names, "c", a_counter, 14), "o_c_14");
    EXPECT_EQ(claim(names, "d", a_gauge, 16), "o_d");
    EXPECT_EQ(claim(names, "d", a_counter, 18), "o_d_18");
}

TEST(MetricNames, AUnitIsNamedOnceAtTheEnd) {
    EXPECT_EQ(claim("bytes_total", a_counter), "o_bytes");
    EXPECT_EQ(claim("wait_seconds", a_timer), "o_wait_seconds");
    EXPECT_EQ(claim("avg_disk_seconds_read", a_timer), "o_avg_disk_read_seconds");
    EXPECT_EQ(claim("seconds", a_timer), "o_seconds");
    EXPECT_EQ(claim("nanoseconds", a_timer), "o_nanoseconds_seconds");
    EXPECT_EQ(claim("seconds_up", a_counter), "o_seconds_up");
    EXPECT_EQ(hkpd::MetricNames().claim("seconds_o", "x", a_timer, 2), "seconds_o_x_seconds");
    hkpd::MetricNames names;
    EXPECT_EQ(claim(names, "wait_seconds", a_timer, 2), "o_wait_seconds");
    EXPECT_EQ(claim(names, "wait", a_timer, 8), "o_wait_8_seconds");
    for (const bool has_seconds : {true, false}) {
        const auto average = hkpd::metrics_of(*hkpd::counter_type_of("PERF_AVERAGE_TIMER"), has_seconds);
        ASSERT_EQ(average.size(), 2U);
        EXPECT_EQ(claim("avg_disk_seconds_read", average[0]),
                  has_seconds ? "o_avg_disk_read_seconds" : "o_avg_disk_read_ticks");
        EXPECT_EQ(claim("avg_disk_seconds_read", average[1]), "o_avg_disk_read_base") << "both have the same beginning";
    }
}

/// Checks that the suffixes of samples of counters, summaries and histograms are not used by other metrics.
TEST(MetricNames, OtherMetricsDoNotEndLikeCounters) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> names{
        {"handle_count", "o_handle_count_value"}, {"count", "o_count_value"},
        {"memory_total", "o_memory_total_value"}, {"time_sum", "o_time_sum_value"},
        {"token_bucket", "o_token_bucket_value"}, {"account", "o_account"},
    };
    for (const auto& [counter, expected] : names) {
        EXPECT_EQ(claim(counter, a_gauge), expected);
        EXPECT_EQ(claim(counter, an_unknown), expected);
    }
    EXPECT_EQ(claim("handle_count", a_counter), "o_handle_count");
    EXPECT_EQ(claim("handle_count", a_timer), "o_handle_count_seconds");
}

TEST(MetricNames, Prefixes) {
    for (const std::string_view good : {"", "hkpd_", "windows_", "_", ":", "A9:_z"})
        EXPECT_TRUE(hkpd::is_metric_prefix(good)) << good;
    for (const std::string_view bad : {"9", "0_", "a-", "a b", "a.", "\xC3\xA4_", "a{", "a\n"})
        EXPECT_FALSE(hkpd::is_metric_prefix(bad)) << bad;
}

}  // namespace metric_names_test
}  // namespace hkpd_test
