// When samples are taken.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace hkpd {

/// The moments at which samples are due.
class Ticks {
  public:
    virtual ~Ticks() = default;
    /// Waits for the next moment; its number, counted from 0 with those that were missed. None where there is no more.
    virtual std::optional<std::uint64_t> next() = 0;
    /// How many were left out because the next one was due already. One that is only late is taken at once.
    virtual std::uint64_t missed() const noexcept { return 0; }
};

/// How many ticks, and how far apart.
struct Schedule {
    std::chrono::nanoseconds interval = std::chrono::seconds(1);
    std::optional<std::uint64_t> count{};                ///< samples; none: without end
    std::optional<std::chrono::nanoseconds> duration{};  ///< no tick comes later than this after the first
};

/// A clock that can be waited for.
struct TickClock {
    std::function<std::chrono::nanoseconds()> now;  ///< never goes back
    /// Waits until then, or until it is to end: then false.
    std::function<bool(std::chrono::nanoseconds)> wait_until;
};
/// The system's clock; waiting ends when `stop` is set (by a signal, say), within 20 ms. Keeps a reference.
TickClock steady_clock(const std::atomic<bool>& stop);

/// Ticks at first tick + n × interval, so that lateness never adds up. What was missed altogether is left out.
std::unique_ptr<Ticks> steady_ticks(const Schedule& schedule, TickClock clock);
/// The same ticks without waiting.
std::unique_ptr<Ticks> immediate_ticks(const Schedule& schedule);

}  // namespace hkpd
