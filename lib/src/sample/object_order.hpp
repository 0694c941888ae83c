// An order of a sample's objects in which parents come before their children.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hkpd {

class Sample;

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
