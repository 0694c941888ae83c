// Finds the position of a key in a list of different keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/number_hash.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

/// The positions of keys of two numbers in a list that only grows. A key takes 8 to 16 bytes, and no allocation of its
/// own as in `std::unordered_map` (40 to 48 bytes), because the keys themselves are in the list: with a million series,
/// a tenth of the time and of the memory of a summary.
class KeyIndex {
  public:
    using Key = std::pair<std::uint32_t, std::uint32_t>;

    /// Returns the position of a key in `keys`; `no_index` if it is none of them. `keys`: the list of all keys added.
    std::uint32_t find(const std::vector<Key>& keys, const Key& key) const noexcept {
        return slots_.empty() ? no_index : slots_[slot_of(keys, key)];
    }
    /// Adds the last of `keys`, which must be new and at a position below `no_index`.
    void add_last(const std::vector<Key>& keys) {
        if (slots_.size() < 2 * keys.size()) {
            slots_.assign(std::max(least_slots, 2 * slots_.size()), no_index);
            for (std::size_t i = 0; i + 1 < keys.size(); ++i) put(keys, i);
        }
        put(keys, keys.size() - 1);
    }
    void clear() noexcept { slots_.clear(); }

  private:
    static constexpr std::size_t least_slots = 16;

    void put(const std::vector<Key>& keys, std::size_t position) noexcept {
        slots_[slot_of(keys, keys[position])] = static_cast<std::uint32_t>(position);
    }
    /// Returns the slot that has the position of a key, or the free one where it is to be put.
    std::size_t slot_of(const std::vector<Key>& keys, const Key& key) const noexcept {
        constexpr unsigned half = 32;
        const std::uint64_t hash = mix_hash(0, std::uint64_t{key.first} << half | key.second);
        std::size_t slot = static_cast<std::size_t>(hash) & (slots_.size() - 1);
        while (slots_[slot] != no_index && keys[slots_[slot]] != key) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }

    std::vector<std::uint32_t> slots_;  // positions in the list, or `no_index`; their number is a power of two
};

}  // namespace hkpd
