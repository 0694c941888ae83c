#include "support/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace hkpd_test {
namespace {

/// The two ends of a pseudo-terminal. The program gets the end with a path.
struct PseudoTerminal {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave = -1;

    explicit PseudoTerminal(const TerminalRun& what) {
        char path[128] = "";
        EXPECT_EQ(grantpt(master), 0);
        EXPECT_EQ(unlockpt(master), 0);
        EXPECT_EQ(ptsname_r(master, path, sizeof path), 0) << std::strerror(errno);
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
        EXPECT_GE(slave, 0) << path;
        termios mode{};
        tcgetattr(slave, &mode);
        cfmakeraw(&mode);  // bytes are passed unchanged
        tcsetattr(slave, TCSANOW, &mode);
        const winsize size{what.lines, what.columns, 0, 0};
        EXPECT_EQ(ioctl(slave, TIOCSWINSZ, &size), 0);
    }
    PseudoTerminal(const PseudoTerminal&) = delete;
    PseudoTerminal& operator=(const PseudoTerminal&) = delete;
    ~PseudoTerminal() { close(master); }

    /// Returns everything until all programs have closed their end. Types each of `keys` when the text ends with
    /// `prompt`.
    std::string read_all(std::vector<std::string> keys, std::string_view prompt) {
        close(slave);
        std::string text;
        char buffer[65536];
        while (true) {
            const ssize_t got = read(master, buffer, sizeof buffer);
            if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
            if (!keys.empty() && text.ends_with(prompt)) {
                EXPECT_EQ(write(master, keys.front().data(), keys.front().size()),
                          static_cast<ssize_t>(keys.front().size()));
                keys.erase(keys.begin());
            }
            if (got == 0 || (got < 0 && errno != EINTR)) return text;  // EIO at the end
        }
    }
};

std::vector<std::string> terminal_environment(const std::vector<std::string>& more) {
    std::vector<std::string> kept{"TERM=xterm"};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const bool dropped = text.starts_with("COLUMNS=") || text.starts_with("LINES=") ||
                             text.starts_with("NO_COLOR=") || text.starts_with("TERM=");
        if (!dropped) kept.emplace_back(text);
    }
    for (const std::string& variable : more) {
        if (variable.starts_with("TERM=")) kept.front() = variable;
        kept.push_back(variable);
    }
    return kept;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
    std::vector<char*> all;
    for (std::string& string : strings) all.push_back(string.data());
    all.push_back(nullptr);
    return all;
}

}  // namespace

Result run_on_terminal(const TerminalRun& what) {
    PseudoTerminal terminal(what);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (what.keys.empty())
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    else
        posix_spawn_file_actions_adddup2(&actions, terminal.slave, 0);
    if (what.output.empty())
        posix_spawn_file_actions_adddup2(&actions, terminal.slave, 1);
    else
        posix_spawn_file_actions_addopen(&actions, 1, what.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, terminal.slave, 2);
    if (!what.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, what.directory.c_str());
    std::vector<std::string> arguments{command_file}, environment = terminal_environment(what.environment);
    arguments.insert(arguments.end(), what.arguments.begin(), what.arguments.end());
    pid_t process = 0;
    const int failed = posix_spawn(&process, command_file, &actions, nullptr, pointers_to(arguments).data(),
                                   pointers_to(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(failed, 0) << std::strerror(failed);
    Result result;
    result.out = terminal.read_all(what.keys, what.prompt);
    if (failed != 0) return result;
    int status = 0;
    EXPECT_EQ(waitpid(process, &status, 0), process);
    result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

}  // namespace hkpd_test
