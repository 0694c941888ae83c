// Title databases with every kind of fault that `lodctr /R` repairs, and lists of providers: `check` finds each, names
// the repair and ends with exit code 1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/names.hpp"
#include "run_command.hpp"
#include "support/packed_bytes.hpp"
#include "support/registry_text.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace title_faults_cli_test {

using testing::HasSubstr;
using testing::Not;
using Strings = std::vector<std::string>;

/// Returns the strings of a complete database: index 1, Windows' own titles, and those of a provider.
Strings complete() {
    Strings all{"1", "1847"};
    const hkpd::TitleTable& own = hkpd::builtin_titles();
    for (std::size_t i = 0; i < own.size(); ++i) {
        all.push_back(std::to_string(own[i].index));
        all.emplace_back(own[i].text);
    }
    for (int index = 2000; index < 2040; index += 2) {
        all.push_back(std::to_string(index));
        all.push_back("Counter " + std::to_string(index));
    }
    return all;
}

std::string utf16(const std::string& ascii) {
    std::string out;
    for (const char c : ascii) out += {c, '\0'};
    return out;
}

std::string multi(const Strings& strings) {
    std::string out;
    for (const std::string& text : strings) out += utf16(text + '\0');
    return out + std::string(2, '\0');
}

class TitleFaultsCli : public testing::Test {
  protected:
    /// Returns the result of `check` of names, with help texts next to it.
    Result check(const std::string& content) const {
        folder_.write("perfh009.dat", multi({"3", "Help of System"}));
        return run({"check", folder_.write("perfc009.dat", content)});
    }
    TempFolder folder_;
};

TEST_F(TitleFaultsCli, ACompleteDatabaseHasNone) {
    const Result result = check(multi(complete()));
    EXPECT_EQ(result.exit, 0) << result.out;
    EXPECT_THAT(result.out, HasSubstr("no faults"));
}

TEST_F(TitleFaultsCli, EachFaultIsFoundWithItsRepair) {
    const Strings all = complete();
    const auto edited = [&](const std::function<void(Strings&)>& edit) {
        Strings strings = all;
        edit(strings);
        return multi(strings);
    };
    const std::string whole = multi(all);
    const std::vector<std::pair<std::string, std::string>> cases{
        {"base titles missing", edited([](Strings& s) { s.erase(s.begin() + 2, s.begin() + 8); })},
        {"base titles missing in the middle", edited([](Strings& s) { s.erase(s.begin() + 200, s.begin() + 202); })},
        {"base titles missing at the end", edited([](Strings& s) { s.resize(600); })},
        {"cut in a pair", edited([](Strings& s) { s.pop_back(); })},
        {"empty index", edited([](Strings& s) { s[100] = ""; })},
        {"empty text", edited([](Strings& s) { s[101] = ""; })},
        {"empty pair", edited([](Strings& s) { s[100] = s[101] = ""; })},
        {"no index", edited([](Strings& s) { s.erase(s.begin() + 100); })},
        {"no text", edited([](Strings& s) { s.erase(s.begin() + 101); })},
        {"index no number", edited([](Strings& s) { s[100] = "x"; })},
        {"out of order", edited([](Strings& s) {
             std::swap(s[s.size() - 4], s[s.size() - 6]);
             std::swap(s[s.size() - 3], s[s.size() - 5]);
         })},
        {"own titles last", edited([](Strings& s) { std::rotate(s.begin() + 2, s.begin() + 4, s.end()); })},
        {"twice", edited([](Strings& s) { s.insert(s.end(), {"2038", "Other"}); })},
        {"zeroes", std::string(whole.size(), '\0')},
        {"empty", ""},
        {"zeroes in the middle", std::string(whole).replace(2000, 400, std::string(400, '\0'))},
    };
    for (const auto& [name, content] : cases) {
        const Result result = check(content);
        EXPECT_EQ(result.exit, 1) << name << result.out << result.err;
        EXPECT_THAT(result.out, HasSubstr("lodctr /R")) << name;
        EXPECT_THAT(result.out, HasSubstr("rule: ")) << name;
        EXPECT_THAT(result.out, Not(HasSubstr("no faults"))) << name;
        EXPECT_THAT(result.out, Not(HasSubstr("Last Counter:"))) << name;
    }
}

TEST_F(TitleFaultsCli, TitlesAfterAnEmptyStringAreKept) {
    for (const std::size_t at : {100U, 101U}) {
        Strings strings = complete();
        strings[at] = "";
        const Result result = run({"titles", "find", "Counter 2038", folder_.write("perfc009.dat", multi(strings))});
        EXPECT_THAT(result.out, HasSubstr("2038"));
    }
}

TEST_F(TitleFaultsCli, NamesWithoutTheirHelpTexts) {
    const Result result = run({"check", folder_.write("alone/perfc009.dat", multi(complete()))});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.out, HasSubstr("perfhNNN.dat is not next to perfcNNN.dat"));
}

const std::string lodctr =
    "\r\nPerformance Counter ID Queries [PERFLIB]:\r\n"
    "    Base Index: 0x00000737 (1847)\r\n"
    "    Last Counter Text ID: 0x00003428 (13352)\r\n"
    "    Last Help Text ID: 0x00003429 (13353)\r\n\r\n"
    "[PerfProc] Performance Counters (Disabled)\r\n"
    "    DLL Name: %SystemRoot%\\System32\\perfproc.dll\r\n"
    "    Open Procedure: OpenSysProcessObject\r\n"
    "    Collect Procedure: CollectSysProcessObject\r\n"
    "    Close Procedure: CloseSysProcessObject\r\n\r\n"
    "[MyService] Performance Counters (Enabled)\r\n"
    "    DLL Name: my.dll\r\n"
    "    Open Procedure: Open\r\n"
    "    Collect Procedure: Collect\r\n"
    "    Close Procedure: Close\r\n"
    "    First Counter ID: 0x00001F40 (8000)\r\n"
    "    Last Counter ID: 0x00001F4A (8010)\r\n"
    "    First Help ID: 0x00001F41 (8001)\r\n"
    "    Last Help ID: 0x00001F4B (8011)\r\n";

const std::string queried =
    "\r\nHKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\PerfProc\\Performance\r\n"
    "    Library    REG_EXPAND_SZ    %SystemRoot%\\System32\\perfproc.dll\r\n"
    "    Disable Performance Counters    REG_DWORD    0x1\r\n"
    "    Object List    REG_SZ    230 232\r\n\r\n";

const std::string exported =
    "Windows Registry Editor Version 5.00\r\n\r\n"
    "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\PerfProc\\Performance]\r\n"
    "\"Library\"=\"perfproc.dll\"\r\n\"Disable Performance Counters\"=dword:00000004\r\n"
    "\"Object List\"=\"230 232\"\r\n";

TEST_F(TitleFaultsCli, ListsOfProvidersNeedNoOption) {
    for (const std::string& content : {lodctr, queried, exported, "\xFF\xFE" + utf16(exported)}) {
        const std::string file = folder_.write("providers.txt", content);
        for (const Strings& arguments : {Strings{"check", file}, Strings{"check", "--services", file}}) {
            const Result result = run(arguments);
            EXPECT_EQ(result.exit, 1) << result.err;
            EXPECT_THAT(result.out, HasSubstr("provider: service PerfProc"));
            EXPECT_THAT(result.out, HasSubstr("Disable Performance Counters"));
            EXPECT_THAT(result.out, HasSubstr("lodctr /e:SERVICE"));
        }
    }
    EXPECT_THAT(run({"check", folder_.write("a.reg", exported)}).out, HasSubstr("hides: Process, Thread"));
    EXPECT_THAT(run({"check", folder_.write("a.reg", exported)}).out, HasSubstr("value 4"));
    EXPECT_THAT(run({"check", folder_.write("a.txt", lodctr)}).out, HasSubstr("2 providers"));
}

TEST_F(TitleFaultsCli, TitlesInTheOutputOfRegQuery) {
    std::string list;
    for (const std::string& text : complete()) list += text + "\\0";
    const std::string file =
        folder_.write("perflib.txt",
                      "\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009\r\n"
                      "    Counter    REG_MULTI_SZ    " +
                          list + "\\0\r\n\r\n");
    EXPECT_THAT(run({"titles", "find", "Counter 2038", file}).out, HasSubstr("2038"));
    EXPECT_EQ(run({"check", file}).exit, 0);
    // A provider in the same file is checked, too.
    const Result both = run({"check", folder_.write("both.txt", read_file(file) + queried)});
    EXPECT_EQ(both.exit, 1);
    EXPECT_THAT(both.out, HasSubstr("provider: service PerfProc"));
}

TEST_F(TitleFaultsCli, TitlesAndMapsThroughCompression) {
    const std::string titles = multi(complete());
    for (const std::string& file : {folder_.write("perfc009.dat.gz", packed::gzip(titles)),
                                    folder_.write("t.zip", packed::zip({{"perfc009.dat", titles}}))})
        EXPECT_THAT(run({"titles", "find", "Counter 2038", file}).out, HasSubstr("2038")) << file;
}

}  // namespace title_faults_cli_test
}  // namespace hkpd_test
