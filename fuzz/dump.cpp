// `hkpd dump`: a file of any kind, through the readers, into each form that shows samples one by one. The first byte
// has options; the output of strict mode is a part of the output without it. Most inputs are bytes in memory and go
// into one form.
#include <array>
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

constexpr std::array formats{Format::table, Format::json, Format::jsonl, Format::csv};
using Texts = std::array<std::string, formats.size()>;

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
    Texts texts;
    std::array<std::unique_ptr<Writer>, formats.size()> writers;
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
    require(lenient[2].starts_with(strict[2]));  // JSON Lines and CSV have nothing after their samples
    require(lenient[3].starts_with(strict[3]));
    return 0;
}
