// How a counter is rated when it stands out in a window of time: what it belongs to, and how much it matters.
#pragma once

#include <cstdint>

#include "hkpd/series.hpp"
#include "hkpd/window.hpp"

namespace hkpd {

/// The properties of a counter that decide where it stands in the answer.
struct WindowKind {
    /// The list to which its series belong; `nothing`: they are left out.
    enum class Of : std::uint8_t { nothing, process, disk, network, other };
    Of of = Of::nothing;
    WindowUse use{};             ///< of a process
    bool is_rate = false;        ///< its values need two samples
    bool is_headline = false;    ///< one of those that administrators look at first
    double weight = 1;           ///< factor of its effect in the order of rows
    double least_spread = 0.5;   ///< the size that matters in its unit
    bool prefers_total = false;  ///< processors: one row for all of them
};

/// Returns the properties of a counter.
WindowKind window_kind(const RunCounter& counter);

}  // namespace hkpd
