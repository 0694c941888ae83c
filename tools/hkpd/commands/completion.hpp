// Shell completion scripts, generated from the options of the subcommands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flags/help.hpp"

namespace hkpd::command {

/// The properties of a subcommand that completion scripts need.
struct Completed {
    std::string_view name, summary;
    std::vector<ShownOption> options;
    std::vector<std::string_view> words;  ///< values accepted as the first argument; empty if all arguments are files
};

std::string bash_completion(const std::vector<Completed>& subcommands);
std::string zsh_completion(const std::vector<Completed>& subcommands);
std::string fish_completion(const std::vector<Completed>& subcommands);
std::string powershell_completion(const std::vector<Completed>& subcommands);

/// Returns the description of an option up to its first semicolon or full stop, without texts in parentheses.
std::string short_text(std::string_view text);

/// Returns the text in single quotes, with each single quote inside the text replaced by `quote`.
std::string quoted(std::string_view text, std::string_view quote);

}  // namespace hkpd::command
