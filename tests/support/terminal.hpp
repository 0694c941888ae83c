// Runs the command on a pseudo-terminal. POSIX only.
#pragma once

#include <string>
#include <vector>

#include "support/process.hpp"

namespace hkpd_test {

struct TerminalRun {
    std::vector<std::string> arguments{};
    std::string directory{};
    std::vector<std::string> environment{};  ///< further variables such as `NO_COLOR=1`; TERM is xterm by default
    unsigned short columns = 80, lines = 24;
    /// Keys that the user types: each as soon as the text shown ends with `prompt`. Standard input is then the
    /// terminal.
    std::vector<std::string> keys{};
    std::string prompt{};
    std::string output{};  ///< file for standard output; empty: the terminal, too
};

/// Runs the hkpd command to its end, with standard error on a terminal, and standard output if it has no file. Returns
/// all that was shown on the terminal as `Result::out`.
Result run_on_terminal(const TerminalRun& what);

}  // namespace hkpd_test
