#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/text/names.hpp"

namespace hkpd_test {
namespace nearest_test {

std::string nearest(std::string_view wanted, std::initializer_list<std::string_view> names,
                    hkpd::LetterCase letter_case = hkpd::LetterCase::ignored) {
    hkpd::Nearest found(wanted, letter_case);
    for (const std::string_view name : names) found.offer(name);
    return found.name();
}

TEST(Nearest, OneTypingError) {
    for (const std::string_view wanted : {"Procesor", "Processorr", "Prozessor", "Porcessor", "rocessor", "PROCESOR"})
        EXPECT_EQ(nearest(wanted, {"Process", "Processor", "Memory"}), "Processor") << wanted;
    EXPECT_EQ(nearest("dmp", {"map", "dump"}), "dump");
    EXPECT_EQ(nearest("mpa", {"dump", "map"}), "map");
}

TEST(Nearest, TheNearestAndTheFirstOfSeveral) {
    EXPECT_EQ(nearest("Thredas", {"Threat", "Threads", "Thread"}), "Threads");
    EXPECT_EQ(nearest("abcdefghx", {"abcdefgh1", "abcdefgh2"}), "abcdefgh1");
}

TEST(Nearest, UpToAThirdOfTheLetters) {
    EXPECT_EQ(nearest("Threda", {"Thread"}), "Thread");
    EXPECT_EQ(nearest("abc", {"xyc", "ab"}), "ab");
    EXPECT_EQ(nearest("abc", {"xyc"}), "");
    EXPECT_EQ(nearest("v3", {"v1", "v2"}), "");
    EXPECT_EQ(nearest("Processor Information", {"Prozessor Information"}), "Prozessor Information");
    EXPECT_EQ(nearest("a long name of an object", {"a lung nane uf an abject"}), "") << "four typing errors";
    EXPECT_EQ(nearest("", {"", "a"}), "");
}

TEST(Nearest, LettersOfAnyAlphabet) {
    EXPECT_EQ(nearest("PROZEßOR-ZÄIT", {"Prozeßor-Zeit", "Speicher"}), "Prozeßor-Zeit");
    EXPECT_EQ(nearest("Процесор", {"Память", "Процессор"}), "Процессор");
}

TEST(Nearest, AnExactMatchIsNoTypingError) {
    EXPECT_EQ(nearest("Processor", {"Procesor", "processor", "Procesor"}), "");
    EXPECT_EQ(nearest("Proces*r", {"Processor"}), "");
    EXPECT_EQ(nearest("Proces?r", {"Processor"}), "");
}

TEST(Nearest, CaseSensitiveWhereRequested) {
    const auto exact = [](std::string_view wanted, std::initializer_list<std::string_view> names) {
        return nearest(wanted, names, hkpd::LetterCase::matters);
    };
    EXPECT_EQ(exact("DUMP", {"map", "dump"}), "dump");
    EXPECT_EQ(exact("DUMP", {"dumb", "dump", "Dump"}), "dump") << "nearer than a typing error, and the first";
    EXPECT_EQ(exact("DMUP", {"map", "dump"}), "dump");
    EXPECT_EQ(exact("dump", {"Dump", "dump", "dumb"}), "") << "an exact match exists";
    EXPECT_EQ(exact("V1", {"log", "v1"}), "v1");
    EXPECT_EQ(exact("v3", {"v1", "v2"}), "");
    EXPECT_EQ(exact("", {"", "a"}), "");
}

TEST(Nearest, NamesOfAnyLengthAndBytes) {
    const std::string longest(hkpd::Nearest::longest, 'a'), longer(hkpd::Nearest::longest + 1, 'a');
    EXPECT_EQ(nearest(longest.substr(1), {longest}), longest);
    EXPECT_EQ(nearest(longest, {longer}), "");
    EXPECT_EQ(nearest(longer, {longest}), "");
    // Letters that are longer in the other case: U+023A takes two bytes, U+2C65 three.
    std::string grows;
    while (grows.size() < hkpd::Nearest::longest) grows += "\u023A";
    EXPECT_EQ(nearest(grows.substr(2), {grows}), grows);
    EXPECT_EQ(nearest("\xFF\xFE\xFD\xFC", {"\xFF\xFE\xFD"}), "\xFF\xFE\xFD");
    EXPECT_EQ(nearest(std::string_view("ab\0d", 4), {std::string_view("ab\0\0", 4)}), std::string_view("ab\0\0", 4));
}

}  // namespace nearest_test
}  // namespace hkpd_test
