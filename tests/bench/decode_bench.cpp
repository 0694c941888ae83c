// Blocks: opened, validated and walked, compared with memory and zstd.
#include <zstd.h>

#include <cstdlib>
#include <cstring>
#include <numeric>

#include "cases.hpp"
#include "inputs.hpp"
#include "walk.hpp"

namespace bench {
namespace {

void unchecked(benchmark::State& state, const Input& input) { report(state, baseline(input), baseline(input)); }

void copy(benchmark::State& state, const Input& input) {
    Blob target(input.samples[0].size());
    const auto run = [&] {
        std::memcpy(target.data(), input.samples[0].data(), target.size());
        benchmark::DoNotOptimize(target.data());
        benchmark::ClobberMemory();
    };
    report(state, baseline(input), {run, input.values, target.size()});
}

/// One addition per byte, like a checksum; the compiler may vectorise it.
void sum_bytes(benchmark::State& state, const Input& input) {
    const Blob& blob = input.samples[0];
    const auto run = [&] {
        benchmark::DoNotOptimize(
            std::accumulate(blob.begin(), blob.end(), std::uint32_t{0},
                            [](std::uint32_t sum, std::byte b) { return sum + std::to_integer<std::uint32_t>(b); }));
    };
    report(state, baseline(input), {run, input.values, blob.size()});
}

void decompress(benchmark::State& state, const Input& input) {
    const Blob& blob = input.samples[0];
    Blob compressed(ZSTD_compressBound(blob.size())), target(blob.size());
    const std::size_t size = ZSTD_compress(compressed.data(), compressed.size(), blob.data(), blob.size(), 3);
    if (ZSTD_isError(size) != 0) std::abort();
    const auto run = [&] {
        if (ZSTD_decompress(target.data(), target.size(), compressed.data(), size) != target.size()) std::abort();
    };
    report(state, baseline(input), {run, input.values, blob.size()});
}

void open(benchmark::State& state, const Input& input) {
    OpenBlock open;
    const auto run = [&] {
        if (!open_and_validate(open, input.bytes())) std::abort();
    };
    report(state, baseline(input), {run, input.values, input.bytes().size()});
}

void walk_only(benchmark::State& state, const Input& input) {
    OpenBlock open;
    if (!open_and_validate(open, input.bytes())) std::abort();
    const auto run = [&] { benchmark::DoNotOptimize(walk(open)); };
    report(state, baseline(input), {run, input.values, input.bytes().size()});
}

void open_walk(benchmark::State& state, const Input& input) {
    OpenBlock open;
    const auto run = [&] { benchmark::DoNotOptimize(open_and_walk(open, input.bytes())); };
    report(state, baseline(input), {run, input.values, input.bytes().size()});
}

/// The loop that a caller writes first: open, validate, and read each value of each instance.
void views(benchmark::State& state, const Input& input) {
    OpenBlock open;
    const auto run = [&] {
        if (!open_and_validate(open, input.bytes())) std::abort();
        benchmark::DoNotOptimize(walk(open));
    };
    report(state, baseline(input), {run, input.values, input.bytes().size()});
}

/// Finds objects by their title indices, a hundred in turn.
void find_object(benchmark::State& state) {
    constexpr std::size_t objects = 100;
    const Blob blob = plain_objects(objects);
    OpenBlock open;
    if (!open_and_validate(open, hkpd::Bytes(std::span(blob))) || open.block.objects().size() != objects) std::abort();
    std::vector<std::uint32_t> titles;
    for (const hkpd::v1::ObjectEntry& entry : open.block.objects()) titles.push_back(entry.title_index);
    const auto run = [&] {
        for (const std::uint32_t title : titles) benchmark::DoNotOptimize(open.block.object(title));
    };
    report(state, baseline(small_machine()), {run, objects});
}

}  // namespace

void add_decode_cases() {
    add_cases("unchecked_walk", unchecked);
    add_cases("memcpy", copy);
    add_cases("sum_bytes", sum_bytes);
    add_cases("zstd", decompress);
    add_cases("open", open);
    add_cases("walk", walk_only);
    add_cases("open_walk", open_walk);
    add_cases("views", views);
    add_case("find_object/small", find_object);
}

}  // namespace bench
