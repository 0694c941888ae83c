// A machine as a source: its counters taken now, through both doors.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "hkpd/local_perflib.hpp"
#include "hkpd/registry.hpp"
#include "hkpd/source.hpp"
#include "hkpd/ticks.hpp"

namespace hkpd {

/// A machine's doors. One that is null is not there.
struct LiveMachine {
    std::string name;  ///< as diagnostics show it
    std::shared_ptr<PerformanceRegistry> registry{};
    std::shared_ptr<PerfLib> perflib{};
    /// How the functions are to be told which machine: empty for the one that they run on.
    std::string remote{};
};

/// What is asked for.
struct LiveQuery {
    bool v1 = true, v2 = false;  ///< through which doors
    /// V1: the value's name, such as `Global` or `238 6`. Empty: what `objects` need, or `Global`.
    std::string value{};
    /// Objects and countersets by name, wildcard, title index or GUID; none: all. With names that no title has, V1 is
    /// asked for `Global`. Objects of V1 that the parents of instances are in are asked for too.
    std::vector<std::string> objects{};
    /// Of titles and texts, beside English and the language of the user interface (`007`).
    std::vector<std::string> languages{};
};

/// Titles and registrations, then for each tick a V1 block, and identifiers and a V2 block; each block with its `cost`.
/// Titles come again when indices appear that they do not name. A door that cannot be opened is reported and left out;
/// a query that fails is reported (`query_failed`), and costs its sample. Ends with the ticks, or when no door is left:
/// one that never gave anything is closed by the first failure that does not pass. What was missed is reported
/// (`ticks_missed`) at the end.
std::unique_ptr<Source> open_live(LiveMachine machine, const LiveQuery& query, std::unique_ptr<Ticks> ticks,
                                  const RegistryPolicy& policy = {});

/// The same source, read by a thread of its own, so that a provider that never returns holds nobody up: when `stop` is
/// set, `next` gives nothing more after at most `grace`. Then the thread and what it reads are left to themselves, and
/// `was_abandoned` says so: the process should end without waiting for its threads.
class InterruptibleSource final : public Source {
  public:
    /// Keeps a reference to `stop`, which must live as long as the program.
    InterruptibleSource(std::unique_ptr<Source> source, const std::atomic<bool>& stop,
                        std::chrono::milliseconds grace = std::chrono::milliseconds(500));
    ~InterruptibleSource() override;
    std::optional<Record> next(Diagnostics& diagnostics) override;
    bool was_abandoned() const noexcept { return abandoned_; }

  private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    const std::atomic<bool>& stop_;
    std::chrono::milliseconds grace_;
    bool abandoned_ = false;
};

}  // namespace hkpd
