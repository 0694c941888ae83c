// A clock that a test moves, and ticks that come immediately.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hkpd/live.hpp"

namespace hkpd_test {

/// A clock whose time moves when it is waited for. Must outlive the clocks that it returns.
struct FakeClock {
    std::chrono::nanoseconds now = std::chrono::seconds(5);
    std::chrono::nanoseconds lateness{0};               ///< delay of each wakeup
    std::optional<std::chrono::nanoseconds> stop_at{};  ///< waiting ends at this time
    std::vector<std::chrono::nanoseconds> waits{};      ///< ends of the waits that were still in the future

    hkpd::TickClock clock() {
        return {.now = [this] { return now; },
                .wait_until =
                    [this](std::chrono::nanoseconds until) {
                        if (stop_at && std::max(until, now) >= *stop_at) {
                            now = std::max(now, *stop_at);
                            return false;
                        }
                        if (until > now) {
                            waits.push_back(until);
                            now = until + lateness;
                        }
                        return true;
                    }};
    }
};

/// A fixed number of ticks without waiting, some of which are reported as missed.
class CountedTicks final : public hkpd::Ticks {
  public:
    explicit CountedTicks(std::uint64_t count, std::uint64_t missed = 0,
                          std::function<void(std::uint64_t)> on_tick = {})
        : count_(count), missed_(missed), on_tick_(std::move(on_tick)) {}

    std::optional<std::uint64_t> next() override {
        if (next_ == count_) return std::nullopt;
        if (on_tick_) on_tick_(next_);
        return next_++;
    }
    std::uint64_t missed() const noexcept override { return missed_; }

  private:
    std::uint64_t count_, missed_, next_ = 0;
    std::function<void(std::uint64_t)> on_tick_;
};

}  // namespace hkpd_test
