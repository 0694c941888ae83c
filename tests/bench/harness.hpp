// Times one thing against another on a noisy machine: in rounds, one right after the other, so that a slowdown of the
// machine affects both.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <string>

namespace bench {

/// Something to be timed, and the amount of work in one run.
struct Work {
    std::function<void()> run;
    std::size_t values = 0;
    std::size_t bytes = 0;  ///< 0: not reported in bytes
};

struct Figures {
    double ratio = 0;    ///< time per value of the candidate over that of the baseline: median of the rounds
    double seconds = 0;  ///< of one run of the candidate: median of the rounds
};

/// Times both in at least 30 rounds, after warm-up runs that are not counted. In a round each runs repeatedly for 2 ms,
/// and in every other round the candidate comes first.
Figures interleave(const Work& baseline, const Work& candidate);

/// Adds a case: `NAME/INPUT` of Google Benchmark, which runs once and reports counters.
void add_case(const std::string& name, std::function<void(benchmark::State&)> run);

/// Reports a candidate relative to a baseline: `ratio`, `ns` for each value, and `MB/s` if it has bytes.
void report(benchmark::State& state, const Work& baseline, const Work& candidate);

}  // namespace bench
