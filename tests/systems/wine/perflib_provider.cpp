#include "perflib_provider.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/win32.hpp"
#include "hkpd/live.hpp"
#include "perflib_counters.hpp"

namespace live {
namespace {

using hkpd::CounterDescriptor;
using hkpd::CountersetDescriptor;

// Values are 8 bytes apart, in the order of the table.
constexpr std::uint16_t value_stride = 8;

hkpd::Guid guid_of(std::string_view text) { return hkpd::parse_guid(text).value_or(hkpd::Guid{}); }

CountersetDescriptor describe(const V2Counterset& set) {
    CountersetDescriptor descriptor;
    descriptor.guid = guid_of(set.guid);
    descriptor.provider_guid = guid_of(v2_provider_guid);
    descriptor.provider_name = v2_provider_name;
    descriptor.name = set.name;
    descriptor.help = set.help;
    descriptor.instances = set.type;
    std::uint16_t offset = 0;
    for (const V2Counter& counter : set.counters) {
        descriptor.counters.push_back({.id = counter.id,
                                       .type = counter.type,
                                       .name = std::string(counter.name),
                                       .help = std::string(counter.help),
                                       .offset = offset,
                                       .size = counter.size,
                                       .attributes = counter.attributes,
                                       .scale = counter.scale,
                                       .base_id = counter.base_id,
                                       .aggregate = counter.aggregate});
        offset += value_stride;
    }
    return descriptor;
}

// Returns the instances of a counterset with the values of its next collection.
class Instances {
  public:
    explicit Instances(const V2Counterset& set) : set_(set) {}

    std::uint32_t operator()(hkpd::Notification what, const hkpd::MaskInformation&, hkpd::InstanceSink& sink) {
        using enum hkpd::Notification;
        if (what != enumerate_instances && what != collect_data) return hkpd::win32::success;
        const std::uint64_t collection = what == collect_data ? ++*collections_ : 0;
        for (std::size_t row = 0; row < set_.instances.size(); ++row) {
            std::vector<std::uint64_t> values;
            for (const V2Counter& counter : set_.counters)
                values.push_back(counter.values.at(row, collection, counter.size));
            const std::span<const std::byte> data = std::as_bytes(std::span(values));
            if (!sink.add(set_.instances[row].name, set_.instances[row].id, {&data, 1}))
                return hkpd::win32::invalid_parameter;
        }
        return hkpd::win32::success;
    }

  private:
    const V2Counterset& set_;
    // Callbacks are copied, and may be called from several threads at once.
    std::shared_ptr<std::atomic<std::uint64_t>> collections_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

}  // namespace

bool add_countersets(hkpd::Provider& provider) {
    return std::ranges::all_of(v2_countersets, [&provider](const V2Counterset& set) {
        return provider.add(describe(set), Instances(set)).has_value();
    });
}

}  // namespace live
