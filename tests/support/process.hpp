// Programs that tests run, without a shell, and their cost: implemented in posix/ and windows/.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/places.hpp"

namespace hkpd_test {

struct Result {
    int exit = -1;  ///< 128 + the signal if one ended it
    std::string out, err;
    long peak_kib = 0;             ///< peak memory; on POSIX at least that of this process when it started the program
    double processor_seconds = 0;  ///< processor time used; Wine returns that of this process instead
};

struct Run {
    std::vector<std::string> arguments{};
    std::string input{};      ///< standard input: a pipe if its buffer is large enough, else a file
    bool piped = false;       ///< a pipe, however long the input is
    std::string directory{};  ///< working directory
    std::string output{};     ///< file for standard output
    std::string columns = "100";
    std::string program = command_file;
};

/// Runs a program to its end. Its environment is that of this process, except for variables that would change its
/// output.
Result run(Run what);

/// The hkpd command while it runs, with a pipe as standard input.
class Running {
  public:
    explicit Running(const std::vector<std::string>& arguments);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    void send(std::string_view text) const;
    /// Kills it immediately.
    void kill_now();

  private:
    struct Child;
    std::unique_ptr<Child> child_;
};

#ifndef _WIN32
/// Runs a program and sends it the signal of Ctrl-C (SIGINT) as soon as a condition on its output so far holds; the
/// condition is evaluated repeatedly. Fails if the program ends before, or does not end after the signal.
Result run_and_interrupt(Run what, const std::function<bool(const Result& so_far)>& is_time);
#endif

/// Returns the peak memory of this process.
long peak_memory_kib();

/// Returns the processor time of this process.
double processor_seconds();

}  // namespace hkpd_test
