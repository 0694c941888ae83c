// The keys by which instances are told apart, and the counters that tell who an instance is.
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>

#include "hkpd/identity.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

/// ID Process and ID Thread of an object's instances, as far as it has them. Their title indices are the system's own
/// (winperf.h knows no constants for them; perfcNNN.dat has them on every Windows). Counter ids of V2 mean nothing
/// beyond their counterset.
class IdColumns {
  public:
    IdColumns(const Sample& sample, const Object& object) noexcept {
        if (sample.source != SampleSource::v1) return;
        constexpr std::uint32_t id_process = 784, id_thread = 804;
        for (const Column& column : object.columns) {
            if (column.storage != Storage::number) continue;
            if (column.title_index == id_process && process_ == nullptr) process_ = &column;
            if (column.title_index == id_thread && thread_ == nullptr) thread_ = &column;
        }
    }

    /// All of the key but the parent.
    InstanceKey key(const Instance& instance, std::uint32_t row) const noexcept {
        constexpr std::int64_t no_unique_id = -1;
        InstanceKey key;
        key.row = row;
        if (!instance.name) key.faults |= InstanceKey::name_damaged;
        key.name = instance.name.value_or("");
        key.unique_id = instance.unique_id.value_or(no_unique_id);
        key.ids = static_cast<std::uint8_t>((process_ != nullptr ? 1 : 0) | (thread_ != nullptr ? 2 : 0));
        take(process_, row, key.process, key);
        take(thread_, row, key.thread, key);
        return key;
    }

  private:
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

}  // namespace hkpd
