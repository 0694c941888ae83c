// Short labels for the columns of a timeline, made from the paths of their counters.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd {

/// The parts of the path of a series: `\\machine\object(instance)\counter`, and the source of its samples.
struct SeriesPath {
    std::string_view source, machine, object;
    std::string instance;  ///< empty for an object without a list of instances
    std::string_view counter;
};

/// Labels of several series, and the path of all of them together.
struct SeriesLabels {
    std::vector<std::string> labels;  ///< one for each series, printable, at most `Grid::widest` columns wide
    /// The parts that all series have in common, with `*` for each part that differs: `\\PC\Processor(*)\% User Time`.
    std::string common;
};

/// Returns the shortest labels that distinguish the series. All labels consist of the same parts of the paths. These
/// are the first of the following that give each series a label of its own: the counter; the instance; the object; the
/// machine; the source; instance and counter; object and counter; object and instance; machine and counter; source and
/// counter; object, instance and counter; machine, object, instance and counter; all parts. If no parts distinguish all
/// series, for example because counters have the same name, or if there are more than 1000 series, the labels consist
/// of object, instance and counter.
SeriesLabels label_series(std::span<const SeriesPath> series);

}  // namespace hkpd
