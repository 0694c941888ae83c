// A map for tests: checked for the properties of every map, and with all entries kept.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/map.hpp"

namespace hkpd_test {

/// An entry with its own copies of the texts.
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

    /// Returns the entry whose run contains the byte.
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

/// Checks the properties of every map of any bytes: runs are adjacent and have the input's own bytes, and each is
/// counted once. Takes entry after entry, and returns what is wrong.
class MapCheck {
  public:
    explicit MapCheck(hkpd::Bytes input) : input_(input), at_(input.offset()) {}

    void entry(const hkpd::MapEntry& entry) {
        if (fault_ == nullptr) fault_ = fault_of(entry);
        at_ = entry.bytes.end();
        counted_.bytes[static_cast<std::size_t>(entry.kind)] += entry.bytes.size();
        counted_.shared_bytes += entry.shared_bytes();
    }
    /// Returns what is wrong after the last entry; null if nothing is.
    const char* fault(const hkpd::MapTotals& totals) const {
        if (fault_ != nullptr) return fault_;
        if (at_ != input_.end()) return "the last run of a map does not end where the input does";
        if (totals.bytes != counted_.bytes || totals.shared_bytes != counted_.shared_bytes)
            return "the totals of a map are not those of its entries";
        return totals.sum() == input_.size() ? nullptr : "the totals of a map are not the size of the input";
    }

  private:
    const char* fault_of(const hkpd::MapEntry& entry) const {
        const hkpd::Bytes &run = entry.bytes, &whole = entry.whole;
        if (run.offset() != at_ || run.end() > input_.end() ||
            (!run.empty() && run.data() != input_.data() + (at_ - input_.offset())))
            return "runs of a map are not the input's bytes, side by side";
        if (whole.offset() < input_.offset() || whole.end() > input_.end() || whole.size() < run.size() ||
            whole.empty() || (!run.empty() && whole.end() != run.end()))
            return "a run of a map is not the end of a field in the input";
        if (entry.overlaps.empty() != (entry.shared_bytes() == 0)) return "a map does not list what overlaps";
        if (entry.structure.empty() != (entry.kind == hkpd::MapKind::leftover) ||
            (entry.kind < hkpd::MapKind::value && entry.field.empty()) ||
            (entry.kind >= hkpd::MapKind::padding && entry.meaning.empty()))
            return "an entry of a map does not describe itself";
        return nullptr;
    }

    hkpd::Bytes input_;
    std::uint64_t at_;
    hkpd::MapTotals counted_;
    const char* fault_ = nullptr;
};

/// Draws a map and checks it.
inline DrawnMap draw(hkpd::Bytes input, hkpd::MapForm form, const hkpd::MapOptions& options = {}) {
    DrawnMap map;
    MapCheck check(input);
    map.totals = visit_map(
        input, form, options,
        [&](const hkpd::MapEntry& entry) {
            check.entry(entry);
            map.entries.push_back({entry.bytes.offset(), entry.bytes.size(), entry.whole.offset(), entry.whole.size(),
                                   entry.kind, entry.block, entry.object, entry.instance, entry.counter,
                                   std::string(entry.structure), std::string(entry.field),
                                   std::string(entry.object_name), std::string(entry.instance_name),
                                   std::string(entry.counter_name), std::string(entry.value),
                                   std::string(entry.meaning), std::string(entry.overlaps)});
        },
        map.diagnostics);
    EXPECT_STREQ(check.fault(map.totals), nullptr);
    return map;
}

}  // namespace hkpd_test
