#include "progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "host.hpp"

namespace hkpd::command {
namespace {

/// Width of the progress line in columns. To erase the line, this number of blanks is written over it.
constexpr int bar_width = 32;

}  // namespace

Progress::Progress(bool writes) noexcept
    : active_(error_is_terminal() && !(writes && output_is_terminal())), next_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
    if (shown_) fmt::print(stderr, "\r{:{}}\r", "", bar_width);
}

void Progress::show(std::uint64_t samples) {
    constexpr std::chrono::milliseconds interval{200};
    if (!active_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + interval;
    shown_ = true;
    fmt::print(stderr, "\r{:<{}}", fmt::format("{} samples", samples), bar_width);
}

}  // namespace hkpd::command
