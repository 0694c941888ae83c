#include <algorithm>
#include <tuple>

#include "hkpd/identity.hpp"
#include "hkpd/limits.hpp"
#include "id_columns.hpp"

namespace hkpd {
namespace {

constexpr std::int64_t no_unique_id = -1;

bool is_list(const Object& object) noexcept { return object.kind == Kind::multi; }

}  // namespace

void Matcher::match(const Sample& before, const Sample& now) {
    before_ = &before;
    now_ = &now;
    if (objects_.size() < now.objects().size()) objects_.resize(now.objects().size());
    for (Matched& matched : objects_) matched.state = State::open;
    for (std::size_t i = 0; i < now.objects().size(); ++i) match_object(i, 0);
}

/// Whether the object is matched after it. Not where that takes itself: parents may lead in a circle.
bool Matcher::match_object(std::size_t position, std::uint32_t depth) {
    Matched& matched = objects_[position];
    if (matched.state != State::open) return matched.state == State::done;
    const Object& now = now_->objects()[position];
    matched.before = no_index;
    matched.rows.clear();
    matched.columns.clear();
    const auto before = before_->find(now.title_index);
    // Of an object that is in the sample twice, the first one counts.
    if (before && now_->find(now.title_index) == position) {
        matched.state = State::at_work;
        const Object& old = before_->objects()[*before];
        match_parents(now, depth);
        match_parents(old, depth);
        matched.before = static_cast<std::uint32_t>(*before);
        match_columns(matched, old, now);
        match_rows(matched, old, now);
    }
    matched.state = State::done;
    return true;
}

/// Parents come first: their identity is part of their children's.
void Matcher::match_parents(const Object& object, std::uint32_t depth) {
    std::uint32_t last = 0;
    for (const Instance& instance : object.instances)
        if (instance.parent_object != last) is_matched(last = instance.parent_object, depth + 1);
}

bool Matcher::is_matched(std::uint32_t title_index, std::uint32_t depth) {
    if (title_index == 0 || depth > Limits{}.parents) return false;
    const auto position = now_->find(title_index);
    return position && match_object(*position, depth);
}

void Matcher::match_columns(Matched& matched, const Object& before, const Object& now) {
    const auto same = [&](std::size_t place) {
        return place < before.columns.size() && before.columns[place].title_index == now.columns[place].title_index;
    };
    std::size_t prefix = 0;
    while (prefix < now.columns.size() && same(prefix)) ++prefix;
    matched.columns.resize(now.columns.size(), no_index);
    for (std::size_t i = 0; i < prefix; ++i) matched.columns[i] = static_cast<std::uint32_t>(i);
    if (prefix == now.columns.size()) return;
    // What stands in other places: the k-th of a title index is the k-th before.
    std::multimap<std::uint32_t, std::uint32_t> rest;
    for (std::size_t i = prefix; i < before.columns.size(); ++i)
        rest.emplace(before.columns[i].title_index, static_cast<std::uint32_t>(i));
    for (std::size_t i = prefix; i < now.columns.size(); ++i) {
        const auto found = rest.lower_bound(now.columns[i].title_index);
        if (found == rest.end() || found->first != now.columns[i].title_index) continue;
        matched.columns[i] = found->second;
        rest.erase(found);
    }
}

void Matcher::match_rows(Matched& matched, const Object& before, const Object& now) {
    matched.rows.assign(now.instances.size(), no_index);
    if (!is_list(now) || !is_list(before)) {
        if (is_list(now) == is_list(before) && !before.instances.empty() && !matched.rows.empty()) matched.rows[0] = 0;
        return;
    }
    find_keys(*before_, before, keys_before_);
    find_keys(*now_, now, keys_now_);
    const auto key = [](const Key& k) {
        return std::tie(k.name, k.unique_id, k.process, k.thread, k.parent_known, k.parent_object, k.parent);
    };
    // What has not changed since. Among equals this takes the same ones from both sides, in their order, so that those
    // behind still stand in the same order to each other.
    std::size_t prefix = 0;
    const std::size_t common = std::min(keys_before_.size(), keys_now_.size());
    for (; prefix < common; ++prefix) {
        const Key &a = keys_before_[prefix], &b = keys_now_[prefix];
        if (!a.sound || !b.sound || key(a) != key(b)) break;
        matched.rows[prefix] = static_cast<std::uint32_t>(prefix);
    }
    const auto order = [&key](const Key& a, const Key& b) {
        if (const auto keys = key(a) <=> key(b); keys != 0) return keys < 0;
        return a.row < b.row;
    };
    const auto rest = [&](std::vector<Key>& keys) {
        keys.erase(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(prefix));
        std::erase_if(keys, [](const Key& k) { return !k.sound; });
        std::ranges::sort(keys, order);
    };
    rest(keys_before_);
    rest(keys_now_);
    for (auto a = keys_before_.begin(), b = keys_now_.begin(); a != keys_before_.end() && b != keys_now_.end();) {
        const auto keys = key(*a) <=> key(*b);
        if (keys == 0) matched.rows[b->row] = a->row;
        if (keys <= 0) ++a;
        if (keys >= 0) ++b;
    }
}

void Matcher::find_keys(const Sample& sample, const Object& object, std::vector<Key>& keys) const {
    const IdColumns ids(object);
    keys.resize(object.instances.size());
    for (std::uint32_t row = 0; row < keys.size(); ++row) {
        const Instance& instance = object.instances[row];
        Key& key = keys[row];
        const auto id = ids[row];
        key = {};
        key.row = row;
        key.sound = instance.name && id;
        if (!key.sound) continue;
        key.name = *instance.name;
        key.unique_id = instance.unique_id.value_or(no_unique_id);
        key.process = id->process;
        key.thread = id->thread;
        find_parent(sample, instance, key);
    }
}

/// A parent that is in both samples is known by where it was before; a new one makes its children new.
void Matcher::find_parent(const Sample& sample, const Instance& instance, Key& key) const {
    key.parent_object = instance.parent_object;
    key.parent = instance.parent_instance;
    const auto matched = now_->find(instance.parent_object);
    const auto parent = sample.parent(instance);
    // Both samples have to see it the same way: a circle of parents ends here for both.
    if (!parent || !matched || objects_[*matched].state != State::done) return;
    key.parent_known = true;
    if (&sample == before_) {
        key.parent_object = static_cast<std::uint32_t>(parent->object);
        key.parent = static_cast<std::uint32_t>(parent->instance);
        return;
    }
    key.parent_object = objects_[parent->object].before;
    const auto rows = std::span(objects_[parent->object].rows);
    if (key.parent_object == no_index || rows[parent->instance] == no_index)
        key.sound = false;
    else
        key.parent = rows[parent->instance];
}

}  // namespace hkpd
