#include <benchmark/benchmark.h>

#include "cases.hpp"

int main(int count, char** words) {
    bench::add_decode_cases();
    bench::add_sample_cases();
    bench::add_writer_cases();
    bench::add_capture_cases();
    bench::add_log_cases();
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
