// `hkpd dump`: a file of any kind, through the readers, into each form that shows samples one by one. The first byte
// has options; the output of strict mode is a part of the output without it. Most inputs are bytes in memory and go
// into one form.
#include <memory>
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
#include "usual_titles.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

/// Returns the formats that `hkpd dump` has.
std::vector<Format> raw_formats() {
    std::vector<Format> formats;
    for (const FormatSpec& row : output_formats())
        if (row.has_raw) formats.push_back(*format_of(row.name));
    return formats;
}

const std::vector<Format> formats = raw_formats();
using Texts = std::vector<std::string>;  // in the order of `formats`

struct Options {
    explicit Options(unsigned bits) : help_text(bits & 1U), types(bits & 2U), one_object(bits & 4U) {}
    bool help_text, types, one_object;
    bool strict = false;
};

Texts dump(Source& source, std::size_t size, const Options& options, const Effort& effort) {
    static UsualTitles usual;
    Titles& titles = usual.get();
    const Budget budget(size, effort.limits().values * 4, 8);
    Diagnostics diagnostics;
    SampleReader reader(source, &titles, effort.limits());
    reader.take_titles(titles);
    Texts texts(formats.size());
    std::vector<std::unique_ptr<Writer>> writers(formats.size());
    for (std::size_t i = 0; i < formats.size(); ++i) {
        if (!effort.takes(i, formats.size())) continue;
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
        for (std::size_t i = 0; i < formats.size(); ++i) {
            if (writers[i]) writers[i]->sample(sample, selected, nullptr, texts[i]);
        }
        if (texts[0].size() > 4U << 20U) return texts;  // a file of many samples: the command writes incrementally
    }
    for (std::size_t i = 0; i < formats.size(); ++i) {
        if (!writers[i]) continue;
        writers[i]->end(diagnostics, texts[i]);
        require_form(formats[i], texts[i]);
    }
    require_diagnostics(diagnostics);
    return texts;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Effort effort(data, size);
    const ExactCopy input(std::as_bytes(std::span(data + 1, size - 1)));
    Options options(data[0]);
    dump(*open_bytes(input.bytes().span(), effort.limits()), size, options, effort);
    if (!effort.thorough()) return 0;
    static const InputFile file;
    file.hold(input.bytes().span());
    const auto from_file = [&] { return dump(*open_files({file.name()}, effort.limits()), size, options, effort); };
    const Texts lenient = from_file();
    require(lenient == from_file());
    options.strict = true;
    const Texts strict = from_file();
    for (std::size_t i = 0; i < formats.size(); ++i) {
        const FormatSpec::Syntax syntax = spec_of(formats[i]).syntax;  // these have nothing after their samples
        if (syntax == FormatSpec::Syntax::json_lines || syntax == FormatSpec::Syntax::csv)
            require(lenient[i].starts_with(strict[i]));
    }
    return 0;
}
