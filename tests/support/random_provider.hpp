// Providers with random countersets, and the test's knowledge of them: their values, and a simple model of what PerfLib
// shows.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/local_perflib.hpp"
#include "hkpd/provider.hpp"

namespace random_provider {

using Values = std::map<std::uint32_t, std::uint64_t>;  ///< by counter id

struct Instance {
    std::string name;
    std::uint32_t id = hkpd::v2::any_instance;
    Values values;
};

struct Set {
    hkpd::CountersetDescriptor descriptor;
    std::vector<Instance> instances;  ///< the provider's own

    bool multi() const { return is_multi(descriptor.instances); }
    const hkpd::CounterDescriptor* counter(std::uint32_t id) const {
        const auto found = std::ranges::find(descriptor.counters, id, &hkpd::CounterDescriptor::id);
        return found == descriptor.counters.end() ? nullptr : &*found;
    }
};

/// Returns the result of an aggregate function for values of 4 or 8 bytes.
inline std::uint64_t aggregate(hkpd::v2::Aggregate function, const std::vector<std::uint64_t>& values,
                               std::size_t size) {
    using enum hkpd::v2::Aggregate;
    if (function == minimum) return *std::ranges::min_element(values);
    if (function == maximum) return *std::ranges::max_element(values);
    std::uint64_t high = 0, low = 0;  // of the sum
    for (const std::uint64_t value : values) {
        low += value;
        high += low < value ? 1U : 0U;
    }
    if (function != average) return size == 4 ? low & 0xFFFF'FFFF : low;
    std::uint64_t quotient = 0, rest = 0;  // long division, bit by bit
    for (int bit = 127; bit >= 0; --bit) {
        const std::uint64_t part = bit >= 64 ? high >> (bit - 64) : low >> bit;
        rest = rest << 1U | (part & 1U);
        const bool fits = rest >= values.size();
        quotient = quotient << 1U | (fits ? 1U : 0U);
        if (fits) rest -= values.size();
    }
    return quotient;
}

/// Returns the instances that consumers see, including `_Total` of an aggregate set.
inline std::vector<Instance> visible(const Set& set) {
    std::vector<Instance> rows = set.instances;
    if (set.descriptor.instances != hkpd::v2::InstanceType::multi_aggregate || rows.empty()) return rows;
    Instance total{.name = "_Total", .id = hkpd::v2::any_instance, .values = {}};
    for (const hkpd::CounterDescriptor& counter : set.descriptor.counters) {
        std::vector<std::uint64_t> all;
        for (const Instance& instance : set.instances) all.push_back(instance.values.at(counter.id));
        total.values[counter.id] = aggregate(counter.aggregate, all, counter.size);
    }
    rows.push_back(std::move(total));
    return rows;
}

/// Returns an instance's structs, with values at the places in the descriptors.
inline std::vector<std::vector<std::byte>> structs_of(const hkpd::CountersetDescriptor& set, const Values& values) {
    std::vector<std::vector<std::byte>> structs;
    for (const hkpd::CounterDescriptor& counter : set.counters) {
        if (structs.size() <= counter.struct_index) structs.resize(std::size_t{counter.struct_index} + 1);
        auto& bytes = structs[counter.struct_index];
        const std::size_t end = std::size_t{counter.offset} + counter.size;
        if (bytes.size() < end) bytes.resize(end);
        for (std::size_t i = 0; i < counter.size; ++i) {
            // A provider's structs are in the byte order of the machine.
            const std::size_t place = std::endian::native == std::endian::little ? i : counter.size - 1 - i;
            bytes[counter.offset + place] = static_cast<std::byte>(values.at(counter.id) >> (8 * i) & 0xFF);
        }
    }
    return structs;
}

/// A machine with one to three countersets.
class Machine {
  public:
    /// `astral`: whether names may have characters that take two units of UTF-16.
    Machine(std::uint32_t seed, bool astral) : astral_(astral), random_(seed) {
        moment_ = {.system_time = {2026, 5, 4, 14, 9, 30, 15, 250},
                   .perf_time = static_cast<std::int64_t>(random_() >> 1U),
                   .perf_frequency = 1 + static_cast<std::int64_t>(below(1U << 31U)),
                   .perf_time_100ns = 134'232'246'152'500'000 + static_cast<std::int64_t>(below(10'000'000))};
        for (std::size_t count = 1 + below(3), k = 0; k < count; ++k) add_set(k);
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const hkpd::Moment& moment() const { return moment_; }
    void pass_a_second() {
        ++moment_.system_time.second;
        moment_.perf_time_100ns += 10'000'000;
    }
    const std::deque<Set>& sets() const { return sets_; }
    hkpd::Provider& provider() { return provider_; }
    hkpd::PerfLib& perflib() { return perflib_; }
    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  private:
    struct Form {
        std::uint32_t type;
        std::uint16_t size;
        std::uint32_t base_type = 0;
        std::uint16_t base_size = 0;
    };

    hkpd::Guid guid() {
        hkpd::Guid made;
        for (std::byte& byte : made.bytes) byte = static_cast<std::byte>(below(256));
        return made;
    }
    std::uint32_t fresh_id(const hkpd::CountersetDescriptor& set) {
        for (;;) {
            const std::uint32_t id = below(8) == 0 ? 0xFFFF'FFFD - below(1000) : below(80);
            if (std::ranges::none_of(set.counters, [&](const auto& counter) { return counter.id == id; })) return id;
        }
    }
    /// Places a counter after all others so far in one of three structs.
    void place(hkpd::CountersetDescriptor& set, hkpd::CounterDescriptor& counter) {
        counter.struct_index = static_cast<std::uint16_t>(below(3));
        std::size_t end = 4 * below(3);
        for (const hkpd::CounterDescriptor& other : set.counters)
            if (other.struct_index == counter.struct_index)
                end = std::max<std::size_t>(end, std::size_t{other.offset} + other.size);
        counter.offset = static_cast<std::uint16_t>((end + counter.size - 1) / counter.size * counter.size);
    }
    hkpd::CounterDescriptor& add_counter(hkpd::CountersetDescriptor& set, std::uint32_t type, std::uint16_t size) {
        using hkpd::v2::Aggregate;
        hkpd::CounterDescriptor counter{.id = fresh_id(set), .type = type, .name = "", .help = "", .size = size};
        place(set, counter);
        counter.aggregate = static_cast<Aggregate>(below(5));
        set.counters.push_back(counter);
        return set.counters.back();
    }
    void add_counter(hkpd::CountersetDescriptor& set) {
        static constexpr Form forms[] = {{0x0001'0000, 4},
                                         {0x0001'0100, 8},
                                         {0x1041'0400, 4},
                                         {0x1041'0500, 8},
                                         {0x2151'0500, 8},
                                         {0x4002'0500, 8, 0x4003'0402, 4},
                                         {0x2002'0400, 4, 0x4003'0403, 4},
                                         {0x2057'0500, 8, 0x4003'0500, 8}};
        static constexpr std::uint64_t attributes[] = {0, 0, 4, 16, 2, 1, 20};
        const Form& form = forms[below(std::size(forms))];
        std::uint32_t base = hkpd::v2::no_id;
        for (const hkpd::CounterDescriptor& other : set.counters)
            if (form.base_type != 0 && other.type == form.base_type && below(2) == 0) base = other.id;  // shared
        if (form.base_type != 0 && base == hkpd::v2::no_id) base = add_counter(set, form.base_type, form.base_size).id;
        hkpd::CounterDescriptor& counter = add_counter(set, form.type, form.size);
        counter.base_id = base;
        counter.name = "Counter " + std::to_string(counter.id);
        counter.help = below(2) == 0 ? "" : "Helps";
        counter.attributes = attributes[below(std::size(attributes))];
        counter.scale = static_cast<std::int32_t>(below(21)) - 10;
        counter.detail_level = 100 * (1 + below(4));
    }

    std::string name() {
        static constexpr std::string_view characters[] = {
            "a", "B", "z", "0", " ", "(", ")", "/", "#", ",", "_", ".", "ö", "ß", "日", "é", "\xF0\x9F\x98\x80"};
        std::string text;
        for (std::size_t length = below(20) == 0 ? 200 : 1 + below(6); length != 0; --length)
            text += characters[below(std::size(characters) - (astral_ ? 0U : 1U))];
        return text;
    }
    static std::string folded(std::string text) {
        std::ranges::for_each(text, [](char& c) { c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        return text;
    }
    std::uint64_t value(std::size_t size) {
        const std::uint64_t any = random_();
        const std::uint64_t wide = below(4) == 0 ? ~(any % 3) : any >> (8 * below(8));
        return size == 4 ? wide & 0xFFFF'FFFF : wide;
    }
    Instance instance(const Set& set) {
        Instance made;
        const auto taken = [&] {
            return std::ranges::any_of(set.instances, [&](const Instance& other) {
                return other.id == made.id || folded(other.name) == folded(made.name);
            });
        };
        do {
            made.name = set.multi() ? name() : "";
            made.id = below(3) == 0 ? below(0xFFFF'0000) : below(20);
        } while (taken());
        for (const hkpd::CounterDescriptor& counter : set.descriptor.counters)
            made.values[counter.id] = value(counter.size);
        return made;
    }

    void add_set(std::size_t k) {
        using enum hkpd::v2::InstanceType;
        Set& set = sets_.emplace_back();
        set.descriptor = {.guid = guid(),
                          .provider_guid = guid(),
                          .provider_name = "Random",
                          .name = "Set " + std::to_string(k),
                          .help = "Helps",
                          .instances = below(3) == 0   ? single
                                       : below(2) == 0 ? multi
                                                       : multi_aggregate,
                          .detail_level = 100 * (1 + below(4)),
                          .counters = {}};
        for (std::size_t count = 1 + below(6), c = 0; c < count; ++c) add_counter(set.descriptor);
        if (below(2) == 0) std::ranges::shuffle(set.descriptor.counters, random_);
        for (std::size_t count = set.multi() ? below(6) : 1, i = 0; i < count; ++i)
            set.instances.push_back(instance(set));
        if (below(3) == 0)
            serve_by_callback(set);
        else
            keep_instances(set);
    }
    /// Returns all instances whatever the request: the library selects what was requested.
    void serve_by_callback(const Set& set) {
        const auto callback = [&set](hkpd::Notification what, const hkpd::MaskInformation&, hkpd::InstanceSink& sink) {
            if (what == hkpd::Notification::add_counter || what == hkpd::Notification::remove_counter) return 0U;
            for (const Instance& instance : set.instances) {
                const auto structs = structs_of(set.descriptor, instance.values);
                const std::vector<std::span<const std::byte>> spans(structs.begin(), structs.end());
                EXPECT_TRUE(sink.add(instance.name, instance.id, spans)) << instance.name;
            }
            return 0U;
        };
        const auto added = provider_.add(set.descriptor, callback);
        EXPECT_TRUE(added) << added.error().message;
    }
    void keep_instances(const Set& set) {
        const auto added = provider_.add(set.descriptor);
        EXPECT_TRUE(added) << added.error().message;
        for (const Instance& instance : set.instances) {
            auto made = provider_.create_instance(set.descriptor.guid, instance.name, instance.id);
            ASSERT_TRUE(made) << made.error().message;
            if (below(2) == 0) {
                const auto structs = structs_of(set.descriptor, instance.values);
                const std::vector<std::span<const std::byte>> spans(structs.begin(), structs.end());
                EXPECT_TRUE(made->set(spans));
            } else {
                for (const auto& [id, number] : instance.values) EXPECT_TRUE(made->set(id, number));
            }
            kept_.push_back(*std::move(made));
        }
    }

    bool astral_;
    std::mt19937_64 random_;
    hkpd::Moment moment_;
    std::deque<Set> sets_;  // never moved: callbacks refer to them
    hkpd::Provider provider_;
    std::vector<hkpd::ProviderInstance> kept_;
    hkpd::LocalPerfLib perflib_{provider_, [this] { return moment_; }, "Here"};
};

}  // namespace random_provider
