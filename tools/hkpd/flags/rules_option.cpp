#include "flags/rules_option.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace hkpd::command {

void describe_rules(po::options_description& shown, RulesChoice& choice) {
    auto add = shown.add_options();
    add("rules", po::value(&choice.file)->value_name("FILE"), "thresholds: XML as PAL has it, or windows: hkpd's own");
    add("answer", po::value(&choice.answers)->composing()->value_name("NAME=VALUE"),
        "answer to a question of the rules: PhysicalMemory=16");
}

std::expected<RuleRun, std::string> read_rules(const RulesChoice& choice) {
    const bool own = choice.file.empty() || choice.file == own_rules;
    auto rules = own ? std::expected<Rules, std::string>(Rules::built_in()) : Rules::read(choice.file);
    if (!rules) return std::unexpected("--rules: " + rules.error());
    std::vector<RuleAnswer> answers;
    for (const std::string& answer : choice.answers) {
        const std::size_t end = answer.find('=');
        if (end == 0 || end == std::string::npos)
            return std::unexpected(fmt::format("--answer: expected NAME=VALUE, found '{}'", answer));
        answers.push_back({answer.substr(0, end), answer.substr(end + 1)});
    }
    auto run = RuleRun::create(std::move(*rules), answers);
    if (!run) return std::unexpected("--answer: " + run.error());
    return run;
}

}  // namespace hkpd::command
