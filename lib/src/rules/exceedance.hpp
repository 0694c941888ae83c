// How long and how far the values of a series exceed a limit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/time.hpp"
#include "hkpd/rules.hpp"
#include "rules/script.hpp"

namespace hkpd::pal {

/// The sample of a value: its time, and the time of the machine's previous sample, in nanoseconds since 1970. Both are
/// 0 if the sample has no time.
struct Moment {
    std::int64_t previous = 0, time = 0;
    std::uint64_t sample = 0;  // its number among the samples of the machine

    /// Returns the time that a value of the sample stands for; 0 if times do not ascend.
    std::int64_t length() const noexcept { return time_between(previous, time); }
};

/// Returns whether a value exceeds a limit. `operation`: one of `greater` to `equal`, of a threshold or in a script.
inline bool exceeds(Operation operation, double value, double limit) noexcept {
    switch (operation) {
        case Operation::equal:
            return value == limit;
        case Operation::greater:
            return value > limit;
        case Operation::greater_equal:
            return value >= limit;
        case Operation::less:
            return value < limit;
        default:
            return value <= limit;
    }
}

/// The values of one series that exceed a limit.
class Exceedance {
  public:
    /// Adds a value that exceeds the limit.
    void add(Operation operation, double value, const Moment& at) noexcept {
        const bool is_upper = operation <= Operation::greater_equal;
        if (count_++ == 0) {
            first_ = at.time;
            worst_ = value;
            worst_time_ = at.time;
        } else if (is_upper ? value > worst_ : value < worst_) {
            worst_ = value;
            worst_time_ = at.time;
        }
        if (count_ == 1 || at.sample != last_sample_ + 1 || at.time < last_) period_from_ = at.previous;
        last_ = at.time;
        last_sample_ = at.sample;
        time_ = moved_time(time_, at.length());
        if (count_ == 1 || time_between(period_from_, last_) > time_between(longest_from_, longest_to_)) {
            longest_from_ = period_from_;
            longest_to_ = last_;
        }
    }

    /// Notes the number with which a value was compared, if it is not that of the threshold. Of several, the one that
    /// most values exceed counts.
    void note_limit(Operation operation, double limit) noexcept {
        const bool is_upper = operation <= Operation::greater_equal;
        if (limit_ != limit_)
            limit_ = limit;
        else if (limit == limit)
            limit_ = is_upper ? std::min(limit_, limit) : std::max(limit_, limit);
    }
    /// Returns that number; NaN if there is none.
    double limit() const noexcept { return limit_; }

    std::int64_t longest() const noexcept { return time_between(longest_from_, longest_to_); }

    void copy_to(RuleFinding& finding) const noexcept {
        finding.exceeding = count_;
        finding.exceeding_time = time_;
        finding.first = first_;
        finding.last = last_;
        finding.longest_from = longest_from_;
        finding.longest_to = longest_to_;
        finding.worst = worst_;
        finding.worst_time = worst_time_;
    }

  private:
    std::uint64_t count_ = 0, last_sample_ = 0;
    std::int64_t time_ = 0, first_ = 0, last_ = 0;
    std::int64_t period_from_ = 0, longest_from_ = 0, longest_to_ = 0;
    double worst_ = 0, limit_ = std::numeric_limits<double>::quiet_NaN();
    std::int64_t worst_time_ = 0;
};

}  // namespace hkpd::pal
