// An input that reads the counters of a machine.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>

#include "flags/live_options.hpp"
#include "hkpd/compare.hpp"
#include "hkpd/live.hpp"

namespace hkpd {
class Diagnostics;
}

namespace hkpd::command {

/// A live source that ends at Ctrl-C, and adds up the collection cost of each interface. At most one object of this
/// class can exist at a time.
class LiveInput final : public Source {
  public:
    /// Starts to handle Ctrl-C, and warns of an interval that is too short. The first call of `next` opens the
    /// interfaces that the options request, and reports those that are unavailable.
    LiveInput(const LiveOptions& options, Diagnostics& diagnostics);
    std::optional<Record> next(Diagnostics& diagnostics) override;

    /// Ends the run as Ctrl-C does. May be called by any thread.
    static void end() noexcept;

    const CollectionCost& cost() const noexcept { return cost_; }
    /// Returns whether a provider did not return and was abandoned. The program must then end with
    /// `return_if_abandoned`.
    bool was_abandoned() const noexcept { return source_->was_abandoned(); }

  private:
    void report_failure(const Diagnostics& diagnostics, std::size_t first);
    void report_unmatched() const;

    std::unique_ptr<InterruptibleSource> source_;
    CollectionCost cost_;
    bool reported_ = false;  // whether a failed query has been reported
    bool waits_;             // whether there is a wait after the first sample, before which nothing has been reported
    std::shared_ptr<UnmatchedQueries> unmatched_;
};

/// Reports what the machine does not have of a query, of these kinds. Returns the exit code for it.
Exit report_unmatched(std::string_view subcommand, const LiveOptions& options,
                      std::initializer_list<UnmatchedQuery::Kind> kinds);

/// Ends the program at once if a provider was abandoned, and reports the provider. The thread that called the provider
/// can be blocked forever, so the program cannot wait for it and end normally. The exit code is `exit`, or
/// `Exit::unreadable` if there was no sample. Does nothing if no provider was abandoned.
void return_if_abandoned(const LiveInput& live, Exit exit);

}  // namespace hkpd::command
