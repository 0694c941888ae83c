// The times of samples, and the thread in which `InterruptibleSource` reads another source.
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/live.hpp"

namespace hkpd {
namespace {

using std::chrono::nanoseconds;

/// Interval at which a waiting thread checks the flag that requests a stop. A signal handler can set this flag, but it
/// cannot wake the thread.
constexpr std::chrono::milliseconds nap{20};

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
        // If the tick's time cannot be represented, the tick is due at the latest time that can be represented.
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

    /// Returns the number of the last tick that is due when the time `passed` has passed since tick 0.
    std::uint64_t number_at(nanoseconds passed) const noexcept {
        return static_cast<std::uint64_t>(passed / interval_);
    }
    bool ended() const noexcept { return left_ == 0 || next_ >= end_; }
    /// Skips missed ticks. A tick is missed if the tick after it is already due.
    void skip_missed() {
        const std::uint64_t first = std::min(number_at(clock_.now() - start_), end_);
        if (ended() || next_ >= first) return;
        missed_ += first - next_;
        next_ = first;
    }

    nanoseconds interval_;
    std::uint64_t left_;  // number of ticks that `next` may still return
    std::uint64_t end_;   // number of the first tick after the schedule's duration
    TickClock clock_;
    nanoseconds start_{};
    std::uint64_t next_ = 0, missed_ = 0;
};

nanoseconds steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

TickClock steady_clock(const std::atomic<bool>& stop) {
    const auto wait_until = [&stop](nanoseconds time) {
        while (!stop) {
            const nanoseconds left = time - steady_now();
            if (left <= nanoseconds(0)) return true;
            std::this_thread::sleep_for(std::min<nanoseconds>(left, nap));
        }
        return false;
    };
    return {steady_now, wait_until};
}

std::unique_ptr<Ticks> steady_ticks(const Schedule& schedule, TickClock clock) {
    return std::make_unique<SteadyTicks>(schedule, std::move(clock));
}

std::unique_ptr<Ticks> immediate_ticks(const Schedule& schedule) {
    // This clock does not wait: `wait_until` sets the clock to the requested time at once.
    const auto time = std::make_shared<nanoseconds>(0);
    const auto wait_until = [time](nanoseconds due) {
        *time = due;
        return true;
    };
    return steady_ticks(schedule, {[time] { return *time; }, wait_until});
}

/// The state that the reading thread and the caller's thread share. Both threads own the state, because the reading
/// thread can outlive the InterruptibleSource.
struct InterruptibleSource::Shared {
    explicit Shared(std::unique_ptr<Source> read) : source(std::move(read)) {}

    std::mutex mutex;
    std::condition_variable changed;
    bool wanted = false, ready = false, leaving = false, done = false;
    // The reading thread uses the following members while a record is requested and not ready. At all other times, the
    // caller's thread uses them, except that the reading thread destroys `source` when it ends.
    std::unique_ptr<Source> source;
    std::optional<Record> record;
    std::exception_ptr failure;
    Diagnostics found;
    std::vector<std::uint32_t> inputs;  // for each input of `found`, its position in the caller's list

    /// Reads one record for each request, until `leaving` is set. Runs in the reading thread.
    void run() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [this] { return wanted || leaving; });
            if (leaving) break;
            wanted = false;
            lock.unlock();
            record.reset();
            failure = nullptr;
            try {
                record = source->next(found);
            } catch (...) {  // most likely bad_alloc; `next` rethrows it
                failure = std::current_exception();
            }
            lock.lock();
            ready = true;
            changed.notify_all();
        }
        lock.unlock();
        // The source is destroyed in the thread that used it, because the destruction unloads the DLLs of providers.
        source.reset();
        lock.lock();
        done = true;
        changed.notify_all();
    }
};

InterruptibleSource::InterruptibleSource(std::unique_ptr<Source> source, const std::atomic<bool>& stop,
                                         std::chrono::milliseconds grace)
    : shared_(std::make_shared<Shared>(std::move(source))), stop_(stop), grace_(grace) {
    std::thread([shared = shared_] { shared->run(); }).detach();
}

/// Requests the end of the reading thread. Waits at most `grace_` for it, unless `next` has abandoned the thread.
InterruptibleSource::~InterruptibleSource() {
    std::unique_lock lock(shared_->mutex);
    shared_->leaving = true;
    shared_->changed.notify_all();
    if (!abandoned_) shared_->changed.wait_for(lock, grace_, [this] { return shared_->done; });
}

/// Moves the diagnostics of the reading thread to the caller's list, and adds the inputs of the reading thread to that
/// list. Replaces the input numbers in the diagnostics and in the record by the positions in the caller's list.
void InterruptibleSource::take_found(Diagnostics& diagnostics) {
    Shared& s = *shared_;
    while (s.inputs.size() < s.found.inputs().size())
        s.inputs.push_back(diagnostics.add_input(s.found.inputs()[s.inputs.size()]));
    diagnostics.take(s.found, s.inputs);
    if (s.record && s.record->place.input < s.inputs.size()) s.record->place.input = s.inputs[s.record->place.input];
}

std::optional<Record> InterruptibleSource::next(Diagnostics& diagnostics) {
    const auto is_ready = [this] { return shared_->ready; };
    std::optional<std::chrono::steady_clock::time_point> stopped;
    while (!abandoned_) {
        std::unique_lock lock(shared_->mutex);
        shared_->wanted = true;
        shared_->ready = false;
        shared_->changed.notify_all();
        while (!stop_ && !shared_->changed.wait_for(lock, nap, is_ready)) {
        }
        if (stop_ && !stopped) stopped = std::chrono::steady_clock::now();
        if (stopped && !shared_->changed.wait_until(lock, *stopped + grace_, is_ready)) {
            abandoned_ = true;
            break;
        }
        take_found(diagnostics);
        if (shared_->failure) std::rethrow_exception(shared_->failure);
        // After the stop, records are discarded. Reading continues, because the source reports some diagnostics only at
        // its end.
        if (!stop_ || !shared_->record) return shared_->record;
        // The source has returned a record, so it is not stuck. In the second half of the grace period no further
        // record is requested, because that record could come too late.
        if (stopped && std::chrono::steady_clock::now() - *stopped >= grace_ / 2) break;
    }
    return std::nullopt;
}

}  // namespace hkpd
