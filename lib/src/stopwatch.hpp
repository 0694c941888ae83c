// How long something takes.
#pragma once

#include <chrono>
#include <cstdint>

namespace hkpd {

/// How long it is since it was made.
class Stopwatch {
  public:
    std::uint64_t nanoseconds() const {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - since_).count());
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point since_ = Clock::now();
};

}  // namespace hkpd
