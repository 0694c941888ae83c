// The summary of a run.
#include "answers/collect.hpp"
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
    all.sort();
    Summary summary{.run = all.facts(), .series = all.take_all()};
    summary.run.is_complete = all.is_complete();
    if (options.sort) sort_by(summary.series, *options.sort);
    if (options.top < summary.series.size()) summary.series.resize(options.top);
    return summary;
}

Summary summary(Reader& reader, Filter& filter, const SummaryOptions& options) {
    return answer<SummaryCollector>(reader, filter, options);
}

}  // namespace hkpd
