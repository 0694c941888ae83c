#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "hkpd/live.hpp"

namespace hkpd {
namespace {

using std::chrono::nanoseconds;

constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max() - 1;

/// The ticks that a schedule allows.
class Allowance {
  public:
    explicit Allowance(const Schedule& schedule)
        : interval_(std::max(schedule.interval, nanoseconds(1))),
          left_(schedule.count.value_or(no_end)),
          end_(schedule.duration ? number_at(std::max(*schedule.duration, nanoseconds(0))) + 1 : no_end) {}

    /// How many ticks are over once so much time has passed, without the first.
    std::uint64_t number_at(nanoseconds passed) const noexcept {
        return static_cast<std::uint64_t>(passed / interval_);
    }
    /// When a tick is due after the first; at the end of time where that cannot be told.
    nanoseconds time_of(std::uint64_t tick) const noexcept {
        if (tick > number_at(nanoseconds::max())) return nanoseconds::max();
        return static_cast<std::int64_t>(tick) * interval_;
    }
    /// Behind the number of the last one.
    std::uint64_t end() const noexcept { return end_; }
    bool ended(std::uint64_t tick) const noexcept { return left_ == 0 || tick >= end_; }
    void take() noexcept { --left_; }

  private:
    nanoseconds interval_;
    std::uint64_t left_;  // to be taken
    std::uint64_t end_;
};

class SteadyTicks final : public Ticks {
  public:
    SteadyTicks(const Schedule& schedule, TickClock clock) : allowed_(schedule), clock_(std::move(clock)) {}

    std::optional<std::uint64_t> next() override {
        if (next_ == 0)
            start_ = clock_.now();
        else
            skip_missed();
        if (allowed_.ended(next_)) return std::nullopt;
        const nanoseconds due = allowed_.time_of(next_);
        const nanoseconds time = due > nanoseconds::max() - start_ ? nanoseconds::max() : start_ + due;
        if (!clock_.wait_until(time)) return std::nullopt;
        allowed_.take();
        return next_++;
    }
    std::uint64_t missed() const noexcept override { return missed_; }

  private:
    /// A tick is missed when the one behind it is due already.
    void skip_missed() {
        const std::uint64_t first = std::min(allowed_.number_at(clock_.now() - start_), allowed_.end());
        if (allowed_.ended(next_) || next_ >= first) return;
        missed_ += first - next_;
        next_ = first;
    }

    Allowance allowed_;
    TickClock clock_;
    nanoseconds start_{};
    std::uint64_t next_ = 0, missed_ = 0;
};

class ImmediateTicks final : public Ticks {
  public:
    explicit ImmediateTicks(const Schedule& schedule) : allowed_(schedule) {}

    std::optional<std::uint64_t> next() override {
        if (allowed_.ended(next_)) return std::nullopt;
        allowed_.take();
        return next_++;
    }

  private:
    Allowance allowed_;
    std::uint64_t next_ = 0;
};

nanoseconds steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

TickClock steady_clock(const std::atomic<bool>& stop) {
    const auto wait_until = [&stop](nanoseconds time) {
        constexpr nanoseconds nap = std::chrono::milliseconds(20);  // a signal's handler cannot wake anybody
        while (!stop) {
            const nanoseconds left = time - steady_now();
            if (left <= nanoseconds(0)) return true;
            std::this_thread::sleep_for(std::min(left, nap));
        }
        return false;
    };
    return {steady_now, wait_until};
}

std::unique_ptr<Ticks> steady_ticks(const Schedule& schedule, TickClock clock) {
    return std::make_unique<SteadyTicks>(schedule, std::move(clock));
}

std::unique_ptr<Ticks> immediate_ticks(const Schedule& schedule) { return std::make_unique<ImmediateTicks>(schedule); }

}  // namespace hkpd
