// How far long work has come, on a terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace hkpd::command {

/// Shows a count on standard error where that is a terminal; gone when this is.
class Progress {
  public:
    /// `writes` says that standard output is written to meanwhile: then nothing is shown where that is a terminal too.
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
