#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/names.hpp"
#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"
#include "identity/identity.hpp"
#include "identity/instance_key.hpp"
#include "sample/display_name.hpp"

namespace hkpd {
namespace {

/// Appends a number as `sizeof(T)` bytes, whatever its value. A key consists of such numbers and then one name. Keys
/// with different numbers or names therefore have different bytes.
template <std::unsigned_integral T>
void append_fixed_width(std::string& key, T number) {
    for (std::size_t i = 0; i < sizeof(T); ++i) key += static_cast<char>(number >> (8 * i) & 0xFF);
}

bool has_rows(const Object& object) noexcept { return object.kind == Kind::multi || object.kind == Kind::single; }

std::string_view direct_parent(const Sample& sample, const Instance& instance) {
    const auto parent = sample.parent(instance);
    if (!parent) return {};
    return shown_name(sample.objects()[parent->object].instances[parent->instance]);
}

}  // namespace

struct Identities::State {
    using Numbers = std::vector<std::vector<std::uint32_t>>;  // by object and row
    void begin(const Sample& now);
    bool number_known(std::size_t position, const Matcher& matches);
    void number_new(const Sample& now, std::size_t position);
    void find_parent(const Sample& now, const Instance& instance, std::size_t position, InstanceKey& key) const;
    std::uint32_t find_or_add(const Sample& now, std::size_t position, const InstanceKey& key, std::uint32_t ordinal);
    void name_identity(Identity& added, const Sample& now, const Instance& instance);
    std::uint32_t claim(std::uint32_t number);

    std::uint64_t most;
    std::uint64_t bytes_left;  // bytes that keys and names may still use
    bool overflowed = false;
    std::vector<Identity> identities{};
    std::vector<std::uint64_t> seen{};              // for each identity, the number of the last sample that has it
    std::map<std::string, std::uint32_t> by_key{};  // bytes of an identity's key (see `find_or_add`) → its number
    // Machine, object, parent and folded name of an identity → n of `#n` for the next identity in which all four are
    // the same.
    std::map<std::string, std::uint32_t> same_name{};
    std::map<std::string, std::uint32_t, std::less<>> parents{};  // name of a parent → its number in `folded_parents`
    std::map<std::string, std::uint32_t> folded_parents{};        // folded name of a parent → its number
    // For each source: machine → number of the machine.
    std::array<std::map<std::string, std::uint32_t, std::less<>>, sample_sources> machines{};
    // Number of a machine → the numbers of the identities in the last sample of this machine.
    std::map<std::uint32_t, Numbers> last{};
    // The current sample.
    std::uint64_t samples = 0;
    std::uint32_t machine = no_index;
    Numbers* current = nullptr;
    Numbers next{};
    ObjectOrder order{};
    std::vector<std::uint32_t> repeats{};  // for each object, number of earlier objects with the same title index
    // The current object.
    std::vector<InstanceKey> keys{};
    std::vector<std::uint32_t> sorted{}, ordinals{};
    std::string key_bytes{};
};

Identities::Identities(std::uint64_t most, std::uint64_t name_bytes)
    : state_(std::make_unique<State>(most, name_bytes)) {}
Identities::Identities(Identities&&) noexcept = default;
Identities& Identities::operator=(Identities&&) noexcept = default;
Identities::~Identities() = default;

std::uint32_t Identities::number(std::size_t object, std::size_t row) const noexcept {
    const State::Numbers* numbers = state_->current;
    if (numbers == nullptr || object >= numbers->size() || row >= (*numbers)[object].size()) return no_index;
    return (*numbers)[object][row];
}

const Identities::Identity& Identities::operator[](std::uint32_t number) const noexcept {
    return state_->identities[number];
}

std::size_t Identities::size() const noexcept { return state_->identities.size(); }

bool Identities::overflowed() const noexcept { return state_->overflowed; }

std::string Identities::Identity::path() const { return parent.empty() ? name : std::string(parent) + '/' + name; }

std::string_view Identities::Identity::own_name() const noexcept {
    return std::string_view(name).substr(0, repeat == 0 ? name.size() : name.rfind('#'));
}

void Identities::add(const Sample& now, const Matcher* matches) {
    State& s = *state_;
    s.begin(now);
    for (const std::uint32_t position : s.order.positions()) {
        const Object& object = now.objects()[position];
        s.next[position].assign(object.instances.size(), no_index);
        if (has_rows(object) && (matches == nullptr || !s.number_known(position, *matches)))
            s.number_new(now, position);
    }
    std::swap(*s.current, s.next);
}

void Identities::State::begin(const Sample& now) {
    ++samples;
    const std::string_view name = now.machine ? std::string_view(*now.machine) : std::string_view();
    // A machine has a different number for each source, because samples are matched only with earlier samples of the
    // same machine from the same source.
    auto& of_source = machines[static_cast<std::size_t>(now.source)];
    std::size_t known = 0;
    for (const auto& each : machines) known += each.size();
    auto found = of_source.find(name);
    // There are at most `most` identities. This does not limit the number of machines, because a machine without
    // instances needs memory but no identity. The maximum number of machines is `most` or `few_machines`, whichever is
    // more.
    constexpr std::size_t few_machines = 1024;
    if (found == of_source.end() && known < std::max<std::uint64_t>(most, few_machines))
        found = of_source.emplace(name, static_cast<std::uint32_t>(known)).first;
    machine = found == of_source.end() ? no_index : found->second;
    // All entries of `last` can be evicted, because `find_or_add` finds the numbers of identities again by their keys.
    constexpr std::size_t most_kept = 64;
    if (last.size() >= most_kept && !last.contains(machine)) last.clear();
    current = &last[machine];

    order.arrange(now);
    if (next.size() < now.objects().size()) next.resize(now.objects().size());
    for (auto& numbers : next) numbers.clear();
    repeats.assign(now.objects().size(), 0);
    std::map<std::uint32_t, std::uint32_t> repeated;
    for (std::size_t i = 0; i < now.objects().size(); ++i)
        if (now.find(now.objects()[i].title_index) != i) repeats[i] = ++repeated[now.objects()[i].title_index];
}

/// Assigns to the instances of an object the numbers that they had in the previous sample. `position`: position of the
/// object. Returns false if any instance has no number yet.
bool Identities::State::number_known(std::size_t position, const Matcher& matches) {
    auto& numbers = next[position];
    if (position >= matches.size() || matches.object(position) >= current->size()) return numbers.empty();
    const auto& before = (*current)[matches.object(position)];
    const auto rows = matches.rows(position);
    bool all = true;
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        if (row < rows.size() && rows[row] < before.size()) numbers[row] = claim(before[rows[row]]);
        all = all && numbers[row] != no_index;
    }
    return all;
}

void Identities::State::number_new(const Sample& now, std::size_t position) {
    auto& numbers = next[position];
    const Object& object = now.objects()[position];
    const IdColumns ids(now, object);
    keys.clear();
    sorted.clear();
    for (std::uint32_t row = 0; row < object.instances.size(); ++row) {
        keys.push_back(ids.key(object.instances[row], row));
        find_parent(now, object.instances[row], position, keys.back());
        sorted.push_back(row);
    }
    std::ranges::sort(sorted, [this](std::uint32_t a, std::uint32_t b) { return key_order(keys[a], keys[b]); });
    ordinals.assign(keys.size(), 0);
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (compare_keys(keys[sorted[i - 1]], keys[sorted[i]]) == 0) ordinals[sorted[i]] = ordinals[sorted[i - 1]] + 1;
    for (const InstanceKey& key : keys)
        if (numbers[key.row] == no_index) numbers[key.row] = claim(find_or_add(now, position, key, ordinals[key.row]));
}

void Identities::State::find_parent(const Sample& now, const Instance& instance, std::size_t position,
                                    InstanceKey& key) const {
    key.parent_object = instance.parent_object;
    key.parent = instance.parent_instance;
    const auto parent = now.parent(instance);
    if (!parent || !order.comes_before(parent->object, position)) return;
    key.parent_known = true;
    key.parent = next[parent->object][parent->instance];
    if (key.parent == no_index) key.faults |= InstanceKey::parent_lost;
}

std::uint32_t Identities::State::find_or_add(const Sample& now, std::size_t position, const InstanceKey& key,
                                             std::uint32_t ordinal) {
    const Object& object = now.objects()[position];
    key_bytes.clear();
    for (const std::uint32_t number : {machine, object.title_index, repeats[position], key.parent_object, key.parent,
                                       static_cast<std::uint32_t>(object.kind), ordinal})
        append_fixed_width(key_bytes, number);
    for (const std::uint64_t number : {static_cast<std::uint64_t>(key.unique_id), key.ids[0], key.ids[1]})
        append_fixed_width(key_bytes, number);
    for (const std::uint8_t number : {key.has_ids, key.faults, static_cast<std::uint8_t>(key.parent_known)})
        append_fixed_width(key_bytes, number);
    key_bytes += key.name;
    if (const auto found = by_key.find(key_bytes); found != by_key.end()) return found->second;

    const bool lost = machine == no_index || (key.faults & InstanceKey::parent_lost) != 0;
    // The name is stored three times: in the key, in the identity, and in `same_name`.
    constexpr std::uint64_t copies = 3;
    const std::uint64_t bytes = copies * key_bytes.size();
    if (lost || identities.size() >= std::min<std::uint64_t>(most, no_index) || bytes > bytes_left) {
        overflowed = true;
        return no_index;
    }
    bytes_left -= bytes;
    const auto number = static_cast<std::uint32_t>(identities.size());
    by_key.emplace(key_bytes, number);
    seen.push_back(0);
    Identity& added = identities.emplace_back();
    added.object = object.title_index;
    if (object.kind == Kind::multi) name_identity(added, now, object.instances[key.row]);
    return number;
}

void Identities::State::name_identity(Identity& added, const Sample& now, const Instance& instance) {
    const std::string_view parent_name = direct_parent(now, instance);
    auto parent = parents.find(parent_name);
    if (parent == parents.end()) {
        const auto count = static_cast<std::uint32_t>(folded_parents.size());
        const auto number = folded_parents.emplace(fold_case(parent_name), count).first->second;
        parent = parents.emplace(parent_name, number).first;
    }
    added.parent = parent->first;
    added.name = shown_name(instance);

    std::string called;
    for (const std::uint32_t number : {machine, added.object, parent->second}) append_fixed_width(called, number);
    called += fold_case(added.name);  // names in paths are compared without case
    const auto [first, is_first] = same_name.emplace(called, 1);
    if (is_first) return;
    // An instance may really have the name `name#1`. The number after `#` is therefore increased until no other
    // instance has the resulting name.
    std::string suffix;
    do {
        added.repeat = first->second++;
        suffix = '#' + std::to_string(added.repeat);
    } while (!same_name.emplace(called + suffix, 1).second);
    added.name += suffix;
}

/// Returns `number`, or `no_index` if another instance of the current sample already has it. This can happen if objects
/// form a cycle of parents, and `ObjectOrder` cuts this cycle differently than in the previous sample.
std::uint32_t Identities::State::claim(std::uint32_t number) {
    if (number == no_index) return number;
    if (seen[number] == samples) {
        overflowed = true;
        return no_index;
    }
    seen[number] = samples;
    return number;
}

}  // namespace hkpd
