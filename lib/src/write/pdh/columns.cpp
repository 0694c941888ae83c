#include "write/pdh/columns.hpp"

#include <algorithm>
#include <tuple>

#include "sample/display_name.hpp"
#include "write/pdh/text.hpp"

namespace hkpd {
namespace {

std::uint64_t key_of(std::uint32_t counter, std::uint32_t identity) noexcept {
    return std::uint64_t{counter} << 32U | identity;
}
std::uint32_t counter_of_key(std::uint64_t key) noexcept { return static_cast<std::uint32_t>(key >> 32U); }
std::uint32_t identity_of_key(std::uint64_t key) noexcept { return static_cast<std::uint32_t>(key); }

std::string_view machine_of(const Sample& sample) noexcept {
    return sample.machine ? std::string_view(*sample.machine) : std::string_view();
}

}  // namespace

void PdhColumns::Title::learn(const std::optional<Titles::Answer>& answer) {
    if (name.empty() && answer) name = answer->text;
}

bool PdhColumns::has_room(std::size_t count) noexcept {
    if (count < most_ && count < no_index) return true;
    overflowed_ = true;
    return false;
}

std::uint32_t PdhColumns::group(const Sample& sample, const Object& object) {
    const std::string_view machine = machine_of(sample);
    auto found = machines_.find(machine);
    if (found == machines_.end()) found = machines_.try_emplace(std::string(machine)).first;
    const auto [entry, is_new] =
        found->second.try_emplace(object.title_index, static_cast<std::uint32_t>(groups_.size()));
    if (is_new)
        groups_.push_back(
            {std::string(machine), {object_key(sample.source, object), {}}, object.kind == Kind::multi, {}});
    groups_[entry->second].object.learn(object.name);
    return entry->second;
}

std::uint32_t PdhColumns::counter(const Sample& sample, const Object& object, const Column& column,
                                  std::uint32_t ordinal) {
    const bool room = has_room(counters_.size());
    const auto known = machines_.find(machine_of(sample));
    if (!room && (known == machines_.end() || !known->second.contains(object.title_index))) return no_index;
    const std::uint32_t number = group(sample, object);
    auto& counters = groups_[number].counters;
    const std::pair title{column.title_index, ordinal};
    auto found = counters.find(title);
    if (found == counters.end()) {
        if (!room) return no_index;
        found = counters.emplace(title, static_cast<std::uint32_t>(counters_.size())).first;
        counters_.push_back({number, {counter_key(sample.source, column), {}}});
    }
    counters_[found->second].title.learn(column.name);
    return found->second;
}

std::uint32_t PdhColumns::place(std::uint32_t counter, std::uint32_t identity) {
    if (counter == no_index || identity == no_index) return no_index;
    const std::uint64_t key = key_of(counter, identity);
    if (const auto found = places_.find(key); found != places_.end()) return found->second;
    if (!has_room(places_.size())) return no_index;
    places_.emplace(key, no_index);
    if (fixed_) ++dropped_;
    return no_index;
}

void PdhColumns::fix(const Identities& identities, char separator, std::string& out) {
    fixed_ = true;
    size_ = places_.size();
    std::vector<std::uint64_t> keys;
    keys.reserve(size_);
    for (const auto& [key, place] : places_) keys.push_back(key);
    std::ranges::sort(keys, {},
                      [this](std::uint64_t key) { return std::pair(counters_[counter_of_key(key)].group, key); });
    for (std::uint32_t place = 0; place < keys.size(); ++place) {
        const std::uint64_t key = keys[place];
        places_[key] = place;
        const Counter& counter = counters_[counter_of_key(key)];
        const Group& group = groups_[counter.group];
        out += separator;
        const std::string instance = identities[identity_of_key(key)].path();
        append_pdh_path(out, group.machine, group.object.text(),
                        group.is_list ? std::optional<std::string_view>(instance) : std::nullopt, counter.title.text());
    }
}

}  // namespace hkpd
