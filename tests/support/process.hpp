// Programs that tests run, without a shell, and what they take: implemented in posix/ and windows/.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/places.hpp"

namespace hkpd_test {

struct Result {
    int exit = -1;  ///< 128 + the signal where one ended it
    std::string out, err;
    long peak_kib = 0;             ///< most memory that it held; on POSIX at least what this process held when it began
    double processor_seconds = 0;  ///< processor time that it used; Wine gives that of this process instead
};

struct Run {
    std::vector<std::string> arguments{};
    std::string input{};      ///< standard input: a pipe, as far as its buffer holds it, else a file
    bool piped = false;       ///< a pipe however long it is
    std::string directory{};  ///< to run in
    std::string output{};     ///< a file for standard output
    std::string columns = "100";
    std::string program = command_file;
};

/// Runs a program to its end. It gets this one's environment, but for what would change its output.
Result run(Run what);

/// The hkpd command while it runs, with a pipe as standard input.
class Running {
  public:
    explicit Running(const std::vector<std::string>& arguments);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    void send(std::string_view text) const;
    /// Ends it where it stands.
    void kill_now();

  private:
    struct Child;
    std::unique_ptr<Child> child_;
};

#ifndef _WIN32
/// Runs a program and sends it what Ctrl-C sends (SIGINT) as soon as a condition on what it has printed so far holds,
/// which is asked again and again. Fails where the program ends before, or does not end after the signal.
Result run_and_interrupt(Run what, const std::function<bool(const Result& so_far)>& is_time);
#endif

/// The most memory that this process has had.
long peak_memory_kib();

/// Processor time that this process has used.
double processor_seconds();

}  // namespace hkpd_test
