// `hkpd replay`: a file of any kind, through the readers, with values computed from consecutive samples, into each
// form. The first two bytes have options.
#include "source/replay.hpp"

#include <span>
#include <string>
#include <vector>

#include "hkpd/names.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "input_file.hpp"
#include "memory_database.hpp"
#include "output.hpp"
#include "properties.hpp"
#include "source/sample_reader.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

struct Options {
    Options(unsigned first, unsigned second) {
        const auto bit = [first](unsigned place) { return (first >> place & 1U) != 0; };
        replay.cook = {.cap = !bit(0),
                       .clamp = bit(1),
                       .unwrap = bit(2),
                       .scale = bit(3),
                       .multi_timer = static_cast<MultiTimer>(second % 3)};
        write.help_text = write.type_names = bit(4);
        write.cooked = !bit(5);
        write.cooked_gauges = write.crlf = bit(6);
        write.one_pass = bit(7);
        write.series = small_limits.series;
        write.buffer = 1U << 16U;
        replay.every = 1 + (second >> 2U & 1U);
        replay.range.first = second >> 3U & 1U;
        if ((second & 16U) != 0) replay.range.to = 1'767'225'601'000'000'000;
        one_object = (second & 32U) != 0;
    }
    ReplayOptions replay;
    WriteOptions write;
    bool one_object = false;
};

enum class Form : std::uint8_t { samples, summary, textfile };

struct Output {
    Format format;
    Form form;
    std::unique_ptr<Writer> writer;
    std::string text;
};

/// Passes all samples to the writers, to each until it has written 1 MiB.
void show(const std::string& name, const Options& options, std::span<Output*> outputs, Titles& titles,
          Diagnostics& diagnostics) {
    const auto source = open_files({name}, small_limits);
    SampleReader reader(*source, &titles, small_limits);
    reader.take_titles(titles);
    Replay replay(reader, options.replay);
    Filter filter;
    if (options.one_object) filter.add_object("Pro*");
    std::vector<Selected> selected;
    while (replay.next(diagnostics)) {
        filter.select(replay.sample(), selected);
        for (Output* output : outputs)
            if (output->text.size() < 1U << 20U)  // the command writes incrementally
                output->writer->sample(replay.sample(), selected, &replay.cooker(), output->text);
    }
}

std::unique_ptr<Writer> make(const Output& output, const Options& options) {
    if (output.form == Form::summary) return make_summary_writer(output.format, options.write, options.replay.cook);
    if (output.form == Form::textfile) return make_textfile_writer(options.write);
    return make_writer(output.format, options.write);
}

void replay(const std::string& name, Options options, std::vector<Output> outputs) {
    Titles titles;
    titles.add(builtin_titles());
    options.write.titles = &titles;
    Diagnostics diagnostics;
    std::vector<Output*> wanting;
    for (Output& output : outputs) {
        output.writer = make(output, options);
        output.writer->begin(output.text);
        wanting.push_back(&output);
    }
    show(name, options, wanting, titles, diagnostics);
    for (unsigned pass = 1; !options.write.one_pass; ++pass) {
        std::erase_if(wanting, [](Output* output) { return !output->writer->again(output->text); });
        if (wanting.empty()) break;
        require(pass < 64);
        Diagnostics earlier_faults(0);
        show(name, options, wanting, titles, earlier_faults);
    }
    for (Output& output : outputs) {
        output.writer->end(diagnostics, output.text);
        require(output.writer->failure().empty());
        if (output.text.size() >= 1U << 20U) continue;
        if (output.form == Form::textfile)
            require_printable(output.text);
        else
            require_form(output.format, output.text);
    }
    require_diagnostics(diagnostics);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    static const InputFile file;
    file.hold(std::as_bytes(std::span(data + 2, size - 2)));
    Options options(data[0], data[1]);
    const Budget budget(size, small_limits.values * 4, 32);
    const auto add = [](std::vector<Output>& outputs, Format format, Form form = Form::samples) {
        outputs.push_back({format, form, nullptr, {}});
    };
    std::vector<Output> samples, runs;
    for (const Format format : {Format::table, Format::json, Format::jsonl, Format::csv}) add(samples, format);
    replay(file.name(), options, std::move(samples));
    // Writers that remember instances, and the summary, show one interface of a machine, and no raw values.
    options.replay.one_source = options.write.cooked = true;
    MemoryDatabase database;
    options.write.database = MemoryDatabase::name;
    for (const Format format : {Format::table, Format::jsonl, Format::csv}) add(runs, format, Form::summary);
    for (const Format format : {Format::pdh_csv, Format::pdh_tsv, Format::openmetrics, Format::sqlite})
        add(runs, format);
    add(runs, Format::openmetrics, Form::textfile);
    replay(file.name(), options, std::move(runs));
    database.require_valid();
    return 0;
}
