// Parts of a run that several threads work on at the same time, and whose text is written one behind the other.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace hkpd::command {

/// Takes all of a text and leaves it empty.
using Sink = std::function<void(std::string&)>;

/// Where a part of a run writes.
class Output {
  public:
    virtual ~Output() = default;
    Output() = default;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    /// Takes all of the text and leaves it empty. May wait until it is this part's turn.
    virtual void write(std::string& text) = 0;
    /// Whether what was written last went out at once: all parts before this one have ended.
    virtual bool is_direct() const noexcept = 0;
    /// Whether it goes before all others.
    virtual bool is_first() const noexcept = 0;
};

/// That of a run in one part.
class DirectOutput final : public Output {
  public:
    explicit DirectOutput(Sink sink) : sink_(std::move(sink)) {}
    void write(std::string& text) override { sink_(text); }
    bool is_direct() const noexcept override { return true; }
    bool is_first() const noexcept override { return true; }

  private:
    Sink sink_;
};

/// What is to be done when a part has ended and all its text, and that of those before it, has been written.
using Ending = std::move_only_function<void()>;
/// Makes a part. Must not throw, nor may its ending: nobody could go on behind a part that never ends.
using Work = std::function<Ending(std::size_t part, Output& output)>;

/// Makes parts 0, 1, ... by `jobs` threads, of which the caller's is one; where the system refuses threads, by those
/// that there are. The part whose turn it is writes straight to the sink and never waits. Those behind it hold back up
/// to `most_held` bytes, all together, and then wait. Sink and endings are called by one thread at a time, by any, in
/// the order of the parts; they see what those before them have left. Returns when all have ended.
void run_in_order(std::size_t parts, std::size_t jobs, std::size_t most_held, const Sink& sink, const Work& work);

}  // namespace hkpd::command
