// The progress of long work on a terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace hkpd::command {

/// A count of samples that is shown on standard error if that is a terminal, and erased on destruction.
class Progress {
  public:
    /// `writes` states whether standard output is written meanwhile. If so, and standard output is a terminal too,
    /// nothing is shown.
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
