// Two samples of one machine, cooked with every option, or with some that the input chooses. The first byte chooses the
// interface; then come two V1 blocks end to end, or a size in two bytes and two V2 blocks. A single block is cooked
// against itself.
#include "hkpd/cook.hpp"

#include <array>
#include <bit>
#include <span>
#include <vector>

#include "machine.hpp"
#include "properties.hpp"
#include "sample/fill/v1_builder.hpp"
#include "sample/fill/v2_builder.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

/// Returns the size of the block; 0 if there is none.
std::size_t build_v1(Sample& sample, Bytes input, const Limits& limits) {
    Diagnostics diagnostics;
    v1::Block block;
    if (!block.open(input, diagnostics)) return 0;
    SampleBuilder builder(nullptr, limits);
    builder.begin(sample, block, diagnostics);
    builder.add(sample, block, diagnostics);
    builder.finish(sample, 0, diagnostics);
    return block.bytes().size();
}

bool build_v2(Sample& sample, Bytes input, const Limits& limits) {
    Diagnostics diagnostics;
    v2::DataBlock block;
    if (!block.open(input, diagnostics)) return false;
    CountersetSampleBuilder(Registrations::all(), limits).build(sample, block, nullptr, {}, diagnostics);
    return true;
}

bool build(Sample& before, Sample& now, Bytes input, bool v2, const Limits& limits) {
    if (!v2) {
        const std::size_t size = build_v1(before, input, limits);
        return size != 0 && (build_v1(now, input.from(size), limits) != 0 || build_v1(now, input, limits) != 0);
    }
    if (!input.contains(0, 2)) return false;
    const std::size_t size = load<std::uint16_t>(input.data(), ByteOrder::little);
    return build_v2(before, input.clip(2, size), limits) &&
           (build_v2(now, input.from(2 + size), limits) || build_v2(now, input.clip(2, size), limits));
}

/// Requires that a missing value has a reason, and that the reason has a name.
void require_reason(const CookedValue& cooked) {
    require(cooked.has_value() || cooked.reason != Reason::none);
    require(reason_name(cooked.reason).empty() == (cooked.reason == Reason::none));
    require(cooked.has_value() || pdh_status(cooked.reason) != 0);
}

using Cooked = std::vector<std::uint64_t>;  ///< bits, so that NaN can be compared

Cooked cook_all(const Sample* before, const Sample& now, const CookOptions& options) {
    Cooker cooker(options);
    cooker.begin(before, now);
    Cooked all;
    for (std::size_t o = 0; o < now.objects().size(); ++o) {
        const Object& object = now.objects()[o];
        for (std::size_t c = 0; c < object.columns.size(); ++c) {
            const CookedColumn column = cooker.column(o, c);
            require(column.values.size() == object.instances.size() && column.reasons.size() == column.values.size());
            for (std::size_t row = 0; row < column.values.size(); ++row) {
                require_reason(column[row]);
                all.push_back(std::bit_cast<std::uint64_t>(column.values[row]));
                if (column[row].has_value() && options.clamp && !options.scale && before == nullptr)
                    require(!needs_two_samples(object.columns[c]));
            }
        }
    }
    return all;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const bool v2 = (data[0] & 1U) != 0;
    const Effort effort(data, size);
    const ExactCopy input(std::as_bytes(std::span(data + 1, size - 1)));
    static_cast<void>(v2 ? &Registrations::all() : nullptr);  // made before the budget starts
    const Budget budget(size, effort.limits().values, 24);
    Sample before, now;
    if (!build(before, now, input.bytes(), v2, effort.limits())) return 0;
    constexpr std::size_t choices = 16 + 2 + 2 + 1;
    std::size_t choice = 0;
    for (const MultiTimer multi_timer : {MultiTimer::sdk, MultiTimer::learn, MultiTimer::pdh})
        for (unsigned bits = 0; bits < 16; bits += multi_timer == MultiTimer::sdk ? 1 : 15) {
            if (!effort.takes(choice++, choices)) continue;
            const CookOptions options{.cap = (bits & 1U) != 0,
                                      .clamp = (bits & 2U) != 0,
                                      .unwrap = (bits & 4U) != 0,
                                      .scale = (bits & 8U) != 0,
                                      .multi_timer = multi_timer};
            const Cooked cooked = cook_all(&before, now, options);
            if (bits == 0 && effort.thorough()) require(cooked == cook_all(&before, now, options));
        }
    if (effort.takes(choice, choices)) cook_all(nullptr, now, {.clamp = true});
    return 0;
}
