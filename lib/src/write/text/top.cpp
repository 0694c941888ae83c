// What stands out in a run: the processes that use most, or the instances with the largest numbers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/text/names.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/summary.hpp"
#include "sample/display_name.hpp"
#include "statistics/run_series.hpp"
#include "write/cells.hpp"
#include "write/series_lines.hpp"
#include "write/text/process_table.hpp"
#include "write/text/statistics_table.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// Returns whether an instance stands for several others, or for the absence of work.
bool stands_for_others(const SeriesSummary& s) {
    return is_aggregate_or_idle(s.identity.parent.value_or(""), s.identity.name,
                                is_process_object(s.counter.source, s.counter.object_number, s.counter.object));
}

/// Returns how well a counter describes what an instance does: 0 for the counters that administrators look at first.
std::uint32_t rank_of(const RunCounter& counter) {
    constexpr std::array<std::string_view, 4> first{"% processor time", "% processor utility", "% disk time",
                                                    "bytes total/sec"};
    constexpr std::array<std::uint32_t, 3> titles{6, 200, 388};  // of % Processor Time, % Disk Time, Bytes Total/sec
    const bool by_title = id_kind(counter.source, counter.object_number) == IdKind::title;
    const bool is_first =
        std::ranges::any_of(first, [&](std::string_view name) { return compare_names(counter.name, name) == 0; }) ||
        (by_title && std::ranges::find(titles, counter.number) != titles.end());
    return is_first ? 0 : counter.position + 1;
}

/// The series of one counter of an object, on all machines.
struct CounterGroup {
    std::uint32_t rank = 0;  ///< among the counters of the object
    bool of_list = false;
    std::uint32_t first = 0;                        ///< place of the first series
    std::vector<std::uint32_t> places{}, totals{};  ///< totals: what is left out by default
};

class TopWriter final : public Writer {
  public:
    TopWriter(Format format, const WriteOptions& options, const CookOptions& cook, const TopOptions& top)
        : format_(format), options_(options), top_(top), all_(series_options(options), cook) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        if (!top_.processes) return all_.add(sample, selected, *cooker);
        const std::vector<Selected> processes = process_parts(sample, selected);
        // Until a process was seen, it is unknown whether the input has any.
        if (!processes.empty() && !has_processes_) {
            has_processes_ = true;
            all_.clear();
        }
        all_.add(sample, has_processes_ ? std::span<const Selected>(processes) : selected, *cooker);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        all_.sort();
        if (has_processes_)
            write_processes(diagnostics, out);
        else
            write_instances(diagnostics, out);
        all_.report(diagnostics);
    }

  private:
    bool is_text() const noexcept {
        return format_ != Format::json && format_ != Format::jsonl && format_ != Format::csv;
    }

    void write_processes(const Diagnostics& diagnostics, std::string& out) {
        ProcessTable table(options_, top_, all_);
        for (std::uint32_t place = 0; place < all_.size(); ++place)
            if (top_.all_instances || !stands_for_others(all_[place])) table.add(place);
        const bool all_left_out = table.empty();  // a log can have nothing but _Total
        for (std::uint32_t place = 0; place < all_.size() && all_left_out; ++place) table.add(place);
        table.sort();
        if (is_text())
            table.append(out);
        else
            write_series(format_, options_, all_, table.places(), diagnostics, out);
    }

    void write_instances(const Diagnostics& diagnostics, std::string& out) {
        const std::vector<std::uint32_t> places = largest_instances();
        if (!is_text()) return write_series(format_, options_, all_, places, diagnostics, out);
        if (all_.samples() == 0) return;
        append_run_line(all_, out);
        if (places.empty()) {
            out += all_.samples() < 2 ? "no values: rates need two samples\n" : "no values\n";
            return;
        }
        SeriesLabel label = has_machines(all_) ? SeriesLabel::machine_path : SeriesLabel::path;
        if (is_one_list(places)) {
            label = SeriesLabel::instance;
            const RunCounter& counter = all_.counter(places.front());
            out += printable(fmt::format("\\{}(*)\\{}", counter.object, counter.name));
            out += '\n';
        }
        append_percentile_note(append_statistics_table(options_, all_, places, label, top_.sort, out), out);
    }

    /// Returns whether series are of one counter, on one machine, of an object with a list of instances.
    bool is_one_list(std::span<const std::uint32_t> places) const {
        const auto counter_of = [this](std::uint32_t place) { return all_.series(place).counter; };
        return all_.counter(places.front()).of_list && std::ranges::all_of(places, [&](std::uint32_t place) {
                   return counter_of(place) == counter_of(places.front());
               });
    }

    /// Returns the groups of series with values. The best counter of each object comes first.
    std::vector<CounterGroup> groups() {
        std::map<std::pair<std::string_view, std::string_view>, CounterGroup> by_name;  // object, counter
        std::map<std::string_view, std::uint32_t> best;                                 // object → lowest rank
        for (std::uint32_t place = 0; place < all_.size(); ++place) {
            const SeriesSummary summary = all_[place];
            if (summary.statistics.count == 0) continue;
            const RunCounter& counter = summary.counter;
            const std::uint32_t rank = rank_of(counter);
            const auto [group, added] = by_name.try_emplace({counter.object, counter.name});
            if (added) group->second = {rank, counter.of_list, place};
            auto& places =
                !top_.all_instances && stands_for_others(summary) ? group->second.totals : group->second.places;
            places.push_back(place);
            const auto lowest = best.try_emplace(counter.object, rank).first;
            lowest->second = std::min(lowest->second, rank);
        }
        std::vector<CounterGroup> all;
        for (auto& [name, group] : by_name) {
            if (group.rank == best[name.first]) group.rank = 0;
            if (group.places.empty()) group.places.swap(group.totals);  // a log can have nothing else
            sort_by(all_, group.places, top_.sort.value_or(StatisticColumn::mean));
            if (top_.sort == StatisticColumn::slope)
                move_brief_to_end(all_, group.places, [](std::uint32_t place) { return place; });
            all.push_back(std::move(group));
        }
        // Objects with a list of instances come first: the others have one row for each of many counters.
        std::ranges::sort(all, {}, [](const CounterGroup& group) {
            return std::tuple(group.rank != 0, !group.of_list, group.rank, group.first);
        });
        return all;
    }

    /// Returns the series to show. Numbers of different counters cannot be compared, so that each counter gets an equal
    /// share of the rows, and what is left over goes to the first.
    std::vector<std::uint32_t> largest_instances() {
        std::vector<CounterGroup> all = groups();
        const auto best = static_cast<std::size_t>(
            std::ranges::count_if(all, [](const CounterGroup& group) { return group.rank == 0 && group.of_list; }));
        const std::size_t share = std::max<std::size_t>(1, top_.top / std::max<std::size_t>(1, best));
        std::size_t left = top_.top;
        std::vector<std::size_t> taken(all.size());
        for (const std::size_t most : {share, left})
            for (std::size_t i = 0; i < all.size() && left != 0; ++i) {
                const std::size_t more = std::min(std::min(all[i].places.size(), most) - taken[i], left);
                taken[i] += more;
                left -= more;
            }
        std::vector<std::uint32_t> places;
        for (std::size_t i = 0; i < all.size(); ++i)
            places.insert(places.end(), all[i].places.begin(),
                          all[i].places.begin() + static_cast<std::ptrdiff_t>(taken[i]));
        return places;
    }

    Format format_;
    WriteOptions options_;
    TopOptions top_;
    SeriesCollector all_;
    bool has_processes_ = false;
};

}  // namespace

std::unique_ptr<Writer> make_top_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                        const TopOptions& top) {
    return with_name_limit(std::make_unique<TopWriter>(format, options, cook, top), options);
}

}  // namespace hkpd
