#include "hkpd/sample.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "base/time.hpp"
#include "sample/display_name.hpp"
#include "sample/memory.hpp"

namespace hkpd {

Object::Object() : memory_(std::make_unique<Memory>()) {}
Object::Object(Object&&) noexcept = default;
Object& Object::operator=(Object&&) noexcept = default;
Object::~Object() = default;

std::string_view Object::bytes(const Column& column, std::size_t row) const noexcept {
    // Both numbers lie inside the text, so that they fit.
    return std::string_view(memory_->text)
        .substr(static_cast<std::size_t>(column.values[row]), static_cast<std::size_t>(column.second[row]));
}

Sample::Sample() : memory_(std::make_unique<Memory>()) {}
Sample::Sample(Sample&&) noexcept = default;
Sample& Sample::operator=(Sample&&) noexcept = default;
Sample::~Sample() = default;

std::span<const Object> Sample::objects() const noexcept { return std::span(memory_->objects).first(memory_->used); }

std::span<const std::uint32_t> Sample::tables() const noexcept { return memory_->tables; }

std::string_view source_name(SampleSource source) noexcept {
    constexpr std::array<std::string_view, sample_sources> names{"v1", "v2", "log"};
    return names[std::to_underlying(source)];
}

std::optional<std::size_t> Sample::find(std::uint32_t title_index) const noexcept {
    const auto& positions = memory_->positions;
    const auto found = std::ranges::lower_bound(positions, std::pair(title_index, std::uint32_t{0}));
    if (found == positions.end() || found->first != title_index) return std::nullopt;
    return found->second;
}

void Sample::Memory::index_titles() {
    positions.clear();
    for (std::uint32_t i = 0; i < used; ++i) positions.emplace_back(objects[i].title_index, i);
    std::ranges::sort(positions);
}

void begin_sample(Sample& sample, SampleSource source, std::optional<std::string_view> machine,
                  const Sample::Origin& origin) {
    if (!machine)
        sample.machine.reset();
    else if (sample.machine)
        sample.machine->assign(*machine);
    else
        sample.machine.emplace(*machine);
    sample.system_time.reset();
    sample.perf = {};
    sample.perf_time_100ns = 0;
    sample.default_object = 0;
    sample.source = source;
    sample.zone.reset();
    sample.zone_rules.reset();
    sample.bytes = 0;
    sample.origin = origin;
    ++sample.memory().generation;
    sample.memory().used = 0;
    sample.memory().positions.clear();
    sample.memory().tables.clear();
}

void set_block_time(Sample& sample, const SystemTime& system_time, Error fault, const FaultSink& faults) {
    sample.system_time = block_time(system_time, sample.perf_time_100ns);
    const BlockTimes times = compare_block_times(system_time, sample.perf_time_100ns);
    if (times == BlockTimes::equal) return;
    constexpr std::int64_t millisecond = 1'000'000;
    fault.code = times == BlockTimes::local ? Errc::local_time : Errc::time_mismatch;
    fault.expected = static_cast<std::uint64_t>(*unix_nanoseconds(sample.perf_time_100ns) / millisecond);
    fault.found = static_cast<std::uint64_t>(unix_time(system_time) / millisecond);
    faults.add(fault);
}

std::optional<Sample::InstanceRef> Sample::parent(const Instance& instance) const noexcept {
    if (instance.parent_object == 0) return std::nullopt;
    const auto object = find(instance.parent_object);
    if (!object || instance.parent_instance >= objects()[*object].instances.size()) return std::nullopt;
    return InstanceRef{*object, instance.parent_instance};
}

const Zone& Sample::shown_zone(const std::optional<Zone>& requested) const noexcept {
    static const Zone utc;
    if (requested && is_zone_stated()) return *requested;
    return zone_rules ? *zone_rules : utc;
}

std::optional<std::int64_t> unix_time(const Sample& sample) noexcept {
    if (!sample.system_time) return std::nullopt;
    return unix_time(*sample.system_time);
}

}  // namespace hkpd
