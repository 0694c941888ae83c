// `--rules` and `--answer`: the rules that are evaluated over a run.
#pragma once

#include <expected>
#include <string>

#include "flags/options.hpp"
#include "hkpd/rules.hpp"

namespace hkpd::command {

struct RulesChoice {
    std::string file;  ///< rule file; empty: hkpd's own rules
    Strings answers;   ///< `NAME=VALUE`
};

/// Adds `--rules` and `--answer` to a subcommand's options.
void describe_rules(po::options_description& shown, RulesChoice& choice);

/// Reads the rules and answers. Fails with a message that names the option.
std::expected<RuleRun, std::string> read_rules(const RulesChoice& choice);

/// The name that stands for hkpd's own rules: `--rules windows`.
inline constexpr std::string_view own_rules = "windows";

}  // namespace hkpd::command
