// A V2 data block: parsed, made into a sample, cooked against itself and written. The first bytes choose what goes with
// it: no registration, or that of Processor Information; no identifiers, or those that the input continues with.
#include <string>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "machine.hpp"
#include "properties.hpp"
#include "sample/fill/v2_builder.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

/// Returns the output for the block, after checking that every fault lies in it; nothing if it gets only the cheap
/// properties.
std::string show(Bytes block_bytes, const v2::Identifiers* query, Countersets& countersets, const Effort& effort) {
    const std::uint64_t most_values = effort.limits().values;
    const Budget budget(block_bytes.size() + (query == nullptr ? 0 : query->all().size()), most_values, 6);
    Diagnostics diagnostics;
    v2::DataBlock block;
    if (!block.open(block_bytes, diagnostics)) return {};
    CountersetSampleBuilder builder(countersets, effort.limits());
    Sample before, now;
    builder.build(now, block, query, {}, diagnostics);
    std::uint64_t values = 0;
    for (const Object& object : now.objects())
        for (const Column& column : object.columns) values += column.values.size();
    require(values <= most_values);
    require_places(diagnostics, block_bytes.end());

    if (!effort.thorough()) return {};

    builder.build(before, block, query, {}, diagnostics);
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
    const Effort effort(data, size);
    const ExactCopy input(std::as_bytes(std::span(data, size)));
    const bool registered = (data[0] & 1) != 0, has_query = (data[0] & 2) != 0;
    const std::size_t query_size = has_query ? std::size_t{data[1]} * 8 : 0;
    Diagnostics diagnostics;
    v2::Identifiers query;
    query.open(input.bytes().clip(2, query_size), diagnostics);
    const std::span block = input.bytes().from(2 + query_size).span();
    const ExactCopy here(block);
    Countersets none;
    Countersets& countersets = registered ? Registrations::all() : none;
    const v2::Identifiers* const identifiers = has_query ? &query : nullptr;
    const std::string shown = show(here.bytes(), identifiers, countersets, effort);
    if (!effort.thorough()) return 0;
    const ExactCopy there(block, 5);
    require(shown == show(here.bytes(), identifiers, countersets, effort));
    require(shown == show(there.bytes(), identifiers, countersets, effort));
    return 0;
}
