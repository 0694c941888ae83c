#include "report/run.hpp"

#include <array>

#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd {

ReportRun::ReportRun(const SeriesOptions& options, const CookOptions& cook, RuleRun* rules, const Titles& titles)
    : series_(options, cook, rules, titles), rules_(rules), times_(nothing_skipped(), Limits{}.named_machines) {
    all().set_store(*this);
}

const Skipped& ReportRun::nothing_skipped() {
    static const Skipped nothing;
    return nothing;
}

void ReportRun::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    const std::string machine = sample.machine.value_or("");
    const auto stream = machines_.try_emplace(machine, static_cast<std::uint32_t>(machines_.size())).first->second;
    const std::optional<std::int64_t> time = unix_time(sample);
    times_.add(sample);
    if (time) {
        if (history_.is_full(stream, *time)) all().end_waiting();
        history_.begin(stream, *time);
        derived_history_.begin(stream, *time);
    } else {
        all().end_waiting();
        history_.skip();
        derived_history_.skip();
    }
    series_.add(sample, selected, cooker);
    if (rules_ != nullptr) add_derived(time.value_or(SeriesStatistics::no_time));
    derived_history_.end_block();  // has one sample
}

void ReportRun::values(std::size_t place, std::span<const BlockValue> values) { history_.add(place, values); }

void ReportRun::add_derived(std::int64_t time) {
    for (const auto& [number, value] : rules_->derived_values()) {
        const std::uint32_t place = derived_place(number);
        derived_history_.add(place, std::array{BlockValue{0, {value, Reason::none}}});
        if (derived_.size() <= place) derived_.resize(place + 1);
        constexpr std::size_t exact = static_cast<std::size_t>(-1) / sizeof(double);
        derived_[place].add(value, time, exact);
    }
}

void ReportRun::finish() {
    all().finish();
    history_.finish();
    derived_history_.finish();
}

Statistics ReportRun::statistics(std::uint32_t number) {
    return is_derived(number) ? derived_[derived_place(number)].finish() : all()[number].statistics;
}

ReportSeries ReportRun::series(std::uint32_t number) {
    if (!is_derived(number)) {
        const SeriesSummary summary = all()[number];
        const Unit unit = unit_of(summary.counter);
        return {.machine = summary.counter.machine,
                .object = summary.counter.object,
                .counter = summary.counter.name,
                .instance = all().display(number),
                .unit = unit,
                .shown = scaled_unit(unit, english_name(summary.counter)),
                .of_list = summary.counter.of_list,
                .process_id = summary.identity.pid,
                .statistics = summary.statistics};
    }
    const RuleRun::Derived& derived = rules_->derived()[derived_place(number)];
    const Unit unit = unit_of(no_counter_type, derived.counter);
    return {.machine = derived.machine,
            .object = derived.object,
            .counter = derived.counter,
            .instance = derived.instance,
            .unit = unit,
            .shown = {unit, 1},
            .of_list = !derived.instance.empty(),
            .statistics = statistics(number)};
}

bool ReportRun::is_constant(std::uint32_t number) const {
    const auto [history, series] = place_of(number);
    return history.is_constant(series);
}

std::optional<std::int64_t> ReportRun::time_of_max(std::uint32_t number) const {
    const auto [history, series] = place_of(number);
    return history.time_of_max(series);
}

std::uint32_t ReportRun::stream(std::uint32_t number) const {
    const auto [history, series] = place_of(number);
    return history.stream(series);
}

void ReportRun::read(std::uint32_t number, std::vector<ReducedValues>& values) const {
    const auto [history, series] = place_of(number);
    history.read(series, values);
}

std::vector<std::pair<std::int64_t, std::int64_t>> ReportRun::gaps(std::uint32_t stream, std::int64_t interval) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> gaps;
    const std::span<const HistorySlot> all = slots(stream);
    for (std::size_t i = 1; i < all.size(); ++i)
        if (is_gap(all[i - 1].to, all[i].from, interval)) gaps.emplace_back(all[i - 1].to, all[i].from);
    return gaps;
}

Overview ReportRun::overview() const {
    Overview overview;
    times_.fill(overview, Diagnostics(0));
    overview.samples = all().samples();
    overview.machines.resize(machines_.size());
    for (const auto& [name, stream] : machines_) overview.machines[stream] = name;
    return overview;
}

}  // namespace hkpd
