// A machine's counters as an input.
#pragma once

#include <memory>
#include <optional>

#include "hkpd/compare.hpp"
#include "hkpd/live.hpp"
#include "live_options.hpp"

namespace hkpd {
class Diagnostics;
}

namespace hkpd::command {

/// A live source that Ctrl-C ends, with what each door cost so far. One at a time.
class LiveInput final : public Source {
  public:
    /// Opens the doors that the options ask for. What cannot be had is reported.
    LiveInput(const LiveOptions& options, Diagnostics& diagnostics);
    std::optional<Record> next(Diagnostics& diagnostics) override;

    const CollectionCost& cost() const noexcept { return cost_; }
    /// Whether a provider that did not return was left behind: the program is to end by
    /// `return_if_abandoned`.
    bool was_abandoned() const noexcept { return source_->was_abandoned(); }

  private:
    void report_failure(const Diagnostics& diagnostics, std::size_t first);

    std::unique_ptr<InterruptibleSource> source_;
    CollectionCost cost_;
    bool reported_ = false;  // that a query failed
};

/// Where a provider was left behind, says so and ends the program at once: its thread cannot be waited for.
void return_if_abandoned(const LiveInput& live, Exit exit);

}  // namespace hkpd::command
