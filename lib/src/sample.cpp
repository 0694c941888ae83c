#include "hkpd/sample.hpp"

#include <algorithm>
#include <ranges>

namespace hkpd {
namespace {

std::string_view shown_name(const Instance& instance) noexcept { return instance.name.value_or("?"); }

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int compare(std::string_view a, std::string_view b) noexcept {
    const std::size_t common = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < common; ++i) {
        const auto x = static_cast<unsigned char>(lower(a[i])), y = static_cast<unsigned char>(lower(b[i]));
        if (x != y) return x < y ? -1 : 1;
    }
    return a.size() == b.size() ? 0 : (a.size() < b.size() ? -1 : 1);
}

}  // namespace

std::string_view Object::bytes(const Column& column, std::size_t row) const noexcept {
    return {text_.data() + column.values[row], static_cast<std::size_t>(column.second[row])};
}

std::optional<std::size_t> Sample::find(std::uint32_t title_index) const noexcept {
    const auto all = objects();
    const auto found = std::ranges::find(all, title_index, &Object::title_index);
    if (found == all.end()) return std::nullopt;
    return static_cast<std::size_t>(found - all.begin());
}

std::optional<Sample::InstanceRef> Sample::parent(const Instance& instance) const noexcept {
    if (instance.parent_object == 0) return std::nullopt;
    const auto object = find(instance.parent_object);
    if (!object || instance.parent_instance >= objects_[*object].instances.size()) return std::nullopt;
    return InstanceRef{*object, instance.parent_instance};
}

std::vector<Sample::InstanceRef> ancestors(const Sample& sample, const Instance& instance, std::uint32_t most) {
    std::vector<Sample::InstanceRef> chain;
    for (auto parent = sample.parent(instance); parent && chain.size() < most;) {
        const Instance& at = sample.objects()[parent->object].instances[parent->instance];
        const bool met = &at == &instance || std::ranges::any_of(chain, [&](const Sample::InstanceRef& before) {
            return before.object == parent->object && before.instance == parent->instance;
        });
        if (met) break;
        chain.push_back(*parent);
        parent = sample.parent(at);
    }
    return chain;
}

void number_instances(const Sample& sample, const Object& object, std::vector<std::uint32_t>& indices) {
    const auto& instances = object.instances;
    const auto parent_name = [&](const Instance& instance) -> std::string_view {
        const auto parent = sample.parent(instance);
        return parent ? shown_name(sample.objects()[parent->object].instances[parent->instance]) : std::string_view{};
    };
    const auto order = [&](std::uint32_t a, std::uint32_t b) {
        if (const int by_name = compare(shown_name(instances[a]), shown_name(instances[b]))) return by_name;
        return compare(parent_name(instances[a]), parent_name(instances[b]));
    };
    const auto rows = std::views::iota(0U, static_cast<std::uint32_t>(instances.size()));
    std::vector<std::uint32_t> sorted(rows.begin(), rows.end());
    std::ranges::stable_sort(sorted, [&](std::uint32_t a, std::uint32_t b) { return order(a, b) < 0; });
    indices.assign(instances.size(), 0);
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (order(sorted[i - 1], sorted[i]) == 0) indices[sorted[i]] = indices[sorted[i - 1]] + 1;
}

void append_instance_path(std::string& out, const Sample& sample, const Object& object, std::size_t row,
                          const Limits& limits) {
    const Instance& instance = object.instances[row];
    const auto chain = ancestors(sample, instance, limits.parents);
    for (const Sample::InstanceRef& at : chain | std::views::reverse) {
        out += shown_name(sample.objects()[at.object].instances[at.instance]);
        out += '/';
    }
    out += shown_name(instance);
}

}  // namespace hkpd
