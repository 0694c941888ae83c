// A map as tests read it: all entries kept, with the properties that hold of any map of any bytes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "hkpd/map.hpp"

namespace hkpd_test {

/// An entry with texts of its own.
struct Mapped {
    std::uint64_t offset, size, field_offset, field_size;
    hkpd::MapKind kind;
    std::uint32_t block, object, instance, counter;
    std::string structure, field, object_name, instance_name, counter_name, value, meaning, overlaps;
};

struct DrawnMap {
    std::vector<Mapped> entries;
    hkpd::MapTotals totals;
    hkpd::Diagnostics diagnostics;

    /// The entry whose run has the byte.
    const Mapped& at(std::uint64_t offset) const {
        for (const Mapped& entry : entries)
            if (offset >= entry.offset && offset < entry.offset + entry.size) return entry;
        throw std::out_of_range("no entry at " + std::to_string(offset));
    }
    std::vector<const Mapped*> values() const {
        std::vector<const Mapped*> all;
        for (const Mapped& entry : entries)
            if (entry.kind == hkpd::MapKind::value) all.push_back(&entry);
        return all;
    }
};

/// What holds of each entry, whatever the input.
inline void expect_sound(const hkpd::MapEntry& entry, hkpd::Bytes input, std::uint64_t at) {
    ASSERT_EQ(entry.bytes.offset(), at) << "runs are side by side";
    ASSERT_LE(entry.bytes.end(), input.end());
    ASSERT_TRUE(entry.bytes.empty() || entry.bytes.data() == input.data() + at) << "a run has the input's own bytes";
    ASSERT_GE(entry.whole.offset(), input.offset());
    ASSERT_LE(entry.whole.end(), input.end());
    ASSERT_FALSE(entry.whole.empty());
    ASSERT_GE(entry.whole.size(), entry.bytes.size());
    const bool has_the_end = entry.bytes.empty() || entry.whole.end() == entry.bytes.end();
    ASSERT_TRUE(has_the_end) << "an earlier field has the front";
    ASSERT_EQ(entry.overlaps.empty(), entry.shared_bytes() == 0);
    const bool leftover = entry.kind == hkpd::MapKind::leftover;
    ASSERT_EQ(entry.structure.empty(), leftover);
    ASSERT_TRUE(entry.kind >= hkpd::MapKind::value || !entry.field.empty());
    ASSERT_TRUE(entry.kind < hkpd::MapKind::padding || !entry.meaning.empty());
}

/// Draws a map and checks that every byte is accounted for once.
inline DrawnMap draw(hkpd::Bytes input, hkpd::MapForm form, const hkpd::MapOptions& options = {}) {
    DrawnMap map;
    std::uint64_t at = input.offset();
    hkpd::MapTotals counted;
    map.totals = draw_map(
        input, form, options,
        [&](const hkpd::MapEntry& entry) {
            if (testing::Test::HasFatalFailure()) return;
            expect_sound(entry, input, at);
            at = entry.bytes.end();
            counted.bytes[static_cast<std::size_t>(entry.kind)] += entry.bytes.size();
            counted.shared_bytes += entry.shared_bytes();
            map.entries.push_back({entry.bytes.offset(), entry.bytes.size(), entry.whole.offset(), entry.whole.size(),
                                   entry.kind, entry.block, entry.object, entry.instance, entry.counter,
                                   std::string(entry.structure), std::string(entry.field),
                                   std::string(entry.object_name), std::string(entry.instance_name),
                                   std::string(entry.counter_name), std::string(entry.value),
                                   std::string(entry.meaning), std::string(entry.overlaps)});
        },
        map.diagnostics);
    EXPECT_EQ(at, input.end()) << "the last run ends where the input does";
    EXPECT_EQ(map.totals.bytes, counted.bytes);
    EXPECT_EQ(map.totals.shared_bytes, counted.shared_bytes);
    EXPECT_EQ(map.totals.sum(), input.size());
    return map;
}

}  // namespace hkpd_test
