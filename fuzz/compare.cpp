// `hkpd compare`: blocks of both interfaces as samples, paired and compared. The first byte has options; the others are
// parts, see sample_parts.hpp.
#include "hkpd/compare.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "machine.hpp"
#include "output.hpp"
#include "properties.hpp"
#include "sample/fill/v1_builder.hpp"
#include "sample/fill/v2_builder.hpp"
#include "sample_parts.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

/// Returns the titles of the simulated machine: V1's names of its countersets.
const Titles& machine_titles() {
    static const Titles titles = [] {
        Titles made;
        Diagnostics diagnostics;
        const std::string text = SimulatedMachine({}).counter_titles();
        auto tables = parse_titles(Bytes(std::as_bytes(std::span(text))), "counter-009.multisz", diagnostics);
        require(tables.has_value());
        for (TitleTable& table : *tables) made.add(std::move(table));
        return made;
    }();
    return titles;
}

/// The samples of one interface: the current one and the one before it.
class Samples {
  public:
    Sample& next() { return samples_[number_ % 2]; }
    /// Adds the sample that was built into `next`.
    void add_to(Comparer& comparer) {
        const Sample& now = samples_[number_ % 2];
        cooker_.begin(number_ == 0 ? nullptr : &samples_[(number_ + 1) % 2], now);
        filter_.select(now, selected_);
        comparer.add(now, selected_, cooker_);
        ++number_;
    }
    std::uint64_t count() const noexcept { return number_; }

  private:
    std::array<Sample, 2> samples_;
    std::uint64_t number_ = 0;
    Cooker cooker_{CookOptions{}};
    Filter filter_;
    std::vector<Selected> selected_;
};

bool build_v1(Sample& sample, Bytes input, const Limits& limits) {
    Diagnostics diagnostics;
    v1::Block block;
    if (!block.open(input, diagnostics)) return false;
    SampleBuilder builder(&machine_titles(), limits);
    builder.begin(sample, block, diagnostics);
    builder.add(sample, block, diagnostics);
    builder.finish(sample, 0, diagnostics);
    return true;
}

bool build_v2(Sample& sample, Bytes input, std::string_view machine, const Limits& limits) {
    Diagnostics diagnostics;
    v2::DataBlock block;
    if (!block.open(input, diagnostics)) return false;
    CountersetSampleBuilder(Registrations::all(), limits).build(sample, block, nullptr, machine, diagnostics);
    return true;
}

/// Requires that the verdict on a counter follows from what was counted.
void require_counter(const ComparedCounter& counter) {
    require(counter.raw_differ <= counter.values && counter.cooked <= counter.values);
    require(counter.cooked_differ <= counter.cooked);
    const bool values_differ = counter.raw_differ != 0 || counter.cooked_differ != 0;
    require(counter.first.has_value() == values_differ);
    const bool differs = values_differ || counter.type_differs || counter.scale_differs;
    if (counter.verdict == Verdict::only_v1 || counter.verdict == Verdict::only_v2)
        require(!differs && counter.values == 0 && counter.v1_type.has_value() != counter.v2_type.has_value());
    else
        require((counter.verdict == Verdict::differs) == differs && counter.v1_type && counter.v2_type);
}

void require_counts(const Comparison& found, const CompareOptions& options) {
    require(found.pairs + found.v1_alone == found.v1_samples && found.pairs + found.v2_alone == found.v2_samples);
    require(found.evicted <= found.v1_alone + found.v2_alone && found.rates_apart <= found.pairs);
    require(found.largest_gap >= 0 && found.largest_gap <= options.window);
    require(found.unlisted_differ <= found.unlisted);
    for (const ComparedCounter& counter : found.counters) require_counter(counter);
    for (const ComparedInstance& instance : found.instances) {
        require(instance.verdict == Verdict::only_v1 || instance.verdict == Verdict::only_v2);
        require(instance.samples != 0 && (options.tolerance == 0 || !instance.differs));
    }
    for (const ComparedObject& object : found.objects) require(object.samples != 0 && object.samples <= found.pairs);
    require(found.pairs != 0 || (found.counters.empty() && found.instances.empty() && found.objects.empty()));
}

/// Returns the comparison in the forms that are due, after checking it.
std::string compare(std::span<const BlockPart> parts, std::uint8_t bits, const Effort& effort) {
    CompareOptions options;
    if ((bits & 1U) != 0) options.tolerance = 5;
    if ((bits & 2U) != 0) options.window = 10'000'000'000;
    if ((bits & 4U) != 0) options.buffer = 4096;
    if ((bits & 8U) != 0) options.machines = 1;
    const std::string_view machine = (bits & 16U) != 0 ? "SIMULATED" : "";
    Comparer comparer(Registrations::all(), options);
    Samples v1, v2;
    for (const BlockPart& part : parts) {
        const ExactCopy copy(std::as_bytes(part.bytes));
        Samples& samples = part.v2 ? v2 : v1;
        if (part.v2 ? build_v2(samples.next(), copy.bytes(), machine, effort.limits())
                    : build_v1(samples.next(), copy.bytes(), effort.limits()))
            samples.add_to(comparer);
    }
    const Comparison found = comparer.finish();
    require(found.v1_samples == v1.count() && found.v2_samples == v2.count());
    require_counts(found, options);
    std::string text, json;
    if (effort.takes(0, 3)) append_comparison(text, found, {}, true);
    if (effort.takes(1, 3)) append_comparison(text, found, {}, false);
    if (effort.takes(2, 3)) append_comparison_json(json, found, {});
    require_printable(text);
    require_printable(json);
    if (!json.empty()) require_json(json);
    return text + json;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    machine_titles();  // made before the budget starts
    Registrations::all();
    const Effort effort(data, size);
    const std::vector<BlockPart> parts = split_blocks({data + 1, size - 1});
    const Budget budget(size, effort.limits().values * (parts.size() + 1), 16);
    const std::string found = compare(parts, data[0], effort);
    if (effort.thorough()) require(found == compare(parts, data[0], effort));
    return 0;
}
