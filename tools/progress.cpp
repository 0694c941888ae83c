#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace hkpd::command {

Progress::Progress(bool writes) noexcept
    : active_(isatty(STDERR_FILENO) != 0 && !(writes && isatty(STDOUT_FILENO) != 0)),
      next_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
    constexpr const char* erase_line = "\r\x1B[K";
    if (shown_) std::fputs(erase_line, stderr);
}

void Progress::show(std::uint64_t samples) {
    constexpr std::chrono::milliseconds interval{200};
    if (!active_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + interval;
    shown_ = true;
    fmt::print(stderr, "\r{} samples ", samples);
}

}  // namespace hkpd::command
