// A clock that a test moves, and ticks that come at once.
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

/// Waiting moves its time. Has to outlive what it gives.
struct FakeClock {
    std::chrono::nanoseconds now = std::chrono::seconds(5);
    std::chrono::nanoseconds lateness{0};               ///< how late it wakes
    std::optional<std::chrono::nanoseconds> stop_at{};  ///< waiting ends then
    std::vector<std::chrono::nanoseconds> waits{};      ///< until when it was waited, as far as that was not over

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

/// So many ticks without waiting, of which some are said to have been missed.
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
