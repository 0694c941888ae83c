// A V1 block, read by hkpd and by tests/slow_v1_reader.hpp, which shares no code with it: each accepts the same inputs,
// and both read the same values.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "hkpd/v1.hpp"
#include "properties.hpp"
#include "support/slow_v1_reader.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void require_same(const v1::Counter& counter, const slow_v1::Counter& slow) {
    const v1::CounterDefinition& definition = counter.definition;
    require(definition.CounterNameTitleIndex == slow.title && definition.CounterHelpTitleIndex == slow.help);
    require(definition.CounterType == slow.type && definition.CounterSize == slow.size);
    require(definition.CounterOffset == slow.offset && definition.DetailLevel == slow.detail);
    require(definition.DefaultScale == slow.scale);
}

void require_same(const v1::Object& object, const v1::Instance& instance, const slow_v1::Instance& slow) {
    const auto name = instance.name();
    require(name && text_of(name->bytes) == slow.name);
    const bool list = object.kind() == v1::Kind::multi;
    if (list) {
        const v1::InstanceDefinition definition = instance.definition();
        require(definition.ParentObjectTitleIndex == slow.parent_object && definition.UniqueID == slow.unique_id);
        require(definition.ParentObjectInstance == slow.parent);
    }
    require(slow.values.size() == object.counters().size());
    for (std::size_t c = 0; c < slow.values.size(); ++c) {
        const auto value = value_of(instance, object.counters()[c]);
        require(value && text_of(*value) == slow.values[c]);
    }
}

void require_same(v1::Object& object, const slow_v1::Object& slow) {
    const v1::ObjectType& header = object.header();
    require(header.ObjectNameTitleIndex == slow.title && header.ObjectHelpTitleIndex == slow.help);
    require(header.DetailLevel == slow.detail && header.CodePage == slow.code_page);
    require(header.DefaultCounter == slow.default_counter && header.NumInstances == slow.num_instances);
    require(header.PerfTime == slow.perf_time && header.PerfFreq == slow.perf_freq);
    require(object.counters().size() == slow.counters.size() && object.count() == slow.instances.size());
    for (std::size_t c = 0; c < slow.counters.size(); ++c) require_same(object.counters()[c], slow.counters[c]);
    std::size_t i = 0;
    for (const v1::Instance& instance : object.instances()) require_same(object, instance, slow.instances[i++]);
}

void require_same(const v1::Block& block, std::vector<v1::Object>& objects, const slow_v1::Block& slow) {
    const v1::DataBlock& header = block.header();
    require((block.order() == ByteOrder::big) == slow.big_endian);
    require(block.machine() && text_of(block.machine()->bytes) == slow.machine);
    require(header.PerfTime == slow.perf_time && header.PerfFreq == slow.perf_freq);
    require(header.PerfTime100nSec == slow.perf_time_100ns && header.DefaultObject == slow.default_object);
    require(objects.size() == slow.objects.size());
    for (std::size_t k = 0; k < objects.size(); ++k) require_same(objects[k], slow.objects[k]);
}

/// Returns whether a diagnostic is about something that the slow reader does not check: the calendar, titles, whether a
/// number is as wide as its type requires, whether all counter blocks of an object have equal lengths, and the place of
/// counters without a value (it looks at their place in each counter block, and all values are compared).
bool is_our_own(const Diagnostic& diagnostic) noexcept {
    const Errc code = diagnostic.error.code;
    return code == Errc::system_time || code == Errc::object_repeated || code == Errc::counter_size ||
           code == Errc::counter_overlaps_length || code == Errc::counter_outside_block ||
           code == Errc::counter_block_uneven;
}

bool any_fault(const Diagnostics& diagnostics) {
    return std::ranges::any_of(diagnostics.kept(), [](const Diagnostic& diagnostic) {
        return diagnostic.severity != Severity::note && !is_our_own(diagnostic);
    });
}

/// Returns whether characters follow the NUL of a name: hkpd's name ends there, as for Windows; the slow reader rejects
/// it.
bool longer_than_shown(const std::optional<EncodedText>& name, std::uint32_t length) {
    return name && length > name->bytes.size() + (name->code_page == 0 ? 2 : 1);
}
bool any_nul_inside(const v1::Block& block, const std::vector<v1::Object>& objects) {
    if (longer_than_shown(block.machine(), block.header().SystemNameLength)) return true;
    for (const v1::Object& object : objects)
        for (const v1::Instance& instance : object.instances())
            if (object.kind() == v1::Kind::multi &&
                longer_than_shown(instance.name(), instance.definition().NameLength))
                return true;
    return false;
}

/// Returns whether a counter has a type of variable length that is no text: hkpd returns its bytes, the slow reader
/// does not know such types.
bool any_of_any_size(const std::vector<v1::Object>& objects) {
    constexpr std::uint32_t variable = 3;
    for (const v1::Object& object : objects)
        for (const v1::Counter& counter : object.counters())
            if (counter.storage == v1::Storage::bytes && (counter.definition.CounterType >> 8U & 3U) == variable)
                return true;
    return false;
}

/// Returns whether bytes follow the last counter block of an object, or its definitions if it has none: hkpd takes a
/// few bytes as padding, and adds a note if they are zero; the slow reader rejects them.
bool any_padding(const std::vector<v1::Object>& objects) {
    for (const v1::Object& object : objects) {
        std::uint64_t end = object.bytes().offset() + object.header().DefinitionLength;
        for (const v1::Instance& instance : object.instances()) end = instance.block.end();
        if (end != object.bytes().end()) return true;
    }
    return false;
}

/// Prints both results for those who debug a finding.
void print_both(const Diagnostics& diagnostics, bool slow_accepts) {
    std::fprintf(stderr, "the slow reader %s; hkpd reports:\n", slow_accepts ? "accepts" : "refuses");
    std::string line;
    for (const Diagnostic& diagnostic : diagnostics.kept()) {
        line.clear();
        append_message(line, diagnostic.error);
        std::fprintf(stderr, "  %s %s at %llu: %s\n", std::string(severity_name(diagnostic.severity)).c_str(),
                     std::string(code_name(diagnostic.error.code)).c_str(),
                     static_cast<unsigned long long>(diagnostic.error.offset), line.c_str());
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ExactCopy input(std::as_bytes(std::span(data, size)));
    Diagnostics diagnostics;
    v1::Block block;
    bool lost = !block.open(input.bytes(), diagnostics).has_value();
    // The input may continue with the next block, of which the slow reader knows nothing.
    const auto slow = slow_v1::read(std::span(data, lost ? size : block.bytes().size()));
    std::vector<v1::Object> objects;
    std::uint64_t left = small_limits.values;
    for (const v1::ObjectEntry& entry : block.objects()) {
        v1::Object object;
        lost = lost || !object.open(block, entry, diagnostics);
        if (lost) break;
        object.validate(left, diagnostics);
        objects.push_back(std::move(object));
    }
    // The limits differ: hkpd counts values, the slow reader their bytes.
    if (std::ranges::any_of(diagnostics.kept(),
                            [](const auto& found) { return found.error.code == Errc::value_limit; }))
        return 0;
    // Some inputs can be read in two ways: by a stated length, or by the length that all other structures agree on.
    // hkpd takes the second one, with an error; the slow reader only knows the first one.
    if (slow && std::ranges::any_of(diagnostics.kept(),
                                    [](const auto& found) { return found.error.code == Errc::length_corrected; }))
        return 0;
    // hkpd accepts zeros after the last structure of a list, with a note; the slow reader does not.
    const bool agrees = slow ? !lost && !any_fault(diagnostics) : lost || !diagnostics.kept().empty();
    if (!agrees && !slow && (any_nul_inside(block, objects) || any_of_any_size(objects) || any_padding(objects)))
        return 0;
    if (!agrees) print_both(diagnostics, slow.has_value());
    require(agrees);
    if (slow) require_same(block, objects, *slow);
    return 0;
}
