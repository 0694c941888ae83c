// What instances are matched by: their keys, the counters that identify them, and the order in which parents come before
// their children.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

/// What tells an instance from the others of its object: all but `row`.
struct InstanceKey {
    /// Bits of `faults`: with any of them it is nobody that was there before.
    static constexpr std::uint8_t name_damaged = 1, id_damaged = 2, parent_lost = 4;

    std::string_view name;
    std::int64_t unique_id = 0;
    std::uint64_t process = 0, thread = 0;        ///< ID Process, ID Thread
    std::uint32_t parent_object = 0, parent = 0;  ///< as the instance says, where the parent is not known
    std::uint32_t row = 0;
    std::uint8_t ids = 0;  ///< which ids the object has
    std::uint8_t faults = 0;
    bool parent_known = false;  ///< then `parent` is what its user knows it by
};

/// ID Process and ID Thread of an object's instances, as far as it has them. Their title indices are the system's own
/// (winperf.h knows no constants for them; perfcNNN.dat has them on every Windows). Counter ids of V2 mean nothing
/// beyond their counterset.
class IdColumns {
  public:
    IdColumns(const Sample& sample, const Object& object) noexcept {
        if (sample.source == SampleSource::v2) return;
        constexpr std::uint32_t id_process = 784, id_thread = 804;
        for (const Column& column : object.columns) {
            if (column.storage != Storage::number) continue;
            if (column.title_index == id_process && process_ == nullptr) process_ = &column;
            if (column.title_index == id_thread && thread_ == nullptr) thread_ = &column;
        }
    }

    /// All of the key but the parent.
    InstanceKey key(const Instance& instance, std::uint32_t row) const noexcept {
        InstanceKey key;
        key.row = row;
        if (!instance.name) key.faults |= InstanceKey::name_damaged;
        key.name = instance.name.value_or("");
        key.unique_id = instance.unique_id.value_or(v1::no_unique_id);
        key.ids = static_cast<std::uint8_t>((process_ != nullptr ? 1 : 0) | (thread_ != nullptr ? 2 : 0));
        take(process_, row, key.process, key);
        take(thread_, row, key.thread, key);
        return key;
    }

  private:
    friend class SameIds;
    static void take(const Column* column, std::uint32_t row, std::uint64_t& id, InstanceKey& key) noexcept {
        if (column == nullptr) return;
        if (column->sound(row))
            id = column->values[row];
        else
            key.faults |= InstanceKey::id_damaged;
    }

    const Column* process_ = nullptr;
    const Column* thread_ = nullptr;
};

/// Whether the ids of instances are the same as before, row by row.
class SameIds {
  public:
    SameIds(const IdColumns& before, const IdColumns& now) noexcept
        : process_(before.process_, now.process_), thread_(before.thread_, now.thread_) {}

    /// Whether that shows at once: both objects have the same ids, and all of them are sound.
    bool known() const noexcept { return process_.known && thread_.known; }
    bool same(std::size_t row) const noexcept { return process_.same(row) && thread_.same(row); }

  private:
    struct Pair {
        Pair(const Column* a, const Column* b) noexcept {
            if (a == nullptr || b == nullptr) {
                known = a == b;
                return;
            }
            known = a->status.empty() && b->status.empty();
            before = a->values;
            now = b->values;
        }
        bool same(std::size_t row) const noexcept { return before.empty() || before[row] == now[row]; }

        bool known = false;
        std::span<const std::uint64_t> before, now;  // empty where the objects have no such id
    };

    Pair process_, thread_;
};

/// Where the parents of instances are. Mostly all that stand in one list have parents in one object, which is looked up
/// once for all of them.
class ParentObjects {
  public:
    explicit ParentObjects(const Sample& sample) noexcept : sample_(sample) {}

    /// As `Sample::find`.
    std::optional<std::size_t> object(std::uint32_t title_index) noexcept {
        if (title_index != title_index_) object_ = sample_.find(title_index);
        title_index_ = title_index;
        return object_;
    }
    /// As `Sample::parent`.
    std::optional<Sample::InstanceRef> parent(const Instance& instance) noexcept {
        if (instance.parent_object == 0) return std::nullopt;
        const auto at = object(instance.parent_object);
        if (!at || instance.parent_instance >= sample_.objects()[*at].instances.size()) return std::nullopt;
        return Sample::InstanceRef{*at, instance.parent_instance};
    }

  private:
    const Sample& sample_;
    std::uint32_t title_index_ = 0;  // of parents: of none
    std::optional<std::size_t> object_;
};

/// Names last: they take longest to compare.
inline std::strong_ordering compare_keys(const InstanceKey& a, const InstanceKey& b) noexcept {
    const auto fields = [](const InstanceKey& k) {
        return std::tie(k.process, k.thread, k.parent_known, k.parent_object, k.parent, k.unique_id, k.ids, k.faults,
                        k.name);
    };
    return fields(a) <=> fields(b);
}

/// Equal keys in the order of their rows.
inline bool key_order(const InstanceKey& a, const InstanceKey& b) noexcept {
    const auto keys = compare_keys(a, b);
    return keys == 0 ? a.row < b.row : keys < 0;
}

/// The objects of a sample in an order in which parents come before their children. Where parents lead in a circle of
/// objects (an object that is its own parent is one), the circle is cut: there a child comes first, and its parent
/// counts as unresolved. Depends on the sample alone. Reusable: memory is kept.
class ObjectOrder {
  public:
    /// Works out the order of a sample, which may change afterwards.
    void arrange(const Sample& sample);

    /// Positions in `Sample::objects()`.
    std::span<const std::uint32_t> positions() const noexcept { return order_; }
    /// Whether the object at one position comes before that at another.
    bool comes_before(std::size_t parent, std::size_t child) const noexcept { return rank_[parent] < rank_[child]; }

  private:
    struct Visit {
        std::uint32_t object, row;  // the first instance whose parent has not been looked at
    };
    std::uint32_t next_parent(const Sample& sample, Visit& visit) const;

    std::vector<std::uint32_t> order_, rank_;
    std::vector<Visit> visits_;
};

}  // namespace hkpd
