// Two real performance logs as sources of samples: one of Vista with complete objects, one of Windows 10 with raw
// counters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/json_text.hpp"
#include "source/replay.hpp"
#include "support/log_samples.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace log_real_test {

using testing::ElementsAre;
using testing::SizeIs;

class WindowsLogSamples : public WindowsData {
  protected:
    std::string vista() const { return path("data/blg/vista-2007-wildcards.blg"); }
    std::string win10() const { return path("data/blg/win10-14393-counters.blg"); }
};
class RealLogSamples : public SharedDir {};

std::string time_text(const hkpd::Sample& sample) {
    if (!sample.system_time) return "?";
    std::string text;
    const hkpd::SystemTime& t = *sample.system_time;
    for (const unsigned part : {t.year, t.month, t.day, t.hour, t.minute, t.second, t.milliseconds})
        text.append(text.empty() ? "" : " ").append(std::to_string(part));
    return text;
}

TEST_F(WindowsLogSamples, VistaEqualsItsBlobs) {
    const auto samples = read_log_samples({vista()});
    EXPECT_FALSE(samples->diagnostics.any_fault()) << placed_faults(samples->diagnostics);
    ASSERT_THAT(samples->all, SizeIs(11));
    // The blobs themselves, with the machine's titles
    hkpd::Diagnostics diagnostics;
    const ExactBytes multi_sz(read_file(folder_ / "data/titles/vista-2007-counter-009.multisz"));
    hkpd::Titles titles;
    titles.add(parse_titles(multi_sz.at(), "titles", diagnostics)->at(0));
    Samples blobs;
    const auto source = hkpd::open_files({path("data/v1/vista-2007")}, {});
    read_all(*source, &titles, {}, blobs);
    ASSERT_THAT(blobs.all, SizeIs(11));
    // Notes about sizes of counters, and one for each blob alone: its SystemTime is local.
    EXPECT_EQ(samples->diagnostics.count() + 11, blobs.diagnostics.count());
    for (std::size_t k = 0; k < 11; ++k) {
        const hkpd::Sample &logged = samples->all[k], &blob = blobs.all[k];
        EXPECT_EQ(samples->numbers[k], k);
        EXPECT_EQ(logged.machine, "ZACH-PC");
        EXPECT_EQ(logged.source, hkpd::SampleSource::log);
        // SystemTime of a block in a log is local time, like all times of the log; PerfTime100nSec is UTC.
        EXPECT_EQ(unix_time(logged).value(), unix_time(blob).value()) << k;
        EXPECT_NEAR(static_cast<double>(unix_time(logged).value()),
                    100.0 * static_cast<double>(blob.perf_time_100ns - 116'444'736'000'000'000), 1e6)
            << k;
        EXPECT_EQ(logged.perf.time, blob.perf.time);
        EXPECT_EQ(logged.perf.frequency, blob.perf.frequency);
        EXPECT_EQ(logged.perf_time_100ns, blob.perf_time_100ns);
        ASSERT_TRUE(logged.zone);
        EXPECT_EQ(logged.zone->name, "Eastern Daylight Time");
        EXPECT_EQ(logged.zone->bias, 240);
        std::vector<std::string> ours = cells(logged), theirs = cells(blob);
        EXPECT_GT(ours.size(), 800U);
        std::ranges::sort(ours);  // objects are in the order of the catalogue here, and in that of the file names there
        std::ranges::sort(theirs);
        EXPECT_EQ(ours, theirs) << k;
        for (const hkpd::Object& object : logged.objects()) {
            EXPECT_TRUE(object.name);
            for (const hkpd::Column& column : object.columns) EXPECT_FALSE(column.logged());
        }
    }
    EXPECT_EQ(object_indices(samples->all[0]), "236,638,4,510,234,230,238,2");
    EXPECT_EQ(time_text(samples->all[0]), "2007 8 14 19 40 38 659");
}

TEST_F(WindowsLogSamples, VistaContainsItsTitles) {
    const auto samples = read_log_samples({vista()});
    std::size_t count = 0;
    hkpd::Diagnostics diagnostics;
    const ExactBytes multi_sz(read_file(folder_ / "data/titles/vista-2007-counter-009.multisz"));
    const auto expected = parse_titles(multi_sz.at(), "titles", diagnostics);
    ASSERT_TRUE(expected);
    ASSERT_THAT(*expected, SizeIs(1));
    EXPECT_EQ(expected->at(0).size(), 1839U);
    std::vector<std::string> all, wanted;
    for (const hkpd::TitleTable& table : samples->titles.tables()) {
        EXPECT_EQ(table.machine(), "ZACH-PC");
        for (std::size_t i = 0; i < table.size(); ++i, ++count)
            all.push_back(std::to_string(table[i].index) + " " + std::string(table[i].text));
    }
    EXPECT_EQ(count, 1839U);
    for (std::size_t i = 0; i < expected->at(0).size(); ++i)
        wanted.push_back(std::to_string(expected->at(0)[i].index) + " " + std::string(expected->at(0)[i].text));
    EXPECT_EQ(all, wanted);
}

/// Returns a path as in the header of a text log: `\\charlieparker\processor(_total)\% processor time`.
std::string path_of(const hkpd::Sample& sample, const hkpd::Object& object, const hkpd::Column& column,
                    std::size_t row) {
    std::string path = "\\\\" + sample.machine.value() + "\\" + std::string(object.name->text);
    if (object.kind == hkpd::Kind::multi) path.append("(").append(*object.instances[row].name).append(")");
    return path + "\\" + std::string(column.name->text);
}

TEST_F(WindowsLogSamples, Windows10HasTheRawValues) {
    const auto samples = read_log_samples({win10()});
    EXPECT_EQ(fault_codes(samples->diagnostics), "");
    ASSERT_THAT(samples->all, SizeIs(25));
    const hkpd::Sample& first = samples->all[0];
    EXPECT_THAT(first.objects(), SizeIs(4));
    EXPECT_EQ(first.machine, "charlieparker");
    EXPECT_EQ(time_text(first), "2016 11 26 21 46 30 874");
    EXPECT_EQ(first.zone->name, "Pacific Standard Time");
    EXPECT_EQ(first.zone->bias, 480);
    EXPECT_THAT(
        cells(first),
        ElementsAre("network interface(intel[r] ethernet connection i218-lm)\\bytes total/sec=0/2006530743703",
                    "network interface(intel[r] dual band wireless-ac 7260)\\bytes total/sec=3983296633/2006530743703",
                    "network interface(isatap.{ea2a01ef-c879-4737-9677-c2fbbc1b5af4})\\bytes "
                    "total/sec=0/2006530743703",
                    "network interface(isatap.jetsoft.com)\\bytes total/sec=0/2006530743703",
                    "network interface(teredo tunneling pseudo-interface)\\bytes total/sec=321872/2006530743703",
                    "processor(_total)\\% processor time=4903144765625/131246703908743382",
                    "memory\\% committed bytes in use=3733930794/4294967295",
                    "memory\\cache faults/sec=574088259/2006530743703",
                    "physicaldisk(_total)\\% disk time=554043229430/131246703908743382",
                    "physicaldisk(_total)\\current disk queue length=0/0"));
    for (const hkpd::Object& object : first.objects())
        for (const hkpd::Column& column : object.columns)
            for (const std::uint64_t taken : column.taken) EXPECT_EQ(taken, 131'246'703'908'740'000U);
    EXPECT_EQ(time_text(samples->all[24]), "2016 11 26 21 47 42 983");
}

TEST_F(WindowsLogSamples, Windows10IsCookedAsByWindows) {
    rapidjson::Document document;
    document.Parse(read_file(folder_ / "data/vectors/pdh-cooked.json").c_str());
    ASSERT_FALSE(document.HasParseError());
    std::vector<std::vector<std::string>> expected(25, std::vector<std::string>(10));  // by sample and column
    for (const auto& pair : at(document, "vectors").GetArray())
        expected.at(at(pair, "sample").GetUint()).at(at(pair, "col").GetUint()) = at(pair, "cooked").GetString();
    const auto source = hkpd::open_files({win10()}, {});
    hkpd::Diagnostics diagnostics;
    hkpd::SampleReader reader(*source, nullptr, {});
    hkpd::Replay replay(reader, {});
    std::size_t compared = 0;
    while (replay.next(diagnostics)) {
        const hkpd::Sample& sample = replay.sample();
        std::size_t place = 0;
        for (std::size_t o = 0; o < sample.objects().size(); ++o) {
            const hkpd::Object& object = sample.objects()[o];
            for (std::size_t c = 0; c < object.columns.size(); ++c)
                for (std::size_t row = 0; row < object.instances.size(); ++row, ++place) {
                    ASSERT_LT(place, 10U);
                    const std::string path = at(document, "header", static_cast<int>(place) + 1).GetString();
                    EXPECT_EQ(path_of(sample, object, object.columns[c], row), path);
                    const std::string& wanted = expected.at(replay.number())[place];
                    if (wanted.empty()) continue;
                    const double value = replay.cooker().column(o, c)[row].value;
                    EXPECT_EQ(std::bit_cast<std::uint64_t>(value),
                              std::bit_cast<std::uint64_t>(std::strtod(wanted.c_str(), nullptr)))
                        << replay.number() << " " << path << ": " << value << " is not " << wanted;
                    ++compared;
                }
        }
        EXPECT_EQ(place, 10U);
    }
    EXPECT_EQ(compared, 240U);
    EXPECT_EQ(fault_codes(diagnostics), "");
}

TEST_F(WindowsLogSamples, BothInOneRun) {
    const auto samples = read_log_samples({vista(), win10()});
    EXPECT_THAT(samples->all, SizeIs(36));
    EXPECT_EQ(samples->numbers.back(), 35U);
    EXPECT_EQ(object_indices(samples->all[10]), "236,638,4,510,234,230,238,2");
    EXPECT_EQ(cells(samples->all[11]), cells(read_log_samples({win10()})->all[0]));
    EXPECT_THAT(samples->diagnostics.inputs(), SizeIs(2));
}

TEST_F(WindowsLogSamples, ADirectoryOfLogs) {
    const TempFolder folder;
    folder.write("b.blg", read_file(folder_ / "data/blg/win10-14393-counters.blg"));
    folder.write("a.blg", read_file(folder_ / "data/blg/vista-2007-wildcards.blg"));
    folder.write("notes.txt", "no log at all, and of no interest here");
    const auto samples = read_log_samples({folder.path()});
    ASSERT_THAT(samples->all, SizeIs(36));
    EXPECT_EQ(samples->all[0].machine, "ZACH-PC");
    EXPECT_EQ(samples->all[35].machine, "charlieparker");
}

TEST_F(RealLogSamples, ATextLogIsReadAsOne) {
    const auto samples = read_log_samples({path("data/blg/not-a-blg.blg")});
    ASSERT_THAT(samples->all, testing::Not(testing::IsEmpty()));
    EXPECT_EQ(samples->all[0].machine, "CHANDSR-X86");
    EXPECT_EQ(samples->all[0].zone->name, "Pacific Daylight Time");
    EXPECT_EQ(placed_faults(samples->diagnostics), "note text_log@0|");
}

}  // namespace log_real_test
}  // namespace hkpd_test
