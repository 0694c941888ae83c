// Whether the ids of instances differ from each other, found for most at little cost.
#pragma once

#include <bit>
#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/number_hash.hpp"
#include "identity/known_instances.hpp"

namespace hkpd::run_instances {

/// The instances of an object that is new in the run, of which each was added to `KnownInstances` after the others.
class DistinctIds {
  public:
    /// Begins an object whose instances follow those that are known.
    void begin(const KnownInstances& known, std::size_t most) {
        known_ = &known;
        first_ = known.size();
        is_ordered_ = true;
        latest_ = nullptr;
        slots_ = std::bit_ceil(2 * most + 1);
    }

    /// Takes the instance that was added last. Returns whether it certainly has another name, regardless of case, or
    /// other ids than all before it. `is_of_parent`: whether its process id is that of its parent, which has other
    /// names or ids than all other parents.
    bool add(const Known& last, bool is_of_parent) {
        if (!last.ids.any()) return true;  // a place is no other's
        if (last.ids.pid == no_index) return false;
        if (!is_ordered_) return add_to_table(last);
        // Threads are numbered within their process, so that most need no table.
        is_ordered_ = is_of_parent && (latest_ == nullptr || is_before(*latest_, last));
        latest_ = &last;
        if (is_ordered_) return true;
        table_.assign(slots_, 0);
        bool all_differ = true;
        for (std::uint32_t i = first_; i < known_->size(); ++i) {
            const Known& known = (*known_)[i];
            if (known.ids.pid != no_index) all_differ = add_to_table(known) && all_differ;
        }
        return all_differ;
    }

  private:
    /// Returns whether the names of two instances with ids of their parents surely differ, because the second comes
    /// after the first in an order of parents and names.
    static bool is_before(const Known& one, const Known& other) noexcept {
        if (one.parent != other.parent) return one.parent < other.parent;
        if (one.name.size() != other.name.size()) return one.name.size() < other.name.size();
        return end_of(one.name) < end_of(other.name);
    }

    bool add_to_table(const Known& known) {
        constexpr std::uint64_t used = std::uint64_t{1} << 63U;  // no slot that is used has 0
        const std::uint64_t key =
            mix_hash(end_of(known.name), std::uint64_t{known.ids.pid} << 32U | known.name.size()) | used;
        std::size_t at = static_cast<std::size_t>(key) & (slots_ - 1);
        constexpr unsigned most_steps = 64;
        for (unsigned step = 0; step < most_steps; ++step, at = (at + 1) & (slots_ - 1)) {
            if (table_[at] == key) return false;
            if (table_[at] != 0) continue;
            table_[at] = key;
            return true;
        }
        return false;
    }

    /// Returns the last eight characters in one of their cases, as a number that is in the order of texts of one size.
    static std::uint64_t end_of(std::string_view name) noexcept {
        constexpr std::uint64_t letter_case = 0x2020'2020'2020'2020;
        constexpr std::size_t size = sizeof(std::uint64_t);
        std::uint64_t end = 0;
        if (name.size() >= size)
            end = boost::endian::load_big_u64(
                reinterpret_cast<const unsigned char*>(name.substr(name.size() - size).data()));
        else
            for (const char c : name) end = end << 8U | static_cast<unsigned char>(c);
        return end | letter_case;
    }

    const KnownInstances* known_ = nullptr;
    std::uint32_t first_ = 0;
    const Known* latest_ = nullptr;  // that was taken in the order
    bool is_ordered_ = true;
    std::size_t slots_ = 0;
    std::vector<std::uint64_t> table_;
};

}  // namespace hkpd::run_instances
