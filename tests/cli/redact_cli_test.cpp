// --redact: no name of the input is in any byte of any output, and no number differs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "capture_cli.hpp"
#include "run_command.hpp"
#include "support/pattern.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace redact_cli_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Strings = std::vector<std::string>;

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

Strings joined(Strings first, const Strings& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

/// Returns the lines of `replay --format jsonl` as documents.
std::vector<rapidjson::Document> values_of(const Strings& arguments) {
    const Result result = run(joined({"replay", "--format", "jsonl"}, arguments));
    EXPECT_LE(result.exit, 1) << result.err;
    std::vector<rapidjson::Document> all;
    for (const std::string& line : lines(result.out)) all.push_back(parse_json(line));
    return all;
}

/// Adds the parts of a name that identify its owner.
void add_names(const std::string& name, std::set<std::string>& names) {
    static const std::regex kept(R"((\d|[A-Za-z]:|_Total|[ ,])*|idle|system|services|harddiskvolume\d+)",
                                 std::regex::icase),
        number(R"(#\d+$)"), added(R"((:\d+|\.exe|_p\d+_r\d+)$)", std::regex::icase);
    const std::string text = std::regex_replace(name, number, "");
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('/', begin), text.size());
        const std::string part = std::regex_replace(text.substr(begin, end - begin), added, "");
        // Words of three or four letters are in the text of any page.
        if (part.size() > 4 && !std::regex_match(part, kept)) names.insert(lower(part));
        begin = end + 1;
    }
}

/// Returns the names in the values of an input that must not be in an output, in lower case.
std::set<std::string> names_in(const std::vector<rapidjson::Document>& values) {
    std::set<std::string> all, names;
    for (const auto& value : values)
        for (const char* member : {"machine", "parent", "instance"})
            if (value[member].IsString()) all.insert(value[member].GetString());
    for (const std::string& name : all) add_names(name, names);
    return names;
}

/// Returns the numbers of values, without the names around them.
Strings numbers_of(const std::vector<rapidjson::Document>& values) {
    Strings numbers;
    for (const auto& value : values) {
        std::string& line = numbers.emplace_back();
        for (const char* member : {"time", "object_index", "counter_index", "type", "raw", "value", "reason", "pid"}) {
            const auto& found = value[member];
            line += found.IsString() ? found.GetString() : found.IsNull() ? "-" : "";
            if (found.IsNumber()) line += std::to_string(found.GetDouble());
            line += '|';
        }
    }
    std::ranges::sort(numbers);
    return numbers;
}

/// Returns the data that a page holds in its scripts, unpacked.
std::string unpacked(const std::string& page) {
    std::string all;
    const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflater(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1)) {
        const std::size_t begin = page.find('>', at) + 1;
        const std::string text = page.substr(begin, page.find("</script>", begin) - begin);
        if (text.size() < 16 || text.find_first_not_of(std::string(letters) + "=\n") != std::string::npos) continue;
        std::string packed;
        std::uint32_t bits = 0;
        int count = 0;
        for (const char c : text) {
            const std::size_t digit = letters.find(c);
            if (digit == std::string_view::npos) continue;
            bits = bits << 6U | static_cast<std::uint32_t>(digit);
            if ((count += 6) < 8) continue;
            count -= 8;
            packed += static_cast<char>(bits >> count & 0xFFU);
        }
        std::string content(std::size_t{8} << 20U, '\0');
        std::size_t size = 0;
        EXPECT_EQ(libdeflate_deflate_decompress(inflater.get(), packed.data(), packed.size(), content.data(),
                                                content.size(), &size),
                  LIBDEFLATE_SUCCESS);
        all += content.substr(0, size);
    }
    return all;
}

/// Returns the names that are in some bytes, in UTF-8 or UTF-16.
Strings found_in(const std::string& bytes, const std::set<std::string>& names) {
    const std::string all = lower(bytes);
    Strings found;
    for (const std::string& name : names) {
        std::string wide;
        for (const char c : name) wide.append(1, c).append(1, '\0');
        if (all.find(name) != std::string::npos || all.find(wide) != std::string::npos) found.push_back(name);
    }
    return found;
}

class Redact : public testing::Test {
  protected:
    /// Returns the bytes that a capture has in its records.
    std::string records(const std::string& path) const {
        const std::string folder = temp_.path("records");
        std::filesystem::remove_all(hkpd::path_of(folder));
        EXPECT_EQ(run({"capture", "--export", folder, path}).exit, 0);
        std::string all;
        for (const auto& file : std::filesystem::directory_iterator(hkpd::path_of(folder)))
            all += file.path().filename().string() + "\n" + read_file(file.path());
        return all;
    }

    /// Tests all outputs of an input. `inputs`: as options of `hkpd replay`.
    void test(const Strings& inputs) const {
        const auto values = values_of(inputs);
        const std::set<std::string> names = names_in(values);
        ASSERT_FALSE(names.empty());
        const auto hides = [&names](const std::string& output, const std::string& what) {
            EXPECT_FALSE(output.empty()) << what;
            EXPECT_EQ(found_in(output, names), Strings()) << what;
        };
        const Strings redact{"--redact", "--redact-key=k"};
        const auto redacted = values_of(joined(inputs, redact));
        EXPECT_EQ(numbers_of(redacted), numbers_of(values));
        EXPECT_TRUE(std::ranges::any_of(redacted, [](const auto& value) {
            return value["machine"].IsString() && std::string(value["machine"].GetString()).starts_with("machine-");
        }));
        for (const char* format : {"table", "timeline", "json", "jsonl", "csv", "pdh-csv", "pdh-tsv", "openmetrics"}) {
            const Result result = run(joined(joined({"replay", "--format", format}, inputs), redact));
            hides(result.out + result.err, format);
        }
        hides(run(joined(joined({"replay", "--summary"}, inputs), redact)).out, "summary");
        const std::string database = temp_.path("out.db"), page = temp_.path("out.html"),
                          capture = temp_.path("out.mcap");
        for (const std::string& path : {database, page, capture}) std::filesystem::remove(hkpd::path_of(path));
        EXPECT_LE(run(joined(joined({"replay", "--format", "sqlite", "-o", database}, inputs), redact)).exit, 1);
        hides(read_file(hkpd::path_of(database)), "sqlite");
        EXPECT_LE(run(joined(joined({"report", "-o", page}, inputs), redact)).exit, 1);
        const std::string html = read_file(hkpd::path_of(page)), data = unpacked(html);
        hides(html, "report");
        hides(data, "data of the report");
        EXPECT_LE(run(joined(joined({"capture", "-o", capture}, inputs), redact)).exit, 1);
        hides(read_file(hkpd::path_of(capture)), "capture");
        hides(records(capture), "records of the capture");
        EXPECT_EQ(numbers_of(values_of({capture})), numbers_of(values));
    }

    const std::string captures_ = std::string(testdata_folder) + "/captures/";
    TempFolder temp_;
};

TEST_F(Redact, HidesNamesOfCaptures) { test({captures_ + "demo.mcap"}); }

TEST_F(Redact, HidesNamesOfSambaAndBigEndianMachines) {
    for (const char* input : {"samba-like.bin", "big-endian.bin", "xp-like.bin"}) {
        const auto values = values_of({captures_ + input}),
                   redacted = values_of({captures_ + input, "--redact", "--redact-key=k"});
        EXPECT_EQ(numbers_of(redacted), numbers_of(values)) << input;
        EXPECT_NE(values.front()["machine"], redacted.front()["machine"]) << input;
    }
}

TEST_F(Redact, HidesNamesOfBothInterfaces) {
    const std::string plain = temp_.path("plain.mcap"), redacted = temp_.path("redacted.mcap");
    ASSERT_EQ(run({"capture", "--simulate", "--source", "both", "--count", "2", "--processes", "20", "--threads", "30",
                   "--machine", "SRV-ERP-01", "-o", plain})
                  .exit,
              0);
    ASSERT_EQ(run({"capture", plain, "--redact", "--redact-key=k", "-o", redacted}).exit, 0);
    for (const char* source : {"v1", "v2"}) {
        const auto values = values_of({plain, "--source", source}), made = values_of({redacted, "--source", source});
        EXPECT_EQ(numbers_of(made), numbers_of(values));
        const auto names = names_in(values);
        EXPECT_THAT(names, testing::Contains("srv-erp-01"));
        EXPECT_EQ(found_in(records(redacted), names), Strings());
    }
    // The simulated machine itself, without a file in between.
    const Result live = run({"replay", "--simulate", "--machine", "SRV-ERP-01", "--count", "2", "--redact",
                             "--redact-key=k", "--format", "csv"});
    EXPECT_EQ(live.exit, 0) << live.err;
    EXPECT_THAT(lower(live.out), Not(HasSubstr("srv-erp-01")));
}

TEST_F(Redact, HidesNamesOfFiles) {
    const std::string path = temp_.write("Contoso/SRV-ERP-01.bin", read_file(hkpd::path_of(captures_ + "damaged.bin")));
    for (const char* format : {"table", "json", "csv"}) {
        const Result result = run({"replay", path, "--redact", "--format", format});
        EXPECT_EQ(result.exit, 1);
        EXPECT_THAT(lower(result.out + result.err), AllOf(Not(HasSubstr("contoso")), Not(HasSubstr("srv-erp"))));
        EXPECT_THAT(result.err, hkpd::ContainsPattern("file-[0-9a-z]+\\.bin: offset"));
    }
}

TEST_F(Redact, SelectsByTheOriginalNames) {
    const std::string demo = captures_ + "demo.mcap";
    const auto names = names_in(values_of({demo, "--object", "Process"}));
    const std::string name = "explorer";
    ASSERT_THAT(names, testing::Contains(name));
    const Strings redact{"--redact", "--redact-key=k"};
    const auto plain = values_of({demo, "--object", "Process", "--instance", name}),
               by_pattern = values_of(joined({demo, "--object", "Process", "--instance", name}, redact)),
               by_path = values_of(joined({demo, "--path", "\\Process(" + name + ")\\*"}, redact));
    ASSERT_FALSE(plain.empty());
    EXPECT_EQ(numbers_of(by_pattern), numbers_of(plain));
    EXPECT_EQ(numbers_of(by_path), numbers_of(plain));
    const std::string pseudonym = by_pattern.front()["instance"].GetString();
    EXPECT_EQ(numbers_of(values_of(joined({demo, "--object", "Process", "--instance", pseudonym}, redact))),
              numbers_of(plain));
    const Result part = run(joined({"replay", demo, "--instance", "expl*"}, redact));
    EXPECT_EQ(part.exit, 2);
    EXPECT_THAT(part.err, HasSubstr("give whole names, or * alone"));
    const Result none = run(joined({"replay", demo, "--instance", "payroll"}, redact));
    EXPECT_EQ(none.exit, 2);
    EXPECT_THAT(none.err, HasSubstr("payroll"));
}

TEST_F(Redact, TakesAKeyFromAFile) {
    const std::string demo = captures_ + "demo.mcap", key = temp_.write("key", "secret\r\n"),
                      empty = temp_.write("empty", "\n");
    const auto out = [&demo](const Strings& more) {
        return run(joined({"replay", demo, "--redact", "--object", "System", "--format", "csv"}, more)).out;
    };
    EXPECT_EQ(out({"--redact-key-file", key}), out({"--redact-key", "secret"}));
    EXPECT_NE(out({"--redact-key", "other"}), out({"--redact-key", "secret"}));
    EXPECT_NE(out({}), out({}));
    EXPECT_EQ(run({"replay", demo, "--redact", "--redact-key-file", empty}).exit, 3);
    EXPECT_EQ(run({"replay", demo, "--redact", "--redact-key-file", temp_.path("none")}).exit, 3);
    EXPECT_EQ(run({"replay", demo, "--redact-key", "secret"}).exit, 2);
    EXPECT_EQ(run({"replay", demo, "--redact", "--redact-key", "a", "--redact-key-file", key}).exit, 2);
}

TEST_F(Redact, StatesWhatItReplacedAndKept) {
    const std::string map = temp_.path("names.tsv");
    const Result result = run({"replay", captures_ + "demo.mcap", "--redact", "--redact-map", map, "--redact-keep",
                               "expl*", "--format", "csv"});
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.err, AllOf(HasSubstr("names replaced: 1 machine, "), HasSubstr("kept: numbers, times"),
                                  HasSubstr("what matches 'expl*'"), HasSubstr("the key was random")));
    EXPECT_THAT(result.out, HasSubstr("explorer"));
    const Strings rows = lines(read_file(hkpd::path_of(map)));
    EXPECT_EQ(rows.front(), "kind\tpseudonym\tname");
    EXPECT_THAT(rows, testing::Contains(hkpd::MatchesPattern("machine\tmachine-[0-9a-z]+\tDEMO")));
    EXPECT_EQ(run({"replay", captures_ + "demo.mcap", "--redact", "--redact-map", map}).exit, 2);
}

/// Logs of Windows.
class WindowsRedact : public WindowsData {
  protected:
    TempFolder temp_;
};

TEST_F(WindowsRedact, HidesNamesOfLogs) {
    for (const char* name : {"data/blg/vista-2007-wildcards.blg", "data/blg/win10-14393-counters.blg",
                             "data/csv/win10-14393-counters.csv"}) {
        const auto values = values_of({path(name)}), redacted = values_of({path(name), "--redact", "--redact-key=k"});
        const auto names = names_in(values);
        ASSERT_FALSE(names.empty());
        EXPECT_EQ(numbers_of(redacted), numbers_of(values)) << name;
        const std::string capture = temp_.path("out.mcap"), csv = temp_.path("out.csv");
        const Result made = run({"capture", path(name), "--redact", "--redact-key=k", "-o", capture});
        EXPECT_EQ(made.exit, 0) << made.err;
        EXPECT_EQ(numbers_of(values_of({capture})), numbers_of(values)) << name;
        const std::string folder = temp_.path("records");
        std::filesystem::remove_all(hkpd::path_of(folder));
        EXPECT_EQ(run({"capture", "--export", folder, capture}).exit, 0);
        for (const auto& file : std::filesystem::directory_iterator(hkpd::path_of(folder)))
            EXPECT_EQ(found_in(read_file(file.path()), names), Strings()) << name << file.path();
        const Result relog = run({"relog", path(name), "-f", "csv", "-o", csv, "-y", "--redact", "--redact-key=k"});
        EXPECT_EQ(relog.exit, 0) << relog.err;
        EXPECT_EQ(found_in(read_file(hkpd::path_of(csv)) + relog.out + relog.err, names), Strings()) << name;
        EXPECT_THAT(relog.out, Not(HasSubstr(std::filesystem::path(name).filename().string())));
    }
}

}  // namespace redact_cli_test
}  // namespace hkpd_test
