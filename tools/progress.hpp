// Shows the progress of a long run on the terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace hkpd::command {

/// A number of samples, shown on standard error and erased on destruction. If standard error is not a terminal, the
/// number is not shown.
class Progress {
  public:
    /// `writes` states whether the run also writes to standard output. If so, and standard output is a terminal too,
    /// nothing is shown, because the number would appear in the middle of the output.
    explicit Progress(bool writes) noexcept;
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::uint64_t samples);

  private:
    bool active_, shown_ = false;
    std::chrono::steady_clock::time_point next_;
};

}  // namespace hkpd::command
