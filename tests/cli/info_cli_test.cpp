// `hkpd info`: every kind of input, as text, JSON and counter paths; what it states against other subcommands and
// against a text log that Windows made; large inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture_cli.hpp"
#include "run_command.hpp"
#include "support/log_samples.hpp"
#include "support/processor_time.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace info_cli_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Result info(std::vector<std::string> arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "info");
    return run({.arguments = std::move(arguments), .input = std::move(input), .columns = "80"});
}

std::string captures(std::string_view name) { return std::string(testdata_folder) + "/captures/" + std::string(name); }

/// Splits a command line as a shell does, as far as `hkpd info` quotes.
std::vector<std::string> shell_words(std::string_view line) {
    std::vector<std::string> words(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\'')
            quoted = !quoted;
        else if (line[i] == ' ' && !quoted)
            words.emplace_back();
        else if (line[i] == '\\' && !quoted)
            words.back() += line[++i];
        else
            words.back() += line[i];
    }
    return words;
}

/// Returns the commands at the end of a summary, without `hkpd`.
std::vector<std::vector<std::string>> commands_of(const std::string& summary) {
    std::vector<std::vector<std::string>> commands;
    for (const std::string& line : lines(summary))
        if (line.starts_with("  hkpd ")) commands.push_back(shell_words(line.substr(7)));
    return commands;
}

/// Expects a summary that fits 80 columns, and whose three commands succeed and write something.
void expect_usable(const std::string& input) {
    const Result result = info({input});
    EXPECT_EQ(result.exit, 0) << result.err;
    for (const std::string& line : lines(result.out))
        if (!line.starts_with("  hkpd ") && !line.starts_with(input) && !line.starts_with("faults")) {
            EXPECT_LE(line.size(), 80U) << line;
        }
    EXPECT_LE(lines(result.out).size(), 40U) << result.out;
    const auto commands = commands_of(result.out);
    EXPECT_THAT(commands, SizeIs(3)) << result.out;
    for (const auto& command : commands) {
        const Result done = run(command);
        EXPECT_LE(done.exit, command.front() == "check" ? 1 : 0) << testing::PrintToString(command) << done.err;
        EXPECT_NE(done.out, "") << testing::PrintToString(command);
    }
}

TEST(Info, TheCommandsItShowsRun) {
    TempFolder folder;
    const std::string quote = folder.write("it's a (log).bin", demo_blobs(2)),
                      dash = folder.write("one.bin", demo_blobs(1));
    for (const std::string& input :
         {captures("demo.bin"), captures("simulated.mcap"), captures("demo.mcap"), captures("wine-like.bin"),
          captures("samba-like.bin"), quote, dash, folder.write("counter-009.txt", "2\nSystem\n238\nProcessor\n"),
          folder.write("log.blg", log_file::build(counting_log(5)).text())})
        expect_usable(input);
}

TEST(Info, TextOfALog) {
    TempFolder folder;
    const std::string log = folder.write("log.blg", log_file::build(counting_log(5)).text());
    const Result result = info({log});
    EXPECT_THAT(result.out, HasSubstr("log.blg: performance log (.blg)\nmachine      PC\n"
                                      "from         2016-11-26 13:46:30.874 UTC-08:00 (2016-11-26T21:46:30.874Z)\n"
                                      "to           2016-11-26 13:46:34.874 UTC-08:00 (2016-11-26T21:46:34.874Z)\n"
                                      "zone         Pacific Standard Time (UTC-08:00)\n"
                                      "samples      5, every 1 s\ngaps         none\n"));
    EXPECT_THAT(result.out, HasSubstr("\nfaults       none\n\nobject                instances   counters\n"
                                      "object                        -          1\n"));
}

TEST(Info, EverythingInJson) {
    TempFolder folder;
    const std::string blobs = folder.write("run.bin", demo_blobs(4)),
                      titles = folder.write("counter-007.txt", "2\nSystem\n238\nProzessor\n");
    const Result result = info({"--format", "json", blobs, titles});
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto document = parse_json(result.out);
    const auto& inputs = document["inputs"];
    ASSERT_EQ(inputs.Size(), 2U);
    const auto& first = inputs[0];
    EXPECT_EQ(first["path"].GetString(), blobs);
    EXPECT_STREQ(first["kind"].GetString(), "v1");
    EXPECT_STREQ(first["machines"][0].GetString(), "DEMO");
    EXPECT_STREQ(first["from"].GetString(), "2024-05-14T09:30:00.000Z");
    EXPECT_STREQ(first["to"].GetString(), "2024-05-14T09:30:03.000Z");
    EXPECT_TRUE(first["zone"].IsNull());
    EXPECT_EQ(first["samples"].GetInt(), 4);
    EXPECT_EQ(first["interval"].GetDouble(), 1.0);
    EXPECT_EQ(first["gaps"].GetInt(), 0);
    EXPECT_EQ(first["bytes"].GetUint64(), std::filesystem::file_size(blobs));
    EXPECT_EQ(first["faults"].GetInt(), 0);
    EXPECT_STREQ(inputs[1]["kind"].GetString(), "titles");
    EXPECT_STREQ(inputs[1]["languages"][0]["language"].GetString(), "007");
    EXPECT_EQ(inputs[1]["languages"][0]["titles"].GetInt(), 2);

    // Objects as `dump` counts them.
    std::map<std::string, std::pair<int, int>> counted;
    const auto dumped = parse_json(dump({"--sample", "0", "--format", "json", blobs}).out);
    for (const auto& object : dumped["samples"][0]["objects"].GetArray())
        counted[object["name"].GetString()] = {static_cast<int>(object["instances"].Size()),
                                               static_cast<int>(object["counters"].Size())};
    EXPECT_EQ(first["objects"].Size(), counted.size());
    for (const auto& object : first["objects"].GetArray()) {
        const std::string name = object["name"].GetString();
        ASSERT_TRUE(counted.contains(name)) << name;
        EXPECT_EQ(object["counters"].GetInt(), counted[name].second) << name;
        EXPECT_GE(object["instances"].GetInt(), counted[name].first) << name;
    }
}

/// Returns the headings of `hkpd replay --format pdh-csv`, without the time.
std::set<std::string> headings(const std::string& csv) {
    std::set<std::string> paths;
    const std::string head = lines(csv).at(0);
    for (std::size_t at = head.find("\",\""); at != std::string::npos; at = head.find("\",\"", at + 1)) {
        const std::size_t begin = at + 3;
        std::string path = head.substr(begin, head.find('"', begin) - begin);
        paths.insert(path);
    }
    return paths;
}

template <class List>
std::vector<std::string> sorted(const List& list) {
    std::vector<std::string> all(list.begin(), list.end());
    std::ranges::sort(all);
    return all;
}

TEST(Info, CounterPathsSelectEverySeries) {
    TempFolder folder;
    const std::string log = folder.write("log.blg", log_file::build(counting_log(5)).text());
    for (const std::string& input : {captures("demo.bin"), captures("demo.mcap"), log}) {
        const Result listed = info({"--counters", input});
        EXPECT_EQ(listed.exit, 0) << listed.err;
        const std::string paths = folder.write("paths.txt", listed.out);
        const Result all = run({"replay", input, "--format", "pdh-csv"});
        const Result chosen = run({"replay", input, "--format", "pdh-csv", "-cf", paths});
        EXPECT_EQ(chosen.exit, 0) << chosen.err;
        EXPECT_TRUE(chosen.out == all.out) << input;  // too long to be printed
        const auto listed_paths = lines(listed.out), expected = sorted(headings(all.out));
        std::vector<std::string> missing;
        std::ranges::set_symmetric_difference(sorted(listed_paths), expected, std::back_inserter(missing));
        missing.resize(std::min<std::size_t>(missing.size(), 10));
        EXPECT_THAT(missing, IsEmpty()) << input;
        EXPECT_EQ(listed_paths.size(), expected.size()) << input;
    }
}

TEST(Info, CounterPathsUpToTheLimit) {
    constexpr std::size_t most = 1'000'000;  // Limits::series
    blob::Object list{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 6}}};
    for (std::size_t i = 0; i < most; ++i) {
        const std::string digits = std::to_string(i);
        list.instances.push_back({std::u16string(digits.begin(), digits.end()), {1}});
    }
    TempFolder folder;
    const Result listed = info({"--counters", folder.write("many.bin", to_text(blob::build({.objects = {list}})))});
    EXPECT_EQ(listed.exit, 1);
    EXPECT_THAT(listed.err, HasSubstr("too many series"));
    EXPECT_GT(static_cast<std::size_t>(std::ranges::count(listed.out, '\n')), most - 10);
}

TEST(Info, StandardInput) {
    const Result result = info({"-"}, demo_blobs(3));
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("-: V1 performance data (blobs)\n"));
    EXPECT_THAT(result.out, HasSubstr("samples      3, every 1 s\n"));
    EXPECT_THAT(result.out, Not(HasSubstr("hkpd replay")));
    TempFolder folder;
    const std::string file = folder.write("run.bin", demo_blobs(3));
    EXPECT_TRUE(info({"--counters", "-"}, demo_blobs(3)).out == info({"--counters", file}).out);
}

TEST(Info, OneUnreadableInputDoesNotStopTheOthers) {
    TempFolder folder;
    const std::string blobs = folder.write("run.bin", demo_blobs(2)), text = folder.write("text.txt", "nothing known");
    const Result missing = info({folder.path("missing"), blobs});
    EXPECT_EQ(missing.exit, 3);
    EXPECT_THAT(missing.err, HasSubstr("missing"));
    EXPECT_THAT(missing.out, HasSubstr("run.bin: V1 performance data"));
    const Result unknown = info({text, blobs});
    EXPECT_EQ(unknown.exit, 3);
    EXPECT_THAT(unknown.out, HasSubstr("run.bin: V1 performance data"));
    const Result json = info({"--format", "json", text, folder.path("missing"), blobs});
    EXPECT_EQ(json.exit, 3);
    const auto document = parse_json(json.out);
    EXPECT_STREQ(document["inputs"][0]["kind"].GetString(), "unknown");
    EXPECT_EQ(document["inputs"][0]["errors"].GetInt(), 1);
    EXPECT_EQ(document["inputs"][2]["samples"].GetInt(), 2);
}

TEST(Info, DamageIsCountedAndShown) {
    const Result result = info({captures("damaged.bin")});
    EXPECT_EQ(result.exit, run({"dump", captures("damaged.bin")}).exit);
    EXPECT_THAT(result.out, HasSubstr("hkpd check "));
    EXPECT_THAT(result.out, HasSubstr("\nfaults       2 errors, 0 warnings: hkpd check "));
    EXPECT_NE(result.err, "");
}

TEST(Info, Directories) {
    TempFolder folder;
    folder.write("d/a.bin", demo_blobs(2));
    folder.write("d/counter-009.txt", "238\nProcessor X\n");
    const Result blobs = info({folder.path("d")});
    EXPECT_EQ(blobs.exit, 0) << blobs.err;
    EXPECT_THAT(blobs.out, HasSubstr("d: directory\n"));
    EXPECT_THAT(blobs.out, HasSubstr("languages    009 (1 titles in counter-009.txt)\n"));
    EXPECT_THAT(blobs.out, HasSubstr("\nProcessor X "));
    folder.write("t/counter-009.txt", "2\nSystem\n");
    folder.write("t/counter-007.txt", "2\nSystem\n");
    const Result titles = info({"--all", folder.path("t")});
    EXPECT_EQ(titles.exit, 0) << titles.err;
    EXPECT_THAT(titles.out, HasSubstr("t: title database\n"));
    EXPECT_THAT(titles.out, HasSubstr("007 (1 titles in counter-007.txt), 009 (1 titles in counter-009.txt)"));
}

TEST(Info, ManyObjectsFitAScreen) {
    TempFolder folder;
    blob::Block block{.machine = u"M"};
    for (std::uint32_t i = 0; i < 87; ++i) {
        blob::Object object{.title = 9000 + 2 * i, .kind = blob::Kind::multi, .counters = {{.title = 9500}}};
        object.instances.assign(i + 1, {u"x", {1}});
        block.objects.push_back(object);
    }
    const std::string blobs = folder.write("many.bin", to_text(blob::build(block)));
    const Result few = info({blobs});
    EXPECT_LE(lines(few.out).size(), 30U);
    EXPECT_THAT(few.out, HasSubstr("\n#9172 "));  // the largest
    EXPECT_THAT(few.out, Not(HasSubstr("\n#9000 ")));
    EXPECT_THAT(few.out, HasSubstr("\n... and 76 more; --all\n"));
    EXPECT_THAT(info({"--all", blobs}).out, HasSubstr("\n#9000 "));
}

TEST(Info, NamesCannotControlATerminal) {
    TempFolder folder;
    const blob::Object list{.title = 9000,
                            .kind = blob::Kind::multi,
                            .counters = {{.title = 9002}},
                            .instances = {{u"\x1B[2J\x202E", {1}}}};
    const std::string blobs =
        folder.write(nameable("x\x1B[1m.bin"), to_text(blob::build({.objects = {list}, .machine = u"M\x1B]0;x\x07"})));
    const std::string names = folder.write("t.txt", "9000\nA\x1B[2J\xE2\x80\xAE\n9002\n\x1B[31m\n");
    for (const std::string option : {"--counters", "--all", "--format=json"}) {
        const Result result = info({option, "--titles", names, blobs});
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_EQ(result.out.find('\x1B'), std::string::npos) << result.out;
        EXPECT_EQ(result.out.find("\xE2\x80\xAE"), std::string::npos) << result.out;
    }
}

TEST(Info, WrongUsage) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{},
                                               {"-", "-"},
                                               {"--counters", "--format", "json", "x"},
                                               {"--format", "csv", "x"},
                                               {"--lang", "german", "x"}})
        EXPECT_EQ(info(arguments).exit, 2) << testing::PrintToString(arguments);
}

/// Writes a log of 1 GiB whose middle was never written, and returns its path. The trailer states a million rows.
std::string write_large_log(const TempFolder& folder, bool circular) {
    log_file::Log log = counting_log(10'000);
    log.buffer_size = 65'536;  // as Windows writes them
    log.events.back() = trailer_event(1'000'000);
    if (circular) log.header.mode |= 2;
    log.header.buffers_written = 1U << 14U;
    log_file::File file = log_file::build(log);
    const std::size_t half = file.buffer_count() / 2;
    if (circular) file.rotate(1, half);
    const std::string all = file.text(), path = folder.write("large.blg", all.substr(0, half * file.buffer_size()));
    const std::uintmax_t size = std::uintmax_t{1} << 30U;
    std::filesystem::resize_file(path, size - (all.size() - half * file.buffer_size()));
    std::ofstream(path, std::ios::binary | std::ios::app) << all.substr(half * file.buffer_size());
    EXPECT_EQ(std::filesystem::file_size(path), size);
    return path;
}

TEST(Info, ALogOfAGigabyteAnswersAtOnce) {
    TempFolder folder;
    for (const bool circular : {false, true}) {
        const std::string path = write_large_log(folder, circular);
        const Result result = info({path});
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_THAT(result.out, HasSubstr(circular ? "samples      about " : "samples      1000000, every 1 s\n"));
        EXPECT_THAT(result.out, HasSubstr("only the first and last ones were read; --all reads all"));
        EXPECT_THAT(result.out, HasSubstr("size         1 GiB\n"));
#ifndef _WIN32
        EXPECT_LT(result.processor_seconds, 1.0 * sanitizer_slowdown);
        RecordProperty(circular ? "seconds_circular" : "seconds", std::to_string(result.processor_seconds));
#endif
    }
}

class WindowsInfo : public WindowsData {};

TEST_F(WindowsInfo, TheCommandsRun) {
    for (const char* input : {"data/blg/vista-2007-wildcards.blg", "data/blg/win10-14393-counters.blg",
                              "data/v1/vista-2007", "data/titles/vista-2007-counter-009.multisz"})
        expect_usable(path(input));
}

TEST_F(WindowsInfo, TheWindows10LogHasThePathsThatRelogShows) {
    const auto listed = lines(info({"--counters", path("data/blg/win10-14393-counters.blg")}).out);
    const auto expected = headings(read_file(folder_ / "data/csv/win10-14393-counters.csv"));
    EXPECT_THAT(expected, SizeIs(10));
    const auto fold = [](std::string text) {
        std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    };
    std::set<std::string> ours, theirs;
    for (const std::string& each : listed) ours.insert(fold(each));
    for (const std::string& each : expected) theirs.insert(fold(each));
    EXPECT_EQ(ours, theirs);
    EXPECT_EQ(listed.size(), 10U);
}

TEST_F(WindowsInfo, TheVistaLog) {
    const Result result = info({"--format", "json", path("data/blg/vista-2007-wildcards.blg")});
    const auto document = parse_json(result.out);
    const auto& log = document["inputs"][0];
    EXPECT_STREQ(log["kind"].GetString(), "log");
    EXPECT_EQ(log["samples"].GetInt(), 11);
    EXPECT_EQ(log["objects"].Size(), 8U);
    EXPECT_STREQ(log["from"].GetString(), "2007-08-14T19:40:38.659Z");
    EXPECT_STREQ(log["zone"].GetString(), "Eastern Daylight Time");
    EXPECT_EQ(log["languages"][0]["titles"].GetInt(), 1839);
}

}  // namespace info_cli_test
}  // namespace hkpd_test
