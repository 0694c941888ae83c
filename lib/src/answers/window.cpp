// What stands out in a window of time: the processes, disks, interfaces and counters that are not as usual.
#include "hkpd/window.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "answers/collect.hpp"
#include "answers/process_rows.hpp"
#include "answers/window_rows.hpp"
#include "answers/window_values.hpp"

namespace hkpd {

struct WindowCollector::State {
    State(const WindowOptions& given, const CookOptions& cook)
        : options(given), all(without_percentiles(given), cook) {}

    /// The collector needs the names of the series alone: `WindowValues` has the statistics.
    static SeriesOptions without_percentiles(const WindowOptions& options) {
        SeriesOptions made = series_options(options.limits, options.zone);
        made.percentiles = false;
        return made;
    }

    WindowOptions options;
    SeriesCollector all;
    WindowValues values{options, all};
    std::map<std::string, std::uint32_t, std::less<>> processors;  // by machine, the most in a sample
};

WindowCollector::WindowCollector(const WindowOptions& options, const CookOptions& cook)
    : state_(std::make_unique<State>(options, cook)) {}
WindowCollector::WindowCollector(WindowCollector&&) noexcept = default;
WindowCollector& WindowCollector::operator=(WindowCollector&&) noexcept = default;
WindowCollector::~WindowCollector() = default;

void WindowCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    State& state = *state_;
    auto& known = state.processors[std::string(sample.machine.value_or(""))];
    known = std::max(known, processors_of(sample));
    state.values.begin(sample);
    state.all.add(sample, selected, cooker, &state.values);
    state.values.end();
}

WindowTop WindowCollector::finish() {
    auto& [options, all, values, processors] = *state_;
    all.end_block();
    values.finish();
    WindowTop top;
    top.run = all.facts();
    top.from = values.from;
    top.to = values.to;
    top.samples = values.samples;
    top.rest_samples = values.all_rest_samples;
    for (const std::string& machine : top.run.machines) {
        const auto found = processors.find(machine);
        top.processors.push_back(found == processors.end() ? 0 : found->second);
    }
    if (top.samples != 0) WindowRows(options, all, values).finish(top);
    top.run.is_complete = all.is_complete();
    return top;
}

WindowTop top_in_window(Reader& reader, Filter& filter, const WindowOptions& options) {
    return answer<WindowCollector>(reader, filter, options);
}

const WindowTop::Row* WindowTop::use(const Process& process, WindowUse use) const noexcept {
    const auto position = process.uses[static_cast<std::size_t>(use)];
    return position ? &rows[*position] : nullptr;
}

Range window_around(std::int64_t moment) noexcept {
    constexpr std::int64_t minute = 60'000'000'000, half = minute / 2;
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min() + minute,
                           most = std::numeric_limits<std::int64_t>::max() - minute;
    Range range;
    moment = std::clamp(moment, least, most);
    const bool is_minute = moment % minute == 0;
    range.from = is_minute ? moment : moment - half;
    range.to = is_minute ? moment + minute - 1 : moment + half;
    return range;
}

}  // namespace hkpd
