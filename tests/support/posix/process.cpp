#include "support/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "support/waiting.hpp"

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
    std::string content() const {
        // The program may still be writing at the file position that it shares with this process, so the position must
        // not change.
        std::string text;
        char buffer[65536];
        for (ssize_t got = 0; (got = pread(descriptor(), buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
            text.append(buffer, static_cast<std::size_t>(got));
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

/// Returns false if the reader has gone.
bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = write(descriptor, text.data(), text.size());
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

}  // namespace

namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}
double seconds(const rusage& usage) { return seconds(usage.ru_utime) + seconds(usage.ru_stime); }

/// A running program and its files.
class Started {
  public:
    explicit Started(const Run& what) {
        constexpr std::size_t pipe_holds = 32 * 1024;
        int ends[2] = {-1, -1};
        const bool fits = what.input.size() <= pipe_holds;
        const bool piped = (what.piped || fits) && pipe2(ends, O_CLOEXEC) == 0;
        if (!piped) in_.fill(what.input);
        // Written before the program runs, as it may end without reading.
        bool written = !piped || !fits || write_all(ends[1], what.input);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, piped ? ends[0] : in_.descriptor(), 0);
        if (what.output.empty())
            posix_spawn_file_actions_adddup2(&actions, out_.descriptor(), 1);
        else
            posix_spawn_file_actions_addopen(&actions, 1, what.output.c_str(), O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, err_.descriptor(), 2);
        if (!what.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, what.directory.c_str());

        std::vector<std::string> arguments{what.program}, environment = child_environment(what.columns);
        arguments.insert(arguments.end(), what.arguments.begin(), what.arguments.end());
        const int failed = posix_spawn(&process_, what.program.c_str(), &actions, nullptr, pointers(arguments).data(),
                                       pointers(environment).data());
        posix_spawn_file_actions_destroy(&actions);
        if (piped) {
            close(ends[0]);
            if (!fits) written = write_all(ends[1], what.input);
            close(ends[1]);
        }
        EXPECT_TRUE(written);
        EXPECT_EQ(failed, 0) << what.program << ": " << std::strerror(failed);
        if (failed != 0) process_ = 0;
    }

    /// Returns whether the program has ended, after waiting for its end or without.
    bool has_ended(bool wait) {
        if (process_ == 0) return true;
        int status = 0;
        rusage usage{};
        pid_t ended = 0;
        do ended = wait4(process_, &status, wait ? 0 : WNOHANG, &usage);
        while (ended < 0 && errno == EINTR);
        if (ended == 0) return false;
        process_ = 0;
        result_.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        result_.peak_kib = usage.ru_maxrss;
        result_.processor_seconds = seconds(usage);
        return true;
    }
    void send(int signal) const {
        if (process_ != 0) kill(process_, signal);
    }
    /// Returns its output so far.
    const Result& result() {
        result_.out = out_.content();
        result_.err = err_.content();
        return result_;
    }

  private:
    Scratch in_, out_, err_;
    pid_t process_ = 0;
    Result result_;
};

}  // namespace

Result run(Run what) {
    Started program(what);
    program.has_ended(true);
    return program.result();
}

Result run_and_interrupt(Run what, const std::function<bool(const Result& so_far)>& is_time) {
    constexpr std::chrono::milliseconds pause(5);
    Started program(what);
    bool ended = false;
    const auto continues = [&] { return (ended = program.has_ended(false)) || is_time(program.result()); };
    wait_until(continues, what.program + " has shown what it is to show before Ctrl-C", pause);
    EXPECT_FALSE(ended) << "it was to run until Ctrl-C:\n" << program.result().err;
    program.send(SIGINT);
    if (!wait_until([&] { return program.has_ended(false); }, what.program + " ends after Ctrl-C", pause)) {
        program.send(SIGKILL);
        program.has_ended(true);
    }
    return program.result();
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

double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return seconds(usage);
}

}  // namespace hkpd_test
