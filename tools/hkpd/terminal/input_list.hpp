// The inputs that a command line names: patterns are expanded, and one file is read once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "commands/command.hpp"
#include "flags/options.hpp"

namespace hkpd::command {

/// States whether an input that is named twice, or that is in a folder that is also named, is read once.
enum class SameInput : std::uint8_t { once, each };

/// Replaces each input that is a pattern (`*` and `?` in any part of the path, letter case ignored) with the files and
/// directories that it matches, in sorted order. A name that exists is no pattern. As in shells, names that begin with
/// a dot are matched only by a pattern that does. With `SameInput::once`, removes inputs that are the same file or
/// directory as an earlier one, and files in a directory that is an input; a line on standard error names each of them.
/// `recursive`: directories are read with those below them. Returns an exit code if a pattern matches nothing, which is
/// reported.
std::optional<Exit> take_inputs(std::string_view subcommand, Strings& inputs, bool recursive,
                                SameInput same = SameInput::once);

/// Returns whether a word of the command line is an input: `-`, the name of a file or directory, or a pattern that
/// matches any.
bool is_input(const std::string& word);

}  // namespace hkpd::command
