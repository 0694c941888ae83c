// The series of a summary, in its order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <vector>

#include "hkpd/answers.hpp"
#include "statistics/run_series.hpp"

namespace hkpd {

/// The series of a summary, each of which is made when it is read: a million in memory would take 200 MB.
class SummaryRows {
  public:
    /// Sorts the series of `all`, and keeps a reference to it.
    SummaryRows(SeriesCollector& all, const SummaryOptions& options) : all_(all) {
        all.sort();
        const auto places = std::views::iota(0U, static_cast<std::uint32_t>(all.size()));
        order_.assign(places.begin(), places.end());
        if (options.sort) sort_by(all, order_, *options.sort);
        order_.resize(std::min(options.top, order_.size()));
    }

    std::size_t size() const noexcept { return order_.size(); }
    const RunCounter& counter(std::size_t row) const noexcept { return all_.counter(order_[row]); }
    /// Returns a series as a value; none if its names exceed the limit.
    std::optional<Series> operator[](std::size_t row) const { return all_.take(order_[row]); }

  private:
    SeriesCollector& all_;
    std::vector<std::uint32_t> order_;
};

}  // namespace hkpd
