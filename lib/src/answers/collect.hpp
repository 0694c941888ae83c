// Reads the samples of a reader into a collector.
#pragma once

#include <optional>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/zone.hpp"
#include "source/selected_samples.hpp"
#include "statistics/run_series.hpp"

namespace hkpd {

/// Returns the options of a `SeriesCollector` for an answer.
inline SeriesOptions series_options(const Limits& limits, const std::optional<Zone>& zone, bool by_name = false) {
    return {.series = limits.series,
            .statistics = limits.statistics,
            .zone = zone,
            .names = limits.names,
            .by_name = by_name};
}

/// Passes what a filter selects in the samples of a reader to a collector. `make` makes the collector when the first
/// sample shows how samples are cooked, unless there is one.
template <class Collector, class Make>
void read_into(std::optional<Collector>& all, Reader& reader, Filter& filter, const Make& make) {
    each_selected(reader, filter, [&](const std::vector<Selected>& selected) {
        if (!all) all.emplace(make(reader.cooker().options()));
        all->add(reader.sample(), selected, reader.cooker());
    });
}

/// Returns what a collector makes of the samples of a reader.
template <class Collector, class Options>
auto answer(Reader& reader, Filter& filter, const Options& options) {
    const auto make = [&options](const CookOptions& cook) { return Collector(options, cook); };
    std::optional<Collector> all;
    read_into(all, reader, filter, make);
    return all ? all->finish() : make(CookOptions{}).finish();
}

}  // namespace hkpd
