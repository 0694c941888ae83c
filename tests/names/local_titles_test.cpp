// Names in other languages: the built-in table, and how names of an input are resolved.
#include "names/local_titles.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "hkpd/names.hpp"

namespace hkpd_test {
namespace local_titles_test {

using Objects = std::vector<hkpd::NamedObject>;

/// Returns the English names: `Language: Object(Counter, Counter) Object(...)`; `?` for an unknown one.
std::string english(const Objects& objects) {
    const auto made = hkpd::translate(objects);
    if (!made) return "English";
    std::string text = std::string(made->language) + ":";
    const auto name = [](std::string_view known) { return known.empty() ? std::string("?") : std::string(known); };
    for (const hkpd::NamedObject& object : made->objects) {
        text += " " + name(object.name) + "(";
        for (std::size_t i = 0; i < object.counters.size(); ++i)
            text += (i == 0 ? "" : ", ") + name(object.counters[i]);
        text += ")";
    }
    return text;
}

TEST(LocalTitles, OneNameSuffices) {
    EXPECT_EQ(english({{"Prozessor", {"Prozessorzeit (%)"}}}), "German: Processor(% Processor Time)");
    EXPECT_EQ(english({{"Processeur", {"% temps processeur"}}}), "French: Processor(% Processor Time)");
    EXPECT_EQ(english({{"Процессор", {"% загруженности процессора"}}}), "Russian: Processor(% Processor Time)");
    EXPECT_EQ(english({{"İşlemci", {}}}), "Turkish: Processor()");
    // Objects with the same name in English.
    EXPECT_EQ(english({{"System", {"Lesevorgänge/s"}}}), "German: System(File Read Operations/sec)");
    EXPECT_EQ(english({{"TCPv4", {"Segmente/s"}}}), "German: TCPv4(Segments/sec)");
}

TEST(LocalTitles, EnglishNamesStay) {
    EXPECT_EQ(english({}), "English");
    EXPECT_EQ(english({{"Processor", {"% Processor Time"}}, {"System", {"Threads"}}}), "English");
    EXPECT_EQ(english({{"SQLServer:Locks", {"Lock Waits/sec"}}, {"My Service", {"Things", "Dinge"}}}), "English");
    EXPECT_EQ(english({{"Process V2", {"Process ID"}}, {"Thread", {"Something newer", "Context Switches/sec"}}}),
              "English");
}

TEST(LocalTitles, NamesAreResolvedInsideTheirObject) {
    EXPECT_EQ(english({{"System", {"Lesevorgänge/s"}},
                       {"Physikalischer Datenträger", {"Lesevorgänge/s"}},
                       {"Redirectordienst", {"Lesevorgänge/s"}}}),
              "German: System(File Read Operations/sec) PhysicalDisk(Disk Reads/sec) Redirector(Read Operations/sec)");
    // Four counters of Process have two French names.
    EXPECT_EQ(english({{"Processus", {"Taille virtuelle (octets)", "Octets privés"}}}),
              "French: Process(?, Private Bytes)");
}

TEST(LocalTitles, CaseApostrophesAndTurkishLetters) {
    const std::string idle = "French: PhysicalDisk(% Idle Time)";
    for (const std::string_view name :
         {"% d\xE2\x80\x99inactivité", "% d'inactivité", "% D\xE2\x80\x99INACTIVIT\xC3\x89"})
        EXPECT_EQ(english({{"Disque physique", {name}}}), idle) << name;
    EXPECT_EQ(english({{"disque physique", {"% d'inactivite\xCC\x81"}}}), idle);  // é of two characters
    for (const std::string_view name : {"İşlemci", "işlemci", "i\xCC\x87şlemci", "IŞLEMCİ"})
        EXPECT_EQ(english({{name, {}}}), "Turkish: Processor()") << name;
}

TEST(LocalTitles, UnknownNamesAreCounted) {
    const Objects objects{{"Prozessor", {"Prozessorzeit (%)", "Quatsch"}}, {"Mein Dienst", {"Dinge"}}};
    const auto made = hkpd::translate(objects);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->names, 5U);
    EXPECT_EQ(made->unknown, 3U);
    EXPECT_EQ(made->first_unknown, "Quatsch");
}

TEST(LocalTitles, TitlesThatASystemNumbersAtInstallation) {
    hkpd::TitleTable german("007", "x");
    for (const auto& [index, text] :
         std::vector<std::pair<std::uint32_t, std::string_view>>{{4, "Arbeitsspeicher"},
                                                                 {6, "Prozessorzeit (%)"},
                                                                 {230, "Prozess"},
                                                                 {238, "Prozessor"},
                                                                 {7000, "Prozessorinformationen"},
                                                                 {7002, "Prozessorzeit (%)"},
                                                                 {7004, "Nichts davon"}})
        german.add(index, text);
    EXPECT_EQ(hkpd::local_language(german), "German");
    const auto english = hkpd::translate(german);
    ASSERT_TRUE(english);
    EXPECT_EQ(english->language(), "009");
    EXPECT_EQ(english->find(7000), "Processor Information");
    EXPECT_EQ(english->find(7002), "% Processor Time");
    EXPECT_EQ(english->find(7004), std::nullopt);
    EXPECT_EQ(hkpd::local_language(hkpd::builtin_titles()), "");
    EXPECT_FALSE(hkpd::translate(hkpd::builtin_titles()));
}

}  // namespace local_titles_test
}  // namespace hkpd_test
