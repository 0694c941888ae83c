#include "support/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace hkpd_test {
namespace {

/// A file without a name.
class Scratch {
  public:
    Scratch() : file_(std::tmpfile()) { EXPECT_NE(file_, nullptr) << std::strerror(errno); }
    ~Scratch() {
        if (file_ != nullptr) std::fclose(file_);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    int descriptor() const { return fileno(file_); }
    void fill(std::string_view text) {
        std::fwrite(text.data(), 1, text.size(), file_);
        std::rewind(file_);
    }
    std::string content() {
        std::string text;
        std::rewind(file_);
        char buffer[65536];
        for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file_)) != 0;) text.append(buffer, got);
        return text;
    }

  private:
    std::FILE* file_;
};

std::vector<std::string> child_environment(const std::string& columns) {
    std::vector<std::string> kept{"COLUMNS=" + columns};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (!text.starts_with("COLUMNS=") && !text.starts_with("NO_COLOR=")) kept.emplace_back(text);
    }
    return kept;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> all;
    for (std::string& string : strings) all.push_back(string.data());
    all.push_back(nullptr);
    return all;
}

/// False where the reader is gone.
bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = write(descriptor, text.data(), text.size());
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

}  // namespace

Result run(Run what) {
    constexpr std::size_t pipe_holds = 32 * 1024;
    Scratch in, out, err;
    int ends[2] = {-1, -1};
    const bool fits = what.input.size() <= pipe_holds;
    const bool piped = (what.piped || fits) && pipe2(ends, O_CLOEXEC) == 0;
    if (!piped) in.fill(what.input);
    // Before the program runs, for it may end without reading.
    bool written = !piped || !fits || write_all(ends[1], what.input);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, piped ? ends[0] : in.descriptor(), 0);
    if (what.output.empty())
        posix_spawn_file_actions_adddup2(&actions, out.descriptor(), 1);
    else
        posix_spawn_file_actions_addopen(&actions, 1, what.output.c_str(), O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, err.descriptor(), 2);
    if (!what.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, what.directory.c_str());

    std::vector<std::string> arguments{what.program}, environment = child_environment(what.columns);
    arguments.insert(arguments.end(), what.arguments.begin(), what.arguments.end());
    pid_t child = 0;
    const int failed = posix_spawn(&child, what.program.c_str(), &actions, nullptr, pointers(arguments).data(),
                                   pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (piped) {
        close(ends[0]);
        if (!fits) written = write_all(ends[1], what.input);
        close(ends[1]);
    }
    Result result;
    EXPECT_TRUE(written);
    EXPECT_EQ(failed, 0) << std::strerror(failed);
    if (failed != 0) return result;
    int status = 0;
    rusage usage{};
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.peak_kib = usage.ru_maxrss;
    result.out = out.content();
    result.err = err.content();
    return result;
}

struct Running::Child {
    pid_t process = 0;
    int input = -1;
};

Running::Running(const std::vector<std::string>& arguments) : child_(std::make_unique<Child>()) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    std::vector<std::string> words{command_file};
    words.insert(words.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(posix_spawn(&child_->process, command_file, &actions, nullptr, pointers(words).data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    child_->input = ends[1];
}

Running::~Running() { kill_now(); }

void Running::send(std::string_view text) const { ASSERT_TRUE(write_all(child_->input, text)); }

void Running::kill_now() {
    if (child_->process == 0) return;
    kill(child_->process, SIGKILL);
    waitpid(child_->process, nullptr, 0);
    close(child_->input);
    child_->process = 0;
}

long peak_memory_kib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

}  // namespace hkpd_test
