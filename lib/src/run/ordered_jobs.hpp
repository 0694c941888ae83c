// Divides a run into parts, for example one for each input. Several threads process the parts at the same time, and the
// output of the parts is written in order.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "hkpd/run.hpp"

namespace hkpd {

/// The output of a part of a run.
class Output {
  public:
    virtual ~Output() = default;
    Output() = default;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    /// Takes all of the text and leaves it empty. May block until it is this part's turn.
    virtual void write(std::string& text) = 0;
    /// Returns whether the last text was written at once, because all earlier parts have ended.
    virtual bool is_direct() const noexcept = 0;
    /// Returns whether this is the first part.
    virtual bool is_first() const noexcept = 0;
};

/// A function that is called when a part has ended, after the text of this part and of all earlier parts was written.
using Ending = std::function<void()>;
/// Processes a part and returns the part's `Ending`. An exception of this function or of the `Ending` ends the run.
using Work = std::function<Ending(std::size_t part, Output& output)>;

/// Processes parts 0, 1, ... with `jobs` threads including the caller's, or fewer if the system refuses threads. A part
/// has its turn when all earlier parts have ended. It then writes directly to the sink and never waits. All later parts
/// hold back up to `most_held` bytes in total, and then wait. Sink and endings are called in the order of the parts, by
/// one thread at a time. Each call sees the memory effects of earlier calls. Returns when all parts have ended. After
/// an exception of a part, the sink or an ending, no further part begins, and the exception is thrown when all threads
/// have ended.
void run_in_order(std::size_t parts, std::size_t jobs, std::size_t most_held, const Sink& sink, const Work& work);

}  // namespace hkpd
