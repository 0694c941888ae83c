#include "identity/matcher.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"
#include "identity/instance_key.hpp"
#include "sample/memory.hpp"

namespace hkpd {

struct Matcher::State {
    struct Matched {
        std::uint32_t before = no_index;
        std::uint32_t unmoved = 0;  // number of leading rows with the same positions in both samples
        std::vector<std::uint32_t> rows, columns;
    };
    struct Place {
        std::uint32_t title_index, position;

        auto operator<=>(const Place&) const = default;
    };
    /// The instances of one of the two objects being matched.
    struct Rows {
        Rows(const Sample& of, const Object& listed) noexcept : sample(of), object(listed), ids(of, listed) {}

        const Sample& sample;
        const Object& object;
        IdColumns ids;
    };
    struct RowRange {
        std::uint32_t first, end;
    };
    template <class Titled, class Pair>
    void pair_titles(const Titled& before, const Titled& now, std::uint32_t first, const Pair& pair);
    void pair_objects();
    void match_object(std::size_t position);
    void match_columns(Matched& matched, const Object& before, const Object& now);
    void match_rows(std::size_t position, const Object& before, const Object& now);
    std::uint32_t unchanged(const Rows& old, const Rows& current, RowRange rows, std::size_t position) const noexcept;
    std::size_t unmoved(std::uint32_t title_index, std::size_t position) const noexcept;
    InstanceKey key(const Rows& from, std::uint32_t row, std::size_t position) const noexcept;

    const Sample* before = nullptr;
    const Sample* now = nullptr;
    ObjectOrder order;
    std::vector<Matched> objects;
    std::vector<InstanceKey> keys_before, keys_now;
    std::vector<Place> places_before, places_now;
};

Matcher::Matcher() : state_(std::make_unique<State>()) {}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;
Matcher::~Matcher() = default;

std::size_t Matcher::size() const noexcept { return state_->order.positions().size(); }

std::uint32_t Matcher::object(std::size_t position) const noexcept { return state_->objects[position].before; }

std::span<const std::uint32_t> Matcher::rows(std::size_t object) const noexcept { return state_->objects[object].rows; }

std::span<const std::uint32_t> Matcher::columns(std::size_t object) const noexcept {
    return state_->objects[object].columns;
}

void Matcher::match(const Sample& before, const Sample& now) {
    State& s = *state_;
    s.before = &before;
    s.now = &now;
    s.order.arrange(now);
    if (s.objects.size() < size()) s.objects.resize(size());
    for (std::size_t i = 0; i < size(); ++i) s.objects[i].before = no_index;
    if (before.source == now.source) s.pair_objects();
    for (const std::uint32_t position : s.order.positions()) s.match_object(position);
}

/// Pairs entries that have the same title index: the k-th such entry in `old` with the k-th in `current`, counted from
/// position `first` in both. Calls `pair` with the position in `old` and the position in `current`.
template <class Titled, class Pair>
void Matcher::State::pair_titles(const Titled& old, const Titled& current, std::uint32_t first, const Pair& pair) {
    const auto sort = [first](const Titled& titled, std::vector<Place>& places) {
        places.clear();
        for (std::uint32_t i = first; i < titled.size(); ++i) places.push_back({titled[i].title_index, i});
        std::ranges::sort(places);
    };
    sort(old, places_before);
    sort(current, places_now);
    for (auto a = places_before.begin(), b = places_now.begin(); a != places_before.end() && b != places_now.end();) {
        const auto titles = a->title_index <=> b->title_index;
        if (titles == 0) pair(a->position, b->position);
        if (titles <= 0) ++a;
        if (titles >= 0) ++b;
    }
}

/// Pairs the objects. In V2, one query can produce several objects of one counterset: the k-th in `now` is paired with
/// the k-th in `before`. In other samples, only the first object with a given title index is paired.
void Matcher::State::pair_objects() {
    const bool all = now->source == SampleSource::v2;
    pair_titles(before->objects(), now->objects(), 0, [&](std::uint32_t old, std::uint32_t current) {
        if (all || now->find(now->objects()[current].title_index) == current) objects[current].before = old;
    });
}

void Matcher::State::match_object(std::size_t position) {
    Matched& matched = objects[position];
    matched.unmoved = 0;
    if (matched.before == no_index) {
        matched.rows.clear();
        matched.columns.clear();
        return;
    }
    const Object &current = now->objects()[position], &old = before->objects()[matched.before];
    match_columns(matched, old, current);
    match_rows(position, old, current);
}

void Matcher::State::match_columns(Matched& matched, const Object& old, const Object& current) {
    matched.columns.assign(current.columns.size(), no_index);
    const std::size_t common = std::min(old.columns.size(), current.columns.size());
    std::uint32_t prefix = 0;
    for (; prefix < common && old.columns[prefix].title_index == current.columns[prefix].title_index; ++prefix)
        matched.columns[prefix] = prefix;
    // The columns of the common prefix are already paired. `pair_titles` pairs the remaining columns: for each title
    // index, the k-th remaining column of `old` with the k-th remaining column of `current`. If it paired all columns,
    // the pairs would be the same, because both prefixes have the same title indices in the same order.
    if (prefix < current.columns.size())
        pair_titles(old.columns, current.columns, prefix,
                    [&](std::uint32_t was, std::uint32_t is) { matched.columns[is] = was; });
}

void Matcher::State::match_rows(std::size_t position, const Object& was, const Object& is) {
    auto& rows = objects[position].rows;
    auto& in_place = objects[position].unmoved;
    rows.resize(is.instances.size());
    if (was.kind != Kind::multi || is.kind != Kind::multi) {
        std::ranges::fill(rows, no_index);
        if (was.kind == Kind::single && is.kind == Kind::single && !was.instances.empty() && !rows.empty()) rows[0] = 0;
        return;
    }
    const Rows old(*before, was), current(*now, is);
    // This loop pairs the unchanged instances at the beginning of both lists, which usually are all instances. In
    // general, instances with equal keys match in the order of their rows: the first in `was` with the first in `is`,
    // and so on. The loop pairs instances with equal keys in this order too, so the remaining instances match as they
    // would without the loop. If the instances at a position are damaged in both samples, both are skipped, because a
    // damaged instance matches no instance.
    const auto common = static_cast<std::uint32_t>(std::min(was.instances.size(), is.instances.size()));
    std::uint32_t prefix = 0;
    const auto take = [&](std::uint32_t end) {
        if (in_place == prefix) in_place = end;
        for (; prefix < end; ++prefix) rows[prefix] = prefix;
    };
    while (take(unchanged(old, current, {prefix, common}, position)), prefix < common) {
        const InstanceKey a = key(old, prefix, position), b = key(current, prefix, position);
        if (a.faults != 0 && b.faults != 0)
            rows[prefix++] = no_index;
        else if (compare_keys(a, b) == 0)
            take(prefix + 1);
        else
            break;
    }
    if (prefix == is.instances.size()) return;
    std::ranges::fill(std::span(rows).subspan(prefix), no_index);
    const auto rest = [&](const Rows& from, std::vector<InstanceKey>& keys) {
        keys.clear();
        for (std::uint32_t row = prefix; row < from.object.instances.size(); ++row) {
            const InstanceKey one = key(from, row, position);
            if (one.faults == 0) keys.push_back(one);
        }
        std::ranges::sort(keys, key_order);
    };
    rest(old, keys_before);
    rest(current, keys_now);
    for (auto a = keys_before.begin(), b = keys_now.begin(); a != keys_before.end() && b != keys_now.end();) {
        const auto keys = compare_keys(*a, *b);
        if (keys == 0) rows[b->row] = a->row;
        if (keys <= 0) ++a;
        if (keys >= 0) ++b;
    }
}

/// Returns the first row of the range `rows` whose keys in `old` and `current` may differ; the end of the range if
/// there is none. `position`: position of the object in `now`. Compares fields without making keys, which is faster. In
/// the rows before the result, no name or id is damaged, and the parents have the same positions in both samples.
std::uint32_t Matcher::State::unchanged(const Rows& old, const Rows& current, RowRange rows,
                                        std::size_t position) const noexcept {
    const SameIds ids(old.ids, current.ids);
    if (!ids.known()) return rows.first;
    const std::span was(old.object.instances), is(current.object.instances);
    constexpr std::uint64_t anywhere = no_index + std::uint64_t{1};
    std::uint32_t parents = 0;
    std::uint64_t valid_parents = anywhere;
    const auto same = [&](const Instance& a, const Instance& b) {
        if (b.parent_object != parents) {
            parents = b.parent_object;
            valid_parents = parents == 0 ? anywhere : unmoved(parents, position);
        }
        return a.parent_object == parents && a.parent_instance == b.parent_instance &&
               b.parent_instance < valid_parents && a.unique_id == b.unique_id && a.name && b.name &&
               *a.name == *b.name;
    };
    constexpr std::uint32_t rows_at_once = 256;  // ids are compared this many rows at a time, column by column
    std::uint32_t row = rows.first, end = row;
    while (row == end && row < rows.end) {
        const std::uint32_t most = std::min(rows.end - row, rows_at_once);
        end = row + most;
        const auto ids_end = static_cast<std::uint32_t>(ids.first_difference(row, end));
        while (row < ids_end && same(was[row], is[row])) ++row;
    }
    return row;
}

/// Returns the number of leading instances of an object that certainly have the same positions in both samples; 0 if
/// this number is unknown. `title_index`: title index of this object, whose instances are parents. `position`: position
/// in `now` of the object that contains their children.
std::size_t Matcher::State::unmoved(std::uint32_t title_index, std::size_t position) const noexcept {
    const auto parents = now->find(title_index);
    return parents && order.comes_before(*parents, position) ? objects[*parents].unmoved : 0;
}

/// Returns the key of the instance at `row`. `position`: position of its object in `now`. If the instance's parent is
/// in both samples, the key has the parent's position in `before`. If the parent is only in `now`, the key has the
/// fault `parent_lost`, so that children of a new parent are new.
InstanceKey Matcher::State::key(const Rows& from, std::uint32_t row, std::size_t position) const noexcept {
    const Instance& instance = from.object.instances[row];
    InstanceKey key = from.ids.key(instance, row);
    key.parent_object = instance.parent_object;
    key.parent = instance.parent_instance;
    const auto parent = from.sample.parent(instance);
    if (!parent) return key;
    // Damaged input can name parents in a circle: instances of object A have parents in B, and instances of B have
    // parents in A. `order` then has one of them first, such as A, although its parents in B come later. The parents of
    // A's instances then count as unknown. The keys of both samples must be made in the same way, so the order of the
    // objects in `now` applies to the keys of `before` too.
    const auto matched = now->find(instance.parent_object);
    if (matched && !order.comes_before(*matched, position)) return key;
    key.parent_known = true;
    if (&from.sample == before) return key;
    const auto& places = objects[parent->object].rows;
    if (places.empty() || places[parent->instance] == no_index)
        key.faults |= InstanceKey::parent_lost;
    else
        key.parent = places[parent->instance];
    return key;
}

namespace {

constexpr std::uint32_t at_work = no_index - 1;  // rank of an object whose visit has begun, until its rank is known

}  // namespace

/// Computes the order by visiting the objects depth-first: an object is added after the objects that contain the
/// parents of its instances. Does not use recursion, because the input controls the depth of nesting.
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

/// Returns the position of an unvisited object that contains parents of instances of the object in `visit`; `no_index`
/// if there is none left.
std::uint32_t ObjectOrder::next_parent(const Sample& sample, Visit& visit) const {
    const Object& object = sample.objects()[visit.object];
    const auto unvisited = [&](std::uint32_t title_index) {
        const auto parent = title_index == 0 ? std::nullopt : sample.find(title_index);
        return parent && rank_[*parent] == no_index ? static_cast<std::uint32_t>(*parent) : no_index;
    };
    const Object::Memory::Parents& parents = object.memory().parents;
    if (!parents.differ) return unvisited(parents.object);
    for (; visit.row < object.instances.size(); ++visit.row)
        if (const std::uint32_t parent = unvisited(object.instances[visit.row].parent_object); parent != no_index)
            return parent;
    return no_index;
}

}  // namespace hkpd
