// A V2 data block: parsed, made a sample, cooked against itself and written. The first bytes choose what stands beside
// it: no registration, or one of Processor Information; no identifiers, or those that the input goes on with.
#include <string>
#include <vector>

#include "entry.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/perf_query.hpp"
#include "hkpd/sample_v2.hpp"
#include "hkpd/simulate.hpp"
#include "hkpd/write/writer.hpp"

namespace {

using namespace hkpd;
using hkpd_fuzz::require;

/// All registrations of the simulated machine.
struct Registrations {
    Registrations() {
        Diagnostics diagnostics;
        SimulatedMachine machine({});
        std::uint32_t status = 0;
        for (const Guid& guid : enumerate_countersets(machine.perflib(), {}, status)) {
            using enum v2::RegistrationRequest;
            for (const auto request : {counterset_struct, counterset_name, counter_names}) {
                const auto answer = registration_info(machine.perflib(), {}, guid, request, 0, status);
                countersets.add({guid, request, {}, {}, {}, Bytes(answer)}, {}, diagnostics);
            }
        }
    }
    Countersets countersets;
};

/// What output shows of the block, and that every fault lies in it.
std::string show(Bytes block_bytes, const v2::Identifiers* query, Countersets& countersets) {
    Diagnostics diagnostics;
    v2::DataBlock block;
    if (!block.open(block_bytes, diagnostics)) return {};
    CountersetSampleBuilder builder(countersets, {});
    Sample before, now;
    builder.build(before, block, query, {}, diagnostics);
    builder.build(now, block, query, {}, diagnostics);
    std::uint64_t values = 0;
    for (const Object& object : now.objects())
        for (const Column& column : object.columns) values += column.values.size();
    require(values <= Limits{}.values_for(block_bytes.size()));
    for (const Diagnostic& diagnostic : diagnostics.kept()) require(diagnostic.error.offset <= block_bytes.end());

    Cooker cooker({});
    cooker.begin(&before, now);
    std::string out;
    for (const Format format : {Format::jsonl, Format::table}) {
        WriteOptions options;
        options.cooked = true;
        const auto writer = make_writer(format, options);
        std::vector<Selected> selected;
        Filter{}.select(now, selected);
        writer->begin(out);
        writer->sample(now, selected, &cooker, out);
        writer->end(diagnostics, out);
    }
    return out;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const Bytes input(std::as_bytes(std::span(data, size)));
    const bool registered = (data[0] & 1) != 0, has_query = (data[0] & 2) != 0;
    const std::size_t query_size = has_query ? std::size_t{data[1]} * 8 : 0;
    Diagnostics diagnostics;
    v2::Identifiers query;
    query.open(input.clip(2, query_size), diagnostics);
    const Bytes block = Bytes(input.from(2 + query_size).span());
    Countersets none;
    static Registrations registrations;  // made once
    Countersets& countersets = registered ? registrations.countersets : none;
    const v2::Identifiers* const identifiers = has_query ? &query : nullptr;
    require(show(block, identifiers, countersets) == show(block, identifiers, countersets));
    return 0;
}
