#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/live.hpp"

namespace hkpd {

/// What the two threads share. The reading thread holds a reference too, so that it may outlive who waits for it.
struct InterruptibleSource::Shared {
    explicit Shared(std::unique_ptr<Source> read) : source(std::move(read)) {}

    std::mutex mutex;
    std::condition_variable changed;
    bool wanted = false, ready = false, leaving = false, done = false;
    // The reading thread's while something is wanted, else the other's.
    std::unique_ptr<Source> source;
    std::optional<Record> record;
    std::exception_ptr failure;
    Diagnostics found;
    std::vector<std::uint32_t> inputs;  // positions of its inputs in the list of the caller

    /// Reads one record each time it is wanted.
    void run() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [this] { return wanted || leaving; });
            if (leaving) break;
            wanted = false;
            lock.unlock();
            std::optional<Record> next;
            std::exception_ptr failed;
            try {
                next = source->next(found);
            } catch (...) {  // bad_alloc, most likely; it is for whoever asked
                failed = std::current_exception();
            }
            lock.lock();
            record = next;
            failure = failed;
            ready = true;
            changed.notify_all();
        }
        lock.unlock();
        source.reset();  // by the thread that has used it: it lets go of the providers' libraries
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

/// Lets the reading thread end in its own time, for a while.
InterruptibleSource::~InterruptibleSource() {
    std::unique_lock lock(shared_->mutex);
    shared_->leaving = true;
    shared_->changed.notify_all();
    if (!abandoned_) shared_->changed.wait_for(lock, grace_, [this] { return shared_->done; });
}

/// Moves what the reading thread has found to the caller's list, whose inputs may have other positions.
void InterruptibleSource::take_found(Diagnostics& diagnostics) {
    Shared& s = *shared_;
    while (s.inputs.size() < s.found.inputs().size())
        s.inputs.push_back(diagnostics.add_input(s.found.inputs()[s.inputs.size()]));
    diagnostics.take(s.found, s.inputs);
    if (s.record && s.record->place.input < s.inputs.size()) s.record->place.input = s.inputs[s.record->place.input];
}

std::optional<Record> InterruptibleSource::next(Diagnostics& diagnostics) {
    constexpr std::chrono::milliseconds nap{20};  // a signal's handler cannot wake anybody
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
        // What comes after the stop is not wanted any more; but what the source has to say at its end is.
        if (!stop_ || !shared_->record) return shared_->record;
        // Who has much to give is not stuck, and not asked again where it might be too late to tell.
        if (stopped && std::chrono::steady_clock::now() - *stopped >= grace_ / 2) break;
    }
    return std::nullopt;
}

}  // namespace hkpd
