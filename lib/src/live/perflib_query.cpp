#include "live/perflib_query.hpp"

#include <algorithm>

#include "base/win32.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"

namespace hkpd {
namespace {

constexpr std::size_t identifier_status_at = 16;  // perflib.h PERF_COUNTER_IDENTIFIER

constexpr std::size_t first_size = 4096;
constexpr std::size_t time_100ns_at = 16;               // PerfTime100NSec in PERF_DATA_HEADER
constexpr std::int64_t units_per_millisecond = 10'000;  // of 100 ns
constexpr std::int64_t least_milliseconds = 1000;

/// Asks with ever larger buffers, as what is there may grow between two calls; `count` is how much of it is filled.
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

/// Returns all that there is; nothing where `status` is no success.
template <class T, class Ask>
std::vector<T> ask_all(std::uint32_t& status, Ask ask) {
    std::vector<T> buffer(first_size / sizeof(T));
    std::size_t count = 0;
    status = ask_growing(buffer, count, ask);
    buffer.resize(count);
    return buffer;
}

}  // namespace

PerfQuery::PerfQuery(PerfLib& perflib, std::string_view machine) : perflib_(perflib), buffer_(first_size) {
    status_ = perflib_.open_query(machine, handle_);
}

PerfQuery::~PerfQuery() {
    if (status_ == win32::success) perflib_.close_query(handle_);
}

std::uint32_t PerfQuery::change(Change function, const Guid& counterset, std::string_view instances,
                                std::uint32_t counter_id, std::uint32_t instance_id) {
    if (status_ != win32::success) return status_;
    std::vector<std::byte> identifier;
    v2::append_identifier(identifier, counterset, instances, counter_id, instance_id);
    const std::uint32_t status = (perflib_.*function)(handle_, identifier);
    const auto own = load<std::uint32_t>(Bytes(identifier).at(identifier_status_at), ByteOrder::little);
    return own != win32::success ? own : status;
}

std::uint32_t PerfQuery::collect(const FaultSink& faults) {
    data_span_ = {};
    if (status_ != win32::success) return status_;
    std::size_t size = 0;
    const std::uint32_t status = ask_growing(buffer_, size, [this](std::span<std::byte> buffer, std::uint32_t& actual) {
        return perflib_.query_data(handle_, buffer, actual);
    });
    if (status != win32::success) return status;
    data_span_ = std::span(buffer_).first(size);
    warn_if_too_often(faults);
    return status;
}

void PerfQuery::warn_if_too_often(const FaultSink& faults) {
    const Bytes block = data();
    if (!block.contains(time_100ns_at, 8)) return;
    const auto now = static_cast<std::int64_t>(load<std::uint64_t>(block.at(time_100ns_at), ByteOrder::little));
    // The block may hold any number, so that the difference has to be taken without signs.
    const auto passed = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(last_time_100ns_);
    const bool too_often = last_time_100ns_ != 0 && now >= last_time_100ns_ &&
                           passed < std::uint64_t{least_milliseconds * units_per_millisecond};
    last_time_100ns_ = now;
    if (!too_often || warned_) return;
    warned_ = true;
    faults.add(Severity::warning, {Errc::collected_too_often, time_100ns_at, "PERF_DATA_HEADER", "PerfTime100NSec",
                                   least_milliseconds, passed / units_per_millisecond});
}

std::vector<std::byte> PerfQuery::info(std::uint32_t& status) {
    status = status_;
    if (status_ != win32::success) return {};
    return ask_all<std::byte>(status, [this](std::span<std::byte> span, std::uint32_t& actual) {
        return perflib_.query_info(handle_, span, actual);
    });
}

std::vector<std::byte> registration_info(PerfLib& perflib, std::string_view machine, const Guid& counterset,
                                         v2::RegistrationRequest request, std::uint32_t language,
                                         std::uint32_t& status) {
    return ask_all<std::byte>(status, [&](std::span<std::byte> span, std::uint32_t& actual) {
        return perflib.registration_info(machine, counterset, request, language, span, actual);
    });
}

std::vector<Guid> enumerate_countersets(PerfLib& perflib, std::string_view machine, std::uint32_t& status) {
    return ask_all<Guid>(status, [&](std::span<Guid> span, std::uint32_t& actual) {
        return perflib.enumerate_countersets(machine, span, actual);
    });
}

}  // namespace hkpd
