// Keys by which the instances of two samples are matched, the counters that identify instances (ID Process and ID
// Thread), and an order of objects in which parents come before their children.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

/// The fields that distinguish an instance from the other instances of its object. `row` is not part of the key.
struct InstanceKey {
    /// Bits of `faults`. An instance with any of these bits matches no instance of the sample before.
    static constexpr std::uint8_t name_damaged = 1, id_damaged = 2, parent_lost = 4;

    std::string_view name;
    std::int64_t unique_id = 0;
    std::array<std::uint64_t, 2> ids{};  ///< ID Process, ID Thread
    /// `parent_object`: title index of the object that contains the parent. `parent`: if `parent_known` is true, the
    /// parent's row in the earlier sample (Matcher) or the parent's number (Identities); otherwise the parent's
    /// position, as the instance states it. `parent` has no meaning if `faults` has `parent_lost`.
    std::uint32_t parent_object = 0, parent = 0;
    std::uint32_t row = 0;
    std::uint8_t has_ids = 0;  ///< bit i: whether the object has the counter of `ids[i]`
    std::uint8_t faults = 0;
    bool parent_known = false;  ///< whether the parent was found in the sample
};

/// The columns ID Process and ID Thread of an object, if it has them. Their title indices are fixed by the system
/// (winperf.h has no constants for them; perfcNNN.dat has them on every Windows). Objects of V2 have none,
/// because a V2 counter id has no meaning outside its counterset.
struct IdColumns {
    IdColumns(const Sample& sample, const Object& object) noexcept {
        if (sample.source == SampleSource::v2) return;
        constexpr std::array<std::uint32_t, 2> title_indices{784, 804};
        for (const Column& column : object.columns)
            for (std::size_t i = 0; i < columns.size(); ++i)
                if (column.title_index == title_indices[i] && column.storage == Storage::number &&
                    columns[i] == nullptr)
                    columns[i] = &column;
    }

    /// Returns an instance's key, without the fields for the parent.
    InstanceKey key(const Instance& instance, std::uint32_t row) const noexcept {
        InstanceKey key;
        key.row = row;
        if (!instance.name) key.faults |= InstanceKey::name_damaged;
        key.name = instance.name.value_or("");
        key.unique_id = instance.unique_id.value_or(v1::no_unique_id);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i] == nullptr) continue;
            key.has_ids |= static_cast<std::uint8_t>(1U << i);
            if (columns[i]->is_valid(row))
                key.ids[i] = columns[i]->values[row];
            else
                key.faults |= InstanceKey::id_damaged;
        }
        return key;
    }

    std::array<const Column*, 2> columns{};
};

/// Compares the ids of the instances of two objects, row by row.
class SameIds {
  public:
    SameIds(const IdColumns& before, const IdColumns& now) noexcept {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const Column *a = before.columns[i], *b = now.columns[i];
            known_ = known_ && (a == nullptr) == (b == nullptr);
            if (a == nullptr || b == nullptr) continue;
            known_ = known_ && a->status.empty() && b->status.empty();
            values_[i] = {a->values, b->values};
        }
    }

    /// Returns whether the ids can be compared: both objects have the same id columns, and all ids are valid.
    bool known() const noexcept { return known_; }
    /// Returns the first row in [`row`, `end`) whose ids differ; `end` if there is none.
    std::size_t first_difference(std::size_t row, std::size_t end) const noexcept {
        for (const auto& [before, now] : values_) {
            if (before.empty()) continue;
            const auto was = before.subspan(row, end - row), is = now.subspan(row, end - row);
            end = row + static_cast<std::size_t>(std::ranges::mismatch(was, is).in1 - was.begin());
        }
        return end;
    }

  private:
    bool known_ = true;
    std::array<std::pair<std::span<const std::uint64_t>, std::span<const std::uint64_t>>, 2> values_;
};

/// Compares two keys. Names come last because they take longest to compare.
inline std::strong_ordering compare_keys(const InstanceKey& a, const InstanceKey& b) noexcept {
    const auto fields = [](const InstanceKey& k) {
        return std::tie(k.ids, k.parent_known, k.parent_object, k.parent, k.unique_id, k.has_ids, k.faults, k.name);
    };
    return fields(a) <=> fields(b);
}

/// Returns whether `a` comes before `b`: by key or, if the keys are equal, by row.
inline bool key_order(const InstanceKey& a, const InstanceKey& b) noexcept {
    const auto keys = compare_keys(a, b);
    return keys == 0 ? a.row < b.row : keys < 0;
}

/// The objects of a sample, ordered so that parents come before their children. If objects form a cycle of parents (for
/// example, an object that is its own parent), the cycle is cut: one child comes before its parent, and this parent
/// counts as unresolved. The order depends only on the sample. An ObjectOrder can be used again and keeps its memory.
class ObjectOrder {
  public:
    /// Computes the order for a sample. Keeps no reference to the sample, so the sample may change afterwards.
    void arrange(const Sample& sample);

    /// Returns the objects in the order that `arrange` has computed, as positions in `Sample::objects()`.
    std::span<const std::uint32_t> positions() const noexcept { return order_; }
    /// Returns whether the object at position `parent` comes before the object at position `child`.
    bool comes_before(std::size_t parent, std::size_t child) const noexcept { return rank_[parent] < rank_[child]; }

  private:
    struct Visit {
        std::uint32_t object, row;  // row: first instance whose parent was not examined yet
    };
    std::uint32_t next_parent(const Sample& sample, Visit& visit) const;

    std::vector<std::uint32_t> order_, rank_;
    std::vector<Visit> visits_;
};

}  // namespace hkpd
