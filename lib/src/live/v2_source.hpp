// Live counters through PerfLib's door.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "hkpd/live.hpp"
#include "hkpd/names.hpp"
#include "hkpd/record.hpp"
#include "live/perflib_query.hpp"

namespace hkpd {

class FaultSink;

/// Asks for registrations, and by one query for all that is wanted. What it gives is valid until it is asked again.
class LiveV2 {
  public:
    /// Keeps references into `machine`, whose `registry` may be null.
    LiveV2(const LiveMachine& machine, const LiveQuery& query);

    /// Appends the registrations of what is wanted; false where no query can be made.
    bool begin(std::vector<Record>& out, const FaultSink& faults);
    /// Appends the identifiers and a block. The query's status.
    std::uint32_t collect(std::vector<Record>& out, const FaultSink& faults);

  private:
    /// An answer on a counterset.
    struct Answer {
        Guid counterset;
        v2::RegistrationRequest request{};
        std::string language;
        std::vector<std::byte> bytes;
    };
    bool add(const Guid& counterset, std::vector<Record>& out, const FaultSink& faults);
    bool ask(const Guid& counterset, v2::RegistrationRequest request, std::string_view language);
    v2::RegistrationRequest in_english(v2::RegistrationRequest request, std::string_view language) const;
    std::uint32_t ui_language() const;
    bool is_wanted(const Counterset& set) const;
    std::optional<std::uint32_t> title_index(const Guid& counterset) const;
    void refused(const Guid& counterset, std::uint32_t status, std::string_view function, const FaultSink& faults);

    PerfLib& perflib_;
    PerformanceRegistry* registry_;
    LiveQuery query_;
    std::string machine_;
    std::vector<std::string> languages_;
    PerfQuery perf_query_;
    std::deque<Answer> answers_;
    Countersets known_;
    std::vector<std::byte> identifiers_;
    std::uint32_t refused_ = 0;  // how many countersets were
};

}  // namespace hkpd
