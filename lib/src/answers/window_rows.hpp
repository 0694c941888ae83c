// The rows of what stands out in a window: which there are, and in which order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "answers/window_kind.hpp"
#include "answers/window_values.hpp"
#include "hkpd/window.hpp"
#include "statistics/run_series.hpp"

namespace hkpd {

/// Chooses the series that stand out.
class WindowRows {
  public:
    /// Keeps the references.
    WindowRows(const WindowOptions& options, SeriesCollector& all, WindowValues& values)
        : options_(options), all_(all), values_(values) {}

    /// Adds the rows to `top`, whose facts, window and processors are known.
    void finish(WindowTop& top);

  private:
    /// A counter: one name in one object of one machine.
    struct Kind : WindowKind {
        bool has_total = false, has_single = false;  // instances with values: `_Total`, and others
        std::uint64_t rest_samples = 0;              // number of those of the rest with any value
    };
    /// The numbers of a series in the window and in the rest.
    struct Numbers {
        Statistics inside, rest;
        double usual = 0,
               spread = 0;  // over all samples of the rest; a process uses nothing before it begins and after it ends
    };
    struct Process {
        std::array<std::optional<std::uint32_t>, window_uses> places{};
        std::uint32_t first = 0, counter = 0;  // a place that it has, and the number of its counter
        std::optional<std::int64_t> from{}, to{};
        double score = 0;
        WindowUse leading{};
        std::array<double, window_uses> effects{};
    };
    /// Sums over the processes of a machine.
    struct Machine {
        std::array<double, window_uses> inside{}, rest{};
        double capacity = 0;  // of processor time, in %; 0: unknown
    };
    struct Counter {
        double effect = 0, score = 0;
        std::uint32_t place = 0;
    };

    void find_kinds();
    const Kind& kind_at(std::size_t place) const { return kinds_[kind_numbers_[all_.series(place).counter]]; }
    bool stands_for_others(std::size_t place) const;
    Numbers numbers(std::uint32_t place);
    void find_processes(const WindowTop& top);
    void rate_process(Process& process);
    void add_processes(WindowTop& top);
    void add_lives(WindowTop& top);
    void add_counters(Kind::Of of, std::size_t most, std::vector<std::uint32_t>& list, WindowTop& top);
    std::optional<Counter> rated(std::uint32_t place);
    bool repeats(std::uint32_t place, const std::vector<std::uint32_t>& list, const WindowTop& top);
    std::optional<std::uint32_t> add_row(std::uint32_t place, double effect, double share, WindowTop& top);
    bool is_new(const std::optional<std::int64_t>& first) const;
    bool is_gone(const std::optional<std::int64_t>& last) const;

    const WindowOptions& options_;
    SeriesCollector& all_;
    WindowValues& values_;
    std::vector<Kind> kinds_;
    std::vector<std::uint32_t> kind_numbers_;  // by the number of a `RunCounter`: the position in `kinds_`
    std::vector<Process> processes_;
    std::map<std::string_view, Machine> machines_;
};

}  // namespace hkpd
