// `hkpd replay`: a file of any kind, through the readers, with values computed from consecutive samples, into each
// form. The first two bytes have options. Most inputs are bytes in memory and go into one form.
#include "source/replay.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/names.hpp"
#include "hkpd/report.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/summary.hpp"
#include "input_file.hpp"
#include "memory_database.hpp"
#include "output.hpp"
#include "properties.hpp"
#include "source/sample_reader.hpp"
#include "usual_titles.hpp"

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
        write.statistics = 4096;
        write.buffer = 1U << 16U;
        replay.every = 1 + (second >> 2U & 1U);
        replay.range.first = second >> 3U & 1U;
        if ((second & 16U) != 0) replay.range.to = 1'767'225'601'000'000'000;
        one_object = (second & 32U) != 0;
    }
    ReplayOptions replay;
    WriteOptions write;
    Limits limits = small_limits;
    bool one_object = false;
};

enum class Form : std::uint8_t { samples, summary, top, buckets, textfile, report };

struct Output {
    Format format;
    Form form;
    std::unique_ptr<Writer> writer;
    std::string text;
};

/// Opens the input.
using Open = std::function<std::unique_ptr<Source>()>;

/// Passes all samples to the writers, to each until it has written 1 MiB.
void show(const Open& open, const Options& options, std::span<Output*> outputs, Titles& titles,
          Diagnostics& diagnostics) {
    const auto source = open();
    SampleReader reader(*source, &titles, options.limits);
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
    if (output.form == Form::top) return make_top_writer(output.format, options.write, options.replay.cook, {});
    if (output.form == Form::buckets) {
        WriteOptions write = options.write;
        write.bucket_length = 60'000'000'000;
        return make_writer(output.format, write);
    }
    if (output.form == Form::textfile) return make_textfile_writer(options.write);
    if (output.form == Form::report) {
        auto rules = RuleRun::create(Rules::built_in(), {});
        require(rules.has_value());
        return make_report_writer({.inputs = {"a b"}, .page = 200'000}, options.write, options.replay.cook,
                                  std::move(*rules));
    }
    return make_writer(output.format, options.write);
}

/// Requires that a page has the elements that every page has, each once: no name of the input adds or ends one.
void require_page(std::string_view page) {
    const auto count = [page](std::string_view text) {
        std::size_t found = 0;
        for (std::size_t at = page.find(text); at != page.npos; at = page.find(text, at + 1)) ++found;
        return found;
    };
    require(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for (const std::string_view once :
         {"<html ", "</html>", "<head>", "</head>", "<body>", "</body>", "<main>", "</main>"})
        require(count(once) == 1);
    require(count("<script") == count("</script>") && count("<section") == count("</section>"));
    require(count("<article") == count("</article>") && count("<figure") == count("</figure>"));
}

void replay(const Open& open, Options options, std::vector<Output> outputs) {
    static UsualTitles usual;
    Titles& titles = usual.get();
    options.write.titles = &titles;
    Diagnostics diagnostics;
    std::vector<Output*> wanting;
    for (Output& output : outputs) {
        output.writer = make(output, options);
        output.writer->begin(output.text);
        wanting.push_back(&output);
    }
    show(open, options, wanting, titles, diagnostics);
    for (unsigned pass = 1; !options.write.one_pass; ++pass) {
        std::erase_if(wanting, [](Output* output) { return !output->writer->again(output->text); });
        if (wanting.empty()) break;
        require(pass < 64);
        Diagnostics earlier_faults(0);
        show(open, options, wanting, titles, earlier_faults);
    }
    for (Output& output : outputs) {
        output.writer->end(diagnostics, output.text);
        if (!output.writer->failure().empty())
            std::fprintf(stderr, "%s\n", std::string(output.writer->failure()).c_str());
        require(output.writer->failure().empty());
        if (output.text.size() >= 1U << 20U) continue;
        if (output.form == Form::report)
            require_page(output.text);
        else if (output.form == Form::textfile)
            require_printable(output.text);
        else
            require_form(output.format, output.text);
    }
    require_diagnostics(diagnostics);
}

/// Returns all formats in all forms that they have. Databases are last.
std::vector<std::pair<Format, Form>> all_choices() {
    std::vector<std::pair<Format, Form>> choices, databases;
    for (const FormatSpec& row : output_formats()) {
        const Format format = *format_of(row.name);
        (row.needs_file ? databases : choices).emplace_back(format, Form::samples);
        if (row.has_summary) choices.emplace_back(format, Form::summary);
        if (row.has_summary) choices.emplace_back(format, Form::top);
        if (row.make_buckets != nullptr && !row.needs_file) choices.emplace_back(format, Form::buckets);
    }
    choices.emplace_back(Format::openmetrics, Form::textfile);
    choices.emplace_back(Format::table, Form::report);
    choices.insert(choices.end(), databases.begin(), databases.end());
    return choices;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const Effort effort(data, size);
    const ExactCopy input(std::as_bytes(std::span(data + 2, size - 2)));
    Options options(data[0], data[1]);
    options.limits = effort.limits();
    const Open from_memory = [&] { return open_bytes(input.bytes().span(), options.limits); };
    const Open from_file = [&] {
        static const InputFile file;
        file.hold(input.bytes().span());
        return open_files({file.name()}, options.limits);
    };
    const Open& open = effort.thorough() ? from_file : from_memory;
    const Budget budget(size, options.limits.values * 4, 32);
    static const std::vector<std::pair<Format, Form>> choices = all_choices();
    std::vector<Output> samples, runs;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const auto [format, form] = choices[i];
        if (!effort.takes(i, choices.size())) continue;
        const bool by_samples = form == Form::samples && !spec_of(format).needs_run;
        (by_samples ? samples : runs).push_back({format, form, nullptr, {}});
    }
    if (!samples.empty()) replay(open, options, std::move(samples));
    if (runs.empty()) return 0;
    // Writers that match instances over a run, and summaries, show one interface of a machine, and no raw values.
    options.replay.one_source = options.write.cooked = true;
    if (!spec_of(runs.back().format).needs_file) {
        replay(open, options, std::move(runs));
        return 0;
    }
    MemoryDatabase database;
    options.write.database = MemoryDatabase::name;
    replay(open, options, std::move(runs));
    database.require_valid();
    return 0;
}
