// Assigns each instance an index among the instances of its object that have the same name and whose parents have the
// same name. Such instances are found with a hash table of names, which is faster than sorting all instances. Names are
// untrusted: if too many hashes collide, the instances are sorted instead. In this file, a row is the position of an
// instance in its object.
#include "identity/instance_places.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstring>
#include <ranges>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/number_hash.hpp"
#include "base/text/names.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/sample.hpp"
#include "identity/instance_name.hpp"
#include "sample/display_name.hpp"

namespace hkpd {
namespace {

/// Returns a hash that is equal for names that differ only in case. The two cases of an ASCII letter differ only in bit
/// 0x20, which is set in each byte before hashing. Different names with equal hashes only cost time. `seed`: a number
/// that becomes part of the hash.
std::uint64_t hash_name(std::string_view name, std::uint64_t seed) {
    std::string folded;
    if (!is_ascii(name)) name = folded = fold_case(name);
    constexpr std::uint64_t case_bits = 0x2020'2020'2020'2020;
    std::uint64_t hash = mix_hash(seed, name.size());
    // A size that is known when compiling needs no call of memcpy. The last two words of a long name can overlap.
    constexpr std::size_t step = sizeof(std::uint64_t);
    std::uint64_t word = 0;
    if (name.size() >= step) {
        for (std::size_t at = 0; at < name.size(); at += step) {
            std::memcpy(&word, name.substr(std::min(at, name.size() - step)).data(), step);
            hash = mix_hash(hash, word | case_bits);
        }
        return hash;
    }
    if (constexpr std::size_t half = step / 2; name.size() >= half) {
        std::uint32_t first = 0, last = 0;
        std::memcpy(&first, name.data(), half);
        std::memcpy(&last, name.substr(name.size() - half).data(), half);
        word = std::uint64_t{first} << 32U | last;
    } else {
        for (const char c : name) word = word << 8U | static_cast<unsigned char>(c);
    }
    return mix_hash(hash, word | case_bits);
}

/// Compares two names regardless of case, first by size and then by characters. Returns 0 if they are equal, and a
/// negative number if `a` comes before `b`.
int order_names(std::string_view a, std::string_view b) {
    const auto by_size = [](std::string_view one, std::string_view other) {
        return static_cast<int>(one.size() > other.size()) - static_cast<int>(one.size() < other.size());
    };
    if (a == b) return 0;
    if (is_ascii(a) && is_ascii(b)) {
        const int sizes = by_size(a, b);
        return sizes != 0 ? sizes : compare_names(a, b);
    }
    const std::string one = fold_case(a), other = fold_case(b);
    const int sizes = by_size(one, other);
    return sizes != 0 ? sizes : one.compare(other);
}

/// Calls `seen(row, before)` for each row that equals an earlier row; `before` is the last such row. Equal rows are
/// visited in order. `key` selects, hashes and compares rows. Returns false, perhaps after some calls of `seen`, if the
/// search takes more steps than expected, because hashes collide.
template <class Key, class Visit>
bool visit_by_hash(std::uint32_t count, std::vector<std::uint32_t>& table, const Key& key, const Visit& seen) {
    constexpr std::size_t steps_for_a_row = 8;  // a row usually needs about 3 steps
    table.assign(std::bit_ceil(count + count / 3 + 2U), no_index);
    const int unused = 64 - std::countr_zero(table.size());
    std::size_t steps = steps_for_a_row * count;
    for (std::uint32_t row = 0; row < count; ++row) {
        if (!key.counts(row)) continue;
        auto slot = static_cast<std::size_t>(mix_hash(key.hash(row), 0) >> unused);
        while (table[slot] != no_index && key.order(table[slot], row) != 0) {
            if (steps-- == 0) return false;
            slot = (slot + 1) & (table.size() - 1);
        }
        if (table[slot] != no_index) seen(row, table[slot]);
        table[slot] = row;
    }
    return true;
}

template <class Key, class Visit>
void visit_sorted(std::uint32_t count, std::vector<std::uint32_t>& rows, const Key& key, const Visit& seen) {
    rows.clear();
    for (std::uint32_t row = 0; row < count; ++row)
        if (key.counts(row)) rows.push_back(row);
    std::ranges::sort(rows, [&key](std::uint32_t a, std::uint32_t b) {
        const auto order = key.order(a, b);
        return order != 0 ? order < 0 : a < b;
    });
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (key.order(rows[i - 1], rows[i]) == 0) seen(rows[i], rows[i - 1]);
}

template <class Key, class Visit>
void visit_equals(std::uint32_t count, std::vector<std::uint32_t>& table, const Key& key, const Visit& seen) {
    // If `visit_by_hash` fails, `visit_sorted` may call `seen` again for rows that were already visited. This does no
    // harm: `seen` only sets a value of the row, and sets it to the same value again.
    if (!visit_by_hash(count, table, key, seen)) visit_sorted(count, table, key, seen);
}

/// A key for `visit_equals` that compares rows by their parent: its object and its position in this object. Selects the
/// rows with `parents[row] == row`. Each of them has a parent, and no earlier row with the same parent is known yet.
struct ParentPlace {
    const std::vector<Instance>& instances;
    const std::vector<std::uint32_t>& parents;

    bool counts(std::uint32_t row) const noexcept { return parents[row] == row; }
    std::uint64_t hash(std::uint32_t row) const noexcept {
        return mix_hash(instances[row].parent_object, instances[row].parent_instance);
    }
    auto order(std::uint32_t a, std::uint32_t b) const noexcept {
        const Instance &one = instances[a], &other = instances[b];
        return std::tie(one.parent_object, one.parent_instance) <=>
               std::tie(other.parent_object, other.parent_instance);
    }
};

/// A key for `visit_equals` that compares rows by the name of their parent. Selects the same rows as `ParentPlace`: the
/// rows that have a parent and are not yet joined to an earlier row.
struct ParentName {
    const Sample& sample;
    const std::vector<Instance>& instances;
    const std::vector<std::uint32_t>& parents;

    std::string_view name(std::uint32_t row) const noexcept {
        const auto parent = sample.parent(instances[row]);
        if (!parent) return {};
        return shown_name(sample.objects()[parent->object].instances[parent->instance]);
    }
    bool counts(std::uint32_t row) const noexcept { return parents[row] == row; }
    std::uint64_t hash(std::uint32_t row) const { return hash_name(name(row), 0); }
    int order(std::uint32_t a, std::uint32_t b) const { return order_names(name(a), name(b)); }
};

/// A key for `visit_equals` that compares all rows by their own name and by `parents[row]`, which is equal for two rows
/// if the names of their parents are equal.
struct OwnName {
    const std::vector<Instance>& instances;
    const std::vector<std::uint32_t>& parents;  // empty: no row has a parent

    std::uint32_t parent(std::uint32_t row) const noexcept { return parents.empty() ? no_index : parents[row]; }
    static bool counts(std::uint32_t /*row*/) noexcept { return true; }
    std::uint64_t hash(std::uint32_t row) const { return hash_name(shown_name(instances[row]), parent(row)); }
    int order(std::uint32_t a, std::uint32_t b) const {
        if (parent(a) != parent(b)) return parent(a) < parent(b) ? -1 : 1;
        return order_names(shown_name(instances[a]), shown_name(instances[b]));
    }
};

}  // namespace

void InstancePlaces::number(const Sample& sample, const Object& object, std::vector<std::uint32_t>& places) {
    const auto count = static_cast<std::uint32_t>(object.instances.size());
    places.assign(count, 0);
    if (count < 2) return;
    find_parents(sample, object);
    bool any = false;
    visit_equals(count, table_, OwnName{object.instances, parents_}, [&](std::uint32_t row, std::uint32_t before) {
        places[row] = places[before] + 1;
        any = true;
    });
    if (any) pass_over_names(sample, object, places);
}

/// Increases places whose text is the real name of another instance: if one is called `name#1`, the second `name` is
/// `name#2`. Names that end in `#` and a number are rare: providers must not use `#` (learn.microsoft.com, "Specifying
/// a Counter Path").
void InstancePlaces::pass_over_names(const Sample& sample, const Object& object, std::vector<std::uint32_t>& places) {
    std::unordered_set<std::string> taken;
    std::string text;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    for (const Instance& instance : object.instances) {
        const std::string_view name = shown_name(instance);
        const auto digits = std::ranges::find_if_not(name | std::views::reverse, is_digit);
        if (digits == name.rend() || *digits != '#' || !split_place(name)) continue;
        text.clear();
        append_place(text, sample, instance, 0);
        taken.insert(fold_case(text));
    }
    if (taken.empty()) return;
    std::unordered_map<std::string, std::uint32_t> next;  // folded name → the place after the last one
    for (std::uint32_t row = 0; row < places.size(); ++row) {
        if (places[row] == 0) continue;
        text.clear();
        append_place(text, sample, object.instances[row], 0);
        std::uint32_t& place = next[fold_case(text)];
        place = std::max(place, places[row]);
        do {
            text.clear();
            append_place(text, sample, object.instances[row], place++);
        } while (taken.contains(fold_case(text)));
        places[row] = place - 1;
    }
}

/// Sets `parents_[row]`, for each row, to the first row whose parent has the same name as this row's parent. The entry
/// is `no_index` if the row has no parent or its parent is not in the sample. Leaves `parents_` empty if no row has a
/// parent. Reads each parent's name once, not once per child, because a name may be long.
void InstancePlaces::find_parents(const Sample& sample, const Object& object) {
    const auto& instances = object.instances;
    parents_.clear();
    if (std::ranges::all_of(instances, [](const Instance& instance) { return instance.parent_object == 0; })) return;
    const auto count = static_cast<std::uint32_t>(instances.size());
    const ParentPlace place{instances, parents_};
    parents_.reserve(count);
    for (std::uint32_t row = 0; row < count; ++row) {
        const bool as_before = row != 0 && place.order(row - 1, row) == 0;
        parents_.push_back(instances[row].parent_object == 0 ? no_index : as_before ? parents_[row - 1] : row);
    }
    const auto join = [this](std::uint32_t row, std::uint32_t before) { parents_[row] = parents_[before]; };
    visit_equals(count, table_, place, join);
    for (std::uint32_t row = 0; row < count; ++row)
        if (parents_[row] == row && !sample.parent(instances[row])) parents_[row] = no_index;
    visit_equals(count, table_, ParentName{sample, instances, parents_}, join);
    // Each entry of `parents_` refers to its own row or to an earlier row. The entries are visited in ascending order,
    // so the entry of the earlier row already refers to the first row.
    for (std::uint32_t& row : parents_)
        if (row != no_index) row = parents_[row];
}

void append_place(std::string& out, const Sample& sample, const Instance& instance, std::uint32_t place) {
    std::optional<std::string_view> name;
    if (const auto parent = sample.parent(instance))
        name = shown_name(sample.objects()[parent->object].instances[parent->instance]);
    append_place(out, name, shown_name(instance), place);
}

void number_instances(const Sample& sample, const Object& object, std::vector<std::uint32_t>& places) {
    InstancePlaces().number(sample, object, places);
}

}  // namespace hkpd
