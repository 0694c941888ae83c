// `hkpd dump`: a file of any kind, through the readers, into each form that shows samples one by one. The first byte
// has options; the output of strict mode is a part of the output without it.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "input_file.hpp"
#include "output.hpp"
#include "properties.hpp"
#include "source/sample_reader.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

constexpr std::array formats{Format::table, Format::json, Format::jsonl, Format::csv};
using Texts = std::array<std::string, formats.size()>;

struct Options {
    explicit Options(unsigned bits) : help_text(bits & 1U), types(bits & 2U), one_object(bits & 4U) {}
    bool help_text, types, one_object;
    bool strict = false;
};

Texts dump(const std::string& name, std::size_t size, const Options& options) {
    const Budget budget(size, small_limits.values * 4, 8);
    Titles titles;
    titles.add(builtin_titles());
    Diagnostics diagnostics;
    const auto source = open_files({name}, small_limits);
    SampleReader reader(*source, &titles, small_limits);
    reader.take_titles(titles);
    Texts texts;
    std::array<std::unique_ptr<Writer>, formats.size()> writers;
    for (std::size_t i = 0; i < formats.size(); ++i) {
        writers[i] = make_writer(formats[i], {&titles, options.help_text, options.types});
        writers[i]->begin(texts[i]);
    }
    Filter filter;
    if (options.one_object) filter.add_object("Pro*");
    Sample sample;
    std::vector<Selected> selected;
    while (reader.next(sample, diagnostics)) {
        if (options.strict && diagnostics.any_fault()) break;
        filter.select(sample, selected);
        for (std::size_t i = 0; i < formats.size(); ++i) writers[i]->sample(sample, selected, nullptr, texts[i]);
        if (texts[0].size() > 4U << 20U) return texts;  // a file of many samples: the command writes incrementally
    }
    for (std::size_t i = 0; i < formats.size(); ++i) {
        writers[i]->end(diagnostics, texts[i]);
        require_form(formats[i], texts[i]);
    }
    require_diagnostics(diagnostics);
    return texts;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    static const InputFile file;
    file.hold(std::as_bytes(std::span(data + 1, size - 1)));
    Options options(data[0]);
    const Texts lenient = dump(file.name(), size, options);
    require(lenient == dump(file.name(), size, options));
    options.strict = true;
    const Texts strict = dump(file.name(), size, options);
    require(lenient[2].starts_with(strict[2]));  // JSON Lines and CSV have nothing after their samples
    require(lenient[3].starts_with(strict[3]));
    return 0;
}
