#include "hkpd/identity.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t at_work = no_index - 1;  // a rank that is not known yet, of an object whose visit has begun

}  // namespace

/// A depth-first walk without recursion: how deep objects stand below each other is the input's choice.
void ObjectOrder::arrange(const Sample& sample) {
    const auto count = static_cast<std::uint32_t>(sample.objects().size());
    rank_.assign(count, no_index);
    order_.clear();
    visits_.clear();
    for (std::uint32_t start = 0; start < count; ++start) {
        if (rank_[start] != no_index) continue;
        rank_[start] = at_work;
        visits_.push_back({start, 0});
        while (!visits_.empty()) {
            const std::uint32_t parent = next_parent(sample, visits_.back());
            if (parent != no_index) {
                rank_[parent] = at_work;
                visits_.push_back({parent, 0});
                continue;
            }
            rank_[visits_.back().object] = static_cast<std::uint32_t>(order_.size());
            order_.push_back(visits_.back().object);
            visits_.pop_back();
        }
    }
}

/// A parents' object that no walk has come to yet; `no_index` where there is none left.
std::uint32_t ObjectOrder::next_parent(const Sample& sample, Visit& visit) const {
    const auto& instances = sample.objects()[visit.object].instances;
    std::uint32_t last = 0;  // all threads have one parent object
    for (std::uint32_t row = visit.row; row < instances.size(); ++row) {
        const std::uint32_t title_index = instances[row].parent_object;
        if (title_index == last) continue;
        last = title_index;
        if (title_index == 0) continue;
        const auto parent = sample.find(title_index);
        if (!parent || rank_[*parent] != no_index) continue;
        visit.row = row;
        return static_cast<std::uint32_t>(*parent);
    }
    visit.row = static_cast<std::uint32_t>(instances.size());
    return no_index;
}

}  // namespace hkpd
