// What the metrics of a counter show of its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "hkpd/cook.hpp"
#include "hkpd/sample.hpp"
#include "write/metrics/names.hpp"

namespace hkpd {

/// A column and what its values are of.
struct MetricOrigin {
    const Sample& sample;
    const Object& object;
    std::size_t position;  ///< of the object
    const Column& column;
    std::uint32_t place;  ///< of the column
    Cooker* cooker;       ///< null: nothing was before
};

/// Whether the ticks a second of a column's clock are known, of one row or all.
bool has_seconds(const MetricOrigin& from) noexcept;

/// Appends what a metric shows of a value; false where there is nothing to show.
bool append_metric_value(std::string& out, const MetricOrigin& from, const Metric& metric, std::size_t row);

}  // namespace hkpd
