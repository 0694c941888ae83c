// Numbers the objects or counters that have the same title index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hkpd {

/// Counts for each entry of a list of objects or counters how many earlier entries have the same title index. An object
/// of this class can be used for many lists, which saves allocations.
class TitleRepeats {
  public:
    template <class Titled>
    void count(std::span<const Titled> all) {
        order_.clear();
        for (const Titled& titled : all) order_.emplace_back(titled.title_index, order_.size());
        std::ranges::sort(order_);
        repeats_.resize(order_.size());
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const bool repeated = i != 0 && order_[i - 1].first == order_[i].first;
            repeats_[order_[i].second] = repeated ? repeats_[order_[i - 1].second] + 1 : 0;
        }
    }
    std::uint32_t operator[](std::size_t place) const noexcept { return repeats_[place]; }

  private:
    std::vector<std::pair<std::uint32_t, std::size_t>> order_;
    std::vector<std::uint32_t> repeats_;
};

}  // namespace hkpd
