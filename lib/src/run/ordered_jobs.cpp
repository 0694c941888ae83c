#include "run/ordered_jobs.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <future>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <vector>

namespace hkpd {
namespace {

/// Approximate size, in bytes, of the pieces in which text is stored until it can be written. A single string would be
/// copied whenever it grows.
constexpr std::size_t piece_size = std::size_t{1} << 20U;

/// Number of bytes that count as held back for each part that has begun, in addition to the part's text. Without this
/// addition, any number of parts with little text could end before their turn to be written. The `Ending` functions of
/// these parts would stay in memory, together with all data that they refer to.
constexpr std::size_t part_size = std::size_t{1} << 20U;

/// Decides when each thread begins a part of the run, writes or waits. The output of the parts is written in order.
/// While a thread processes a part, only this thread accesses the part's text. If the part ends before its turn to be
/// written, the thread that finishes writing the previous part also writes the text of this part.
class Queue {
  public:
    Queue(std::size_t parts, std::size_t most_held, const Sink& sink)
        : sink_(sink), most_held_(most_held), parts_(parts) {}

    /// Returns the number of the next part of the run to process; none if all parts have begun, or after a failure.
    /// Waits until all earlier parts have ended, or until so little text is held back that another part can begin.
    std::optional<std::size_t> begin() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] {
            return failure_ || next_ == parts_.size() || next_ == turn_ || held_ + part_size <= most_held_;
        });
        if (failure_ || next_ == parts_.size()) return std::nullopt;
        held_ += part_size;
        changed_.notify_all();  // if this is the last part, threads that wait for a part must end
        return next_++;
    }

    /// Writes the text if it is the part's turn; otherwise holds the text back. If too much text is held back already,
    /// waits. Returns whether the text was written. Throws the failure after one.
    bool write(std::size_t part, std::string& text) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return failure_ || turn_ == part || held_ < most_held_; });
            if (failure_) std::rethrow_exception(failure_);
            if (turn_ != part) {
                hold(parts_[part], text);
                return false;
            }
        }
        write_held(parts_[part]);
        sink_(text);
        return true;
    }

    /// Ends a part. If it is the part's turn, writes the text that was held back for the part and calls its `Ending`;
    /// then does the same for each following part that has already ended.
    void end(std::size_t part, Ending ending) {
        std::unique_lock lock(mutex_);
        parts_[part].ending = std::move(ending);
        parts_[part].ended = true;
        if (failure_ || turn_ != part) return;
        while (turn_ != parts_.size() && parts_[turn_].ended) {
            Part& ended = parts_[turn_];
            lock.unlock();
            write_held(ended);
            if (ended.ending) ended.ending();
            ended.ending = nullptr;
            lock.lock();
            held_ -= part_size;
            ++turn_;
            changed_.notify_all();
        }
    }

    /// Ends the run early, because of the exception that is being handled: no further part begins, and nothing more is
    /// written. A part can no longer have its turn if the one before it did not end.
    void fail() noexcept {
        const std::scoped_lock lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        changed_.notify_all();
    }

    /// Throws the first failure, if there was one. Must be called after all threads have ended.
    void rethrow_failure() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    struct Part {
        std::vector<std::string> held;
        Ending ending;
        bool ended = false;
    };

    void hold(Part& part, std::string& text) {
        if (part.held.empty() || part.held.back().size() + text.size() > piece_size) part.held.emplace_back();
        part.held.back() += text;
        held_ += text.size();
        text.clear();
    }

    /// Writes the text that was held back for `part`, whose turn it is.
    void write_held(Part& part) {
        if (part.held.empty()) return;
        std::size_t written = 0;
        for (std::string& piece : std::exchange(part.held, {})) {
            std::string text = std::move(piece);  // freed when written
            written += text.size();
            sink_(text);
        }
        const std::scoped_lock lock(mutex_);
        held_ -= written;
        changed_.notify_all();
    }

    const Sink& sink_;
    const std::size_t most_held_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Part> parts_;
    std::size_t next_ = 0;  // next part to begin
    std::size_t turn_ = 0;  // part whose turn it is to be written
    std::size_t held_ = 0;  // bytes of text held back, and `part_size` for each begun part
    std::exception_ptr failure_;
};

class PartOutput final : public Output {
  public:
    PartOutput(Queue& queue, std::size_t part) : queue_(queue), part_(part) {}
    void write(std::string& text) override { direct_ = queue_.write(part_, text); }
    bool is_direct() const noexcept override { return direct_; }
    bool is_first() const noexcept override { return part_ == 0; }

  private:
    Queue& queue_;
    std::size_t part_;
    bool direct_ = false;
};

/// Starts a thread, whose end the destructor of its future awaits. Returns false if the system refuses one.
template <class Job>
bool start(std::vector<std::future<void>>& threads, const Job& job) {
    try {
        threads.push_back(std::async(std::launch::async, job));
        return true;
    } catch (const std::system_error&) {
        return false;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace

void run_in_order(std::size_t parts, std::size_t jobs, std::size_t most_held, const Sink& sink, const Work& work) {
    Queue queue(parts, most_held, sink);
    const auto job = [&]() noexcept {
        try {
            while (const auto part = queue.begin()) {
                PartOutput output(queue, *part);
                queue.end(*part, work(*part, output));
            }
        } catch (...) {  // most likely bad_alloc
            queue.fail();
        }
    };
    std::vector<std::future<void>> others;
    others.reserve(jobs);
    while (others.size() + 1 < std::min(jobs, parts) && start(others, job)) {
    }
    job();
    others.clear();  // waits for their ends
    queue.rethrow_failure();
}

}  // namespace hkpd
