// Ranges of samples: what is read of an input is equal to everything, filtered, and takes no more bytes than the range.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/capture.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"
#include "hkpd/simulate.hpp"
#include "hkpd/source.hpp"
#include "hkpd/time_range.hpp"
#include "hkpd/write.hpp"
#include "support/log_bytes.hpp"
#include "support/log_samples.hpp"
#include "support/temp_folder.hpp"

namespace seek_test {

using namespace hkpd;
using hkpd_test::TempFolder;

constexpr std::int64_t second = 1'000'000'000, minute = 60 * second, hour = 60 * minute;
constexpr std::int64_t interval = 30 * second;
/// Start of the runs: 2026-01-01.
constexpr std::int64_t start = 1'767'225'600 * second;

/// A sample: its place in the run, and all of its values.
struct Seen {
    std::uint64_t number = 0;
    std::int64_t time = 0;
    std::string machine{};
    std::uint64_t values = 0;  // a hash of the raw and of the cooked values
    bool operator==(const Seen&) const = default;
};
void PrintTo(const Seen& seen, std::ostream* out) { *out << seen.number << " at " << seen.time << ' ' << seen.values; }

struct Found {
    std::vector<Seen> samples;
    std::vector<std::string> faults;
};

std::string text_of(const Diagnostic& fault) {
    std::string text = std::to_string(std::to_underlying(fault.error.code)) + " input " +
                       std::to_string(fault.place.input) + " sample " + std::to_string(fault.place.sample) + ": ";
    append_message(text, fault.error);
    return text;
}

Found read(std::unique_ptr<Source> source, const Range& range, bool numbers = true) {
    Diagnostics faults(100'000);
    Reader reader(std::move(source), {.range = range, .diagnostics = &faults});
    Found found;
    while (reader.next()) {
        const Sample& sample = reader.sample();
        Seen seen{numbers ? reader.number() : 0, unix_time(sample).value_or(0), sample.machine.value_or("")};
        for (const Object& object : sample.objects())
            for (const Column& column : object.columns) {
                for (const std::uint64_t value : column.values) seen.values = seen.values * 31 + value;
                for (const double value : reader.cooked(object, column).values)
                    seen.values = seen.values * 31 + (std::isnan(value) ? 7 : std::bit_cast<std::uint64_t>(value));
            }
        found.samples.push_back(seen);
    }
    for (const Diagnostic& fault : faults.kept()) found.faults.push_back(text_of(fault));
    return found;
}
Found read(const std::vector<std::string>& paths, const Range& range, bool numbers = true) {
    return read(open_files(paths, {}), range, numbers);
}

/// A source that cannot seek, as a pipe.
class Pipe final : public Source {
  public:
    explicit Pipe(std::unique_ptr<Source> source) : source_(std::move(source)) {}
    std::optional<Record> next(Diagnostics& diagnostics) override { return source_->next(diagnostics); }

  private:
    std::unique_ptr<Source> source_;
};

/// Returns the samples without their values.
std::vector<Seen> places(std::vector<Seen> samples) {
    for (Seen& seen : samples) seen.values = 0;
    return samples;
}

/// Expects that the range of the files is the part of `all` in it, also from a source that cannot seek.
void expect_part(const std::vector<std::string>& paths, const Found& all, const Range& range) {
    std::vector<Seen> part;
    std::ranges::copy_if(all.samples, std::back_inserter(part), [&](const Seen& seen) {
        return range.holds_number(seen.number) && range.holds_time(seen.time);
    });
    const Found found = read(paths, range), piped = read(std::make_unique<Pipe>(open_files(paths, {})), range);
    EXPECT_EQ(found.samples, piped.samples) << range.from << ' ' << range.to << ' ' << range.first << ' ' << range.last;
    EXPECT_EQ(places(piped.samples), places(part));
    // If the range has a gap, because times run backwards, the first values after it are computed with those before.
    const bool has_gap = !part.empty() && part.back().number - part.front().number + 1 != part.size();
    EXPECT_TRUE(has_gap || piped.samples == part);
    EXPECT_EQ(found.faults, piped.faults);
}

/// Expects this of ranges at the ends of the run, around them, and of random ones.
void expect_parts(const std::vector<std::string>& paths, int count = 20) {
    const Found all = read(std::make_unique<Pipe>(open_files(paths, {})), {});
    ASSERT_FALSE(all.samples.empty());
    const std::int64_t first = std::ranges::min(all.samples, {}, &Seen::time).time,
                       last = std::ranges::max(all.samples, {}, &Seen::time).time;
    expect_part(paths, all, {.from = last - 5 * minute});
    expect_part(paths, all, {.from = last});
    expect_part(paths, all, {.from = last + second});
    expect_part(paths, all, {.to = first + 5 * minute});
    expect_part(paths, all, {.to = first - second});
    expect_part(paths, all, {.first = all.samples.back().number});
    expect_part(paths, all, {.first = all.samples.back().number + 1});
    expect_part(paths, all, {.last = 0});
    std::mt19937_64 random(1);
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (int i = 0; i < count; ++i) {
        const std::int64_t from = between(first - minute, last + minute);
        expect_part(paths, all, {.from = from, .to = from + between(0, 20) * minute});
        const auto number =
            static_cast<std::uint64_t>(between(0, static_cast<std::int64_t>(all.samples.back().number) + 2));
        expect_part(paths, all, {.first = number, .last = number + static_cast<std::uint64_t>(between(0, 20))});
    }
    expect_part(paths, all, {.to = between(first, last), .first = all.samples.size() / 3});
}

const SimulationOptions small_machine{.cpus = 1, .processes = 1, .threads = 1};

std::unique_ptr<Source> simulated(std::uint64_t count, bool v2, std::int64_t from = start,
                                  std::string machine = "SIMULATED") {
    SimulationOptions options = small_machine;
    options.start = from;
    options.machine = std::move(machine);
    return simulate(options, {.v2 = v2, .count = count, .interval = interval});
}

void record(Recorder& recorder, Source& source) {
    Diagnostics faults;
    while (const auto found = source.next(faults)) recorder.add(*found, faults);
}

std::string capture(const TempFolder& folder, const std::string& name, std::vector<std::unique_ptr<Source>> sources) {
    auto file = CaptureFile::create(folder.path(name));
    EXPECT_TRUE(file);
    for (const auto& source : sources) record(file->recorder(), *source);
    EXPECT_TRUE(file->finish());
    return folder.path(name);
}
std::string capture(const TempFolder& folder, const std::string& name, std::uint64_t count, bool v2 = true,
                    std::int64_t from = start) {
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(simulated(count, v2, from));
    return capture(folder, name, std::move(sources));
}

std::string csv_text(std::uint64_t count, std::int64_t from = start) {
    WriteOptions how;
    how.cooked = true;
    const auto writer = make_writer(Format::pdh_csv, how);
    std::vector<Selected> selected;
    std::string text;
    Diagnostics faults;
    writer->begin(text);
    for (bool again = true; again;) {
        Reader reader(simulated(count, false, from));
        Filter filter;
        filter.add_object("Memory");
        while (reader.next()) {
            filter.select(reader.sample(), selected);
            writer->sample(reader.sample(), selected, &reader.cooker(), text);
        }
        again = writer->again(text);
    }
    writer->end(faults, text);
    return text;
}

/// Returns a log whose rows have these times, in seconds after its begin.
std::string blg_text(const std::vector<std::int64_t>& times, bool closed = true, std::size_t counters = 8) {
    std::vector<log_file::Entry> entries(counters, {.type = 0x1041'0400, .time_base = 1000});
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].counter = u"counter " + std::u16string(i + 1, u'x');
    log_file::Log log{.events = {hkpd_test::catalogue_event(entries)}, .buffer_size = 65'536};
    log.header.closed = closed;
    for (const std::int64_t time : times) {
        const std::int64_t row = static_cast<std::int64_t>(log.events.size());
        const log_file::RowRecord value =
            log_file::raw({.first = row * row, .second = 1000 * row, .time = hkpd_test::log_time + time * 10'000'000});
        log.events.push_back(hkpd_test::row_event(std::vector(entries.size(), value), time));
    }
    if (closed) log.events.push_back(hkpd_test::trailer_event(static_cast<std::uint32_t>(times.size())));
    return log_file::build(log).text();
}
std::string blg_text(std::uint64_t count, std::size_t counters = 8) {
    std::vector<std::int64_t> times;
    for (std::uint64_t i = 0; i < count; ++i) times.push_back(static_cast<std::int64_t>(i) * interval / second);
    return blg_text(times, true, counters);
}
constexpr std::size_t many_counters = 500;  // a row has several fragments

constexpr std::uint64_t sizes[] = {50, 500, 5'000};  // NOLINT(modernize-avoid-c-arrays): a table

TEST(Seek, RangesOfACaptureAreThePartsOfIt) {
    const TempFolder folder;
    for (const std::uint64_t size : sizes) expect_parts({capture(folder, "a.mcap", size, size < 5'000)}, 8);
}

TEST(Seek, RangesOfAPerformanceLogAreThePartsOfIt) {
    const TempFolder folder;
    for (const std::uint64_t size : sizes) expect_parts({folder.write("a.blg", blg_text(size))});
    expect_parts({folder.write("wide.blg", blg_text(300, many_counters))});
}

TEST(Seek, RangesOfATextLogAreThePartsOfIt) {
    const TempFolder folder;
    for (const std::uint64_t size : sizes) expect_parts({folder.write("a.csv", csv_text(size))});
}

TEST(Seek, RangesOfSeveralInputsAreThePartsOfThem) {
    const TempFolder folder;
    const std::int64_t day = 24 * hour;
    const std::string first = capture(folder, "1.mcap", 500),
                      second_day = capture(folder, "2.mcap", 700, true, start + day),
                      text = folder.write("3.csv", csv_text(2000, start + 2 * day)),
                      last = capture(folder, "4.mcap", 500, true, start + 3 * day);
    expect_parts({first, second_day, text, last}, 30);
    expect_parts({last, first}, 10);
}

TEST(Seek, TimesOfACaptureMayRunBackwards) {
    const TempFolder folder;
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(simulated(600, true));
    sources.push_back(simulated(600, true, start - 3 * hour, "OTHER"));
    sources.push_back(simulated(600, true, start + 20 * hour));
    expect_parts({capture(folder, "a.mcap", std::move(sources))}, 30);
}

TEST(Seek, TimesOfALogMayRunBackwards) {
    const TempFolder folder;
    std::vector<std::int64_t> once, twice;  // by an hour, as when daylight time ends; by a day, as when a clock is set
    for (std::int64_t i = 0; i < 6000; ++i) {
        once.push_back(i * 30 - (i > 3000 ? 3600 : 0));
        twice.push_back(i * 30 - (i > 3000 ? 86'400 : 0));
    }
    expect_parts({folder.write("once.blg", blg_text(once))}, 30);
    expect_parts({folder.write("twice.blg", blg_text(twice))}, 30);
    expect_parts({folder.write("open.blg", blg_text(once, false))}, 5);
}

TEST(Seek, TimesOfATextLogMayRunBackwards) {
    const TempFolder folder;
    const auto rows = [](const std::string& text) { return text.substr(text.find('\n') + 1); };
    const std::string log = csv_text(3000);
    expect_parts({folder.write("hour.csv", log + rows(csv_text(1000, start + 24 * hour)))}, 20);
    expect_parts({folder.write("day.csv", log + rows(csv_text(3000, start - 24 * hour)))}, 20);
    expect_parts({folder.write("two.csv", log + csv_text(3000, start - 24 * hour))}, 20);
}

TEST(Seek, ClocksOfATextLogMayBeChanged) {
    const TempFolder folder;
    constexpr std::int64_t change = 1'792'897'200 * second;  // 2026-10-25 03:00, as a clock in Berlin shows
    const auto in_berlin = [](const std::string& text) {
        const auto zone = text.find("(PDH-CSV 4.0)"), end = text.find('"', zone);
        return text.substr(0, zone) + "(PDH-CSV 4.0) (W. Europe Daylight Time)(-120)" + text.substr(end);
    };
    const std::string before = in_berlin(csv_text(2000, change - 2000 * interval));
    const auto after = [](std::int64_t from) {
        const std::string text = csv_text(2000, from);
        return text.substr(text.find('\n') + 1);
    };
    expect_parts({folder.write("live.csv", before + after(change - hour))}, 30);
    expect_parts({folder.write("converted.csv", before + after(change))}, 30);
}

TEST(Seek, DamagedCapturesLoseNoSampleOfTheRange) {
    const TempFolder folder;
    const std::string path = capture(folder, "a.mcap", 1000);
    const std::string whole = hkpd_test::read_file(path);
    // Without index; with a damaged index; with a chunk that is damaged in the middle.
    expect_parts({folder.write("cut.mcap", whole.substr(0, whole.size() * 3 / 4))}, 5);
    std::string wrong = whole;
    wrong[whole.size() - 60] ^= 0x55;
    expect_parts({folder.write("index.mcap", wrong)}, 5);
}

TEST(Seek, SpansAreThoseOfTheSamples) {
    const TempFolder folder;
    for (const std::string& path : {capture(folder, "a.mcap", 1000), folder.write("a.blg", blg_text(1000)),
                                    folder.write("a.csv", csv_text(1000))}) {
        const Found all = read({path}, {});
        const auto span = open_files({path}, {})->span();
        ASSERT_TRUE(span) << path;
        EXPECT_EQ(span->first, all.samples.front().time) << path;
        EXPECT_EQ(span->last, all.samples.back().time) << path;
        EXPECT_EQ(latest_time(open_files({path}, {}), {}), all.samples.back().time);
        EXPECT_EQ(latest_time(std::make_unique<Pipe>(open_files({path}, {})), {}), all.samples.back().time);
    }
    EXPECT_FALSE(open_files({folder.write("a.bin", "PERF")}, {})->span());
}

/// Returns the bytes that the process has read so far; none where the system does not count them.
std::optional<std::uint64_t> bytes_read() {
    std::ifstream file("/proc/self/io");
    std::string name;
    std::uint64_t count = 0;
    if (file >> name >> count && name == "rchar:") return count;
    return std::nullopt;
}

TEST(Seek, ReadsAsManyBytesAsTheRangeNeeds) {
    if (!bytes_read()) return;  // not Linux
    const TempFolder folder;
    struct Form {
        std::string name;
        std::function<std::string(std::uint64_t)> made;
        bool by_number;
    };
    const Form forms[] = {// NOLINT(modernize-avoid-c-arrays): a table
                          {"capture", [&](std::uint64_t size) { return capture(folder, "a.mcap", size, false); }, true},
                          {"blg", [&](std::uint64_t size) { return folder.write("a.blg", blg_text(size)); }, false},
                          {"csv", [&](std::uint64_t size) { return folder.write("a.csv", csv_text(size)); }, false}};
    for (const Form& form : forms) {
        std::vector<std::uint64_t> reads;
        std::uint64_t bytes = 0;
        for (const std::uint64_t size : {std::uint64_t{2'000}, std::uint64_t{20'000}}) {
            const std::string path = form.made(size);
            bytes = hkpd_test::read_file(path).size();
            const auto span = open_files({path}, {})->span();
            ASSERT_TRUE(span);
            const std::int64_t middle = span->first + (span->last - span->first) / 2;
            std::vector<Range> ranges{{.from = span->last - 5 * minute},
                                      {.to = span->first + 5 * minute},
                                      {.from = middle, .to = middle + 5 * minute}};
            if (form.by_number) ranges.push_back({.first = size - 10});
            const std::uint64_t before = *bytes_read();
            for (const Range& range : ranges)
                EXPECT_NEAR(static_cast<double>(read({path}, range, false).samples.size()), 10.5, 0.5);
            reads.push_back((*bytes_read() - before) / ranges.size());
        }
        RecordProperty(form.name, std::to_string(reads.front()) + " and " + std::to_string(reads.back()) + " of " +
                                      std::to_string(bytes));
        EXPECT_LT(reads.back(), reads.front() + bytes / 50) << form.name << ' ' << reads.front() << " of " << bytes;
        EXPECT_LT(reads.back(), bytes / 5) << form.name;
    }
}

TEST(Seek, RowsAreFoundByNumberInOnePass) {
    if (!bytes_read()) return;  // not Linux
    const TempFolder folder;
    constexpr std::uint64_t rows = 1'000;
    const auto read_part = [&](const std::string& path) {
        const std::uint64_t before = *bytes_read();
        EXPECT_EQ(read({path}, {.first = rows - 10}, false).samples.size(), 10U) << path;
        const auto bytes = static_cast<double>(*bytes_read() - before);
        return bytes / static_cast<double>(hkpd_test::read_file(path).size());
    };
    // Of a performance log, the headers of events; of a text log, all lines.
    const double headers = read_part(folder.write("a.blg", blg_text(rows, many_counters)));
    const double lines = read_part(folder.write("a.csv", csv_text(rows)));
    RecordProperty("read", std::to_string(headers) + " of a log, " + std::to_string(lines) + " of a text log");
    EXPECT_LT(headers, 0.08);
    EXPECT_LT(lines, 1.5);
}

TEST(Seek, NumbersOfPassedRowsAreCountedWhenAsked) {
    const TempFolder folder;
    for (const std::string& path : {folder.write("a.blg", blg_text(5000)), folder.write("a.csv", csv_text(5000))}) {
        const auto span = open_files({path}, {})->span();
        Reader reader(open_files({path}, {}), {.range = {.from = span->last - 5 * minute}});
        ASSERT_TRUE(reader.next());
        EXPECT_EQ(reader.number(), 4989U) << path;
        ASSERT_TRUE(reader.next());
        EXPECT_EQ(reader.number(), 4990U) << path;
        EXPECT_EQ(reader.count(), 4991U) << path;
    }
}

}  // namespace seek_test
