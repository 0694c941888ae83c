#include <algorithm>
#include <array>

#include "base/text/parse_number.hpp"
#include "compare/findings.hpp"
#include "compare/pairing.hpp"
#include "hkpd/compare.hpp"

namespace hkpd {

std::string_view verdict_name(Verdict verdict) noexcept {
    constexpr std::array<std::string_view, 4> names{"equal", "differs", "only_v1", "only_v2"};
    return names[static_cast<std::size_t>(verdict)];
}

std::uint64_t Comparison::count(Verdict verdict) const noexcept {
    return static_cast<std::uint64_t>(std::ranges::count(counters, verdict, &ComparedCounter::verdict));
}

bool Comparison::agrees() const noexcept {
    return count(Verdict::equal) != 0 && count(Verdict::differs) == 0 && unlisted_differ == 0 &&
           std::ranges::none_of(instances, &ComparedInstance::differs);
}

CollectionCost read_collection_cost(const std::map<std::string, std::string>& entries) {
    const auto number = [&entries](const char* key) {
        const auto found = entries.find(key);
        return found == entries.end() ? 0 : parse_number<std::uint64_t>(found->second).value_or(0);
    };
    const auto machine = entries.find("machine");
    return {.machine = machine == entries.end() ? "" : machine->second,
            .v1 = {number("v1_samples"), number("v1_bytes"), number("v1_nanoseconds")},
            .v2 = {number("v2_samples"), number("v2_bytes"), number("v2_nanoseconds")}};
}

struct Comparer::State {
    State(const Countersets& sets, const CompareOptions& options)
        : countersets(sets), findings(options), pairs(options.window, options.buffer, options.machines) {}

    const Countersets& countersets;
    ComparedFindings findings;
    SamplePairs pairs;
    SamplePairs::Taker take = [this](const KeptSample& v1, const KeptSample& v2, bool neighbours) {
        findings.add(v1, v2, neighbours, countersets);
    };
};

Comparer::Comparer(const Countersets& countersets, const CompareOptions& options)
    : state_(std::make_unique<State>(countersets, options)) {}
Comparer::~Comparer() = default;

void Comparer::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    Comparison& comparison = state_->findings.comparison();
    ++(sample.source != SampleSource::v2 ? comparison.v1_samples : comparison.v2_samples);
    state_->pairs.add(keep(sample, selected, cooker), cooker.before() == nullptr, state_->take);
}

Comparison Comparer::finish() {
    state_->pairs.finish(state_->take);
    Comparison comparison = std::move(state_->findings.comparison());
    comparison.v1_alone = state_->pairs.v1_alone();
    comparison.v2_alone = state_->pairs.v2_alone();
    comparison.forgotten = state_->pairs.forgotten();
    return comparison;
}

}  // namespace hkpd
