// The verdict on a run, as values and in one call.
#include "hkpd/verdict.hpp"

#include <array>

#include "answers/collect.hpp"
#include "hkpd/answers.hpp"

namespace hkpd {

std::string_view area_name(VerdictArea area) noexcept {
    constexpr std::array<std::string_view, 6> names{"processor", "memory", "disk", "network", "growth", "missing"};
    return names[static_cast<std::size_t>(area)];
}

std::string_view kind_name(VerdictKind kind) noexcept {
    constexpr std::array<std::string_view, 7> names{"limit",       "one_processor", "no_limit", "growing",
                                                    "not_growing", "not_recorded",  "too_short"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view measure_name(VerdictMeasure measure) noexcept {
    constexpr std::array<std::string_view, verdict_measures> names{
        "processor_time", "one_processor",    "ready_threads", "available_memory", "committed_share",
        "hard_faults",    "transfer_time",    "disk_queue",    "disk_busy",        "network_share",
        "output_queue",   "committed_memory", "paged_pool",    "nonpaged_pool",    "process_use"};
    return names[static_cast<std::size_t>(measure)];
}

/// A collector of what uses most, of which the verdict alone is wanted.
struct VerdictCollector::State {
    State(const VerdictOptions& options, const CookOptions& cook)
        : all({.top = 0,
               .instances = false,
               .percentiles = false,
               .verdict = options,
               .limits = options.limits,
               .zone = options.zone},
              cook) {}

    TopCollector all;
};

VerdictCollector::VerdictCollector(const VerdictOptions& options, const CookOptions& cook)
    : state_(std::make_unique<State>(options, cook)) {}
VerdictCollector::VerdictCollector(VerdictCollector&&) noexcept = default;
VerdictCollector& VerdictCollector::operator=(VerdictCollector&&) noexcept = default;
VerdictCollector::~VerdictCollector() = default;

void VerdictCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    state_->all.add(sample, selected, cooker);
}

RunVerdict VerdictCollector::finish() { return state_->all.finish().verdict; }

RunVerdict verdict(Reader& reader, Filter& filter, const VerdictOptions& options) {
    return answer<VerdictCollector>(reader, filter, options);
}

}  // namespace hkpd
