// Runs the hkpd command as a user's shell does, without a shell.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hkpd_test {

struct Result {
    int exit = -1;  ///< 128 + the signal where one ended it
    std::string out, err;
    long peak_kib = 0;  ///< most memory that it held; at least what this process held when it began
};

struct Run {
    std::vector<std::string> arguments{};
    std::string input{};      ///< standard input: a pipe, as far as its buffer holds it, else a file
    std::string directory{};  ///< to run in
    std::string output{};     ///< a file for standard output
    std::string columns = "100";
};

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

/// What a child gets of the environment: all but what would change its output.
inline std::vector<std::string> child_environment(const std::string& columns) {
    std::vector<std::string> kept{"COLUMNS=" + columns};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (!text.starts_with("COLUMNS=") && !text.starts_with("NO_COLOR=")) kept.emplace_back(text);
    }
    return kept;
}

inline std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> all;
    for (std::string& string : strings) all.push_back(string.data());
    all.push_back(nullptr);
    return all;
}

inline Result run(Run what) {
    constexpr std::size_t pipe_holds = 32 * 1024;
    Scratch in, out, err;
    int ends[2] = {-1, -1};
    const bool piped = what.input.size() <= pipe_holds && pipe2(ends, O_CLOEXEC) == 0;
    if (piped) {
        EXPECT_EQ(write(ends[1], what.input.data(), what.input.size()), static_cast<ssize_t>(what.input.size()));
        close(ends[1]);
    } else {
        in.fill(what.input);
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, piped ? ends[0] : in.descriptor(), 0);
    if (what.output.empty())
        posix_spawn_file_actions_adddup2(&actions, out.descriptor(), 1);
    else
        posix_spawn_file_actions_addopen(&actions, 1, what.output.c_str(), O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, err.descriptor(), 2);
    if (!what.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, what.directory.c_str());

    std::vector<std::string> arguments{HKPD_COMMAND}, environment = child_environment(what.columns);
    arguments.insert(arguments.end(), what.arguments.begin(), what.arguments.end());
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, HKPD_COMMAND, &actions, nullptr, pointers(arguments).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (piped) close(ends[0]);
    Result result;
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

inline Result run(std::vector<std::string> arguments) { return run(Run{.arguments = std::move(arguments)}); }

/// `hkpd dump` with these arguments.
inline Result dump(std::vector<std::string> arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "dump");
    return run({.arguments = std::move(arguments), .input = std::move(input)});
}

/// `hkpd titles` with these arguments.
inline Result titles(std::vector<std::string> arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "titles");
    return run({.arguments = std::move(arguments), .input = std::move(input)});
}

inline rapidjson::Document parse_json(const std::string& text) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
    EXPECT_FALSE(document.HasParseError()) << GetParseError_En(document.GetParseError()) << " at "
                                           << document.GetErrorOffset() << ": " << text.substr(0, 300);
    return document;
}

inline std::vector<std::string> lines(std::string_view text) {
    std::vector<std::string> all;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        all.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return all;
}

}  // namespace hkpd_test
