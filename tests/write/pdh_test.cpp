// Text logs in the form of relog: rows and columns of generated blobs, and the grammar of a log written by Windows.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/blob_builder.hpp"
#include "support/demo_machine.hpp"
#include "support/processor_time.hpp"
#include "support/sample_reading.hpp"
#include "support/shared_dir.hpp"
#include "write/pdh/text.hpp"

namespace hkpd_test {
namespace pdh_test {

using namespace std::string_literals;
using hkpd::Format;
using hkpd::WriteOptions;
namespace type = blob::counter_type;

const hkpd::Titles& english() {
    static const hkpd::Titles titles = [] {
        hkpd::Titles own;
        own.add(hkpd::builtin_titles());
        return own;
    }();
    return titles;
}

/// A log, and the faults of writing it: `warning columns_fixed 2|`.
struct Written {
    std::string text, faults;
};

/// Writes all samples of a source, which is opened again for a second pass.
template <class MakeSource>
Written write_log(const MakeSource& make_source, Format format, const WriteOptions& options,
                  const std::vector<std::string>& paths = {}, const hkpd::Titles* titles = &english()) {
    hkpd::Filter filter;
    for (const std::string& path : paths) filter.add_path(*hkpd::CounterPath::parse(path));
    Written written;
    hkpd::Diagnostics ours;
    const auto writer = make_writer(format, options);
    writer->begin(written.text);
    do {
        const auto source = make_source();
        hkpd::Diagnostics diagnostics;
        hkpd::SampleReader reader(*source, titles, {});
        hkpd::Replay replay(reader, {});
        std::vector<hkpd::Selected> selected;
        while (replay.next(diagnostics)) {
            filter.select(replay.sample(), selected);
            writer->sample(replay.sample(), selected, &replay.cooker(), written.text);
        }
    } while (!options.one_pass && writer->again(written.text));
    writer->end(ours, written.text);
    for (const hkpd::Diagnostic& found : ours.kept())
        written.faults += std::string(severity_name(found.severity)) + " " + std::string(code_name(found.error.code)) +
                          " " + std::to_string(found.error.found) + "|";
    return written;
}

const WriteOptions cooked{.cooked = true};
const WriteOptions raw{};

struct Log {
    std::vector<blob::Block> blocks;
    Format format = Format::pdh_csv;
    std::vector<std::string> paths = {};
    const hkpd::Titles* titles = &english();

    Written write(const WriteOptions& options) const {
        const auto make_source = [this] {
            std::vector<blob::Blob> blobs;
            for (const blob::Block& block : blocks) blobs.push_back(blob::build(block));
            return std::make_unique<MemorySource>(std::move(blobs));
        };
        return write_log(make_source, format, options, paths, titles);
    }
    /// Returns the text of a log written without faults.
    std::string text(const WriteOptions& options) const {
        const Written written = write(options);
        EXPECT_EQ(written.faults, "");
        return written.text;
    }
};

/// Returns a block with objects of a machine, `second` seconds after 2020-09-13 12:26:40.123 UTC.
blob::Block at(std::uint16_t second, std::vector<blob::Object> objects, std::u16string machine = u"M") {
    constexpr std::int64_t ticks = 10'000'000;
    blob::Block block{.objects = std::move(objects), .machine = std::move(machine)};
    block.perf_time += second * ticks;
    block.perf_time_100ns += second * ticks;
    block.system_time.second = static_cast<std::uint16_t>(block.system_time.second + second);
    return block;
}

struct Cpu {
    std::u16string name;
    std::uint64_t busy, interrupts;
};
/// Returns the object Processor: % Privileged Time (144) and Interrupts/sec (148).
blob::Object processor(const std::vector<Cpu>& cpus) {
    blob::Object object{.title = 238,
                        .kind = blob::Kind::multi,
                        .counters = {{.title = 144, .type = type::timer_100ns, .size = 8},
                                     {.title = 148, .type = type::counter, .size = 4}}};
    for (const Cpu& cpu : cpus) object.instances.push_back({.name = cpu.name, .values = {cpu.busy, cpu.interrupts}});
    return object;
}

/// Returns an object with one counter whose value is shown unchanged.
blob::Object gauge(std::uint32_t title, std::uint32_t counter, std::uint32_t value) {
    return {.title = title, .counters = {{.title = counter}}, .values = {value}};
}

struct Process {
    std::u16string name;
    std::uint32_t id, threads;
};
/// Returns the object Process: Thread Count (680) and ID Process (784).
blob::Object processes(const std::vector<Process>& all) {
    blob::Object object{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 680}, {.title = 784}}};
    for (const Process& process : all)
        object.instances.push_back({.name = process.name, .values = {process.threads, process.id}});
    return object;
}
const std::vector<std::string> threads_only{R"(\Process(*)\Thread Count)"};

TEST(PdhLog, ARowForEachSampleAndAColumnForEachCounterOfAnInstance) {
    const Log log{{at(0, {processor({{u"0", 0, 100}, {u"_Total", 0, 300}}), gauge(2, 44, 7)}),
                   at(2, {processor({{u"0", 5'000'000, 107}, {u"_Total", 10'000'000, 300}}), gauge(2, 44, 8)})}};
    EXPECT_EQ(log.text(cooked),
              R"~("(PDH-CSV 4.0) (Coordinated Universal Time)(0)","\\M\Processor(0)\% Privileged Time",)~"
              R"~("\\M\Processor(_Total)\% Privileged Time","\\M\Processor(0)\Interrupts/sec",)~"
              R"~("\\M\Processor(_Total)\Interrupts/sec","\\M\System\Processor Queue Length")~"
              "\n"
              R"~("09/13/2020 12:26:40.123"," "," "," "," ","7")~"
              "\n"
              R"~("09/13/2020 12:26:42.123","25","50","3.5","0","8")~"
              "\n");
    EXPECT_EQ(log.text(raw),
              R"~("(PDH-CSV 4.0) (Coordinated Universal Time)(0)","\\M\Processor(0)\% Privileged Time",)~"
              R"~("\\M\Processor(_Total)\% Privileged Time","\\M\Processor(0)\Interrupts/sec",)~"
              R"~("\\M\Processor(_Total)\Interrupts/sec","\\M\System\Processor Queue Length")~"
              "\n"
              R"~("09/13/2020 12:26:40.123","0","0","100","300","7")~"
              "\n"
              R"~("09/13/2020 12:26:42.123","5000000","10000000","107","300","8")~"
              "\n");
}

TEST(PdhLog, TabsZonesAndLineEnds) {
    Log log{{at(0, {gauge(2, 44, 7)})}, Format::pdh_tsv};
    WriteOptions options = cooked;
    options.zone = hkpd::TimeZone{"India Standard Time", -330};
    EXPECT_EQ(log.text(options),
              "\"(PDH-TSV 4.0) (India Standard Time)(-330)\"\t\"\\\\M\\System\\Processor Queue Length\"\n"
              "\"09/13/2020 17:56:40.123\"\t\"7\"\n");
    log.format = Format::pdh_csv;
    log.blocks[0].system_time = {.year = 2024, .month = 3, .day = 1, .hour = 7, .minute = 59, .second = 59};
    options = {.cooked = true, .zone = hkpd::TimeZone{"Pacific Standard Time", 480}, .crlf = true};
    EXPECT_EQ(log.text(options),
              "\"(PDH-CSV 4.0) (Pacific Standard Time)(480)\",\"\\\\M\\System\\Processor Queue Length\"\r\n"
              "\"02/29/2024 23:59:59.123\",\"7\"\r\n");
}

/// Returns the first cell of a log, and the times of its rows. Each sample has a zone or none. All samples are from one
/// input, or with `many_inputs` each from its own.
std::string times_of(const std::vector<std::optional<hkpd::TimeZone>>& zones, const WriteOptions& options,
                     Format format = Format::pdh_csv, bool many_inputs = false) {
    std::vector<blob::Blob> blobs;
    for (std::size_t i = 0; i < zones.size(); ++i)
        blobs.push_back(blob::build(at(static_cast<std::uint16_t>(i), {gauge(2, 44, 7)})));
    const auto samples = read_blobs(std::move(blobs), &english());
    for (std::size_t i = 0; i < zones.size(); ++i) samples->all.at(i).zone = zones[i];
    if (many_inputs)
        for (std::uint32_t i = 0; i < zones.size(); ++i) samples->all.at(i).origin.input = i;
    const auto writer = make_writer(format, options);
    hkpd::Filter filter;
    std::vector<hkpd::Selected> selected;
    std::string text, times;
    do {
        for (const hkpd::Sample& sample : samples->all) {
            filter.select(sample, selected);
            writer->sample(sample, selected, nullptr, text);
        }
    } while (!options.one_pass && writer->again(text));
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) times += line.substr(1, line.find('"', 1) - 1) + "|";
    return times;
}

TEST(PdhLog, TheZoneIsThatOfTheFirstSampleThatHasOne) {
    const hkpd::TimeZone daylight{"Pacific Daylight Time", 420}, standard{"Pacific Standard Time", 480};
    const std::string in_daylight =
        "(PDH-CSV 4.0) (Pacific Daylight Time)(420)|09/13/2020 05:26:40.123|09/13/2020 05:26:41.123|";
    // The header has one zone; the times are those of the log's own clock, which was set back.
    for (const bool one_pass : {false, true})
        EXPECT_EQ(times_of({daylight, standard}, {.one_pass = one_pass}),
                  "(PDH-CSV 4.0) (Pacific Daylight Time)(420)|09/13/2020 05:26:40.123|09/13/2020 04:26:41.123|")
            << one_pass;
    // The times of another log, whose zone is not in the header, use the zone of the header.
    EXPECT_EQ(times_of({daylight, standard}, {}, Format::pdh_csv, true), in_daylight);
    EXPECT_EQ(times_of({daylight, daylight}, {}), in_daylight);
    EXPECT_EQ(times_of({std::nullopt, daylight}, {}), in_daylight);
    EXPECT_EQ(times_of({daylight, std::nullopt}, {}), in_daylight);
    EXPECT_EQ(times_of({standard}, {}, Format::pdh_tsv),
              "(PDH-TSV 4.0) (Pacific Standard Time)(480)|09/13/2020 04:26:40.123|");
    // In one pass the header is written before the second sample is known.
    const std::string utc =
        "(PDH-CSV 4.0) (Coordinated Universal Time)(0)|09/13/2020 12:26:40.123|09/13/2020 12:26:41.123|";
    EXPECT_EQ(times_of({std::nullopt, daylight}, {.one_pass = true}), utc);
    EXPECT_EQ(times_of({std::nullopt, std::nullopt}, {}), utc);
}

TEST(PdhLog, ARequestedZoneTakesPrecedenceOverThatOfTheSamples) {
    const hkpd::TimeZone standard{"Pacific Standard Time", 480};
    for (const bool one_pass : {false, true}) {
        WriteOptions options{.one_pass = one_pass, .zone = hkpd::TimeZone{"India Standard Time", -330}};
        EXPECT_EQ(times_of({standard}, options), "(PDH-CSV 4.0) (India Standard Time)(-330)|09/13/2020 17:56:40.123|");
        options.zone = hkpd::TimeZone{};
        EXPECT_EQ(times_of({standard}, options),
                  "(PDH-CSV 4.0) (Coordinated Universal Time)(0)|09/13/2020 12:26:40.123|");
    }
}

/// Returns the heads of the columns: `\\M\A\B|\\M\C\D|`.
std::string heads(const std::string& text) {
    std::string found = text.substr(0, text.find('\n'));
    for (std::size_t comma; (comma = found.find("\",\"")) != found.npos;) found.replace(comma, 3, "|");
    return found.substr(found.find('|') + 1, found.size() - found.find('|') - 2);
}

/// Returns the rows without their times: `7,8|`; `-` for a missing value.
std::string values(const std::string& text) {
    std::istringstream in(text);
    std::string found, line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::string row = line.substr(line.find(','));
        for (std::size_t blank; (blank = row.find("\" \"")) != row.npos;) row.replace(blank, 3, "-");
        std::erase(row, '"');
        found += row.substr(1) + "|";
    }
    return found;
}

TEST(PdhLog, LaterCountersHaveTheirColumnFromTheStart) {
    const Log log{{at(0, {processor({{u"0", 0, 0}}), gauge(2, 44, 7)}),
                   at(1, {gauge(4, 24, 1), processor({{u"1", 0, 5}, {u"0", 10'000'000, 10}})}),
                   at(2, {processor({{u"1", 5'000'000, 6}}), gauge(2, 44, 9), gauge(4, 24, 2)})}};
    const std::string text = log.text(cooked);
    EXPECT_EQ(heads(text), R"(\\M\Processor(0)\% Privileged Time|\\M\Processor(1)\% Privileged Time|)"
                           R"(\\M\Processor(0)\Interrupts/sec|\\M\Processor(1)\Interrupts/sec|)"
                           R"(\\M\System\Processor Queue Length|\\M\Memory\Available Bytes)");
    EXPECT_EQ(values(text),
              "-,-,-,-,7,-|"
              "100,-,10,-,-,1|"
              "-,50,-,1,9,2|");
}

TEST(PdhLog, ALaterCounterIsPlacedWithItsObject) {
    blob::Object more = gauge(2, 44, 8);
    more.counters.push_back({.title = 248});
    more.values.emplace_back(5);
    const Log log{{at(0, {gauge(2, 44, 7), gauge(4, 24, 1)}), at(1, {gauge(4, 24, 2), more})}};
    const std::string text = log.text(cooked);
    EXPECT_EQ(heads(text), R"(\\M\System\Processor Queue Length|\\M\System\Processes|\\M\Memory\Available Bytes)");
    EXPECT_EQ(values(text), "7,-,1|8,5,2|");
}

/// Checks that columns are places, as in Windows: svchost#1 becomes svchost when the first one ends.
TEST(PdhLog, ColumnsOfEqualNamesArePlaces) {
    const Log log{{at(0, {processes({{u"svchost", 10, 1}, {u"cmd", 20, 2}, {u"svchost", 30, 3}})}),
                   at(1, {processes({{u"cmd", 20, 4}, {u"svchost", 30, 5}})}),
                   at(2, {processes({{u"svchost", 30, 6}, {u"svchost", 40, 7}, {u"cmd", 20, 8}})})},
                  Format::pdh_csv,
                  threads_only};
    const Written written = log.write(cooked);
    EXPECT_EQ(heads(written.text),
              R"(\\M\Process(svchost)\Thread Count|\\M\Process(cmd)\Thread Count|\\M\Process(svchost#1)\Thread Count)");
    EXPECT_EQ(values(written.text), "1,2,3|5,4,-|6,8,7|");
    EXPECT_EQ(written.faults, "note columns_shared 2|");
}

TEST(PdhLog, ParentsPrecedeTheirInstances) {
    blob::Object threads{.title = 232, .kind = blob::Kind::multi, .counters = {{.title = 694}}};
    for (std::uint32_t i = 0; i < 3; ++i)
        threads.instances.push_back({.name = u"0", .values = {i + 1}, .parent_object = 230, .parent = i});
    const Log log{{at(0, {processes({{u"cmd", 10, 1}, {u"svchost", 20, 2}, {u"svchost", 30, 3}}), threads})},
                  Format::pdh_csv,
                  {R"(\Thread(*)\*)"}};
    const std::string text = log.text(cooked);
    EXPECT_EQ(heads(text), R"(\\M\Thread(cmd/0)\Priority Current|\\M\Thread(svchost/0)\Priority Current|)"
                           R"(\\M\Thread(svchost/0#1)\Priority Current)");
    EXPECT_EQ(values(text), "1,2,3|");
}

TEST(PdhLog, OnlySelectedCounters) {
    Log log{{at(0, {processor({{u"0", 1, 2}, {u"1", 3, 4}}), gauge(2, 44, 7)}),
             at(1, {processor({{u"1", 5, 6}, {u"0", 7, 8}}), gauge(2, 44, 7)})},
            Format::pdh_csv,
            {R"(\Processor(1)\Interrupts/sec)", R"(\Processor(0)\% Privileged Time)"}};
    const std::string text = log.text(raw);
    EXPECT_EQ(heads(text), R"(\\M\Processor(0)\% Privileged Time|\\M\Processor(1)\Interrupts/sec)");
    EXPECT_EQ(values(text), "1,4|7,6|");
    log.paths = {R"(\Nothing\At all)"};
    EXPECT_EQ(log.text(raw),
              "\"(PDH-CSV 4.0) (Coordinated Universal Time)(0)\"\n\"09/13/2020 12:26:40.123\"\n"
              "\"09/13/2020 12:26:41.123\"\n");
}

TEST(PdhLog, BasesAndTextHaveNoCookedColumn) {
    const blob::Object object{.title = 2,
                              .counters = {{.title = 1350, .type = type::raw_fraction},
                                           {.title = 1350, .type = type::raw_base},
                                           {.title = 10, .type = type::text_unicode, .size = 8},
                                           {.title = 12, .type = type::nodata, .size = 0},
                                           {.title = 14, .type = 0x0ABC'DEF1, .size = 4}},
                              .values = {3, 4, blob::utf16(u"text"), ""s, 5}};
    const Log log{{at(0, {object})}};
    EXPECT_EQ(heads(log.text(cooked)), R"(\\M\System\% Registry Quota In Use)");
    EXPECT_EQ(values(log.text(cooked)), "75|");
    EXPECT_EQ(heads(log.text(raw)), R"(\\M\System\% Registry Quota In Use|\\M\System\% Registry Quota In Use|)"
                                    R"(\\M\System\File Control Operations/sec)");
    EXPECT_EQ(values(log.text(raw)), "3,4,5|");
}

TEST(PdhLog, CountersWithEqualTitlesHaveSeparateColumns) {
    const blob::Object object{.title = 2, .counters = {{.title = 44}, {.title = 44}}, .values = {1, 2}};
    const Log log{{at(0, {object}), at(1, {object})}};
    EXPECT_EQ(heads(log.text(cooked)), R"(\\M\System\Processor Queue Length|\\M\System\Processor Queue Length)");
    EXPECT_EQ(values(log.text(cooked)), "1,2|1,2|");
}

TEST(PdhLog, AValueByConventionIsShown) {
    const blob::Object object{
        .title = 2,
        .counters = {{.title = 10, .type = type::average_bulk, .size = 8}, {.title = 12, .type = type::average_base}},
        .values = {5, 6}};
    EXPECT_EQ(values(Log{{at(0, {object}), at(1, {object})}}.text(cooked)), "-|0|");
}

TEST(PdhLog, DamagedValuesAreBlank) {
    blob::Object object = processor({{u"0", 1, 2}, {u"1", 3, 4}});
    object.instances[1].block_length = 4;
    const Log log{{at(0, {object})}};
    EXPECT_EQ(values(log.text(raw)), "1,-,2,-|");
}

TEST(PdhLog, LargeRawValues) {
    const blob::Object object{.title = 2,
                              .counters = {{.title = 10, .type = type::large_rawcount, .size = 8}},
                              .values = {std::numeric_limits<std::uint64_t>::max()}};
    EXPECT_EQ(values(Log{{at(0, {object})}}.text(raw)), "18446744073709551615|");
    EXPECT_EQ(values(Log{{at(0, {object})}}.text(cooked)), "1.8446744073709552e+19|");
}

TEST(PdhLog, MissingNamesAreShownAsIndices) {
    const Log log{{at(0, {processor({{u"_Total", 1, 2}}), gauge(2, 44, 7)})}, Format::pdh_csv, {}, nullptr};
    EXPECT_EQ(heads(log.text(raw)), R"(\\M\238(_Total)\144|\\M\238(_Total)\148|\\M\2\44)");
}

TEST(PdhLog, ANameFoundLaterIsUsed) {
    const auto nameless = read_block(at(0, {gauge(2, 44, 7)})),
               named = read_block(at(1, {gauge(2, 44, 8)}), &english());
    const auto writer = make_writer(Format::pdh_csv, raw);
    const hkpd::Selected all{0, {0}, {0}};
    std::string text;
    writer->sample(nameless->all[0], {&all, 1}, nullptr, text);
    writer->sample(named->all[0], {&all, 1}, nullptr, text);
    EXPECT_TRUE(writer->again(text));
    EXPECT_EQ(heads(text), R"(\\M\System\Processor Queue Length)");
}

TEST(PdhLog, AListWithAnEmptyNameIsStillAList) {
    EXPECT_EQ(heads(Log{{at(0, {processes({{u"", 1, 2}})})}, Format::pdh_csv, threads_only}.text(raw)),
              R"(\\M\Process()\Thread Count)");
}

TEST(PdhLog, NoMachineNoTime) {
    blob::Block block = at(0, {gauge(2, 44, 7)}, u"");
    block.system_time.month = 13;
    EXPECT_EQ(Log{{block}}.text(cooked),
              "\"(PDH-CSV 4.0) (Coordinated Universal Time)(0)\",\"\\System\\Processor Queue Length\"\n\" \",\"7\"\n");
}

TEST(PdhLog, MachinesHaveSeparateColumns) {
    const Log log{{at(0, {gauge(2, 44, 1)}, u"A"), at(1, {gauge(2, 44, 2)}, u"B"), at(2, {gauge(2, 44, 3)}, u"A")}};
    const std::string text = log.text(cooked);
    EXPECT_EQ(heads(text), R"(\\A\System\Processor Queue Length|\\B\System\Processor Queue Length)");
    EXPECT_EQ(values(text), "1,-|-,2|3,-|");
}

TEST(PdhLog, NamesBreakNeitherRowsNorCells) {
    const Log log{{at(0, {processes({{u"a\r\nb\t\"c\",\"d\x85\u2028\u2029", 1, 2}})})}, Format::pdh_csv, threads_only};
    const std::string text = log.text(raw);
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "\"(PDH-CSV 4.0) (Coordinated Universal Time)(0)\","
              "\"\\\\M\\Process(a  b \"\"c\"\",\"\"d   )\\Thread Count\"");
    EXPECT_EQ(std::ranges::count(text, '\n'), 2);
}

TEST(PdhLog, WithoutSamplesThereIsOnlyAHead) {
    const std::string head = "\"(PDH-CSV 4.0) (Coordinated Universal Time)(0)\"\n";
    EXPECT_EQ(Log{}.text(cooked), head);
    EXPECT_EQ(Log{}.text({.cooked = true, .one_pass = true}), head);
}

TEST(PdhLog, InOnePassTheFirstSampleFixesTheColumns) {
    const Log log{{at(0, {processor({{u"0", 1, 2}})}),
                   at(1, {processor({{u"1", 3, 4}, {u"0", 5, 6}}), gauge(2, 44, 7)}),
                   at(2, {processor({{u"1", 8, 9}})})}};
    const Written written = log.write({.one_pass = true});
    EXPECT_EQ(heads(written.text), R"(\\M\Processor(0)\% Privileged Time|\\M\Processor(0)\Interrupts/sec)");
    EXPECT_EQ(values(written.text), "1,2|5,6|-,-|");
    EXPECT_EQ(written.faults, "warning columns_fixed 3|");
    const Log steady{{at(0, {processor({{u"0", 1, 2}})}), at(1, {processor({{u"0", 5, 6}})})}};
    EXPECT_EQ(steady.text({.one_pass = true}), steady.text({}));
}

TEST(PdhLog, NoMoreColumnsThanTheLimit) {
    const Log log{{at(0, {processor({{u"0", 1, 2}, {u"1", 3, 4}})}), at(1, {gauge(2, 44, 7)})}};
    Written written = log.write({.series = 3});
    EXPECT_EQ(written.faults, "error series_limit 3|");
    EXPECT_EQ(values(written.text), "1,3,2|-,-,-|");
    EXPECT_EQ(log.write({.series = 5}).faults, "");
    EXPECT_EQ(values(log.write({.series = 5}).text), "1,3,2,4,-|-,-,-,-,7|");
    for (const bool one_pass : {false, true}) {
        written = log.write({.one_pass = one_pass, .series = 1});
        EXPECT_EQ(written.faults, "error series_limit 1|");
        EXPECT_EQ(values(written.text), "1|-|");
    }
}

TEST(PdhLog, OnlyColumnsCountAgainstTheLimit) {
    const blob::Object empty{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 680}, {.title = 784}}};
    EXPECT_EQ(values(Log{{at(0, {empty, gauge(2, 44, 7)})}}.text({.series = 1})), "7|");
}

TEST(PdhLog, InstancesWithoutANumberAreReported) {
    blob::Object names{.title = 230, .kind = blob::Kind::multi};
    names.instances = {{.name = u"a"}, {.name = u"b"}};
    const Written written = Log{{at(0, {names, gauge(2, 44, 7)})}}.write({.series = 2});
    EXPECT_EQ(written.faults, "error series_limit 2|");
}

TEST(PdhLog, ManyInstancesOfManyCountersCostNoMoreThanTheirValues) {
    std::vector<blob::Block> blocks;
    for (std::uint16_t second = 0; second < 5; ++second) {
        blob::Object object{.title = 230, .kind = blob::Kind::multi};
        for (std::uint32_t c = 0; c < 200; ++c) object.counters.push_back({.title = 44, .offset = 4});
        for (std::uint32_t i = 0; i < 400; ++i) object.instances.push_back({.name = u"same", .values = {i}});
        blocks.push_back(at(second, {object}));
    }
    const hkpd_test::ProcessorTime used;
    const std::string text = Log{blocks}.text(raw);
    EXPECT_LT(used.seconds(), 10);
    EXPECT_EQ(std::ranges::count(text, '\n'), 6);
    EXPECT_EQ(std::ranges::count(text, ','), 6 * 200 * 400);
}

TEST(PdhText, NumbersEqualPrintf) {
    std::vector<double> numbers{0.0,  -0.0, 1,     -1,     0.1,       100,    1e-5, 1.5e-4, 123456789012345680.0,
                                1e16, 1e17, 1e300, 5e-324, 99.982990, 1.0 / 3};
    std::mt19937_64 random(1);  // NOLINT: the same sequence every time
    for (int i = 0; i < 20'000; ++i) {
        const double number = std::bit_cast<double>(random());
        if (std::isfinite(number)) numbers.push_back(number);
        numbers.push_back(static_cast<double>(random() % 100'000'000) / 997);
    }
    for (const double number : numbers) {
        std::array<char, 40> expected{};
        std::snprintf(expected.data(), expected.size(), "\"%.17g\"", number);
        std::string text;
        hkpd::append_pdh_number(text, number);
        ASSERT_EQ(text, expected.data());
    }
}

TEST(PdhText, TimesOfTheWholeCalendar) {
    const auto time = [](hkpd::SystemTime utc, std::int32_t bias) {
        std::string text;
        hkpd::append_pdh_time(text, utc, -60 * bias);
        return text;
    };
    EXPECT_EQ(time({1601, 1, 0, 1, 0, 0, 0, 0}, 1), "\"12/31/1600 23:59:00.000\"");
    EXPECT_EQ(time({2024, 12, 0, 31, 23, 59, 59, 999}, -60), "\"01/01/2025 00:59:59.999\"");
    EXPECT_EQ(time({9999, 12, 0, 31, 0, 0, 0, 7}, 0), "\"12/31/9999 00:00:00.007\"");
    EXPECT_EQ(time({30827, 12, 0, 31, 23, 59, 59, 999}, 0), "\"12/31/30827 23:59:59.999\"");
}

/// Returns the cells of a line written by Windows, without their quotes. Its names contain no quotes.
std::vector<std::string> cells(std::string_view line, char separator) {
    std::vector<std::string> found;
    for (std::size_t begin = 0; begin < line.size(); begin += 3 + found.back().size()) {
        EXPECT_EQ(line[begin], '"');
        const std::size_t end = line.find('"', begin + 1);
        EXPECT_TRUE(end + 1 == line.size() || line[end + 1] == separator);
        found.emplace_back(line.substr(begin + 1, end - begin - 1));
    }
    return found;
}

class WindowsPdhLogs : public WindowsData {
  protected:
    std::string read(const std::string& name) const {
        std::ifstream file(folder_ / "data" / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    /// Parses the cells of a header, and returns the header written again from them.
    static std::string rewritten_header(const std::vector<std::string>& parts, Format format, char separator,
                                        hkpd::TimeZone& zone) {
        std::array<char, 100> name{};
        EXPECT_EQ(std::sscanf(parts[0].c_str(), "(PDH-%*cSV 4.0) (%99[^)])(%d)", name.data(), &zone.bias), 2);
        zone.name = name.data();
        std::string text;
        hkpd::append_pdh_head(text, format, zone);
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const auto path = hkpd::CounterPath::parse(parts[i]).value();
            const auto open = path.object.find('(');
            const bool has_instance = open != std::string::npos;
            const std::string instance =
                has_instance ? path.object.substr(open + 1, path.object.size() - open - 2) : "";
            text += separator;
            hkpd::append_pdh_path(text, path.machine, path.object.substr(0, open),
                                  has_instance ? std::optional<std::string_view>(instance) : std::nullopt,
                                  path.counter);
        }
        return text + "\n";
    }

    /// Parses the cells of a row, and returns the row written again from them.
    static std::string rewritten_row(const std::vector<std::string>& parts, char separator, std::int32_t bias) {
        hkpd::SystemTime utc{};
        EXPECT_EQ(std::sscanf(parts[0].c_str(), "%hu/%hu/%hu %hu:%hu:%hu.%hu", &utc.month, &utc.day, &utc.year,
                              &utc.hour, &utc.minute, &utc.second, &utc.milliseconds),
                  7);
        utc.hour = static_cast<std::uint16_t>(utc.hour + bias / 60);  // the hour stays within the day
        EXPECT_TRUE(utc.valid());
        std::string text;
        hkpd::append_pdh_time(text, utc, -60 * bias);
        for (std::size_t i = 1; i < parts.size(); ++i) {
            text += separator;
            if (parts[i] == " ")
                text += hkpd::no_pdh_value;
            else
                hkpd::append_pdh_number(text, std::strtod(parts[i].c_str(), nullptr));
        }
        return text + "\n";
    }
};

TEST_F(WindowsPdhLogs, ItsCellsAreReproduced) {
    const std::pair<const char*, Format> logs[] = {{"csv/win10-14393-counters.csv", Format::pdh_csv},
                                                   {"csv/win10-14393-counters.tsv", Format::pdh_tsv}};
    for (const auto& [name, format] : logs) {
        const std::string text = read(name);
        const char separator = format == Format::pdh_tsv ? '\t' : ',';
        std::istringstream in(text);
        std::string line, rewritten;
        hkpd::TimeZone zone;
        ASSERT_TRUE(std::getline(in, line));
        rewritten = rewritten_header(cells(line, separator), format, separator, zone);
        EXPECT_EQ(zone.bias, 480);
        while (std::getline(in, line)) rewritten += rewritten_row(cells(line, separator), separator, zone.bias);
        EXPECT_EQ(std::ranges::count(rewritten, '\n'), 26);
        EXPECT_EQ(rewritten, text);
    }
}

TEST_F(WindowsPdhLogs, ElevenMinutesOfAMachine) {
    const auto make_source = [this] { return hkpd::open_files({path("data/v1/vista-2007")}, {}); };
    for (const bool cook : {true, false}) {
        const Written written = write_log(make_source, Format::pdh_csv, {.cooked = cook});
        EXPECT_TRUE(written.faults.starts_with("note columns_shared ")) << written.faults;
        std::istringstream in(written.text);
        std::string line;
        ASSERT_TRUE(std::getline(in, line));
        const std::vector<std::string> header = cells(line, ',');
        EXPECT_EQ(std::set<std::string>(header.begin(), header.end()).size() == header.size(), cook);
        std::size_t rows = 0, present = 0;
        for (; std::getline(in, line); ++rows) {
            const std::vector<std::string> row = cells(line, ',');
            EXPECT_EQ(row.size(), header.size());
            present +=
                static_cast<std::size_t>(std::ranges::count_if(row, [](const auto& cell) { return cell != " "; }));
        }
        EXPECT_EQ(rows, 11U);
        EXPECT_GT(present, rows * header.size() * 8 / 10);
    }
}

}  // namespace pdh_test
}  // namespace hkpd_test
