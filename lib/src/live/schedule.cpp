#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "hkpd/live.hpp"

namespace hkpd {
namespace {

using std::chrono::nanoseconds;

class SteadyTicks final : public Ticks {
  public:
    SteadyTicks(const Schedule& schedule, TickClock clock)
        : interval_(std::max(schedule.interval, nanoseconds(1))),
          left_(schedule.count.value_or(no_end)),
          end_(schedule.duration ? number_at(std::max(*schedule.duration, nanoseconds(0))) + 1 : no_end),
          clock_(std::move(clock)) {}

    std::optional<std::uint64_t> next() override {
        if (next_ == 0)
            start_ = clock_.now();
        else
            skip_missed();
        if (ended()) return std::nullopt;
        // Due at the end of time where that cannot be represented.
        const nanoseconds due = next_ > number_at(nanoseconds::max() - start_)
                                    ? nanoseconds::max()
                                    : start_ + static_cast<std::int64_t>(next_) * interval_;
        if (!clock_.wait_until(due)) return std::nullopt;
        --left_;
        return next_++;
    }
    std::uint64_t missed() const noexcept override { return missed_; }

  private:
    static constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max() - 1;

    /// How many ticks are over once so much time has passed, without the first.
    std::uint64_t number_at(nanoseconds passed) const noexcept {
        return static_cast<std::uint64_t>(passed / interval_);
    }
    bool ended() const noexcept { return left_ == 0 || next_ >= end_; }
    /// A tick is missed when the one after it is due already.
    void skip_missed() {
        const std::uint64_t first = std::min(number_at(clock_.now() - start_), end_);
        if (ended() || next_ >= first) return;
        missed_ += first - next_;
        next_ = first;
    }

    nanoseconds interval_;
    std::uint64_t left_;  // to be taken
    std::uint64_t end_;   // one more than the number of the last
    TickClock clock_;
    nanoseconds start_{};
    std::uint64_t next_ = 0, missed_ = 0;
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

std::unique_ptr<Ticks> immediate_ticks(const Schedule& schedule) {
    // A clock that shows whatever time is waited for.
    const auto time = std::make_shared<nanoseconds>(0);
    const auto wait_until = [time](nanoseconds due) {
        *time = due;
        return true;
    };
    return steady_ticks(schedule, {[time] { return *time; }, wait_until});
}

}  // namespace hkpd
