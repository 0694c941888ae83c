// Summaries of an input: of all of it, and of its beginning and end alone, however small it is.
#include "hkpd/overview.hpp"

#include <span>
#include <string>

#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "output.hpp"
#include "properties.hpp"
#include "usual_titles.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

/// Returns the summary in all forms, after checking it.
std::string show(Bytes input, bool all, const Effort& effort) {
    static UsualTitles usual;
    const Budget budget(input.size(), effort.limits().values * 4, 16);
    Diagnostics diagnostics;
    OverviewOptions options{.limits = effort.limits(), .all = all, .paths = true, .sample_above_bytes = 0};
    options.titles = usual.get();
    const Overview overview = summarize(input.span(), options, diagnostics);
    require(overview.complete || !all);
    require(!all || overview.samples_exact);
    require(!overview.time || overview.time->from <= overview.time->to);
    require(overview.interval.value_or(1) > 0 && (overview.gaps != 0) == overview.longest_gap.has_value());
    require(overview.machines.size() <= effort.limits().machines);
    std::string text, json;
    append_overview(text, overview, diagnostics, {"x", "hkpd check x", 80, all});
    append_overview_json(json, "x", overview, diagnostics);
    require_printable(text);
    require_json(json);
    std::size_t paths = 0;
    visit_paths(overview, [&](std::string_view path) {
        text.append(path);
        return ++paths < 10'000;
    });
    return text + json;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ExactCopy copy(std::as_bytes(std::span(data, size)));
    const Effort effort(data, size);
    for (const bool all : {false, true}) {
        const std::string once = show(copy.bytes(), all, effort);
        require(!effort.thorough() || once == show(copy.bytes(), all, effort));
    }
    return 0;
}
