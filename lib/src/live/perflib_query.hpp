// A PerfLib query with growing buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/live.hpp"

namespace hkpd {

class FaultSink;

/// A query, closed when it ends, whose buffers grow as they need to.
class PerfQuery {
  public:
    /// Keeps a reference to `perflib`. `status()` tells whether it could be opened.
    explicit PerfQuery(PerfLib& perflib, std::string_view machine = {});
    ~PerfQuery();
    PerfQuery(const PerfQuery&) = delete;
    PerfQuery& operator=(const PerfQuery&) = delete;

    /// Of opening it: a Win32 status, as all that return one here.
    std::uint32_t status() const noexcept { return status_; }
    /// Adds counters; the status of the identifier.
    std::uint32_t add(const Guid& counterset, std::string_view instances,
                      std::uint32_t counter_id = v2::wildcard_counter, std::uint32_t instance_id = v2::any_instance) {
        return change(&PerfLib::add_counters, counterset, instances, counter_id, instance_id);
    }
    /// Takes back what was added with the same arguments.
    std::uint32_t remove(const Guid& counterset, std::string_view instances,
                         std::uint32_t counter_id = v2::wildcard_counter,
                         std::uint32_t instance_id = v2::any_instance) {
        return change(&PerfLib::delete_counters, counterset, instances, counter_id, instance_id);
    }
    /// Collects the next block, valid until the next call. Warns once (`collected_too_often`) where it comes less than
    /// a second after the one before, by the blocks' own time: counters are not made for that.
    std::uint32_t collect(const FaultSink& faults);
    /// The block that `collect` has given last; empty where it failed.
    Bytes data() const noexcept { return Bytes(data_span_); }
    /// The query's identifiers, as PerfQueryCounterInfo returns them; empty where that fails with `status`.
    std::vector<std::byte> info(std::uint32_t& status);
    std::vector<std::byte> info() {
        std::uint32_t ignored = 0;
        return info(ignored);
    }

  private:
    using Change = std::uint32_t (PerfLib::*)(PerfLib::Handle, std::span<std::byte>);
    std::uint32_t change(Change function, const Guid& counterset, std::string_view instances, std::uint32_t counter_id,
                         std::uint32_t instance_id);
    void warn_if_too_often(const FaultSink& faults);

    PerfLib& perflib_;
    PerfLib::Handle handle_ = 0;
    std::uint32_t status_ = 0;
    std::vector<std::byte> buffer_;
    std::span<const std::byte> data_span_;
    std::int64_t last_time_100ns_ = 0;
    bool warned_ = false;
};

/// All that a registration query of PerfLib answers, with growing buffers; empty where it fails with `status`.
std::vector<std::byte> registration_info(PerfLib& perflib, std::string_view machine, const Guid& counterset,
                                         v2::RegistrationRequest request, std::uint32_t language,
                                         std::uint32_t& status);
/// The GUIDs of a machine's countersets.
std::vector<Guid> enumerate_countersets(PerfLib& perflib, std::string_view machine, std::uint32_t& status);

}  // namespace hkpd
