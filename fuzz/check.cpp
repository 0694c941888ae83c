// The parts of `hkpd check`: the first byte chooses whether the input is a title database with Perflib's own values, a
// list of services, or a V1 block whose faults are named and written in each form.
#include "hkpd/check.hpp"

#include <optional>
#include <string>
#include <vector>

#include "hkpd/input_check.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/write.hpp"
#include "properties.hpp"
#include "sample/fill/v1_builder.hpp"
#include "usual_titles.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

std::string write(const Findings& findings, const Effort& effort) {
    std::string out;
    if (effort.takes(0, 4)) append_findings_text(out, findings, {}, false);
    if (effort.takes(1, 4)) append_findings_text(out, findings, {}, true);
    if (effort.takes(2, 4)) append_findings_json(out, findings, {});
    if (effort.takes(3, 4)) append_findings_sarif(out, findings, "0");
    return out;
}

std::string check_database(Bytes input, const Effort& effort, Diagnostics& diagnostics) {
    diagnostics.add_input("perflib.reg");
    auto tables = parse_titles(input, "perfc009.dat", diagnostics);
    const PerflibValues values = read_perflib_values(input, diagnostics);
    if (tables) {
        const TitleInput inputs[] = {{*tables, values, {.input = diagnostics.last_input()}}};
        check_titles(inputs, diagnostics);
    }
    Findings findings(diagnostics, nullptr);
    findings.end_input(Titles());
    return write(findings, effort);
}

std::string check_services(Bytes input, const Effort& effort, Diagnostics& diagnostics) {
    diagnostics.add_input("services.reg");
    const auto services = read_services(input, diagnostics);
    if (services)
        for (const PerformanceService& service : services->all())
            for (const std::uint32_t index : service.object_list) require(services->of(index) != nullptr);
    Findings findings(diagnostics, services ? &*services : nullptr);
    findings.end_input(Titles());
    return write(findings, effort);
}

std::string check_block(Bytes input, const Effort& effort, Diagnostics& diagnostics) {
    const FaultSink faults(diagnostics, {.input = diagnostics.add_input("block.bin"), .sample = 0});
    static UsualTitles usual;
    const Titles& titles = usual.get();
    v1::Block block;
    if (!block.open(input, faults)) return {};
    check_named(block, titles, faults);
    SampleBuilder builder(&titles, effort.limits());
    Sample sample;
    builder.begin(sample, block, faults);
    builder.add(sample, block, faults);
    builder.finish(sample, 0, faults);
    Findings findings(diagnostics, nullptr);
    findings.name(sample, 0, titles);
    findings.end_input(titles);
    require(findings.all().size() == diagnostics.kept().size());
    return write(findings, effort);
}

std::string check(std::uint8_t choice, Bytes input, const Effort& effort) {
    Diagnostics diagnostics;
    std::string out;
    switch (choice % 3) {
        case 0:
            out = check_database(input, effort, diagnostics);
            break;
        case 1:
            out = check_services(input, effort, diagnostics);
            break;
        default:
            out = check_block(input, effort, diagnostics);
    }
    require_places(diagnostics, input.end());
    return out;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto input = std::as_bytes(std::span(data, size)).subspan(1);
    const Effort effort(data, size);
    const ExactCopy here(input);
    std::string first;
    {
        // Each finding is written five times, with its rule and its repair.
        const Budget budget(input.size(), effort.limits().values, 16);
        first = check(data[0], here.bytes(), effort);
    }
    if (!effort.thorough()) return 0;
    const ExactCopy there(input, 1);
    require(first == check(data[0], there.bytes(), effort));
    return 0;
}
