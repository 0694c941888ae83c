#include "harness.hpp"

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

namespace bench {
namespace {

constexpr int rounds = 31;
constexpr double round_seconds = 2e-3;

/// Returns the processor time of all threads, so that other programs do not count; nothing measured here waits.
double time_of(const Work& work, std::size_t runs) {
    const std::clock_t start = std::clock();
    for (std::size_t i = 0; i < runs; ++i) work.run();
    const std::clock_t passed = std::max<std::clock_t>(std::clock() - start, 1);
    return static_cast<double>(passed) / CLOCKS_PER_SEC / static_cast<double>(runs);
}

/// Runs the work until its memory is allocated and its code is warm; returns the number of runs per round.
std::size_t warm_up(const Work& work) {
    time_of(work, 2);
    const double once = time_of(work, 1);
    const double again = time_of(work, static_cast<std::size_t>(round_seconds / once) + 1);
    return static_cast<std::size_t>(round_seconds / std::min(once, again)) + 1;
}

/// Runs one round of one work, after an extra run, since the other work may have evicted it from the caches.
double round_of(const Work& work, std::size_t runs) {
    if (runs > 1) work.run();
    return time_of(work, runs);
}

double median(std::vector<double>& figures) {
    const auto middle = figures.begin() + static_cast<std::ptrdiff_t>(figures.size() / 2);
    std::ranges::nth_element(figures, middle);
    return *middle;
}

}  // namespace

Figures interleave(const Work& baseline, const Work& candidate) {
    const std::size_t baseline_runs = warm_up(baseline), candidate_runs = warm_up(candidate);
    const double share = static_cast<double>(baseline.values) / static_cast<double>(candidate.values);
    std::vector<double> ratios, seconds;
    for (int round = 0; round < rounds; ++round) {
        const bool turned = round % 2 != 0;
        double of_candidate = turned ? round_of(candidate, candidate_runs) : 0;
        const double of_baseline = round_of(baseline, baseline_runs);
        if (!turned) of_candidate = round_of(candidate, candidate_runs);
        ratios.push_back(of_candidate / of_baseline * share);
        seconds.push_back(of_candidate);
    }
    return {median(ratios), median(seconds)};
}

void add_case(const std::string& name, std::function<void(benchmark::State&)> run) {
    benchmark::RegisterBenchmark(name.c_str(), [run = std::move(run)](benchmark::State& state) {
        for (auto _ : state) run(state);
    })->Iterations(1);
}

void report(benchmark::State& state, const Work& baseline, const Work& candidate) {
    const Figures figures = interleave(baseline, candidate);
    state.counters["ratio"] = figures.ratio;
    state.counters["ns"] = figures.seconds * 1e9 / static_cast<double>(candidate.values);
    if (candidate.bytes != 0) state.counters["MB/s"] = static_cast<double>(candidate.bytes) / 1e6 / figures.seconds;
}

}  // namespace bench
