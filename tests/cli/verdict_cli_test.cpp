// The verdict as the command prints it: below the table of `hkpd top`, in its JSON, and on the page of `hkpd report`,
// where each sentence refers to its chart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "json_text.hpp"
#include "run_command.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace verdict_cli_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Ten minutes of a simulated machine, and options in front.
std::vector<std::string> simulated(std::vector<std::string> arguments) {
    for (const char* const word : {"--simulate", "--count", "11", "--interval", "60"}) arguments.emplace_back(word);
    return arguments;
}

/// Returns the sentences of a document.
std::vector<std::string> sentences_of(const std::string& json) {
    const auto document = parse_json(json);
    std::vector<std::string> all;
    for (const auto& statement : document["verdict"].GetArray()) all.emplace_back(statement["text"].GetString());
    return all;
}

TEST(VerdictCli, TextJsonAndPageHaveTheSameSentences) {
    const auto sentences = sentences_of(run(simulated({"top", "--format", "json"})).out);
    ASSERT_GE(sentences.size(), 2U);
    EXPECT_THAT(sentences[0], testing::StartsWith("no limit reached: processor "));
    const Result wide = run({.arguments = simulated({"top"}), .columns = "500"});
    for (const std::string& sentence : sentences) EXPECT_THAT(lines(wide.out), testing::Contains(sentence)) << wide.out;
    // On a narrow terminal, sentences are wrapped.
    for (const std::string& line : lines(run({.arguments = simulated({"top"}), .columns = "60"}).out))
        EXPECT_TRUE(line.size() <= 60U || line.starts_with("machine ") || line.contains(" processes by ")) << line;

    const TempFolder folder;
    const std::string page = folder.path("page.html");
    EXPECT_EQ(run(simulated({"report", "-o", page})).exit, 0);
    const std::string html = read_file(page);
    const std::size_t begin = html.find("<section id=\"verdict\">");
    ASSERT_NE(begin, std::string::npos);
    EXPECT_LT(begin, html.find("<section id=\"processes\">"));
    EXPECT_LT(html.find("<section id=\"processes\">"), html.find("<section id=\"findings\">"));
    const std::string section = html.substr(begin, html.find("</section>", begin) - begin);
    for (const std::string& sentence : sentences) EXPECT_THAT(section, HasSubstr(">" + sentence + "<")) << section;
    const std::regex link("href=\"#(chart-[0-9]+)\"");
    std::size_t links = 0;
    for (std::sregex_iterator at(section.begin(), section.end(), link), end; at != end; ++at, ++links)
        EXPECT_THAT(html, HasSubstr("id=\"" + (*at)[1].str() + "\""));
    EXPECT_GE(links, 1U);
}

TEST(VerdictCli, IsOnWhatIsSelected) {
    const auto sentences = [](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"top", "--format", "json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return sentences_of(run(simulated(arguments)).out);
    };
    const auto memory = sentences({"--object", "Memory"});
    ASSERT_GE(memory.size(), 1U);
    EXPECT_THAT(memory[0], testing::StartsWith("no limit reached: memory "));
    for (const std::string& sentence : memory) EXPECT_THAT(sentence, Not(HasSubstr("not recorded")));
    for (const std::string& sentence : sentences({"--instance", "System"})) EXPECT_THAT(sentence, HasSubstr("grow"));
    const auto document =
        parse_json(run(simulated({"top", "--by", R"(\Process(*)\Working Set)", "--format", "json"})).out);
    EXPECT_TRUE(!document.HasMember("verdict"));
}

TEST(VerdictCli, ShortInputsHaveNone) {
    const std::string demo = std::string(testdata_folder) + "/captures/demo.mcap";
    EXPECT_THAT(sentences_of(run({"top", demo, "--format", "json"}).out),
                ElementsAre("too short for a verdict: 3 samples in 4 s; it takes 10 samples and 5 min"));
}

}  // namespace verdict_cli_test
}  // namespace hkpd_test
