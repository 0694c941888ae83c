
#include <algorithm>
#include <cstddef>
#include <vector>

#include "hkpd/names.hpp"
#include "hkpd/v1_writer.hpp"
#include "provider/collect.hpp"
#include "provider/provider_state.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t block_header = 4;  // PERF_COUNTER_BLOCK, whose only field is ByteLength

/// The counter definitions of the V1 object for a counterset, and the offset of each counter's value in a counter block
/// of this object.
class ViewPlan {
  public:
    ViewPlan(const RegisteredCounterset& set, const V1Numbering& numbering) : set_(set), numbering_(numbering) {
        place_values();
        place_definitions();
    }
    std::span<const V1BlockWriter::Counter> definitions() const noexcept { return definitions_; }
    std::uint32_t block_size() const noexcept { return end_; }

    void write(V1BlockWriter& block, const CollectedInstance& instance) const {
        for (std::size_t i = 0; i < offsets_.size(); ++i)
            block.set(offsets_[i], set_.descriptor.counters[i].size, instance.values[i]);
    }

  private:
    void place_values() {
        for (const CounterDescriptor& counter : set_.descriptor.counters) {
            const std::uint32_t size = counter.size;
            end_ = (end_ + size - 1) / size * size;
            offsets_.push_back(end_);
            end_ += size;
        }
    }

    // Defines each counter, followed by its companions (see `companions`). A counter can be a companion and also have
    // companions of its own. Such a counter gets two definitions: one after the counter that it accompanies, and one
    // before its own companions.
    void place_definitions() {
        const auto& counters = set_.descriptor.counters;
        std::vector<bool> companion(counters.size());
        for (const CounterDescriptor& counter : counters)
            for (const std::size_t position : companions(counter)) companion[position] = true;
        for (std::size_t i = 0; i < counters.size(); ++i) {
            const auto after = companions(counters[i]);
            if (companion[i] && after.empty()) continue;
            add_definition(i);
            for (const std::size_t position : after) add_definition(position);
        }
    }

    /// Returns the positions of a counter's companions: its base (`base_id`) and, for a multi timer, the counter that
    /// has the number of instances (`multi_id`). Their definitions must immediately follow the counter's definition,
    /// because a V1 reader finds companions only by this order.
    std::vector<std::size_t> companions(const CounterDescriptor& counter) const {
        std::vector<std::size_t> positions;
        if (const auto base = set_.position(counter.base_id)) positions.push_back(*base);
        if (const auto multi = set_.position(counter.multi_id); multi && counter.multi_id != counter.base_id)
            positions.push_back(*multi);
        return positions;
    }

    void add_definition(std::size_t position) {
        const CounterDescriptor& counter = set_.descriptor.counters[position];
        const std::uint32_t title = numbering_.counter(set_.descriptor.guid, counter.id);
        definitions_.push_back({.title_index = title,
                                .help_index = title == 0 ? 0 : title + 1,
                                .scale = counter.scale,
                                .detail_level = counter.detail_level,
                                .type = counter.type,
                                .size = counter.size,
                                .offset = offsets_[position]});
    }

    const RegisteredCounterset& set_;
    const V1Numbering& numbering_;
    // For each counter of the descriptor, the offset of its value in a counter block.
    std::vector<std::uint32_t> offsets_;
    std::vector<V1BlockWriter::Counter> definitions_;
    std::uint32_t end_ = block_header;
};

void append_object(V1BlockWriter& block, RegisteredCounterset& set, const V1Numbering& numbering, std::uint32_t title) {
    const bool is_list = v2::is_multi(set.descriptor.instances);
    const Collected collected = collect_all(set, Notification::collect_data);
    if (collected.status != 0 || (!is_list && collected.instances.empty())) return;
    const ViewPlan plan(set, numbering);
    block.begin_object({.title_index = title,
                        .help_index = title + 1,
                        .detail_level = set.descriptor.detail_level,
                        .is_list = is_list,
                        .perf_time = block.moment().perf_time,
                        .perf_frequency = block.moment().perf_frequency},
                       plan.definitions(), plan.block_size());
    for (const CollectedInstance& instance : collected.instances) {
        if (is_list)
            block.add_instance(instance.name.text);
        else
            block.add_block();
        plan.write(block, instance);
    }
    block.end_object();
}

}  // namespace

V1Numbering::V1Numbering(std::uint32_t first, const CountersetList& countersets) : end_(first) {
    for (const auto& set : countersets) {
        const auto [object, is_new] = objects_.try_emplace(set->descriptor.guid, end_);
        if (!is_new) continue;
        end_ += 2;
        auto& counters = counters_[set->descriptor.guid];
        for (const CounterDescriptor& counter : set->descriptor.counters) {
            counters.emplace(counter.id, end_);
            end_ += 2;
        }
    }
}

std::uint32_t V1Numbering::object(const Guid& counterset) const noexcept {
    const auto found = objects_.find(counterset);
    return found == objects_.end() ? 0 : found->second;
}

std::uint32_t V1Numbering::counter(const Guid& counterset, std::uint32_t id) const noexcept {
    const auto counters = counters_.find(counterset);
    if (counters == counters_.end()) return 0;
    const auto found = counters->second.find(id);
    return found == counters->second.end() ? 0 : found->second;
}

void append_titles(TitleTable& names, TitleTable& help, const CountersetList& countersets,
                   const V1Numbering& numbering) {
    const auto add = [&](std::uint32_t index, const std::string& name, const std::string& text) {
        if (index == 0) return;
        if (!name.empty()) names.add(index, name);
        if (!text.empty()) help.add(index + 1, text);
    };
    for (const auto& set : countersets) {
        const CountersetDescriptor& descriptor = set->descriptor;
        add(numbering.object(descriptor.guid), descriptor.name, descriptor.help);
        for (const CounterDescriptor& counter : descriptor.counters)
            add(numbering.counter(descriptor.guid, counter.id), counter.name, counter.help);
    }
}

void append_v1_view(V1BlockWriter& block, const CountersetList& countersets, const V1Numbering& numbering,
                    std::span<const std::uint32_t> objects) {
    for (const auto& set : countersets) {
        const std::uint32_t title = numbering.object(set->descriptor.guid);
        if (title == 0 || (!objects.empty() && std::ranges::find(objects, title) == objects.end())) continue;
        append_object(block, *set, numbering, title);
    }
}

}  // namespace hkpd
