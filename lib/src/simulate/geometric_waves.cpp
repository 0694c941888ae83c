#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/win32.hpp"
#include "hkpd/live.hpp"
#include "simulate/countersets.hpp"

namespace hkpd::simulation {
namespace {

struct WaveValues {
    std::uint32_t triangle, square;
};

struct Wave {
    std::string_view name;
    std::uint32_t id, minimum, amplitude;

    /// Returns the values of the triangle wave and the square wave at a second of the minute. Both waves repeat after
    /// ten seconds.
    WaveValues at(std::uint32_t second) const noexcept {
        const int i = static_cast<int>(second % 10);
        return {minimum + amplitude * static_cast<std::uint32_t>(std::abs(5 - i)) / 5,
                minimum + (i < 5 ? amplitude : 0)};
    }
};

constexpr Wave waves[] = {{"Small Wave", 0, 40, 20}, {"Medium Wave", 1, 30, 40}, {"Large Wave", 2, 20, 60}};

CountersetDescriptor waves_counterset() {
    constexpr std::uint32_t rawcount = 0x0001'0000;  // PERF_COUNTER_RAWCOUNT
    CountersetDescriptor set;
    set.guid = guid_of("{ffeeaadd-c923-4794-b696-70577630b5cf}");
    set.provider_guid = guid_of("{ffeeaadd-965a-4cf9-9c07-fe25378c2a23}");
    set.provider_name = "UsermodeCountersSample";
    set.name = "Geometric Waves";
    set.help = "Waves of known shapes, whose values follow from the time alone.";
    set.instances = v2::InstanceType::multi_aggregate;
    set.counters = {{.id = 1,
                     .type = rawcount,
                     .name = "Triangle Wave",
                     .help = "Falls for five seconds from its highest value to its lowest, and rises again.",
                     .offset = offsetof(WaveValues, triangle),
                     .size = sizeof(WaveValues::triangle),
                     .aggregate = v2::Aggregate::total},
                    {.id = 2,
                     .type = rawcount,
                     .name = "Square Wave",
                     .help = "Has its highest value for five seconds and its lowest one for the next five.",
                     .offset = offsetof(WaveValues, square),
                     .size = sizeof(WaveValues::square),
                     .aggregate = v2::Aggregate::average}};
    return set;
}

}  // namespace

void add_geometric_waves(Provider& provider, const MachineClock& clock, const CurrentTime& now) {
    const auto report_it = [&clock, &now](Notification what, const MaskInformation&, InstanceSink& sink) {
        if (what != Notification::enumerate_instances && what != Notification::collect_data) return win32::success;
        const std::uint32_t second = clock.second(now);
        for (const Wave& wave : waves) {
            const WaveValues values = wave.at(second);
            const std::span<const std::byte> data = std::as_bytes(std::span(&values, 1));
            if (!sink.add(wave.name, wave.id, {&data, 1})) return win32::invalid_parameter;
        }
        return win32::success;
    };
    [[maybe_unused]] const auto added = provider.add(waves_counterset(), report_it);
    assert(added);
}

}  // namespace hkpd::simulation
