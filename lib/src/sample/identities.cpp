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

#include "base/text/located_text.hpp"
#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"
#include "sample/display_name.hpp"
#include "sample/identity.hpp"
#include "sample/instance_key.hpp"

namespace hkpd {
namespace {

/// Numbers have one width each, and names come last, so that no two keys can be one.
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

class Identities::State {
  public:
    explicit State(std::size_t most) : most_(most) {}

    void add(const Sample& now, const Matcher* matches);
    std::uint32_t number(std::size_t object, std::size_t row) const noexcept;
    const std::vector<Identity>& identities() const noexcept { return identities_; }
    bool overflowed() const noexcept { return overflowed_; }

  private:
    using Numbers = std::vector<std::vector<std::uint32_t>>;  // by object and row
    void begin(const Sample& now);
    void number_object(const Sample& now, std::size_t position, const Matcher* matches);
    bool number_known(std::size_t position, const Matcher& matches);
    void number_new(const Sample& now, std::size_t position);
    void find_keys(const Sample& now, std::size_t position);
    void find_parent(const Sample& now, const Instance& instance, std::size_t position, InstanceKey& key) const;
    std::uint32_t find_or_add(const Sample& now, std::size_t position, const InstanceKey& key, std::uint32_t ordinal);
    void name_identity(Identity& added, const Sample& now, const Instance& instance);
    std::uint32_t claim(std::uint32_t number);

    std::size_t most_;
    bool overflowed_ = false;
    std::vector<Identity> identities_;
    std::vector<std::uint64_t> seen_;                            // for each the last sample that had it
    std::map<std::string, std::uint32_t> by_key_;                // everything that makes the identity → its number
    std::map<std::string, std::uint32_t> same_name_;             // how many were called so
    std::map<std::string, std::uint32_t, std::less<>> parents_;  // each name is kept once, not for each child
    std::map<std::string, std::uint32_t> folded_parents_;        // one number for names that differ in case only
    std::array<std::map<std::string, std::uint32_t, std::less<>>, sample_sources> machines_;  // by door: their numbers
    std::map<std::uint32_t, Numbers> last_;  // by machine: those of its last sample
    // The current sample.
    std::uint64_t samples_ = 0;
    std::uint32_t machine_ = no_index;
    Numbers* current_ = nullptr;
    Numbers next_;
    ObjectOrder order_;
    std::vector<std::uint32_t> repeats_;  // for each object how many of its title index came before
    // The current object.
    std::vector<InstanceKey> keys_;
    std::vector<std::uint32_t> sorted_, ordinals_;
    std::string key_;
};

Identities::Identities(std::size_t most) : state_(std::make_unique<State>(most)) {}
Identities::Identities(Identities&&) noexcept = default;
Identities& Identities::operator=(Identities&&) noexcept = default;
Identities::~Identities() = default;

void Identities::add(const Sample& now, const Matcher* matches) { state_->add(now, matches); }

std::uint32_t Identities::number(std::size_t object, std::size_t row) const noexcept {
    return state_->number(object, row);
}

const Identities::Identity& Identities::operator[](std::uint32_t number) const noexcept {
    return state_->identities()[number];
}

std::size_t Identities::size() const noexcept { return state_->identities().size(); }

bool Identities::overflowed() const noexcept { return state_->overflowed(); }

std::string Identities::Identity::path() const { return parent.empty() ? name : std::string(parent) + '/' + name; }

std::string_view Identities::Identity::own_name() const noexcept {
    return std::string_view(name).substr(0, repeat == 0 ? name.size() : name.rfind('#'));
}

std::uint32_t Identities::State::number(std::size_t object, std::size_t row) const noexcept {
    if (current_ == nullptr || object >= current_->size() || row >= (*current_)[object].size()) return no_index;
    return (*current_)[object][row];
}

void Identities::State::add(const Sample& now, const Matcher* matches) {
    begin(now);
    for (const std::uint32_t position : order_.positions()) number_object(now, position, matches);
    std::swap(*current_, next_);
}

void Identities::State::begin(const Sample& now) {
    ++samples_;
    const std::string_view name = now.machine ? std::string_view(*now.machine) : std::string_view();
    // What a machine shows through one door is matched with what it showed through that door before.
    auto& machines = machines_[static_cast<std::size_t>(now.source)];
    std::size_t known = 0;
    for (const auto& of_door : machines_) known += of_door.size();
    auto machine = machines.find(name);
    constexpr std::size_t few_machines = 1024;  // that many may come without any instances
    if (machine == machines.end() && known < std::max(most_, few_machines))
        machine = machines.emplace(name, static_cast<std::uint32_t>(known)).first;
    machine_ = machine == machines.end() ? no_index : machine->second;
    // The numbers of a last sample only save work: they can be found again by what makes the identities.
    constexpr std::size_t most_kept = 64;
    if (last_.size() >= most_kept && !last_.contains(machine_)) last_.clear();
    current_ = &last_[machine_];

    order_.arrange(now);
    if (next_.size() < now.objects().size()) next_.resize(now.objects().size());
    for (auto& numbers : next_) numbers.clear();
    repeats_.assign(now.objects().size(), 0);
    std::map<std::uint32_t, std::uint32_t> repeated;
    for (std::size_t i = 0; i < now.objects().size(); ++i)
        if (now.find(now.objects()[i].title_index) != i) repeats_[i] = ++repeated[now.objects()[i].title_index];
}

void Identities::State::number_object(const Sample& now, std::size_t position, const Matcher* matches) {
    const Object& object = now.objects()[position];
    next_[position].assign(object.instances.size(), no_index);
    if (has_rows(object) && (matches == nullptr || !number_known(position, *matches))) number_new(now, position);
}

/// What was there before keeps its number. False where an instance has none yet.
bool Identities::State::number_known(std::size_t position, const Matcher& matches) {
    auto& numbers = next_[position];
    if (position >= matches.size() || matches.object(position) >= current_->size()) return numbers.empty();
    const auto& before = (*current_)[matches.object(position)];
    const auto rows = matches.rows(position);
    bool all = true;
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        if (row < rows.size() && rows[row] < before.size()) numbers[row] = claim(before[rows[row]]);
        all = all && numbers[row] != no_index;
    }
    return all;
}

void Identities::State::number_new(const Sample& now, std::size_t position) {
    auto& numbers = next_[position];
    find_keys(now, position);
    sorted_.clear();
    for (const InstanceKey& key : keys_) sorted_.push_back(key.row);
    std::ranges::sort(sorted_, [this](std::uint32_t a, std::uint32_t b) { return key_order(keys_[a], keys_[b]); });
    ordinals_.assign(keys_.size(), 0);
    for (std::size_t i = 1; i < sorted_.size(); ++i)
        if (compare_keys(keys_[sorted_[i - 1]], keys_[sorted_[i]]) == 0)
            ordinals_[sorted_[i]] = ordinals_[sorted_[i - 1]] + 1;
    for (const InstanceKey& key : keys_)
        if (numbers[key.row] == no_index) numbers[key.row] = claim(find_or_add(now, position, key, ordinals_[key.row]));
}

void Identities::State::find_keys(const Sample& now, std::size_t position) {
    const Object& object = now.objects()[position];
    const IdColumns ids(now, object);
    keys_.clear();
    for (std::uint32_t row = 0; row < object.instances.size(); ++row) {
        keys_.push_back(ids.key(object.instances[row], row));
        find_parent(now, object.instances[row], position, keys_.back());
    }
}

void Identities::State::find_parent(const Sample& now, const Instance& instance, std::size_t position,
                                    InstanceKey& key) const {
    key.parent_object = instance.parent_object;
    key.parent = instance.parent_instance;
    const auto parent = now.parent(instance);
    if (!parent || !order_.comes_before(parent->object, position)) return;
    key.parent_known = true;
    key.parent = next_[parent->object][parent->instance];
    if (key.parent == no_index) key.faults |= InstanceKey::parent_lost;
}

std::uint32_t Identities::State::find_or_add(const Sample& now, std::size_t position, const InstanceKey& key,
                                             std::uint32_t ordinal) {
    const Object& object = now.objects()[position];
    key_.clear();
    for (const std::uint32_t number : {machine_, object.title_index, repeats_[position], key.parent_object, key.parent,
                                       static_cast<std::uint32_t>(object.kind), ordinal})
        append_fixed_width(key_, number);
    for (const std::uint64_t number : {static_cast<std::uint64_t>(key.unique_id), key.process, key.thread})
        append_fixed_width(key_, number);
    for (const std::uint8_t number : {key.ids, key.faults, static_cast<std::uint8_t>(key.parent_known)})
        append_fixed_width(key_, number);
    key_ += key.name;
    if (const auto found = by_key_.find(key_); found != by_key_.end()) return found->second;

    const bool lost = machine_ == no_index || (key.faults & InstanceKey::parent_lost) != 0;
    if (lost || identities_.size() >= std::min<std::size_t>(most_, no_index)) {
        overflowed_ = true;
        return no_index;
    }
    const auto number = static_cast<std::uint32_t>(identities_.size());
    by_key_.emplace(key_, number);
    seen_.push_back(0);
    Identity& added = identities_.emplace_back();
    added.object = object.title_index;
    if (object.kind == Kind::multi) name_identity(added, now, object.instances[key.row]);
    return number;
}

void Identities::State::name_identity(Identity& added, const Sample& now, const Instance& instance) {
    const std::string_view parent_name = direct_parent(now, instance);
    auto parent = parents_.find(parent_name);
    if (parent == parents_.end()) {
        const auto next = static_cast<std::uint32_t>(folded_parents_.size());
        const auto number = folded_parents_.emplace(lower_case(parent_name), next).first->second;
        parent = parents_.emplace(parent_name, number).first;
    }
    added.parent = parent->first;
    added.name = shown_name(instance);

    std::string called;
    for (const std::uint32_t number : {machine_, added.object, parent->second}) append_fixed_width(called, number);
    called += lower_case(added.name);  // as names in paths are compared
    const auto [first, is_first] = same_name_.emplace(called, 1);
    if (is_first) return;
    // An instance may really be called `name#1`.
    std::string suffix;
    do {
        added.repeat = first->second++;
        suffix = '#' + std::to_string(added.repeat);
    } while (!same_name_.emplace(called + suffix, 1).second);
    added.name += suffix;
}

/// No two instances of a sample have one number, not even where parents lead in circles that change.
std::uint32_t Identities::State::claim(std::uint32_t number) {
    if (number == no_index) return number;
    if (seen_[number] == samples_) {
        overflowed_ = true;
        return no_index;
    }
    seen_[number] = samples_;
    return number;
}

}  // namespace hkpd
