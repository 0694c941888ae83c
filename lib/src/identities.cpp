#include <algorithm>

#include "hkpd/identity.hpp"
#include "hkpd/limits.hpp"
#include "id_columns.hpp"

namespace hkpd {
namespace {

/// A name as a key: no case for ASCII letters, as in paths.
void append_folded(std::string& out, std::string_view text) {
    for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// A part of a key; its length before it, so that no two keys can be one.
void append_part(std::string& key, std::string_view text) {
    key.append(std::to_string(text.size())).append(":").append(text);
}
void append_part(std::string& key, std::uint64_t number) { key.append(std::to_string(number)).append(","); }

bool has_rows(const Object& object) noexcept { return object.kind == Kind::multi || object.kind == Kind::single; }

std::string_view direct_parent(const Sample& sample, const Instance& instance) {
    const auto parent = sample.parent(instance);
    if (!parent) return {};
    return sample.objects()[parent->object].instances[parent->instance].name.value_or("?");
}

}  // namespace

std::string Identities::Identity::path() const { return parent.empty() ? name : parent + '/' + name; }

void Identities::add(const Sample& now, const Matcher* matches) {
    constexpr std::size_t most_machines = 1024;  // those that were never matched need not be remembered
    if (machines_.size() > most_machines) machines_.clear();
    Numbers& before = machines_[now.machine.value_or("")];
    if (next_.size() < now.objects().size()) next_.resize(now.objects().size());
    numbered_.assign(now.objects().size(), false);
    for (std::size_t i = 0; i < now.objects().size(); ++i) number_object(now, i, matches, before, 0);
    std::swap(before, next_);
    current_ = &before;
}

/// Parents get their numbers first: they are part of their children's keys.
void Identities::number_object(const Sample& now, std::size_t position, const Matcher* matches, const Numbers& before,
                               std::uint32_t depth) {
    if (numbered_[position]) return;
    numbered_[position] = true;
    const Object& object = now.objects()[position];
    auto& numbers = next_[position];
    numbers.assign(object.instances.size(), no_index);
    std::uint32_t last = 0;
    for (const Instance& instance : object.instances) {
        if (instance.parent_object == last) continue;
        last = instance.parent_object;
        const auto parent = now.find(last);
        if (parent && depth < Limits{}.parents) number_object(now, *parent, matches, before, depth + 1);
    }
    bool all_known = true;
    const std::uint32_t old = matches == nullptr ? no_index : matches->object(position);
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        const std::uint32_t old_row = old == no_index ? no_index : matches->rows(position)[row];
        if (old_row != no_index && old < before.size() && old_row < before[old].size())
            numbers[row] = before[old][old_row];
        all_known = all_known && numbers[row] != no_index;
    }
    if (!all_known && has_rows(object)) number_new(now, position);
}

void Identities::number_new(const Sample& now, std::size_t position) {
    const Object& object = now.objects()[position];
    std::map<std::string, std::uint32_t> equals;
    for (std::uint32_t row = 0; row < object.instances.size(); ++row) {
        std::string key = key_of(now, object, row);
        const std::uint32_t ordinal = equals[key]++;
        if (next_[position][row] != no_index) continue;
        append_part(key, ordinal);
        next_[position][row] = find_or_add(key, now, object, row);
    }
}

std::string Identities::key_of(const Sample& now, const Object& object, std::uint32_t row) const {
    const Instance& instance = object.instances[row];
    std::string key;
    append_part(key, now.machine.value_or(""));
    append_part(key, object.title_index);
    const auto parent = now.parent(instance);
    const bool known = parent && numbered_[parent->object] && parent->instance < next_[parent->object].size();
    append_part(key, known ? 1 : 0);
    append_part(key, known ? 0 : instance.parent_object);
    append_part(key, known ? next_[parent->object][parent->instance] : instance.parent_instance);
    append_part(key, instance.name ? 1 : 0);
    append_part(key, instance.name.value_or(""));
    append_part(key, static_cast<std::uint64_t>(std::int64_t{instance.unique_id.value_or(-1)}));
    const auto ids = IdColumns(object)[row];
    append_part(key, ids ? 1 : 0);
    append_part(key, ids ? ids->process : 0);
    append_part(key, ids ? ids->thread : 0);
    return key;
}

std::uint32_t Identities::find_or_add(const std::string& key, const Sample& now, const Object& object,
                                      std::uint32_t row) {
    if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
    if (identities_.size() >= most_) {
        overflowed_ = true;
        return no_index;
    }
    const auto number = static_cast<std::uint32_t>(identities_.size());
    by_key_.emplace(key, number);
    Identity& added = identities_.emplace_back();
    added.object = object.title_index;
    if (object.kind != Kind::multi) return number;
    added.parent = direct_parent(now, object.instances[row]);
    added.name = object.instances[row].name.value_or("?");

    std::string called;
    append_part(called, now.machine.value_or(""));
    append_part(called, object.title_index);
    append_folded(called, added.parent + '/' + added.name);
    const auto [first, is_first] = same_name_.emplace(called, 1);
    if (is_first) return number;
    // An instance may really be called `name#1`.
    std::string suffix;
    do {
        suffix = '#' + std::to_string(first->second++);
    } while (!same_name_.emplace(called + suffix, 1).second);
    added.name += suffix;
    return number;
}

}  // namespace hkpd
