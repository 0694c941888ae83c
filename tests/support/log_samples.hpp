// Samples of performance logs, and their content as text that tests can compare.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/source.hpp"
#include "source/sample_reader.hpp"
#include "support/log_reading.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {

/// 2016-11-26 13:46:30.874 local time of a machine in the zone `log_file::Zone`: UTC is 8 hours later.
inline constexpr std::int64_t log_time = 131'246'415'908'740'000, log_second = 10'000'000;
inline constexpr std::int64_t log_utc = log_time + 8 * 3600 * log_second;

inline log_file::Event catalogue_event(const std::vector<log_file::Entry>& entries) {
    return {.event_class = log_file::catalogue_class, .data = log_file::catalogue(entries), .time = log_time - 10};
}
/// Returns a row `second` seconds after the first.
inline log_file::Event row_event(const std::vector<log_file::RowRecord>& records, std::int64_t second = 0) {
    return {.event_class = log_file::row_class, .data = log_file::row(records), .time = log_time + second * log_second};
}
inline log_file::Event names_event(std::u16string_view machine, const std::vector<log_file::Title>& titles) {
    return {.event_class = log_file::names_class, .data = log_file::names(machine, titles), .time = log_time - 20};
}
inline log_file::Event trailer_event(std::uint32_t rows) {
    const std::int64_t last = log_time + (std::int64_t{rows} - 1) * log_second;
    return {.event_class = log_file::trailer_class,
            .data = log_file::trailer({.first_time = log_time, .last_time = last, .rows = rows}),
            .time = last + 30};
}

/// Returns raw counters of `PC` in `rows` rows, a second apart: `object\counter` counts 100 a row, `second` 1000.
inline log_file::Log counting_log(std::uint32_t rows, std::uint32_t from = 0) {
    log_file::Log log{.events = {catalogue_event({{.type = 0x1041'0400, .time_base = 1000}})}};
    for (std::uint32_t row = from; row < from + rows; ++row)
        log.events.push_back(row_event(
            {log_file::raw({.first = 100 * row, .second = 1000 * row, .time = log_time + row * log_second})}, row));
    log.events.push_back(trailer_event(rows));
    return log;
}

struct LogSamples {
    hkpd::Titles titles;
    std::unique_ptr<hkpd::SampleReader> reader;  // has the names of counters that logs identify by name only
    std::deque<hkpd::Sample> all;                // samples are never moved: they refer to their own memory
    std::vector<std::uint32_t> numbers;          // number of samples before each
    hkpd::Diagnostics diagnostics;
};

inline std::unique_ptr<LogSamples> read_log_samples(hkpd::Source& source, const hkpd::Limits& limits = {}) {
    auto samples = std::make_unique<LogSamples>();
    samples->reader = std::make_unique<hkpd::SampleReader>(source, &samples->titles, limits);
    samples->reader->take_titles(samples->titles);
    while (samples->reader->next(samples->all.emplace_back(), samples->diagnostics))
        samples->numbers.push_back(samples->reader->count() - 1);
    samples->all.pop_back();
    return samples;
}
inline std::unique_ptr<LogSamples> read_log_samples(std::vector<std::string> paths, const hkpd::Limits& limits = {}) {
    const auto source = hkpd::open_files(std::move(paths), limits);
    return read_log_samples(*source, limits);
}
/// Returns the samples of a built log.
inline std::unique_ptr<LogSamples> samples_of(const log_file::File& file, const hkpd::Limits& limits = {}) {
    const TempFolder folder;
    return read_log_samples({write_log(folder, "test.blg", file)}, limits);
}
inline std::unique_ptr<LogSamples> samples_of(const log_file::Log& log) { return samples_of(log_file::build(log)); }

/// Returns a value: `7/8` with its second number, `7/8x3` with a count other than 1, `!80000800` with a bad status.
inline std::string logged_value(const hkpd::Column& column, std::size_t row) {
    if (!column.is_valid(row)) {
        constexpr std::string_view digits = "0123456789abcdef";
        std::string text = "!";
        for (std::uint32_t shift = 32; shift > 0; shift -= 4)
            text += digits[static_cast<std::uint32_t>(column.status[row]) >> (shift - 4) & 0xF];
        return text;
    }
    std::string text = std::to_string(static_cast<std::int64_t>(column.values[row]));
    if (column.logged()) text.append("/").append(std::to_string(static_cast<std::int64_t>(column.second[row])));
    if (column.logged() && column.multi_count[row] != 1)
        text.append("x").append(std::to_string(column.multi_count[row]));
    return text;
}

/// Returns each value of a sample in order: `memory\cache faults/sec=574088259/2006530743703`, `process(a)\% time=1/2`.
inline std::vector<std::string> cells(const hkpd::Sample& sample) {
    std::vector<std::string> all;
    for (const hkpd::Object& object : sample.objects())
        for (const hkpd::Column& column : object.columns)
            for (std::size_t row = 0; row < object.instances.size(); ++row) {
                std::string text(object.name ? object.name->text : std::to_string(object.title_index));
                if (object.kind == hkpd::Kind::multi)
                    text.append("(").append(object.instances[row].name.value_or("?")).append(")");
                text.append("\\").append(column.name ? column.name->text : std::to_string(column.title_index));
                all.push_back(text + "=" + logged_value(column, row));
            }
    return all;
}

/// Returns the first value of each sample: `0 100 200`, with `?` for a missing one.
inline std::string first_values(const LogSamples& samples) {
    std::string text;
    for (const hkpd::Sample& sample : samples.all) {
        const bool any = !sample.objects().empty() && !sample.objects()[0].columns.empty() &&
                         sample.objects()[0].columns[0].is_valid(0) && !sample.objects()[0].columns[0].values.empty();
        text.append(text.empty() ? "" : " ");
        text.append(any ? std::to_string(sample.objects()[0].columns[0].values[0]) : "?");
    }
    return text;
}

}  // namespace hkpd_test
