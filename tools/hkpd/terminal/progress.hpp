// Shows the progress of a long run on the terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "hkpd/source.hpp"

namespace hkpd::command {

/// Returns whether progress can be shown: standard error must be a terminal. `writes` states whether the run also
/// writes to standard output. If standard output is a terminal too, progress is not shown, because it would appear in
/// the middle of the output.
bool shows_progress(bool writes) noexcept;

/// Returns a source that passes on the records of `source` and shows on standard error how much of the input has been
/// read: percent, bytes, rate and remaining time. If the size of the input is unknown, shows the number of records and
/// their rate. Nothing is shown in the first second.
std::unique_ptr<Source> with_progress(std::unique_ptr<Source> source);

/// Erases the progress, if it is shown. Must be called before anything else is written to the terminal. The next record
/// shows the progress again.
void erase_progress() noexcept;

/// Shows how many of several inputs have been read, in the same place.
class InputProgress {
  public:
    /// `writes`: as for `shows_progress`.
    InputProgress(std::size_t inputs, bool writes) noexcept : inputs_(inputs), active_(shows_progress(writes)) {}
    ~InputProgress() { erase_progress(); }
    InputProgress(const InputProgress&) = delete;
    InputProgress& operator=(const InputProgress&) = delete;

    /// Counts an input that has been read.
    void add();

  private:
    std::size_t inputs_, done_ = 0;
    bool active_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace hkpd::command
