// The summary of a run.
#include "answers/collect.hpp"
#include "answers/summary_rows.hpp"
#include "hkpd/answers.hpp"

namespace hkpd {

struct SummaryCollector::State {
    SummaryOptions options;
    SeriesCollector all;
};

SummaryCollector::SummaryCollector(const SummaryOptions& options, const CookOptions& cook)
    : state_(new State{options, SeriesCollector(series_options(options.limits, options.zone), cook)}) {}
SummaryCollector::SummaryCollector(SummaryCollector&&) noexcept = default;
SummaryCollector& SummaryCollector::operator=(SummaryCollector&&) noexcept = default;
SummaryCollector::~SummaryCollector() = default;

void SummaryCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    state_->all.add(sample, selected, cooker);
}

Summary SummaryCollector::finish() {
    auto& [options, all] = *state_;
    Summary summary{.run = all.facts(), .series = {}};
    const SummaryRows rows(all, options);
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (auto series = rows[row]) summary.series.push_back(*std::move(series));
    summary.run.is_complete = all.is_complete();
    return summary;
}

Summary summary(Reader& reader, Filter& filter, const SummaryOptions& options) {
    return answer<SummaryCollector>(reader, filter, options);
}

}  // namespace hkpd
