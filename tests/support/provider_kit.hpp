// Countersets to register, and a reader of the resulting blocks, field by field at the offsets that Microsoft
// documents: not the library's parser, so that writer and parser cannot share a mistake.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/win32.hpp"
#include "hkpd/local_perflib.hpp"
#include "hkpd/provider.hpp"
#include "live/perflib_query.hpp"

namespace provider_kit {

inline hkpd::Guid guid(std::uint8_t number) {
    hkpd::Guid guid;
    for (std::size_t i = 0; i < guid.bytes.size(); ++i) guid.bytes[i] = static_cast<std::byte>(number + i);
    return guid;
}

/// A provider's values: counters 0 (Ticks), 1 (Level, 4 bytes), 5 (Ratio) and its base 70, which has no name.
struct Values {
    std::uint64_t ticks = 0;
    std::uint32_t level = 0, unused = 0;
    std::uint64_t ratio = 0, base = 0;
};

/// One struct in the library's form, for the duration of a call.
class Data {
  public:
    explicit Data(Values values) : values_(values) {}
    operator hkpd::CounterData() const {
        one_[0] = std::as_bytes(std::span(&values_, 1));
        return one_;
    }

  private:
    Values values_;
    mutable std::array<std::span<const std::byte>, 1> one_;
};

inline constexpr std::uint32_t bulk_count = 0x10410500, raw_count = 0x00010000, large_fraction = 0x20020500,
                               large_base = 0x40030500;

inline hkpd::CountersetDescriptor counterset(hkpd::v2::InstanceType instances, std::uint8_t number = 1) {
    hkpd::CountersetDescriptor set;
    set.guid = guid(number);
    set.provider_guid = guid(100);
    set.provider_name = "Kit";
    set.name = "Demo " + std::to_string(number);
    set.help = "Helps";
    set.instances = instances;
    set.detail_level = 200;
    set.counters = {{.id = 0, .type = bulk_count, .name = "Ticks", .help = "Counts", .offset = 0, .size = 8},
                    {.id = 1, .type = raw_count, .name = "Level", .help = "", .offset = 8, .size = 4, .scale = -3},
                    {.id = 5,
                     .type = large_fraction,
                     .name = "Ratio",
                     .help = "Part",
                     .offset = 16,
                     .attributes = 8,
                     .base_id = 70},
                    {.id = 70, .type = large_base, .name = "", .help = "", .offset = 24}};
    return set;
}

inline hkpd::Moment moment() {
    return {.system_time = {2026, 5, 4, 14, 9, 30, 15, 250},
            .perf_time = 0x0102030405060708,
            .perf_frequency = 10'000'000,
            .perf_time_100ns = 134'232'246'152'500'000};
}

/// A machine with a provider; its clock advances a second at a time.
struct Machine {
    hkpd::Provider provider;
    std::int64_t seconds = 0;
    hkpd::LocalPerfLib perflib{provider,
                               [this] {
                                   hkpd::Moment now = moment();
                                   now.system_time.second =
                                       static_cast<std::uint16_t>(now.system_time.second + seconds);
                                   now.perf_time_100ns += seconds++ * 10'000'000;
                                   return now;
                               },
                               "Here"};
};

inline std::uint32_t u32(std::span<const std::byte> bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value |= at + i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i) : 0;
    return value;
}
inline std::uint64_t u64(std::span<const std::byte> bytes, std::size_t at) {
    return u32(bytes, at) | std::uint64_t{u32(bytes, at + 4)} << 32;
}
/// Returns the ASCII text of UTF-16 that ends with a NUL; other characters become `?`.
inline std::string text(std::span<const std::byte> bytes, std::size_t at) {
    std::string out;
    for (; at + 1 < bytes.size(); at += 2) {
        const auto unit = u32(bytes, at) & 0xFFFF;
        if (unit == 0) return out;
        out += unit < 0x80 ? static_cast<char>(unit) : '?';
    }
    return out + "(no end)";
}

struct Listed {
    std::string name;
    std::uint32_t id = 0;
    std::vector<std::uint64_t> values;
    bool operator==(const Listed&) const = default;
};
inline void PrintTo(const Listed& listed, std::ostream* out) {
    *out << listed.name << '/' << listed.id;
    for (const std::uint64_t value : listed.values) *out << ' ' << value;
}

struct Result {
    std::uint32_t status = 0, type = 0;
    std::vector<std::uint32_t> ids;
    std::vector<Listed> instances;  ///< for results without a list: one, without name and id
};

/// Returns the values that start at `at`, end to end; moves `at` past them.
inline std::vector<std::uint64_t> values(std::span<const std::byte> bytes, std::size_t& at, std::size_t count) {
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t size = u32(bytes, at);
        EXPECT_TRUE(size == 4 || size == 8) << size;
        EXPECT_EQ(u32(bytes, at + 4), 16U);
        EXPECT_TRUE(size == 8 || u32(bytes, at + 12) == 0U);
        values.push_back(u64(bytes, at + 8));
        at += 16;
    }
    return values;
}

/// Reads one result; every byte has to be accounted for.
inline Result read_result(std::span<const std::byte> bytes) {
    Result result{u32(bytes, 0), u32(bytes, 4), {}, {}};
    std::size_t at = 16, counters = 1;
    EXPECT_EQ(u32(bytes, 12), 0U);
    if (result.type == 2 || result.type == 6) {
        counters = u32(bytes, at + 4);
        for (std::size_t i = 0; i < counters; ++i) result.ids.push_back(u32(bytes, at + 8 + 4 * i));
        EXPECT_EQ(u32(bytes, at), (8 + 4 * counters + 7) / 8 * 8);
        at += u32(bytes, at);
    }
    if (result.type == 1 || result.type == 2) result.instances.push_back({"", 0, values(bytes, at, counters)});
    if (result.type == 4 || result.type == 6) {
        EXPECT_EQ(u32(bytes, at), bytes.size() - at);
        const std::uint32_t count = u32(bytes, at + 4);
        at += 8;
        for (std::uint32_t i = 0; i < count && at < bytes.size(); ++i) {
            Listed listed{text(bytes, at + 8), u32(bytes, at + 4), {}};
            EXPECT_EQ(u32(bytes, at), (8 + 2 * (listed.name.size() + 1) + 7) / 8 * 8);
            at += u32(bytes, at);
            listed.values = values(bytes, at, counters);
            result.instances.push_back(std::move(listed));
        }
        EXPECT_EQ(result.instances.size(), count);
    }
    EXPECT_EQ(at, bytes.size());
    return result;
}

/// Reads all results of a block.
inline std::vector<Result> read_block(std::span<const std::byte> bytes) {
    EXPECT_EQ(u32(bytes, 0), bytes.size());
    std::vector<Result> results;
    for (std::size_t at = 48; at < bytes.size();) {
        const std::uint32_t size = u32(bytes, at + 8);
        if (size < 16 || size % 8 != 0 || size > bytes.size() - at) {
            ADD_FAILURE() << "result of " << size << " bytes at " << at;
            break;
        }
        results.push_back(read_result(bytes.subspan(at, size)));
        at += size;
    }
    EXPECT_EQ(results.size(), u32(bytes, 4));
    return results;
}

/// Returns the current results of a query.
inline std::vector<Result> collect(hkpd::PerfQuery& query) {
    EXPECT_EQ(query.collect(), hkpd::win32::success);
    return read_block(query.data().span());
}

/// Returns the only result of one identifier.
inline Result ask(hkpd::PerfLib& perflib, const hkpd::Guid& counterset, std::string_view instances,
                  std::uint32_t counter_id = hkpd::v2::wildcard_counter,
                  std::uint32_t instance_id = hkpd::v2::any_instance) {
    hkpd::PerfQuery query(perflib);
    EXPECT_EQ(query.add(counterset, instances, counter_id, instance_id), hkpd::win32::success);
    auto results = collect(query);
    if (results.size() == 1) return results.front();
    ADD_FAILURE() << results.size() << " results";
    return {};
}

}  // namespace provider_kit
