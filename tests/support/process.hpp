// Programs that tests run, without a shell, and what they take: implemented in posix/ and windows/.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/places.hpp"

namespace hkpd_test {

struct Result {
    int exit = -1;  ///< 128 + the signal where one ended it
    std::string out, err;
    long peak_kib = 0;  ///< most memory that it held; on POSIX at least what this process held when it began
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

/// The most memory that this process has had.
long peak_memory_kib();

}  // namespace hkpd_test
