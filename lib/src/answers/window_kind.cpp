#include "answers/window_kind.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "answers/process_rows.hpp"
#include "base/text/names.hpp"
#include "cook/formula.hpp"
#include "hkpd/cook.hpp"
#include "quantity/unit.hpp"
#include "sample/display_name.hpp"
#include "statistics/series_table.hpp"

namespace hkpd {
namespace {

using Names = std::pair<std::string_view, std::string_view>;  // object, counter

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view each) { return compare_names(name, each) == 0; });
}

/// Returns whether a counter is one of those that administrators look at first.
bool is_headline(std::string_view object, std::string_view counter) {
    static constexpr Names all[] = {
        {"Processor", "% Processor Time"},
        {"Processor", "% Privileged Time"},
        {"Processor Information", "% Processor Time"},
        {"Processor Information", "% Processor Utility"},
        {"System", "Processor Queue Length"},
        {"System", "Context Switches/sec"},
        {"Memory", "Available Bytes"},
        {"Memory", "Available MBytes"},
        {"Memory", "Committed Bytes"},
        {"Memory", "% Committed Bytes In Use"},
        {"Memory", "Pages/sec"},
        {"Memory", "Page Reads/sec"},
        {"Memory", "Pool Nonpaged Bytes"},
        {"Memory", "Pool Paged Bytes"},
        {"Paging File", "% Usage"},
        {"PhysicalDisk", "Avg. Disk Queue Length"},
        {"PhysicalDisk", "Current Disk Queue Length"},
        {"PhysicalDisk", "Avg. Disk sec/Transfer"},
        {"PhysicalDisk", "Avg. Disk sec/Read"},
        {"PhysicalDisk", "Avg. Disk sec/Write"},
        {"PhysicalDisk", "Disk Bytes/sec"},
        {"PhysicalDisk", "% Idle Time"},
        {"LogicalDisk", "% Free Space"},
        {"LogicalDisk", "Avg. Disk Queue Length"},
        {"LogicalDisk", "Avg. Disk sec/Transfer"},
        {"Network Interface", "Bytes Total/sec"},
        {"Network Interface", "Output Queue Length"},
        {"Network Interface", "Packets Outbound Discarded"},
        {"Network Interface", "Packets Received Discarded"},
        {"Network Interface", "Packets Outbound Errors"},
        {"Network Interface", "Packets Received Errors"},
        {"TCPv4", "Segments Retransmitted/sec"},
        {"TCPv4", "Connection Failures"},
        {"TCPv6", "Segments Retransmitted/sec"},
    };
    return std::ranges::any_of(all, [&](const Names& each) {
        return compare_names(object, each.first) == 0 && compare_names(counter, each.second) == 0;
    });
}

/// Returns whether the numbers of a counter are names of states, flags, or times since a start: none is more than
/// another.
bool is_no_amount(const RunCounter& counter) {
    return unit_of(counter) == Unit::identifier || formula_of(counter.type) == Formula::elapsed ||
           is_one_of(english_name(counter),
                     {"Thread State", "Thread Wait Reason", "Priority Base", "Priority Current",
                      "Processor State Flags", "Parking Status", "Performance Limit Flags", "System Up Time",
                      "Elapsed Time", "Start Address", "Thread Start Address"});
}

/// Returns the size that matters in a unit.
double least_spread(Unit unit) noexcept {
    switch (unit) {
        case Unit::percent:
            return 1;
        case Unit::seconds:
            return 1e-3;
        case Unit::bytes:
            return bytes_of_mebibyte;
        case Unit::bytes_per_second:
            return 10 << 10;
        case Unit::per_second:
            return 1;
        default:
            return 0.5;
    }
}

/// Returns what a counter of a process states the use of; none for other counters.
std::optional<WindowUse> window_use(const RunCounter& counter) {
    constexpr std::uint32_t other_io_title = 1426, threads_title = 680;
    if (const auto use = process_use(counter)) return static_cast<WindowUse>(*use);
    const bool by_title = id_kind(counter.source, counter.object_number) == IdKind::title;
    const auto is = [&](std::uint32_t title, std::string_view name) {
        return (by_title && counter.number == title) || compare_names(english_name(counter), name) == 0;
    };
    if (is(other_io_title, "IO Other Bytes/sec")) return WindowUse::other_io;
    if (is(threads_title, "Thread Count")) return WindowUse::threads;
    return std::nullopt;
}

}  // namespace

WindowKind window_kind(const RunCounter& counter) {
    using enum WindowKind::Of;
    WindowKind kind{.is_rate = needs_two_samples(counter.type), .least_spread = least_spread(unit_of(counter))};
    const std::string_view object = english_object(counter);
    if (process_object(counter.source, counter.object_number, object) != ProcessObject::none) {
        const auto use = window_use(counter);
        if (!use) return kind;
        kind.of = process;
        kind.use = *use;
        return kind;
    }
    if (is_no_amount(counter) || is_one_of(object, {"Thread", "Full Image", "Image"})) return kind;
    kind.of = is_one_of(object, {"PhysicalDisk", "LogicalDisk"})            ? disk
              : is_one_of(object, {"Network Interface", "Network Adapter"}) ? network
                                                                            : other;
    kind.is_headline = is_headline(object, english_name(counter));
    // Of the same numbers of a logical and its physical disk, the latter come first.
    constexpr double of_headline = 2, of_logical = 0.95;
    kind.weight = (kind.is_headline ? of_headline : 1) * (is_one_of(object, {"LogicalDisk"}) ? of_logical : 1);
    kind.prefers_total = is_one_of(object, {"Processor", "Processor Information"});
    return kind;
}

}  // namespace hkpd
