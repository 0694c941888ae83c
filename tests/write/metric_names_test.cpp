// What counters are called in OpenMetrics, and what they are there.
#include "write/metrics/names.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "hkpd/counter_type.hpp"

namespace hkpd_test {
namespace {

using hkpd::Metric;

std::string name(std::string_view title) {
    std::string out;
    hkpd::append_metric_name(out, hkpd::Titles::Answer{title, 0}, "index 6");
    return out;
}

TEST(MetricNames, Titles) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> names{
        {"Processor", "processor"},
        {"% Processor Time", "processor_time"},
        {"Bytes Sent/sec", "bytes_sent"},
        {"Page Reads/sec", "page_reads"},
        {"Avg. Disk sec/Transfer", "avg_disk_seconds_per_transfer"},
        {"sec", "seconds"},
        {"Sec spent, msec/Call, secs", "seconds_spent_msec_per_call_secs"},
        {"Avg. Disk Bytes/Read", "avg_disk_bytes_per_read"},
        {"Current Disk Queue Length", "current_disk_queue_length"},
        {"Free & Zero Page List Bytes", "free_zero_page_list_bytes"},
        {"Working Set - Private", "working_set_private"},
        {".NET CLR Memory", "net_clr_memory"},
        {"# Gen 0 Collections", "gen_0_collections"},
        {"I/O Database Reads/sec", "i_o_database_reads"},
        {"Requests/Sec", "requests"},
        {"Bytes/sec Sent", "bytes_sent"},
        {"Bytes/second", "bytes_per_second"},
        {"Bytes/s", "bytes_per_second"},
        {"# of Exceps Thrown / sec", "of_exceps_thrown"},
        {"Errors/", "errors"},
        {"/sec", "index_6"},
        {"_a__c_", "a_c"},
        {"größer", "gr_er"},
        {"% загруженности процессора", "index_6"},
        {"6", "6"},
        {"", "index_6"},
        {"a\"b\\c\nd\xE2\x80\xAE", "ab_cd"},
    };
    for (const auto& [title, expected] : names) EXPECT_EQ(name(title), expected) << title;
    EXPECT_EQ(name(std::string(1024, 'x')), std::string(256, 'x'));
}

/// Units are never changed: spelled out where they are certain, else what promlint objects to is part of another word.
TEST(MetricNames, AbbreviatedUnits) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> names{
        {"Lock Wait Time (ms)", "lock_wait_time_millisecond"},
        {"Avg. ms/Read", "avg_millisecond_per_read"},
        {"Total Server Memory (KB)", "total_server_memory_kilobyte"},
        {"Sent (KB/s)", "sent_kilobyte_per_second"},
        {"Database Cache Size MB", "database_cache_size_megabyte"},
        {"Latency (us)", "latency_microsecond"},
        {"Latency (\xC2\xB5s)", "latency_microsecond"},
        {"Latency (\xCE\xBCs)", "latency_microsecond"},
        {"Latency (ns)", "latency_nanosecond"},
        {"Up (s)", "up_seconds"},
        {"Size (B)", "size_bytes"},
        {"Thread(s)", "threads"},
        {"Data File(s) Size (KB)", "data_files_size_kilobyte"},
        {"User's Time", "users_time"},
        {"Tell us", "tellus"},
        {"Rate (Kb)", "ratekb"},
        {"Memory, mb", "memorymb"},
        {"MS TCP Loopback", "mstcp_loopback"},
        {"H.264 Frames", "h264_frames"},
        {"K B Total", "kbtotal"},
        {"a u.s. Mail", "aus_mail"},
        {"u.s.", "index_6"},
        {"D:", "index_6"},
        {"(\xC2\xB5s)", "microsecond"},
        {"((s)", "seconds"},
        {"s)", "index_6"},
    };
    for (const auto& [title, expected] : names) EXPECT_EQ(name(title), expected) << title;
}

TEST(MetricNames, NoTitle) {
    std::string out;
    hkpd::append_metric_name(out, std::nullopt, "object 238");
    EXPECT_EQ(out, "object_238");
}

/// Names of a counter of this type and what they stand for: `counter x_seconds (seconds) = seconds`.
std::string kinds(std::span<const Metric> metrics) {
    constexpr std::string_view types[] = {"counter", "gauge", "unknown"};
    constexpr std::string_view quantities[] = {"number", "floating", "seconds", "ratio", "base", "cooked"};
    hkpd::MetricNames names;
    std::string text;
    for (const Metric& metric : metrics) {
        text.append(text.empty() ? "" : ", ").append(types[static_cast<std::size_t>(metric.type)]).append(" ");
        text += names.claim("x", metric, 0);
        if (!metric.unit.empty()) text.append(" (").append(metric.unit).append(")");
        text.append(" = ").append(quantities[static_cast<std::size_t>(metric.quantity)]);
    }
    return text;
}

TEST(MetricNames, Kinds) {
    struct Case {
        std::string_view type, metrics, without_frequency = metrics;
    };
    constexpr std::string_view timer = "counter x_seconds (seconds) = seconds", ticks = "counter x_ticks = number",
                               inverse = "counter x_inactive_seconds (seconds) = seconds",
                               inverse_ticks = "counter x_inactive_ticks = number", count = "counter x = number",
                               multi = "counter x_seconds (seconds) = seconds, gauge x_instances = base",
                               multi_inverse =
                                   "counter x_inactive_seconds (seconds) = seconds, gauge x_instances = base",
                               with_base = "counter x = number, counter x_base = base";
    const std::initializer_list<Case> cases{
        {"PERF_COUNTER_COUNTER", count},
        {"PERF_COUNTER_BULK_COUNT", count},
        {"PERF_SAMPLE_COUNTER", count},
        {"PERF_COUNTER_DELTA", count},
        {"PERF_COUNTER_LARGE_DELTA", count},
        {"PERF_COUNTER_RAWCOUNT", "gauge x = number"},
        {"PERF_COUNTER_LARGE_RAWCOUNT", "gauge x = number"},
        {"PERF_COUNTER_RAWCOUNT_HEX", "gauge x = number"},
        {"PERF_COUNTER_LARGE_RAWCOUNT_HEX", "gauge x = number"},
        {"PERF_DOUBLE_RAW", "gauge x = floating"},
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
        {"PERF_COUNTER_MULTI_TIMER", multi, "counter x_ticks = number, gauge x_instances = base"},
        {"PERF_100NSEC_MULTI_TIMER", multi, "counter x_ticks = number, gauge x_instances = base"},
        {"PERF_COUNTER_MULTI_TIMER_INV", multi_inverse, "counter x_inactive_ticks = number, gauge x_instances = base"},
        {"PERF_100NSEC_MULTI_TIMER_INV", multi_inverse, "counter x_inactive_ticks = number, gauge x_instances = base"},
        {"PERF_RAW_FRACTION", "gauge x_ratio (ratio) = ratio"},
        {"PERF_LARGE_RAW_FRACTION", "gauge x_ratio (ratio) = ratio"},
        {"PERF_SAMPLE_FRACTION", with_base},
        {"PERF_AVERAGE_BULK", with_base},
        {"PERF_AVERAGE_TIMER", "counter x_seconds (seconds) = seconds, counter x_base = base",
         "counter x_ticks = number, counter x_base = base"},
        {"PERF_ELAPSED_TIME", "gauge x_seconds (seconds) = cooked"},
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
    EXPECT_EQ(kinds(hkpd::metrics_of(0x1234'0400, true)), "unknown x = number");
}

TEST(MetricNames, CookedKinds) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> cases{
        {"PERF_COUNTER_COUNTER", "gauge x_per_second (per_second) = cooked"},
        {"PERF_SAMPLE_COUNTER", "gauge x = cooked"},
        {"PERF_COUNTER_RAWCOUNT", "gauge x = cooked"},
        {"PERF_100NSEC_TIMER_INV", "gauge x_percent (percent) = cooked"},
        {"PERF_RAW_FRACTION", "gauge x_percent (percent) = cooked"},
        {"PERF_AVERAGE_TIMER", "gauge x_seconds (seconds) = cooked"},
        {"PERF_ELAPSED_TIME", "gauge x_seconds (seconds) = cooked"},
        {"PERF_AVERAGE_BULK", "gauge x = cooked"},
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

TEST(MetricNames, TheLaterIsSetApart) {
    hkpd::MetricNames names;
    EXPECT_EQ(names.claim("x", a_gauge, 2), "x");
    EXPECT_EQ(names.claim("x", a_gauge, 4), "x_4");
    EXPECT_EQ(names.claim("x", an_unknown, 6), "x_6");
    EXPECT_EQ(names.claim("x", a_gauge, 4), "x_4_2");
    EXPECT_EQ(names.claim("x", a_gauge, 4), "x_4_3");
    EXPECT_EQ(names.claim("y_4", a_gauge, 8), "y_4");
    EXPECT_EQ(names.claim("y", a_gauge, 4), "y");
    EXPECT_EQ(names.claim("y", a_gauge, 4), "y_4_2");
    EXPECT_EQ(names.claim("z", a_timer, 10), "z_seconds");
    EXPECT_EQ(names.claim("z", a_timer, 12), "z_12_seconds");
    EXPECT_EQ(names.claim("z", a_timer, 12), "z_12_2_seconds");
}

TEST(MetricNames, SamplesOfACounterClashWithNothing) {
    hkpd::MetricNames names;
    EXPECT_EQ(names.claim("a", a_counter, 2), "a");  // its samples are a_total
    EXPECT_EQ(names.claim("a_total", a_timer, 4), "a_total_seconds");
    EXPECT_EQ(names.claim("a_created", a_gauge, 6), "a_created_6");
    EXPECT_EQ(names.claim("c_created", a_gauge, 12), "c_created");
    EXPECT_EQ(names.claim("c", a_counter, 14), "c_14");
    EXPECT_EQ(names.claim("d", a_gauge, 16), "d");
    EXPECT_EQ(names.claim("d", a_counter, 18), "d_18");
}

TEST(MetricNames, EndingsAreNotRepeated) {
    hkpd::MetricNames names;
    EXPECT_EQ(names.claim("bytes_total", a_counter, 2), "bytes");
    EXPECT_EQ(names.claim("bytes", a_counter, 4), "bytes_4");
    EXPECT_EQ(names.claim("wait_seconds", a_timer, 6), "wait_seconds");
    EXPECT_EQ(names.claim("wait", a_timer, 8), "wait_8_seconds");
}

/// Such ends are of the samples of counters, summaries and histograms.
TEST(MetricNames, WhatIsNoCounterDoesNotEndLikeOne) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> names{
        {"process_handle_count", "process_handles"},
        {"process_count", "processes"},
        {"index_count", "indexes"},
        {"directory_count", "directories"},
        {"gen_0_count", "gen_0_count_value"},
        {"_count", "_count_value"},
        {"memory_total", "memory_total_value"},
        {"time_sum", "time_sum_value"},
        {"token_bucket", "token_bucket_value"},
        {"account", "account"},
        {"count", "count"},
    };
    for (const auto& [stem, expected] : names) {
        EXPECT_EQ(hkpd::MetricNames().claim(std::string(stem), a_gauge, 2), expected);
        EXPECT_EQ(hkpd::MetricNames().claim(std::string(stem), an_unknown, 2), expected);
    }
    EXPECT_EQ(hkpd::MetricNames().claim("handle_count", a_counter, 2), "handle_count");
    EXPECT_EQ(hkpd::MetricNames().claim("handle_count", a_timer, 2), "handle_count_seconds");
    EXPECT_EQ(hkpd::MetricNames().claim("x_u_count", a_gauge, 2), "x_u_count_value") << "not us";
    hkpd::MetricNames taken;
    EXPECT_EQ(taken.claim("handles", a_gauge, 2), "handles");
    EXPECT_EQ(taken.claim("handle_count", a_gauge, 4), "handles_4");
}

TEST(MetricNames, WordsThatAreTypesOrUnits) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> names{
        {"x_counter", "x_counters"},
        {"counter_gauge_x", "counters_gauges_x"},
        {"x_summary_count", "x_summaries"},
        {"x_histogram_time", "x_histograms_time"},
        {"x_milliseconds", "x_millisecond"},
        {"x_millisecond_count", "x_millisecond"},
        {"x_bits_sent", "x_bit_sent"},
        {"x_megabytes", "x_megabyte"},
        {"x_kelvins", "x_kelvin"},
        {"x_inches", "x_inch"},
        {"x_minutes_y", "x_minute_y"},
        {"x_bytes", "x_bytes"},
        {"x_thermometers", "x_thermometers"},
        {"x_counterparts", "x_counterparts"},
    };
    for (const auto& [stem, expected] : names)
        EXPECT_EQ(hkpd::MetricNames().claim(std::string(stem), a_gauge, 2), expected);
    EXPECT_EQ(hkpd::MetricNames().claim("x_counter_total", a_counter, 2), "x_counters");
    EXPECT_EQ(hkpd::MetricNames().claim("x_milliseconds", a_timer, 2), "x_millisecond_seconds");
}

}  // namespace
}  // namespace hkpd_test
