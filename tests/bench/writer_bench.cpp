// Writers: output at steady state, of the second of two samples, into a reused string.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cases.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "inputs.hpp"

namespace bench {
namespace {

std::size_t drained = 0;  // bytes, since it was last set to 0

void drain(std::string& out) {
    drained += out.size();
    out.clear();
}

/// Consecutive samples with names, and the selection of everything in them.
struct Shown {
    Shown(const Input& input, std::size_t count, std::size_t seconds_apart) : samples(count) {
        Building building(&titles());
        Blob block = input.samples[0];
        for (hkpd::Sample& sample : samples) {
            building.build(sample, hkpd::Bytes(std::span(block)));
            for (std::size_t i = 0; i < seconds_apart; ++i) advance(block);
        }
        hkpd::Filter().select(samples[0], selected);
    }

    std::vector<hkpd::Sample> samples;
    std::vector<hkpd::Selected> selected;
    hkpd::Cooker cooker{{}};
};

/// Writes the same sample repeatedly, after the one before it.
void write_steadily(benchmark::State& state, const Input& input, Shown& shown, hkpd::Format format, bool cooked) {
    const auto writer =
        hkpd::make_writer(format, {.titles = &titles(), .cooked = cooked, .one_pass = true, .drain = drain});
    hkpd::Cooker* const cooker = cooked || spec_of(format).needs_run ? &shown.cooker : nullptr;
    std::string out;
    const auto write = [&](std::size_t sample) {
        writer->sample(shown.samples[sample], shown.selected, cooker, out);
        drain(out);
    };
    shown.cooker.begin(nullptr, shown.samples[0]);
    write(0);
    shown.cooker.begin(&shown.samples[0], shown.samples[1]);
    drained = 0;
    write(1);
    std::size_t cells = 0;
    for (const hkpd::Selected& part : shown.selected) cells += part.rows.size() * part.columns.size();
    state.counters["bytes"] = static_cast<double>(drained) / static_cast<double>(cells);
    report(state, baseline(input), {[&] { write(1); }, cells, drained});
}

void write_all(benchmark::State& state, const Input& input, hkpd::Format format, bool cooked) {
    Shown shown(input, 2, 1);
    write_steadily(state, input, shown, format, cooked);
}

/// Writes counters over a minute in which all of them increased: rates and shares, which have 17 digits each.
void write_pdh(benchmark::State& state, const Input& input) {
    Shown shown(input, 2, 60);
    for (hkpd::Selected& part : shown.selected)
        std::erase_if(part.columns, [&](std::uint32_t column) {
            return !needs_two_samples(shown.samples[0].objects()[part.object].columns[column]);
        });
    write_steadily(state, input, shown, hkpd::Format::pdh_csv, true);
}

/// Writes a whole run of four samples, with matching, as `hkpd replay` does: the output is sorted, so it is written
/// after the last sample.
void write_openmetrics(benchmark::State& state, const Input& input) {
    Shown shown(input, 4, 1);
    std::string out;
    const auto run = [&] {
        const auto writer = hkpd::make_writer(hkpd::Format::openmetrics, {.titles = &titles(), .drain = drain});
        hkpd::Diagnostics diagnostics;
        writer->begin(out);
        do {
            for (std::size_t i = 0; i < shown.samples.size(); ++i) {
                shown.cooker.begin(i == 0 ? nullptr : &shown.samples[i - 1], shown.samples[i]);
                writer->sample(shown.samples[i], shown.selected, &shown.cooker, out);
                drain(out);
            }
        } while (writer->again(out));
        writer->end(diagnostics, out);
        drain(out);
        if (diagnostics.any_fault()) std::abort();
    };
    drained = 0;
    run();
    const std::size_t values = input.values * shown.samples.size();
    state.counters["bytes"] = static_cast<double>(drained) / static_cast<double>(values);
    report(state, baseline(input), {run, values, drained});
}

}  // namespace

void add_writer_cases() {
    const auto add = [](const std::string& name, hkpd::Format format, bool cooked) {
        add_small_case(name,
                       [=](benchmark::State& state, const Input& input) { write_all(state, input, format, cooked); });
    };
    add("jsonl", hkpd::Format::jsonl, false);
    add("jsonl_cooked", hkpd::Format::jsonl, true);
    add("csv", hkpd::Format::csv, false);
    add("csv_cooked", hkpd::Format::csv, true);
    add("json", hkpd::Format::json, false);
    add("table", hkpd::Format::table, false);
    add("table_cooked", hkpd::Format::table, true);
    add_small_case("pdh_csv", write_pdh);
    add_small_case("openmetrics", write_openmetrics);
}

}  // namespace bench
