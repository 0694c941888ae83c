#include "inputs.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "support/places.hpp"
#include "unchecked_walk.hpp"

namespace bench {
namespace {

Input generated(std::string name, std::size_t values) {
    Input input{.name = std::move(name), .samples = {}};
    input.samples[0] = machine(values);
    input.samples[1] = input.samples[0];
    advance(input.samples[1]);
    input.values = count_values(input.samples[0]);
    return input;
}

/// Returns the content of a file of the shared data; empty if it is not available.
Blob shared_file(const std::string& name) {
    std::ifstream file(std::filesystem::path(hkpd_test::built_shared_folder) / name, std::ios::binary);
    const std::string content(std::istreambuf_iterator<char>(file), {});
    Blob blob;
    std::ranges::transform(content, std::back_inserter(blob), [](char c) { return static_cast<std::byte>(c); });
    return blob;
}

const Input& vista() {
    static const Input input = [] {
        Input read{.name = "vista", .samples = {}};
        for (std::size_t i = 0; i < read.samples.size(); ++i) {
            const std::string name = "data/v1/vista-2007/s0" + std::to_string(i) + "-obj230.bin";
            read.samples.at(i) = shared_file(name);
        }
        if (!read.samples[0].empty()) read.values = count_values(read.samples[0]);
        return read;
    }();
    return input;
}

void add(const std::string& name, void (*run)(benchmark::State&, const Input&), const Input& (*input)(),
         std::string_view input_name) {
    add_case(name + '/' + std::string(input_name), [=](benchmark::State& state) {
        if (input().values == 0)
            state.SkipWithError("not in HKPD_SHARED_DIR");
        else
            run(state, input());
    });
}

}  // namespace

const Input& small_machine() {
    static const Input input = generated("small", small_values);
    return input;
}

const Input& large_machine() {
    static const Input input = generated("large", large_values);
    return input;
}

const std::vector<Blob>& vista_blobs() {
    static const std::vector<Blob> blobs = [] {
        std::vector<Blob> read;
        for (int moment = 0; moment < 10; ++moment)
            for (const int object : {2, 4, 230, 234, 236, 238, 510, 638}) {
                Blob blob = shared_file("data/v1/vista-2007/s0" + std::to_string(moment) + "-obj" +
                                        std::to_string(object) + ".bin");
                if (!blob.empty()) read.push_back(std::move(blob));
            }
        return read;
    }();
    return blobs;
}

Work baseline(const Input& input) {
    return {.run = [&input] { benchmark::DoNotOptimize(unchecked_walk(input.samples[0].data())); },
            .values = input.values,
            .bytes = input.samples[0].size()};
}

void add_cases(const std::string& name, void (*run)(benchmark::State&, const Input&)) {
    add(name, run, small_machine, "small");
    add(name, run, large_machine, "large");
    add(name, run, vista, "vista");
}

void add_small_case(const std::string& name, std::function<void(benchmark::State&, const Input&)> run) {
    add_case(name + "/small", [run = std::move(run)](benchmark::State& state) { run(state, small_machine()); });
}

const hkpd::Titles& titles() {
    static const hkpd::Titles table = [] {
        hkpd::Titles titles;
        titles.add(hkpd::builtin_titles());
        return titles;
    }();
    return table;
}

void Building::build(hkpd::Sample& sample, hkpd::Bytes block) {
    hkpd::Diagnostics diagnostics;
    if (!block_.open(block, diagnostics)) std::abort();  // the measured inputs are valid
    builder_.begin(sample, block_, diagnostics);
    builder_.add(sample, block_, diagnostics);
    builder_.finish(sample, 0, diagnostics);
    if (diagnostics.count(hkpd::Severity::error) != 0) std::abort();
}

}  // namespace bench
