#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"
#include "sample/identity.hpp"
#include "sample/instance_key.hpp"

namespace hkpd {

namespace {

/// As `==`, without a call: names are short.
bool same_text(std::string_view a, std::string_view b) noexcept {
    const std::size_t size = a.size();
    if (b.size() != size) return false;
    // The first and the last bytes of both, which may overlap.
    const auto ends = [&]<class Word>(Word /*of which there are no more than two*/) {
        const auto differ = [&](std::size_t at) {
            Word x, y;
            std::memcpy(&x, a.data() + at, sizeof x);
            std::memcpy(&y, b.data() + at, sizeof y);
            return x ^ y;
        };
        return (differ(0) | differ(size - sizeof(Word))) == 0;
    };
    if (size > 2 * sizeof(std::uint64_t)) return a == b;
    if (size >= sizeof(std::uint64_t)) return ends(std::uint64_t{});
    if (size >= sizeof(std::uint32_t)) return ends(std::uint32_t{});
    if (size >= sizeof(std::uint16_t)) return ends(std::uint16_t{});
    return size == 0 || a.front() == b.front();
}

}  // namespace

class Matcher::State {
  public:
    void match(const Sample& before, const Sample& now);
    std::size_t size() const noexcept { return order_.positions().size(); }
    std::uint32_t object(std::size_t position) const noexcept { return objects_[position].before; }
    std::span<const std::uint32_t> rows(std::size_t object) const noexcept { return objects_[object].rows; }
    std::span<const std::uint32_t> columns(std::size_t object) const noexcept { return objects_[object].columns; }

  private:
    struct Matched {
        std::uint32_t before = no_index;
        std::uint32_t unmoved = 0;  // so many rows at the front are where they were before
        std::vector<std::uint32_t> rows, columns;
    };
    struct Place {
        std::uint32_t title_index, position;
    };
    static bool place_order(const Place& a, const Place& b) noexcept;
    template <class Pair>
    void pair_places(const Pair& pair) const;
    void pair_firsts();
    void pair_all();
    void match_object(std::size_t position);
    void match_columns(Matched& matched, const Object& before, const Object& now);
    void match_rows(std::size_t position, const Object& before, const Object& now);
    struct Rows;
    struct RowRange {
        std::uint32_t first, end;
    };
    std::uint32_t unchanged(Rows& old, Rows& current, RowRange rows, std::size_t position) const noexcept;
    std::size_t unmoved(Rows& current, std::uint32_t title_index, std::size_t position) const noexcept;
    InstanceKey key(Rows& from, std::uint32_t row, std::size_t position) const noexcept;

    const Sample* before_ = nullptr;
    const Sample* now_ = nullptr;
    ObjectOrder order_;
    std::vector<Matched> objects_;
    std::vector<InstanceKey> keys_before_, keys_now_;
    std::vector<Place> places_before_, places_now_;
};

Matcher::Matcher() : state_(std::make_unique<State>()) {}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;
Matcher::~Matcher() = default;

void Matcher::match(const Sample& before, const Sample& now) { state_->match(before, now); }

std::size_t Matcher::size() const noexcept { return state_->size(); }

std::uint32_t Matcher::object(std::size_t position) const noexcept { return state_->object(position); }

std::span<const std::uint32_t> Matcher::rows(std::size_t object) const noexcept { return state_->rows(object); }

std::span<const std::uint32_t> Matcher::columns(std::size_t object) const noexcept { return state_->columns(object); }

/// The instances of one of the two objects that are matched, as far as all of them have it in common.
struct Matcher::State::Rows {
    Rows(const Sample& of, const Sample& now, const Object& listed) noexcept
        : sample(of), object(listed), ids(of, listed), parents(of), parents_now(now) {}

    const Sample& sample;
    const Object& object;
    IdColumns ids;
    ParentObjects parents, parents_now;
};

/// Of what has one title index, the k-th now is the k-th before: calls `pair` with both.
template <class Pair>
void Matcher::State::pair_places(const Pair& pair) const {
    for (auto a = places_before_.begin(), b = places_now_.begin();
         a != places_before_.end() && b != places_now_.end();) {
        const auto titles = a->title_index <=> b->title_index;
        if (titles == 0) pair(*a, *b);
        if (titles <= 0) ++a;
        if (titles >= 0) ++b;
    }
}

bool Matcher::State::place_order(const Place& a, const Place& b) noexcept {
    return a.title_index != b.title_index ? a.title_index < b.title_index : a.position < b.position;
}

void Matcher::State::match(const Sample& before, const Sample& now) {
    before_ = &before;
    now_ = &now;
    order_.arrange(now);
    if (objects_.size() < size()) objects_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) objects_[i].before = no_index;
    if (before.source == now.source) now.source == SampleSource::v2 ? pair_all() : pair_firsts();
    for (const std::uint32_t position : order_.positions()) match_object(position);
}

/// Of an object that is in the sample twice, the first one counts.
void Matcher::State::pair_firsts() {
    for (std::uint32_t i = 0; i < size(); ++i) {
        const std::uint32_t title_index = now_->objects()[i].title_index;
        const auto before = before_->find(title_index);
        if (before && now_->find(title_index) == i) objects_[i].before = static_cast<std::uint32_t>(*before);
    }
}

/// The parts of a V2 query can have several objects of one counterset: the k-th is the k-th before.
void Matcher::State::pair_all() {
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

void Matcher::State::match_object(std::size_t position) {
    Matched& matched = objects_[position];
    matched.unmoved = 0;
    if (matched.before == no_index) {
        matched.rows.clear();
        matched.columns.clear();
        return;
    }
    const Object& now = now_->objects()[position];
    const Object& old = before_->objects()[matched.before];
    match_columns(matched, old, now);
    match_rows(position, old, now);
}

void Matcher::State::match_columns(Matched& matched, const Object& before, const Object& now) {
    matched.columns.assign(now.columns.size(), no_index);
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

void Matcher::State::match_rows(std::size_t position, const Object& before, const Object& now) {
    auto& rows = objects_[position].rows;
    auto& unmoved = objects_[position].unmoved;
    rows.resize(now.instances.size());
    if (before.kind != Kind::multi || now.kind != Kind::multi) {
        std::ranges::fill(rows, no_index);
        if (before.kind == Kind::single && now.kind == Kind::single && !before.instances.empty() && !rows.empty())
            rows[0] = 0;
        return;
    }
    Rows old(*before_, *now_, before), current(*now_, *now_, now);
    // What has not changed stands in front, mostly all. This takes equal keys in equal numbers and in the order of rows
    // from both sides: the k-th of a key there is the k-th of it before, and those behind keep their order. Damaged
    // ones in one place do not count on either side.
    const auto common = static_cast<std::uint32_t>(std::min(before.instances.size(), now.instances.size()));
    std::uint32_t prefix = 0;
    const auto take = [&](std::uint32_t end) {
        if (unmoved == prefix) unmoved = end;
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
    if (prefix == now.instances.size()) return;
    std::fill(rows.begin() + prefix, rows.end(), no_index);
    const auto rest = [&](Rows& from, std::vector<InstanceKey>& keys) {
        keys.clear();
        for (std::uint32_t row = prefix; row < from.object.instances.size(); ++row) {
            const InstanceKey one = key(from, row, position);
            if (one.faults == 0) keys.push_back(one);
        }
        std::ranges::sort(keys, key_order);
    };
    rest(old, keys_before_);
    rest(current, keys_now_);
    for (auto a = keys_before_.begin(), b = keys_now_.begin(); a != keys_before_.end() && b != keys_now_.end();) {
        const auto keys = compare_keys(*a, *b);
        if (keys == 0) rows[b->row] = a->row;
        if (keys <= 0) ++a;
        if (keys >= 0) ++b;
    }
}

/// The first of some rows whose instances do not have equal keys, as far as that shows without making keys: nothing
/// about those before it is damaged, and not even their parents have moved.
std::uint32_t Matcher::State::unchanged(Rows& old, Rows& current, RowRange rows, std::size_t position) const noexcept {
    const SameIds ids(old.ids, current.ids);
    if (!ids.known()) return rows.first;
    const std::span before(old.object.instances), now(current.object.instances);
    constexpr std::uint64_t anywhere = no_index + std::uint64_t{1};
    std::uint32_t parents = 0;
    std::uint64_t sound_parents = anywhere;
    for (std::uint32_t row = rows.first; row < rows.end; ++row) {
        const Instance &a = before[row], &b = now[row];
        if (b.parent_object != parents) {
            parents = b.parent_object;
            sound_parents = parents == 0 ? anywhere : unmoved(current, parents, position);
        }
        if (a.parent_object != parents || a.parent_instance != b.parent_instance ||
            b.parent_instance >= sound_parents || a.unique_id != b.unique_id || !ids.same(row) || !a.name || !b.name ||
            !same_text(*a.name, *b.name))
            return row;
    }
    return rows.end;
}

/// How many instances of a parents' object are certainly where they were before.
std::size_t Matcher::State::unmoved(Rows& current, std::uint32_t title_index, std::size_t position) const noexcept {
    const auto parents = current.parents.object(title_index);
    return parents && order_.comes_before(*parents, position) ? objects_[*parents].unmoved : 0;
}

/// A parent that is in both samples is known by where it was before; a new one makes its children new.
InstanceKey Matcher::State::key(Rows& from, std::uint32_t row, std::size_t position) const noexcept {
    const Instance& instance = from.object.instances[row];
    InstanceKey key = from.ids.key(instance, row);
    key.parent_object = instance.parent_object;
    key.parent = instance.parent_instance;
    const auto parent = from.parents.parent(instance);
    if (!parent) return key;
    // Where a circle of parents is cut, it is cut for both samples.
    const auto matched = from.parents_now.object(instance.parent_object);
    if (matched && !order_.comes_before(*matched, position)) return key;
    key.parent_known = true;
    if (&from.sample == before_) return key;
    const auto& places = objects_[parent->object].rows;
    if (places.empty() || places[parent->instance] == no_index)
        key.faults |= InstanceKey::parent_lost;
    else
        key.parent = places[parent->instance];
    return key;
}

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
