// `hkpd replay`: its output for demo.bin (three samples two seconds apart, in which one process ends and another takes
// its slot) and for real samples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "json_text.hpp"
#include "run_command.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"
#include "support/waiting.hpp"

namespace hkpd_test {
namespace replay_cli_test {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";

Result replay(std::vector<std::string> arguments, std::string input = {}, bool piped = false) {
    arguments.insert(arguments.begin(), "replay");
    return run({.arguments = std::move(arguments), .input = std::move(input), .piped = piped});
}

/// Returns the lines of JSON Lines output.
std::vector<rapidjson::Document> json_lines(const Result& result) {
    std::vector<rapidjson::Document> all;
    for (const std::string& line : lines(result.out)) all.push_back(parse_json(line));
    return all;
}

/// Returns `key` of each line as JSON text.
std::vector<std::string> column(const Result& result, const char* key) {
    std::vector<std::string> all;
    for (const auto& line : json_lines(result)) all.push_back(json_text(at(line, key)));
    return all;
}

Result jsonl(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--format", "jsonl", demo});
    return replay(arguments);
}

TEST(ReplayCli, RatesAreThoseOfTheDemoMachine) {
    // Idle takes 1430 of 2000 thousandths of two processors: 100·(1 − 0.715), which is 28.500000000000005 in doubles.
    const Result cpu = jsonl({"--path", R"(\Processor(_Total)\% Processor Time)"});
    EXPECT_THAT(column(cpu, "value"), ElementsAre("null", "28.500000000000005", "28.500000000000005"));
    EXPECT_THAT(column(cpu, "reason"), ElementsAre("\"first_sample\"", "null", "null"));
    // sqlservr: 212 + 48 thousandths of one processor.
    const Result process = jsonl({"--path", R"(\Process(sqlservr)\% Processor Time)"});
    EXPECT_THAT(column(process, "value"), ElementsAre("null", "26", "26"));
}

TEST(ReplayCli, KeysAreThoseOfDumpPlusValueAndReason) {
    const auto all = json_lines(jsonl({"--path", R"(\System\Threads)"}));
    ASSERT_EQ(all.size(), 3U);
    std::string keys;
    for (const auto& member : all[1].GetObject()) keys += std::string(member.name.GetString()) + " ";
    EXPECT_EQ(keys,
              "time machine source object object_index counterset parent instance pid instance_id life pdh_instance "
              "counter counter_index type raw value reason ");
    EXPECT_EQ(json_text(at(all[0], "value")), "50");  // needs no earlier sample
    EXPECT_EQ(json_text(at(all[0], "reason")), "null");
}

TEST(ReplayCli, AProcessThatTookAFreeSlotIsNew) {
    const Result result = jsonl({"--object", "Process", "--counter", "% Processor Time", "--counter", "ID Process"});
    std::map<std::pair<std::string, std::string>, std::string> found;  // (time, pid) → reason
    std::string pid;
    std::map<std::string, std::string> values;
    for (const auto& line : json_lines(result)) {
        const std::string key = json_text(at(line, "time")) + json_text(at(line, "pdh_instance"));
        if (json_text(at(line, "counter")) == "\"ID Process\"")
            values[key] = json_text(at(line, "raw"));
        else
            found[{json_text(at(line, "time")), key}] = json_text(at(line, "reason"));
    }
    std::size_t fresh = 0;
    for (const auto& [where, reason] : found) {
        const std::string id = values.at(where.second);
        const bool first = where.first.find("09:30:00") != std::string::npos;
        // 3280 starts at second 1 and is first seen at 2; 3344 takes backup's slot at 3 and is first seen at 4.
        const bool is_new = (id == "3280" && where.first.find("09:30:02") != std::string::npos) ||
                            (id == "3344" && where.first.find("09:30:04") != std::string::npos);
        // The usage of backup disappears with it, so the sum of all decreases.
        const bool less =
            where.second.find("_Total") != std::string::npos && where.first.find("09:30:04") != std::string::npos;
        EXPECT_EQ(reason, first    ? "\"first_sample\""
                          : is_new ? "\"instance_new\""
                          : less   ? "\"counter_went_back\""
                                   : "null")
            << id << where.first;
        fresh += is_new ? 1 : 0;
    }
    EXPECT_EQ(fresh, 2U);
}

TEST(ReplayCli, RangesByTimeAndByNumber) {
    const auto times = [](std::vector<std::string> range) {
        range.insert(range.end(), {"--path", R"(\System\Threads)"});
        return column(jsonl(range), "time");
    };
    const std::string zero = "\"2024-05-14T09:30:00.000Z\"", two = "\"2024-05-14T09:30:02.000Z\"",
                      four = "\"2024-05-14T09:30:04.000Z\"";
    EXPECT_THAT(times({"--from", "2024-05-14T09:30:02"}), ElementsAre(two, four));
    EXPECT_THAT(times({"--to", "2024-05-14T09:30:02"}), ElementsAre(zero, two));
    EXPECT_THAT(times({"--from", "1", "--to", "1"}), ElementsAre(two));
    EXPECT_THAT(times({"--from", "5/14/2024 2:30:03AM", "--tz", "Pacific Daylight Time,420"}), ElementsAre(four));
    EXPECT_THAT(times({"--every", "2"}), ElementsAre(zero, four));
    // The first sample of the range is computed from the one before it.
    const std::string idle = R"(\Processor(0)\% Idle Time)";
    const auto all = column(jsonl({"--path", idle}), "value");
    EXPECT_THAT(all, ElementsAre("null", testing::_, testing::_));
    EXPECT_THAT(column(jsonl({"--from", "1", "--path", idle}), "value"), ElementsAre(all[1], all[2]));
    EXPECT_THAT(column(jsonl({"--from", "1", "--to", "1", "--path", idle}), "value"), ElementsAre(all[1]));
    EXPECT_THAT(column(jsonl({"--from", "2024-05-14T09:30:03", "--path", idle}), "value"), ElementsAre(all[2]));
    EXPECT_THAT(column(jsonl({"--from", "0", "--to", "0", "--path", idle}), "reason"), ElementsAre("\"first_sample\""));
    EXPECT_EQ(replay({"--from", "2030-01-01", demo}).exit, 2);
}

TEST(ReplayCli, RatesAreComputedFromTheSamplesShown) {
    const std::vector<std::string> path{"--path", R"(\Process(sqlservr)\% Processor Time)", "--every", "2"};
    EXPECT_THAT(column(jsonl(path), "value"), ElementsAre("null", "26"));
}

TEST(ReplayCli, PathsFromAFile) {
    const TempFolder folder;
    const std::string utf8 = folder.write("paths.txt", "\\System\\Threads\n\n\"\\Processor(1)\\Interrupts/sec\"\r\n");
    const Result result = replay({"-cf", utf8, "--format", "csv", demo});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(lines(result.out).size(), 1 + 3 * 2U);
    // PowerShell's > writes UTF-16 with a mark.
    std::string wide = "\xFF\xFE";
    for (const char c : std::string("\\System\\Threads\r\n")) wide.append({c, '\0'});
    EXPECT_EQ(lines(replay({"-cf", folder.write("wide.txt", wide), "--format", "csv", demo}).out).size(), 1 + 3U);
    EXPECT_EQ(replay({"-cf", folder.path("none.txt"), demo}).exit, 3);
    EXPECT_EQ(replay({"-cf", folder.write("empty.txt", "\n"), demo}).exit, 2);
    EXPECT_EQ(replay({demo, "-cf", utf8, "--format", "csv"}).out, result.out);
}

TEST(ReplayCli, PathsFromAFileAreAnOptionOnlyInItsPlace) {
    EXPECT_THAT(replay({demo, "--object", "-cf"}).err, HasSubstr("no object '-cf' in any sample"));
    EXPECT_THAT(replay({"--tz", "-cf", demo}).err, HasSubstr("found '-cf'"));
    EXPECT_THAT(replay({"--", "-cf"}).err, HasSubstr("-cf: ")) << "a file of that name";
    EXPECT_THAT(run({"check", "-cf", "paths.txt", demo}).err, HasSubstr("unrecognised option '-cf'"));
}

TEST(ReplayCli, RawIsWhatDumpShows) {
    for (const std::string format : {"table", "json", "jsonl", "csv"})
        EXPECT_EQ(replay({"--raw", "--format", format, demo}).out, dump({"--format", format, demo}).out) << format;
}

TEST(ReplayCli, TableHidesBasesAndNamesUnits) {
    const Result result = replay({"--object", "Processor", demo});
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.out, HasSubstr("first sample, cooked values"));
    EXPECT_THAT(result.out, HasSubstr("/sec"));
    EXPECT_THAT(result.out, testing::Not(HasSubstr("not_displayable")));
}

TEST(ReplayCli, SummaryMatchesTheSamples) {
    const auto all = json_lines(jsonl({"--summary", "--path", R"(\Processor(_Total)\% Processor Time)", "--path",
                                       R"(\System\Threads)", "--path", R"(\Process(cmd)\% Processor Time)"}));
    ASSERT_EQ(all.size(), 3U);
    std::map<std::string, const rapidjson::Document*> by_name;
    for (const auto& line : all) by_name[at(line, "object").GetString()] = &line;
    EXPECT_EQ(json_text(at(*by_name["Processor"], "count")), "2");
    for (const char* key : {"min", "mean", "max", "last", "average"})
        EXPECT_EQ(json_text(at(*by_name["Processor"], key)), "28.500000000000005") << key;
    EXPECT_EQ(json_text(at(*by_name["System"], "count")), "3");
    EXPECT_EQ(json_text(at(*by_name["System"], "average")), json_text(at(*by_name["System"], "mean")));
    EXPECT_EQ(json_text(at(*by_name["Process"], "count")), "1");
    const Result table = replay({"--summary", "--object", "Processor", demo});
    EXPECT_THAT(table.out, HasSubstr("\\Processor(_Total)\\% Processor Time"));
    EXPECT_EQ(replay({"--summary", "--format", "openmetrics", demo}).exit, 2);
}

TEST(ReplayCli, PdhCsvNeedsTwoPassesAndAPipeAllowsOne) {
    const std::vector<std::string> wanted{"--object",         "Process",  "--counter",
                                          "% Processor Time", "--format", "pdh-csv"};
    std::vector<std::string> file = wanted, pipe = wanted;
    file.push_back(demo);
    pipe.emplace_back("-");
    const Result from_file = replay(file), from_pipe = replay(pipe, read_file(demo), true);
    EXPECT_EQ(replay(pipe, read_file(demo)).out, from_file.out);  // standard input is a file, which can be read twice
    EXPECT_EQ(from_file.exit, 0) << from_file.err;
    EXPECT_EQ(from_pipe.exit, 0) << from_pipe.err;
    const auto rows = lines(from_file.out);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_THAT(rows[0],
                testing::StartsWith("\"(PDH-CSV 4.0) (Coordinated Universal Time)(0)\",\"\\\\DEMO\\Process(Idle)\\"));
    EXPECT_THAT(rows[0], HasSubstr(R"(\\DEMO\Process(svchost#4)\% Processor Time)"));
    EXPECT_THAT(lines(from_pipe.out)[0], testing::Not(HasSubstr("svchost#4")));
    EXPECT_THAT(from_pipe.err, HasSubstr("columns left out: 2"));
}

TEST(ReplayCli, WrongUsage) {
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {demo, "--format", "xml"},
             {demo, "--from", "yesterday"},
             {demo, "--every", "0"},
             {demo, "--tz", "Mars,99999"},
             {demo, "--multi-timer", "x"},
             {demo, "--summary", "--raw"},
             {demo, "--summary", "--format", "pdh-csv"},
             {demo, "--speed", "0"},
             {demo, "--speed", "nan"},
             {demo, "--speed", "inf"},
             {},
         })
        EXPECT_EQ(replay(arguments).exit, 2) << testing::PrintToString(arguments);
    EXPECT_EQ(dump({demo, "--format", "openmetrics"}).exit, 2);
}

TEST(ReplayCli, SpeedPacesLikeTheOriginal) {
    // Eight minutes, so that only a very busy machine takes an eight hundredth of them.
    const TempFolder folder;
    const std::string path = folder.path("long.mcap");
    ASSERT_EQ(
        run({"capture", "--simulate", "--object", "System", "--interval", "120", "--count", "5", "-o", path}).exit, 0);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(replay({"--speed", "800", "--path", R"(\System\Threads)", path}).exit, 0);
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(took, std::chrono::milliseconds(600));
    EXPECT_LT(took, long_enough);
}

class WindowsReplay : public WindowsData {
  protected:
    std::string blobs() const { return path("data/v1/vista-2007"); }
    std::string titles() const { return path("data/titles/vista-2007-counter-009.multisz"); }
};

TEST_F(WindowsReplay, ProcessorTimeIsBetween0And100) {
    const Result result = replay(
        {"--titles", titles(), "--format", "jsonl", "--path", R"(\Processor(_Total)\% Processor Time)", blobs()});
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto all = json_lines(result);
    ASSERT_EQ(all.size(), 11U);
    EXPECT_EQ(json_text(at(all[0], "reason")), "\"first_sample\"");
    for (std::size_t i = 1; i < all.size(); ++i) {
        ASSERT_TRUE(at(all[i], "value").IsNumber()) << json_text(all[i]);
        EXPECT_GE(at(all[i], "value").GetDouble(), 0.0);
        EXPECT_LE(at(all[i], "value").GetDouble(), 100.0);
    }
}

/// Cooks `% Processor Time` of each process independently, by its ID Process: no value may come from two processes.
TEST_F(WindowsReplay, ProcessRatesFollowProcesses) {
    const Result result = replay({"--titles", titles(), "--format", "jsonl", "--no-cap", "--object", "Process",
                                  "--counter", "% Processor Time", "--counter", "ID Process", blobs()});
    EXPECT_EQ(result.exit, 0) << result.err;
    using Key = std::tuple<std::string, std::string, std::string>;  // time, name, place
    std::map<Key, std::uint64_t> ids, raws;
    std::map<Key, std::pair<std::string, double>> cooked;
    std::vector<std::string> times;
    for (const auto& line : json_lines(result)) {
        const Key key{json_text(at(line, "time")), json_text(at(line, "instance")),
                      json_text(at(line, "pdh_instance"))};
        if (times.empty() || times.back() != std::get<0>(key)) times.push_back(std::get<0>(key));
        if (std::string(at(line, "counter").GetString()) == "ID Process") {
            ids[key] = at(line, "raw").GetUint64();
        } else {
            raws[key] = at(line, "raw").GetUint64();
            const auto& value = at(line, "value");
            cooked[key] = {json_text(at(line, "reason")), value.IsNull() ? NAN : value.GetDouble()};
        }
    }
    ASSERT_EQ(times.size(), 11U);
    std::size_t followed = 0, arrived = 0;
    for (std::size_t t = 1; t < times.size(); ++t) {
        std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> before;
        for (const auto& [key, raw] : raws)
            if (std::get<0>(key) == times[t - 1]) before[{std::get<1>(key), ids.at(key)}] = raw;
        for (const auto& [key, raw] : raws) {
            if (std::get<0>(key) != times[t]) continue;
            const auto& [reason, value] = cooked.at(key);
            const auto found = before.find({std::get<1>(key), ids.at(key)});
            if (found == before.end()) {
                EXPECT_EQ(reason, "\"instance_new\"") << std::get<1>(key);
                ++arrived;
                continue;
            }
            ++followed;
            if (raw < found->second) {  // the sum decreases when a process ends
                EXPECT_EQ(std::get<1>(key), "\"_Total\"");
                EXPECT_EQ(reason, "\"counter_went_back\"");
                continue;
            }
            // About a minute apart; a value from two processes would be far off or negative.
            const double rough = static_cast<double>(raw - found->second) / (60.0 * 1e7) * 100.0;
            EXPECT_NEAR(value, rough, 0.02 * rough + 0.01) << std::get<1>(key) << ' ' << ids.at(key);
        }
    }
    EXPECT_GT(followed, 400U);
    EXPECT_GT(arrived, 0U);
}

TEST(ReplayCli, ASummaryIsADocumentToo) {
    const Result result = replay({demo, "--summary", "--format", "json", "--object", "System"});
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto document = parse_json(result.out);
    const auto lines_of_it = json_lines(replay({demo, "--summary", "--format", "jsonl", "--object", "System"}));
    ASSERT_EQ(at(document, "rows").Size(), lines_of_it.size());
    for (rapidjson::SizeType i = 0; i < lines_of_it.size(); ++i)
        EXPECT_EQ(json_text(at(document, "rows")[i]), json_text(lines_of_it[i]));
    EXPECT_EQ(at(document, "diagnostics").Size(), 0U);
}

TEST(ReplayCli, ASummaryFitsTheTerminal) {
    const auto longest = [](std::string columns) {
        const Result result =
            run({.arguments = {"replay", demo, "--summary", "--object", "System"}, .columns = std::move(columns)});
        std::size_t most = 0;
        for (const std::string& line : lines(result.out)) most = std::max(most, line.size());
        return most;
    };
    EXPECT_LE(longest("80"), 80U);
    EXPECT_GT(longest("200"), 80U);
}

TEST(ReplayCli, AMistypedObjectPrintsNothingButTheError) {
    for (const std::string subcommand : {"dump", "replay"})
        for (const std::string format : {"table", "jsonl", "csv", "json"}) {
            const Result result = run({subcommand, demo, "--object", "Procesor", "--format", format});
            EXPECT_THAT(result.err, HasSubstr("did you mean 'Processor'?"));
            EXPECT_EQ(result.exit, 2);
            EXPECT_LE(lines(result.out).size(), 1U) << result.out;  // the head of CSV, the frame of JSON
        }
}

}  // namespace replay_cli_test
}  // namespace hkpd_test
