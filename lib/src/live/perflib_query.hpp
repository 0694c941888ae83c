// A PerfLib query whose buffers grow until the data fits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/win32.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/live.hpp"

namespace hkpd {

inline constexpr std::size_t first_buffer = 4096;

/// Calls `ask` with `buffer`, and repeats the call with a larger buffer until the data fits or the buffer has the
/// maximum size (`Limits::bytes`). Repeats more than once if necessary, because the data can grow between two calls.
/// Sets `count` to the number of elements that the last call filled in; 0 if it failed. Returns the Win32 status of the
/// last call.
template <class T, class Ask>
std::uint32_t ask_growing(std::vector<T>& buffer, std::size_t& count, Ask ask) {
    const std::size_t most = static_cast<std::size_t>(Limits{}.bytes) / sizeof(T);
    while (true) {
        std::uint32_t actual = 0;
        const std::uint32_t status = ask(std::span<T>(buffer), actual);
        count = status == win32::success ? std::min<std::size_t>(actual, buffer.size()) : 0;
        if (status != win32::not_enough_memory || buffer.size() >= most) return status;
        buffer.resize(std::clamp<std::size_t>(std::max<std::size_t>(actual, 2 * buffer.size()), 1, most));
    }
}

/// Returns all elements that the call `ask` fills in; empty if the call fails. Sets `status` to the Win32 status of the
/// call.
template <class T, class Ask>
std::vector<T> ask_all(std::uint32_t& status, Ask ask) {
    std::vector<T> buffer(first_buffer / sizeof(T));
    std::size_t count = 0;
    status = ask_growing(buffer, count, ask);
    buffer.resize(count);
    return buffer;
}

/// A PerfLib query. The destructor closes the query. Buffers grow as needed.
class PerfQuery {
  public:
    /// Opens a query on `machine` (empty: the local machine). If this fails, `status` returns the Win32 error. Keeps a
    /// reference to `perflib`.
    explicit PerfQuery(PerfLib& perflib, std::string_view machine = {}) : perflib_(perflib), buffer_(first_buffer) {
        status_ = perflib_.open_query(machine, handle_);
    }

    ~PerfQuery() {
        if (status_ == win32::success) perflib_.close_query(handle_);
    }

    PerfQuery(const PerfQuery&) = delete;
    PerfQuery& operator=(const PerfQuery&) = delete;

    /// Returns the Win32 status of opening the query. All statuses of this class are Win32 statuses.
    std::uint32_t status() const noexcept { return status_; }
    /// Adds to the query, with one PERF_COUNTER_IDENTIFIER, the counters that the arguments select. If PerfAddCounters
    /// sets the Status in this identifier to a failure, returns this Status. Otherwise, returns the status that
    /// PerfAddCounters itself has returned.
    std::uint32_t add(const Guid& counterset, std::string_view instances,
                      std::uint32_t counter_id = v2::wildcard_counter, std::uint32_t instance_id = v2::any_instance) {
        return change(&PerfLib::add_counters, counterset, instances, counter_id, instance_id);
    }

    /// Removes counters that were added with the same arguments.
    std::uint32_t remove(const Guid& counterset, std::string_view instances,
                         std::uint32_t counter_id = v2::wildcard_counter,
                         std::uint32_t instance_id = v2::any_instance) {
        return change(&PerfLib::delete_counters, counterset, instances, counter_id, instance_id);
    }

    /// Queries the next block, which `data` then returns. Returns the status of the query.
    std::uint32_t collect() {
        size_ = 0;
        if (status_ != win32::success) return status_;
        return ask_growing(buffer_, size_, [this](std::span<std::byte> buffer, std::uint32_t& actual) {
            return perflib_.query_data(handle_, buffer, actual);
        });
    }

    /// Returns the block that the last `collect` queried; empty if the query failed. Valid until the next `collect`.
    Bytes data() const noexcept { return Bytes(std::span(buffer_).first(size_)); }
    /// Returns the query's identifiers, in the form in which PerfQueryCounterInfo returns them; empty if the call
    /// fails. Sets `status` to the status of the call.
    std::vector<std::byte> info(std::uint32_t& status) {
        status = status_;
        if (status_ != win32::success) return {};
        return ask_all<std::byte>(status, [this](std::span<std::byte> span, std::uint32_t& actual) {
            return perflib_.query_info(handle_, span, actual);
        });
    }

    std::vector<std::byte> info() {
        std::uint32_t ignored = 0;
        return info(ignored);
    }

  private:
    using Change = std::uint32_t (PerfLib::*)(PerfLib::Handle, std::span<std::byte>);
    std::uint32_t change(Change function, const Guid& counterset, std::string_view instances, std::uint32_t counter_id,
                         std::uint32_t instance_id) {
        if (status_ != win32::success) return status_;
        constexpr std::size_t identifier_status_at = 16;  // Status in PERF_COUNTER_IDENTIFIER (perflib.h)
        std::vector<std::byte> identifier;
        v2::append_identifier(identifier, counterset, instances, counter_id, instance_id);
        const std::uint32_t status = (perflib_.*function)(handle_, identifier);
        const auto own = load<std::uint32_t>(Bytes(identifier).at(identifier_status_at), ByteOrder::little);
        return own != win32::success ? own : status;
    }

    PerfLib& perflib_;
    PerfLib::Handle handle_ = 0;
    std::uint32_t status_ = 0;
    std::vector<std::byte> buffer_;
    std::size_t size_ = 0;  // size in bytes of the block in `buffer_`
};

/// Returns the complete reply to a registration request; empty if the request fails. Sets `status` to the Win32 status.
inline std::vector<std::byte> registration_info(PerfLib& perflib, std::string_view machine, const Guid& counterset,
                                                v2::RegistrationRequest request, std::uint32_t language,
                                                std::uint32_t& status) {
    return ask_all<std::byte>(status, [&](std::span<std::byte> span, std::uint32_t& actual) {
        return perflib.registration_info(machine, counterset, request, language, span, actual);
    });
}

/// Returns the GUIDs of a machine's countersets; empty if the call fails. Sets `status` to the Win32 status.
inline std::vector<Guid> enumerate_countersets(PerfLib& perflib, std::string_view machine, std::uint32_t& status) {
    return ask_all<Guid>(status, [&](std::span<Guid> span, std::uint32_t& actual) {
        return perflib.enumerate_countersets(machine, span, actual);
    });
}

}  // namespace hkpd
