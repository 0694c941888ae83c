// Samples: built, matched and cooked; their allocations, and how the cost grows with the machine.
#include <array>
#include <random>
#include <utility>

#include "cases.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/reader.hpp"
#include "identity/matcher.hpp"
#include "inputs.hpp"
#include "sample/fill/v1_builder.hpp"
#include "support/count_allocations.hpp"
#include "unchecked_walk.hpp"

namespace bench {
namespace {

/// Cooks every column of every object, with matching.
void cook_all(hkpd::Cooker& cooker, const hkpd::Sample& before, const hkpd::Sample& now) {
    cooker.begin(&before, now);
    for (std::size_t o = 0; o < now.objects().size(); ++o)
        for (std::size_t c = 0; c < now.objects()[o].columns.size(); ++c)
            benchmark::DoNotOptimize(cooker.column(o, c).values.data());
}

/// Sources of a sample's names: none, its instances, or titles too.
struct Names {
    const hkpd::Titles* titles = nullptr;
    hkpd::InstanceNames instances = hkpd::InstanceNames::utf8;
};
constexpr Names bare{nullptr, hkpd::InstanceNames::none}, plain{};
Names full() { return {.titles = &titles()}; }

/// Work that is repeated on a machine, in memory that is reused.
struct Steady {
    Steady(const Input& machine, Names names) : input(machine), building(names.titles, names.instances) {
        for (std::size_t i = 0; i < samples.size(); ++i) building.build(samples.at(i), input.bytes(i));
    }
    void build() {
        building.build(samples[0], input.bytes());
        benchmark::ClobberMemory();
    }
    void match() { matcher.match(samples[0], samples[1]); }
    void cook() { cook_all(cooker, samples[0], samples[1]); }

    const Input& input;
    Building building;
    std::array<hkpd::Sample, 2> samples;
    hkpd::Matcher matcher;
    hkpd::Cooker cooker{{}};
};

using Step = void (Steady::*)();

template <Step step>
void run_step(benchmark::State& state, const Input& input, Names names) {
    Steady steady(input, names);
    report(state, baseline(input), {[&] { (steady.*step)(); }, input.values, input.bytes().size()});
}

void build(benchmark::State& state, const Input& input) { run_step<&Steady::build>(state, input, bare); }
void build_named(benchmark::State& state, const Input& input) { run_step<&Steady::build>(state, input, full()); }
void match(benchmark::State& state, const Input& input) { run_step<&Steady::match>(state, input, plain); }
void cook(benchmark::State& state, const Input& input) { run_step<&Steady::cook>(state, input, plain); }

/// Sums each value of each column, as a caller would.
void columns(benchmark::State& state, const Input& input) {
    Steady steady(input, bare);
    const auto run = [&] {
        std::uint64_t sum = 0;
        for (const hkpd::Object& object : steady.samples[0].objects())
            for (const hkpd::Column& column : object.columns)
                for (std::size_t row = 0; row < column.values.size(); ++row)
                    if (column.is_valid(row)) sum += column.values[row];
        benchmark::DoNotOptimize(sum);
    };
    report(state, baseline(input), {run, input.values});
}

/// Decodes a block into a sample with names, in new memory.
void decode_once(benchmark::State& state, const Input& input) {
    const auto run = [&] {
        const auto sample = hkpd::decode(input.samples[0]);
        if (!sample) std::abort();
        benchmark::DoNotOptimize(sample->objects().data());
    };
    report(state, baseline(input), {run, input.values, input.bytes().size()});
}

/// Reads small blobs, eight of which make a sample, all through one reader. It reads the run several times over, so
/// that opening it counts little.
void small_blobs(benchmark::State& state) {
    const std::vector<Blob>& blobs = vista_blobs();
    if (blobs.empty()) return state.SkipWithError("not in HKPD_SHARED_DIR");
    constexpr std::size_t times = 16;
    Blob all;
    std::size_t values = 0;
    for (std::size_t i = 0; i < times; ++i)
        for (const Blob& blob : blobs) {
            all.insert(all.end(), blob.begin(), blob.end());
            values += count_values(blob);
        }
    const auto walk = [&] {
        for (std::size_t i = 0; i < times; ++i)
            for (const Blob& blob : blobs) benchmark::DoNotOptimize(unchecked_walk(blob.data()));
    };
    const auto read = [&] {
        auto reader = hkpd::Reader::open(std::span<const std::byte>(all));
        while (reader && reader->next()) benchmark::DoNotOptimize(reader->sample().objects().data());
    };
    report(state, {walk, values, all.size()}, {read, values, all.size()});
}

/// Cooks counters that need all of their 64 bits, each increasing.
void cook_wide(benchmark::State& state, const Input& input) {
    Steady steady(input, plain);
    for (std::size_t i = 0; i < steady.samples.size(); ++i) {
        std::mt19937_64 random(1);  // the same values for both, and the increase
        for (const hkpd::Object& object : steady.samples[i].objects())
            for (const hkpd::Column& column : object.columns)
                for (const std::uint64_t& value : column.values) {
                    const std::uint64_t wide = random() >> 1U, more = random() >> 32U;
                    const bool id = column.title_index == 784 || column.title_index == 804;  // of processes and threads
                    if (column.size == sizeof wide && !id) const_cast<std::uint64_t&>(value) = wide + i * more;
                }
    }
    report(state, baseline(input), {[&] { steady.cook(); }, input.values});
}

/// Returns the calls of operator new in one round, at steady state.
template <class Round>
double allocations(Round round) {
    constexpr std::size_t rounds = 4;
    for (std::size_t i = 0; i < rounds; ++i) round();
    const std::size_t before = hkpd_test::allocations();
    for (std::size_t i = 0; i < rounds; ++i) round();
    return static_cast<double>(hkpd_test::allocations() - before) / rounds;
}

/// Counts with two samples that alternate, as in `Replay`: each is built from the next block into the older one.
void count_allocations(benchmark::State& state, const Input& input, Names names) {
    Steady steady(input, names);
    state.counters["build"] = allocations([&] {
                                  for (std::size_t i = 0; i < input.samples.size(); ++i) {
                                      std::swap(steady.samples[0], steady.samples[1]);
                                      steady.building.build(steady.samples[1], input.bytes(i));
                                  }
                              }) /
                              static_cast<double>(input.samples.size());
    state.counters["cook"] = allocations([&] { steady.cook(); });
}

void allocations_bare(benchmark::State& state, const Input& input) { count_allocations(state, input, bare); }
void allocations_named(benchmark::State& state, const Input& input) { count_allocations(state, input, full()); }

}  // namespace

void add_sample_cases() {
    add_cases("build", build);
    add_cases("build_named", build_named);
    add_cases("match", match);
    add_cases("cook", cook);
    add_cases("cook_wide", cook_wide);
    add_cases("columns", columns);
    add_cases("decode_once", decode_once);
    add_case("small_blobs/vista", small_blobs);
    add_cases("allocations", allocations_bare);
    add_cases("allocations_named", allocations_named);
}

}  // namespace bench
