// Logs in other languages and from newer systems: English names and rules apply to them without an option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "run_command.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace language_cli_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

using Strings = std::vector<std::string>;

/// A counter of a log, and its values.
struct Column {
    std::string path;
    std::vector<double> values;
};

/// Returns a text log with a row each 5 minutes, from 10:00.
std::string text_log(const std::vector<Column>& columns) {
    std::string text = "\"(PDH-CSV 4.0) (UTC)(0)\"";
    for (const Column& column : columns) text += ",\"\\\\PC" + column.path + "\"";
    text += '\n';
    for (std::size_t row = 0; row < columns.front().values.size(); ++row) {
        const std::string minutes = std::to_string(100 + row % 12 * 5).substr(1);
        text += "\"05/14/2024 " + std::to_string(10 + row / 12) + ":" + minutes + ":00.000\"";
        for (const Column& column : columns) text += ",\"" + std::to_string(column.values[row]) + "\"";
        text += '\n';
    }
    return text;
}

std::vector<double> rising(double from, double step, std::size_t count = 24) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(from + step * static_cast<double>(i));
    return values;
}
std::vector<double> constant(double value, std::size_t count = 24) { return rising(value, 0, count); }

class LanguageCli : public testing::Test {
  protected:
    std::string log(std::string_view name, const std::vector<Column>& columns) const {
        return folder_.write(name, text_log(columns));
    }
    /// Writes a log with the processes Idle, svchost (whose memory and handles grow) and _Total, in a language.
    std::string processes(std::string_view name, const std::string& object, const std::string& time,
                          const std::string& memory, const std::string& handles, bool ids = false) const {
        std::vector<Column> columns;
        for (const auto& [instance, id] :
             {std::pair("Idle", ":0"), std::pair("svchost", ":888"), std::pair("_Total", "")}) {
            const std::string path = "\\" + object + "(" + instance + (ids ? id : "") + ")\\";
            const bool grows = std::string_view(instance) == "svchost";
            columns.push_back({path + time, constant(grows ? 15 : 400)});
            columns.push_back({path + memory, rising(8e7, grows ? 3e7 : 0)});
            columns.push_back({path + handles, rising(300, grows ? 300 : 0)});
        }
        return log(name, columns);
    }
    std::string german_processes() const {
        return processes("german.csv", "Prozess", "Prozessorzeit (%)", "Private Bytes", "Handleanzahl");
    }
    std::string english_processes() const {
        return processes("english.csv", "Process", "% Processor Time", "Private Bytes", "Handle Count");
    }
    std::string newer_processes() const {
        return processes("newer.csv", "Process V2", "% Processor Time", "Private Bytes", "Handle Count", true);
    }

    TempFolder folder_;
};

/// Returns the text without a part.
std::string without(std::string text, std::string_view part) {
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
    return text;
}

TEST_F(LanguageCli, ProcessesOfANewerSystem) {
    const Result top = run({"top", newer_processes()});
    EXPECT_THAT(top.out, AllOf(HasSubstr("1 of 1 process"), HasSubstr("svchost:888"), HasSubstr("888   1035  15 %")));
    EXPECT_THAT(top.out, AllOf(Not(HasSubstr("Idle")), Not(HasSubstr("_Total"))));
    EXPECT_THAT(run({"top", "--all-instances", newer_processes()}).out, HasSubstr("3 of 3 processes"));
    const Result newer = run({"check", "--rules", "windows", newer_processes()});
    EXPECT_EQ(newer.exit, 1);
    EXPECT_THAT(newer.out, AllOf(HasSubstr(R"(Process V2(svchost:888)\Handle Count)"), HasSubstr("2 findings")));
    EXPECT_THAT(run({"check", "--rules", "windows", english_processes()}).out, HasSubstr("2 findings"));
    // One is compared with the other.
    EXPECT_THAT(run({"compare", english_processes(), newer_processes()}).out,
                HasSubstr("9 series unchanged, 0 only before, 0 only after"));
}

TEST_F(LanguageCli, OfTwoFormsOneIsUsed) {
    // Process V2 comes first.
    std::vector<Column> columns;
    for (const std::string path : {R"(\Process V2(svchost:888)\)", R"(\Process V2(Idle:0)\)", R"(\Process(svchost)\)",
                                   R"(\Process(Idle)\)", R"(\Process(_Total)\)"}) {
        columns.push_back({path + "% Processor Time", constant(15)});
        columns.push_back({path + "Handle Count", rising(300, 300)});
    }
    const std::string both = log("both.csv", columns);
    EXPECT_THAT(run({"top", both}).out, AllOf(HasSubstr("1 of 1 process"), Not(HasSubstr("888"))));
    const Result check = run({"check", "--rules", "windows", both});
    EXPECT_THAT(check.out,
                AllOf(HasSubstr(R"(Process(svchost)\Handle Count)"), HasSubstr("1 finding,"), Not(HasSubstr("V2"))));
    EXPECT_THAT(run({"compare", both, both}).out, HasSubstr("6 series unchanged"));
    // A total alone is no process.
    columns.erase(columns.begin() + 4, columns.begin() + 8);
    const std::string total = log("total.csv", columns);
    EXPECT_THAT(run({"top", total}).out, AllOf(HasSubstr("1 of 1 process"), HasSubstr("svchost:888")));
    EXPECT_THAT(run({"check", "--rules", "windows", total}).out, HasSubstr("Process V2(svchost:888)"));
}

TEST_F(LanguageCli, ProcessorInformationAndProcessesInNames) {
    const std::string busy = log("busy.csv", {{R"(\Processor Information(0,0)\% Processor Time)", constant(99)},
                                              {R"(\Processor Information(0,_Total)\% Processor Time)", constant(99)},
                                              {R"(\Processor Information(_Total)\% Processor Time)", constant(99)}});
    const std::string old = log("old.csv", {{R"(\Processor(0)\% Processor Time)", constant(99)},
                                            {R"(\Processor(_Total)\% Processor Time)", constant(99)}});
    const auto summary = [](const std::string& out) { return out.substr(out.find("rules: ")); };
    EXPECT_EQ(summary(run({"check", "--rules", "windows", busy}).out),
              summary(run({"check", "--rules", "windows", old}).out));
    EXPECT_EQ(run({"check", "--rules", "windows", busy}).exit, 1);
    const std::string engines =
        log("gpu.csv",
            {{R"(\GPU Engine(pid_580_luid_0x0_0x1_phys_0_eng_0_engtype_3D)\Utilization Percentage)", constant(7)},
             {R"(\.NET CLR Memory(w3wp_p1234_r15)\% Time in GC)", constant(8)}});
    const Result rows = run({"replay", "--format", "csv", "--summary", engines});
    EXPECT_THAT(rows.out, AllOf(HasSubstr("engtype_3D,580,"), HasSubstr("w3wp_p1234_r15,1234,")));
}

TEST_F(LanguageCli, GermanLogsAreReadAsEnglishOnes) {
    const Result top = run({"top", german_processes()});
    EXPECT_EQ(top.out, run({"top", english_processes()}).out);
    const Result german = run({"check", "--rules", "windows", german_processes()});
    EXPECT_EQ(german.exit, 1);
    EXPECT_THAT(german.out, AllOf(HasSubstr(R"(Prozess(svchost)\Handleanzahl)"), HasSubstr("2 findings")));
    const Result english = run({"check", "--rules", "windows", "--names", "english", german_processes()});
    EXPECT_THAT(english.out, HasSubstr(R"(Process(svchost)\Handle Count)"));
    EXPECT_THAT(run({"compare", german_processes(), english_processes()}).out, HasSubstr("9 series unchanged, 0 only"));
    const Result page = run({"report", german_processes(), "-o", "-"});
    EXPECT_THAT(page.out, AllOf(HasSubstr("Processes by processor time"), HasSubstr("The handles of a process grow")));
}

TEST_F(LanguageCli, PathsInBothLanguagesSelectTheSame) {
    const std::string file = log("disk.csv", {{R"(\Physikalischer Datenträger(0 C:)\Lesevorgänge/s)", constant(1, 1)},
                                              {R"(\System\Lesevorgänge/s)", constant(2, 1)},
                                              {R"(\Arbeitsspeicher\Verfügbare MB)", constant(3, 1)},
                                              {R"(\Mein Dienst\Dinge)", constant(4, 1)}});
    const auto rows = [&](const std::string& path, Strings more = {}) {
        Strings arguments{"replay", "--format", "csv", file, "--path", path};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    };
    for (const auto& [english, german] :
         {std::pair(R"(\PhysicalDisk(*)\Disk Reads/sec)", R"(\Physikalischer Datenträger(*)\Lesevorgänge/s)"),
          std::pair(R"(\System\File Read Operations/sec)", R"(\system\LESEVORGÄNGE/S)"),
          std::pair(R"(\Memory\Available MBytes)", R"(\Arbeitsspeicher\Verfügbare MB)")}) {
        const Result by_english = rows(english), by_german = rows(german);
        EXPECT_EQ(by_english.exit, 0) << by_english.err;
        EXPECT_EQ(by_english.out, by_german.out);
        EXPECT_THAT(lines(by_english.out), SizeIs(2)) << english;
        // English names are shown on request, and both select then, too.
        const Result shown = rows(english, {"--names", "english"}), shown_german = rows(german, {"--names", "english"});
        EXPECT_EQ(shown.out, shown_german.out);
        EXPECT_NE(shown.out, by_english.out);
        EXPECT_EQ(rows(english, {"--names", "log"}).out, by_english.out);
    }
    EXPECT_EQ(rows(R"(\PhysicalDisk(*)\File Read Operations/sec)").exit, 2);
    EXPECT_THAT(rows(R"(\Memory\Available MBytes)", {"--names", "english"}).out, HasSubstr("Memory"));
    // What is unknown is named, with the language.
    const Result notes = run({"check", "-v", file});
    EXPECT_THAT(notes.out, AllOf(HasSubstr("German"), HasSubstr("Mein Dienst"), HasSubstr("Dinge")));
    EXPECT_EQ(run({"replay", "--format", "csv", "--names", "latin", file}).exit, 2);
    EXPECT_THAT(lines(run({"replay", "--format", "csv", file, "--object", "Memory", "--counter", "Available*"}).out),
                SizeIs(2));
}

TEST_F(LanguageCli, SeveralLanguages) {
    for (const auto& [object, counter] :
         {std::pair("Processeur", "% temps processeur"), std::pair("Процессор", "% загруженности процессора"),
          std::pair("Prozessor", "Prozessorzeit (%)")}) {
        const std::string file = log("l.csv", {{std::string("\\") + object + "(_Total)\\" + counter, constant(99)}});
        const Result check = run({"check", "--rules", "windows", file});
        EXPECT_EQ(check.exit, 1) << object << check.out;
        EXPECT_EQ(run({"replay", file, "--path", R"(\Processor(_Total)\% Processor Time)"}).exit, 0) << object;
    }
}

TEST_F(LanguageCli, NoThresholdIsNoCleanResult) {
    const std::string file = log("own.csv", {{R"(\My Service\Things)", constant(1)}});
    const Result none = run({"check", "--rules", "windows", file});
    EXPECT_EQ(none.exit, 2);
    EXPECT_THAT(none.err, AllOf(HasSubstr(file + ": 0 of"), HasSubstr("--allow-none")));
    const Result allowed = run({"check", "--rules", "windows", "--allow-none", file});
    EXPECT_EQ(allowed.exit, 0) << allowed.err;
    EXPECT_EQ(run({"check", "--allow-none", file}).exit, 2);
    EXPECT_EQ(run({"check", file}).exit, 0);
    // One input is not made good by another.
    const std::string good = log("good.csv", {{R"(\Processor(_Total)\% Processor Time)", constant(1)}});
    EXPECT_EQ(run({"check", "--rules", "windows", good}).exit, 0);
    EXPECT_EQ(run({"check", "--rules", "windows", good, file}).exit, 2);
}

TEST_F(LanguageCli, LocalTextsInTheEnglishTable) {
    const std::string titles = folder_.write(
        "counter-009.txt", "2\nSystem\n4\nArbeitsspeicher\n6\nProzessorzeit (%)\n230\nProzess\n238\nProzessor\n");
    const Result check = run({"check", titles});
    EXPECT_EQ(check.exit, 1);
    EXPECT_THAT(check.out, HasSubstr("the English titles of Windows have been overwritten"));
}

class RealTexts : public SharedDir {};

TEST_F(RealTexts, ProcessV2) {
    const std::string file = path("data/found/text/process-v2.csv");
    EXPECT_THAT(run({"top", file}).out, AllOf(HasSubstr("3 of 3 processes"),
                                              HasSubstr("svchost:1234   1234   2070  30 %"), Not(HasSubstr("Idle"))));
    const Result check = run({"check", "--rules", "windows", file});
    EXPECT_EQ(check.exit, 1);
    EXPECT_THAT(check.out, AllOf(HasSubstr(R"(Process V2(svchost:1234)\Handle Count)"),
                                 HasSubstr(R"(Process V2(svchost:888)\Private Bytes)"), HasSubstr("2 findings")));
}

TEST_F(RealTexts, German) {
    const Result check = run({"check", "--rules", "windows", path("data/found/text/german.csv")});
    EXPECT_EQ(check.exit, 1) << check.err;
    EXPECT_THAT(check.out, AllOf(HasSubstr(R"(Prozessor(_Total)\Prozessorzeit (%))"),
                                 HasSubstr(R"(Arbeitsspeicher\Verfügbare MB)"), Not(HasSubstr("0 of 51"))));
}

}  // namespace language_cli_test
}  // namespace hkpd_test
