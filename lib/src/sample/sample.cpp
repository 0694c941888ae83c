#include "hkpd/sample.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ranges>
#include <utility>

#include "sample/display_name.hpp"

namespace hkpd {

std::string_view Object::bytes(const Column& column, std::size_t row) const noexcept {
    return std::string_view(text_.data(), text_.size()).substr(column.values[row], column.second[row]);
}

std::string_view source_name(SampleSource source) noexcept {
    constexpr std::array<std::string_view, sample_sources> names{"v1", "v2", "log"};
    return names[std::to_underlying(source)];
}

std::optional<std::size_t> Sample::find(std::uint32_t title_index) const noexcept {
    const auto found = positions_.find(title_index);
    if (found == positions_.end() || found->second >= used_ || objects_[found->second].title_index != title_index)
        return std::nullopt;
    return found->second;
}

/// Remembers where an object is that has just been added. Of objects that come in the same order as in the sample
/// before it is known.
void Sample::note_title(std::size_t position) {
    const std::uint32_t title_index = objects_[position].title_index;
    if (position == 0) in_order_ = true;
    in_order_ = in_order_ && position < titles_.size() && titles_[position] == title_index;
    if (in_order_) return;
    titles_.resize(position);
    titles_.push_back(title_index);
    if (find(title_index)) return;
    constexpr std::size_t kept = 4096;  // titles that no sample has had for long are forgotten together
    if (positions_.size() > kept + 2 * used_) {
        positions_.clear();
        for (std::size_t i = 0; i < position; ++i) positions_.try_emplace(titles_[i], i);
    }
    positions_[title_index] = position;
}

std::optional<Sample::InstanceRef> Sample::parent(const Instance& instance) const noexcept {
    if (instance.parent_object == 0) return std::nullopt;
    const auto object = find(instance.parent_object);
    if (!object || instance.parent_instance >= objects_[*object].instances.size()) return std::nullopt;
    return InstanceRef{*object, instance.parent_instance};
}

std::int64_t unix_time(const SystemTime& time) noexcept {
    namespace chrono = std::chrono;
    const chrono::sys_days day{chrono::year{time.year} / chrono::month{time.month} / chrono::day{time.day}};
    const chrono::milliseconds since = day.time_since_epoch() + chrono::hours{time.hour} +
                                       chrono::minutes{time.minute} + chrono::seconds{time.second} +
                                       chrono::milliseconds{time.milliseconds};
    // SYSTEMTIME reaches further than 64 bits of nanoseconds do: to the year 30827.
    constexpr auto first = chrono::ceil<chrono::milliseconds>(chrono::nanoseconds::min());
    constexpr auto last = chrono::floor<chrono::milliseconds>(chrono::nanoseconds::max());
    return chrono::nanoseconds{std::clamp(since, first, last)}.count();
}

std::optional<std::int64_t> unix_time(const Sample& sample) noexcept {
    if (!sample.system_time) return std::nullopt;
    return unix_time(*sample.system_time);
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
