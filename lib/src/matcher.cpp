#include <algorithm>

#include "hkpd/identity.hpp"
#include "instance_key.hpp"

namespace hkpd {

/// Of what has one title index, the k-th now is the k-th before: calls `pair` with both.
template <class Pair>
void Matcher::pair_places(const Pair& pair) const {
    for (auto a = places_before_.begin(), b = places_now_.begin();
         a != places_before_.end() && b != places_now_.end();) {
        const auto titles = a->title_index <=> b->title_index;
        if (titles == 0) pair(*a, *b);
        if (titles <= 0) ++a;
        if (titles >= 0) ++b;
    }
}

bool Matcher::place_order(const Place& a, const Place& b) noexcept {
    return a.title_index != b.title_index ? a.title_index < b.title_index : a.position < b.position;
}

void Matcher::match(const Sample& before, const Sample& now) {
    before_ = &before;
    now_ = &now;
    order_.arrange(now);
    if (objects_.size() < size()) objects_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) objects_[i].before = no_index;
    if (before.source == SampleSource::v1 && now.source == SampleSource::v1)
        pair_firsts();
    else if (before.source == now.source)
        pair_all();
    for (const std::uint32_t position : order_.positions()) match_object(position);
}

/// Of an object that is in the sample twice, the first one counts.
void Matcher::pair_firsts() {
    for (std::uint32_t i = 0; i < size(); ++i) {
        const std::uint32_t title_index = now_->objects()[i].title_index;
        const auto before = before_->find(title_index);
        if (before && now_->find(title_index) == i) objects_[i].before = static_cast<std::uint32_t>(*before);
    }
}

/// The parts of a V2 query can have several objects of one counterset: the k-th is the k-th before.
void Matcher::pair_all() {
    const auto collect = [](const Sample& sample, std::vector<Place>& places) {
        places.clear();
        for (std::uint32_t i = 0; i < sample.objects().size(); ++i)
            places.push_back({sample.objects()[i].title_index, i});
        std::ranges::sort(places, place_order);
    };
    collect(*before_, places_before_);
    collect(*now_, places_now_);
    pair_places([this](const Place& a, const Place& b) { objects_[b.position].before = a.position; });
}

void Matcher::match_object(std::size_t position) {
    Matched& matched = objects_[position];
    matched.rows.clear();
    matched.columns.clear();
    if (matched.before == no_index) return;
    const Object& now = now_->objects()[position];
    const Object& old = before_->objects()[matched.before];
    match_columns(matched, old, now);
    match_rows(position, old, now);
}

void Matcher::match_columns(Matched& matched, const Object& before, const Object& now) {
    matched.columns.resize(now.columns.size(), no_index);
    const std::size_t common = std::min(before.columns.size(), now.columns.size());
    std::uint32_t prefix = 0;
    for (; prefix < common && before.columns[prefix].title_index == now.columns[prefix].title_index; ++prefix)
        matched.columns[prefix] = prefix;
    if (prefix == now.columns.size()) return;
    // What stands in other places: the k-th of a title index is the k-th before. Those that the prefix has taken were
    // the first ones on both sides.
    const auto rest = [&](const Object& object, std::vector<Place>& places) {
        places.clear();
        for (std::uint32_t i = prefix; i < object.columns.size(); ++i)
            places.push_back({object.columns[i].title_index, i});
        std::ranges::sort(places, place_order);
    };
    rest(before, places_before_);
    rest(now, places_now_);
    pair_places([&](const Place& a, const Place& b) { matched.columns[b.position] = a.position; });
}

void Matcher::match_rows(std::size_t position, const Object& before, const Object& now) {
    auto& rows = objects_[position].rows;
    rows.assign(now.instances.size(), no_index);
    if (before.kind == Kind::single && now.kind == Kind::single && !before.instances.empty() && !rows.empty())
        rows[0] = 0;
    if (before.kind != Kind::multi || now.kind != Kind::multi) return;
    find_keys(*before_, before, position, keys_before_);
    find_keys(*now_, now, position, keys_now_);
    // What has not changed stands in front, mostly all. This takes equal keys in equal numbers and in the order of rows
    // from both sides: the k-th of a key there is the k-th of it before, and those behind keep their order. Damaged
    // ones in one place do not count on either side.
    const std::size_t common = std::min(keys_before_.size(), keys_now_.size());
    std::uint32_t prefix = 0;
    for (; prefix < common; ++prefix) {
        const InstanceKey &a = keys_before_[prefix], &b = keys_now_[prefix];
        if (a.faults != 0 && b.faults != 0) continue;
        if (compare_keys(a, b) != 0) break;
        rows[prefix] = prefix;
    }
    const auto rest = [prefix](std::vector<InstanceKey>& keys) {
        keys.erase(keys.begin(), keys.begin() + prefix);
        std::erase_if(keys, [](const InstanceKey& key) { return key.faults != 0; });
        std::ranges::sort(keys, key_order);
    };
    rest(keys_before_);
    rest(keys_now_);
    for (auto a = keys_before_.begin(), b = keys_now_.begin(); a != keys_before_.end() && b != keys_now_.end();) {
        const auto keys = compare_keys(*a, *b);
        if (keys == 0) rows[b->row] = a->row;
        if (keys <= 0) ++a;
        if (keys >= 0) ++b;
    }
}

void Matcher::find_keys(const Sample& sample, const Object& object, std::size_t position,
                        std::vector<InstanceKey>& keys) const {
    const IdColumns ids(sample, object);
    keys.clear();
    for (std::uint32_t row = 0; row < object.instances.size(); ++row) {
        keys.push_back(ids.key(object.instances[row], row));
        find_parent(sample, object.instances[row], position, keys.back());
    }
}

/// A parent that is in both samples is known by where it was before; a new one makes its children new.
void Matcher::find_parent(const Sample& sample, const Instance& instance, std::size_t position,
                          InstanceKey& key) const {
    key.parent_object = instance.parent_object;
    key.parent = instance.parent_instance;
    const auto parent = sample.parent(instance);
    if (!parent) return;
    const auto matched = now_->find(instance.parent_object);
    // Where a circle of parents is cut, it is cut for both samples.
    if (matched && !order_.comes_before(*matched, position)) return;
    key.parent_known = true;
    if (&sample == before_) return;
    const auto& rows = objects_[parent->object].rows;
    if (rows.empty() || rows[parent->instance] == no_index)
        key.faults |= InstanceKey::parent_lost;
    else
        key.parent = rows[parent->instance];
}

}  // namespace hkpd
