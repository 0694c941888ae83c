// The counters of the five objects in the demonstration capture: those of the simulated machine, in the form of the
// tests' builder.
#pragma once

#include <span>
#include <vector>

#include "simulate/v1_counters.hpp"
#include "support/blob_builder.hpp"

namespace demo {

using hkpd::simulation::system_counters, hkpd::simulation::memory_counters, hkpd::simulation::processor_counters,
    hkpd::simulation::process_counters, hkpd::simulation::thread_counters;

inline std::vector<blob::Counter> counters(std::span<const hkpd::simulation::Counter> definitions) {
    std::vector<blob::Counter> counters;
    for (const hkpd::simulation::Counter& one : definitions)
        counters.push_back({.title = one.title_index,
                            .type = one.type,
                            .size = one.size,
                            .offset = one.offset,
                            .scale = one.scale,
                            .detail = one.detail_level,
                            .help = one.help_index});
    return counters;
}

}  // namespace demo
