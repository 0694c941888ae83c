// Which names are replaced, by what, and which parts of them are kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "hkpd/redact.hpp"
#include "support/pattern.hpp"

namespace hkpd {
namespace pseudonyms_test {

using testing::AllOf;
using testing::EndsWith;
using testing::StartsWith;

/// Pseudonyms of a fixed key.
class PseudonymsTest : public testing::Test {
  protected:
    std::string instance(const std::string& name) { return names_.replace(NameKind::instance, name); }
    std::string title(const std::string& name) { return names_.replace(NameKind::title, name); }
    std::string machine(const std::string& name) { return names_.replace(NameKind::machine, name); }
    std::string file(const std::string& name) { return names_.replace(NameKind::file, name); }

    Pseudonyms names_{{.key = "a key"}};
};

TEST_F(PseudonymsTest, HaveOneForm) {
    EXPECT_THAT(instance("sqlservr"), MatchesPattern("name-[0-9a-z]{10}"));
    EXPECT_THAT(machine("SRV-ERP-01"), MatchesPattern("machine-[0-9a-z]{10}"));
    EXPECT_THAT(title("Contoso Orders/sec"), MatchesPattern("custom-[0-9a-z]{10}"));
    EXPECT_THAT(instance(R"(C:\mount\payroll)"), MatchesPattern("path-[0-9a-z]{10}"));
    EXPECT_THAT(file("/home/alice/SRV-ERP-01.blg"), MatchesPattern(R"(file-[0-9a-z]{10}\.blg)"));
    EXPECT_EQ(instance(""), "");
}

TEST_F(PseudonymsTest, AreStable) {
    Pseudonyms same({.key = "a key"}), other({.key = "b key"}), random({}), second({});
    EXPECT_EQ(instance("Outlook"), same.replace(NameKind::instance, "OUTLOOK"));
    EXPECT_NE(instance("Outlook"), other.replace(NameKind::instance, "Outlook"));
    EXPECT_NE(random.replace(NameKind::instance, "Outlook"), second.replace(NameKind::instance, "Outlook"));
    EXPECT_EQ(instance("Outlook").substr(5), machine("outlook").substr(8));
}

TEST_F(PseudonymsTest, KeepWhatWindowsAdds) {
    const std::string name = instance("Payroll");
    EXPECT_EQ(instance("payroll#12"), name + "#12");
    EXPECT_EQ(instance("Payroll:4711"), name + ":4711");
    EXPECT_EQ(instance("Payroll.exe"), name + ".exe");
    EXPECT_EQ(instance("Payroll_p4711_r5_ad2"), name + "_p4711_r5_ad2");
    EXPECT_EQ(instance("4711_Payroll"), "4711_" + name);
    EXPECT_EQ(instance("2:4711 Payroll.exe"), "2:4711 " + name + ".exe");
    EXPECT_EQ(instance("Payroll/17"), name + "/17");
    EXPECT_EQ(instance("Payroll/Outlook#1"), name + "/" + instance("Outlook") + "#1");
    EXPECT_EQ(instance("Payroll:Hv VP 3"), name + ":Hv VP 3");
    EXPECT_EQ(instance("pid_4711_luid_0x00000000_0x0000D1B4_phys_0_eng_0_engtype_Payroll"),
              "pid_4711_luid_0x00000000_0x0000D1B4_phys_0_eng_0_engtype_" + name);
}

TEST_F(PseudonymsTest, KeepWhatEveryWindowsHas) {
    for (const char* kept :
         {"_Total", "Idle", "system", "0", "0,1", "0,_Total", "C:", "0 C:", "1 D: E:", "HarddiskVolume3", "System:4",
          "Idle/0", "pid_4711_luid_0x00000000_0x0000D1B4_phys_0_eng_0_engtype_3D", "luid_0x0_0x1_phys_0", "RDP-Tcp 2",
          "Root VP 0"})
        EXPECT_EQ(instance(kept), kept);
    EXPECT_EQ(names_.counts()[static_cast<std::size_t>(NameKind::instance)], 0U);
}

TEST_F(PseudonymsTest, ReplaceNumbersOfPeople) {
    for (const char* name : {"10.1.2.3", "fe80::1", "01234567890", "S-1-5-21-3623811015", "alice@contoso.com", "C:\\x",
                             "isatap.contoso.com", "user 7", "{b4fc721a-0378-476f-89ba-a5a79f810b36}"})
        EXPECT_THAT(instance(name), testing::Not(testing::HasSubstr(name))) << name;
}

TEST_F(PseudonymsTest, KeepTitlesOfWindowsInAnyLanguage) {
    for (const char* kept : {"Processor", "% Processor Time", "process", "Prozessor", "Prozessorzeit (%)", "Process V2",
                             "Other columns", "SQLServer:Locks"})
        EXPECT_EQ(title(kept), kept);
    EXPECT_EQ(title("MSSQL$PAYROLL:Locks"), "MSSQL$" + instance("payroll") + ":Locks");
    EXPECT_THAT(title("MSSQL$PAYROLL:Contoso"), StartsWith("custom-"));
}

TEST_F(PseudonymsTest, ReplaceTheDomainOfAMachine) {
    const std::string made = machine("srv01.corp.contoso.com");
    EXPECT_THAT(made, AllOf(StartsWith(machine("SRV01") + "."), MatchesPattern(R"(.*\.domain-[0-9a-z]{10})")));
    EXPECT_THAT(machine("srv02.corp.contoso.com"), EndsWith(made.substr(made.find('.'))));
    EXPECT_THAT(machine(R"(\\SRV01)"), R"(\\)" + machine("SRV01"));
    EXPECT_THAT(machine("10.1.2.3"), MatchesPattern("machine-[0-9a-z]{10}"));
}

TEST(PseudonymsKeep, NamesThatMatch) {
    Pseudonyms names({.key = "a key", .keep = {"SVC*", "contoso orders"}, .keep_counters = false});
    EXPECT_EQ(names.replace(NameKind::instance, "svchost#3"), "svchost#3");
    EXPECT_EQ(names.replace(NameKind::instance, "svchost:4711"), "svchost:4711");
    EXPECT_EQ(names.replace(NameKind::title, "Contoso Orders"), "Contoso Orders");
    EXPECT_THAT(names.replace(NameKind::machine, "SVC01"), StartsWith("machine-"));
    Pseudonyms counters({.key = "a key", .keep_counters = true});
    EXPECT_EQ(counters.replace(NameKind::title, "Contoso Orders"), "Contoso Orders");
    EXPECT_EQ(counters.replace(NameKind::title, "MSSQL$X:Anything"),
              "MSSQL$" + counters.replace(NameKind::instance, "X") + ":Anything");
}

TEST_F(PseudonymsTest, AreListedOnce) {
    for (const char* name : {"Payroll", "payroll#1", "PAYROLL:12", "Outlook"}) instance(name);
    machine("SRV01");
    const auto pairs = names_.replaced();
    ASSERT_EQ(pairs.size(), 3U);
    EXPECT_EQ(pairs.front().kind, NameKind::machine);
    EXPECT_EQ(pairs.front().name, "SRV01");
    std::set<std::string> listed;
    for (const Pseudonyms::Pair& pair : pairs) listed.insert(pair.name);
    EXPECT_EQ(listed, (std::set<std::string>{"SRV01", "Payroll", "Outlook"}));
}

TEST_F(PseudonymsTest, DifferForManyNames) {
    std::set<std::string> made;
    constexpr int many = 5'000;
    for (int i = 0; i < many; ++i) made.insert(instance("program" + std::to_string(i) + "x"));
    EXPECT_EQ(made.size(), static_cast<std::size_t>(many));
}

}  // namespace pseudonyms_test
}  // namespace hkpd
