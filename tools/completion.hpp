// Scripts by which shells complete what is typed, written from the subcommands' options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "help.hpp"

namespace hkpd::command {

/// A subcommand as a shell needs it.
struct Completed {
    std::string_view name, summary;
    std::vector<ShownOption> options;
    std::vector<std::string_view> words;  ///< what the first word may be; empty: a file like all others
};

std::string bash_completion(const std::vector<Completed>& subcommands);
std::string zsh_completion(const std::vector<Completed>& subcommands);
std::string fish_completion(const std::vector<Completed>& subcommands);
std::string powershell_completion(const std::vector<Completed>& subcommands);

/// An option's text up to its first semicolon or full stop, without what is in parentheses behind a blank.
std::string short_text(std::string_view text);

/// Text between single quotes, where `quote` stands for one inside.
std::string quoted(std::string_view text, std::string_view quote);

}  // namespace hkpd::command
