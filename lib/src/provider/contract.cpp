#include "provider/contract.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "base/text/encoding.hpp"
#include "base/text/names.hpp"

namespace hkpd {
namespace {

using enum ProviderFault::Rule;

/// The first of the two reserved ids, 0xFFFFFFFE and 0xFFFFFFFF. No counter and no instance can have such an id.
constexpr std::uint32_t first_reserved_id = 0xFFFF'FFFE;
constexpr std::int32_t most_scale = 10;
/// Largest length of an instance's name, in UTF-16 units without the NUL (PERF_MAX_INSTANCE_NAME).
constexpr std::size_t longest_name = 1024;

std::optional<ProviderFault> find_relation_fault(const CounterDescriptor& counter, const std::set<std::uint32_t>& ids) {
    const std::array<std::pair<std::string_view, std::uint32_t>, 4> relations{{{"base", counter.base_id},
                                                                               {"time", counter.time_id},
                                                                               {"frequency", counter.frequency_id},
                                                                               {"multi", counter.multi_id}}};
    for (const auto& [what, id] : relations) {
        if (id == v2::no_id) continue;
        if (id == counter.id)
            return ProviderFault{counter_related, fmt::format("counter {} names itself as its {} counter", id, what)};
        if (!ids.contains(id))
            return ProviderFault{
                counter_related,
                fmt::format("the {} counter {} of counter {} is not in the counterset", what, id, counter.id)};
    }
    return std::nullopt;
}

std::optional<ProviderFault> find_counter_fault(const CounterDescriptor& counter) {
    if (counter.id >= first_reserved_id)
        return ProviderFault{counter_id_reserved, fmt::format("counter id {:#x} is reserved", counter.id)};
    if (counter.size != 4 && counter.size != 8)
        return ProviderFault{counter_size,
                             fmt::format("counter {} has {} bytes, not 4 or 8", counter.id, counter.size)};
    if (counter.scale < -most_scale || counter.scale > most_scale)
        return ProviderFault{counter_scale, fmt::format("the scale of counter {} is {}, not -{} to {}", counter.id,
                                                        counter.scale, most_scale, most_scale)};
    return std::nullopt;
}

/// Returns whether several instances of a counterset of this type can have the same name. Consumers see instances with
/// the same name as one instance.
bool merges_names(v2::InstanceType type) noexcept {
    return type == v2::InstanceType::instance_aggregate || (v2::is_aggregate(type) && !v2::is_multi(type));
}

std::optional<ProviderFault> find_name_fault(const CountersetDescriptor& counterset, const InstanceName& name) {
    const bool multi = v2::is_multi(counterset.instances);
    if (multi && name.text.empty())
        return ProviderFault{name_missing, fmt::format(R"(instances of counterset "{}" need names)", counterset.name)};
    if (!multi && !name.text.empty())
        return ProviderFault{name_not_allowed,
                             fmt::format(R"(the instance of the single-instance counterset "{}" has no name, not "{}")",
                                         counterset.name, name.text)};
    if (const std::size_t length = to_utf16(name.text).size(); length > longest_name)
        return ProviderFault{name_too_long,
                             fmt::format("an instance's name has {} characters, at most {}", length, longest_name)};
    if (multi && v2::is_aggregate(counterset.instances) && name.folded == fold_case(total_name))
        return ProviderFault{
            name_reserved, fmt::format(R"(instance "{}" of counterset "{}" is computed)", name.text, counterset.name)};
    return std::nullopt;
}

}  // namespace

InstanceName instance_name(std::string_view text) {
    InstanceName name;
    append_utf8(name.text, std::as_bytes(std::span(text.substr(0, text.find('\0')))));
    name.folded = fold_case(name.text);
    return name;
}

void TakenNames::add(const InstanceName& name, std::uint32_t id) {
    names_.insert(name.folded);
    ids_.insert(id);
}

void TakenNames::remove(const InstanceName& name, std::uint32_t id) {
    if (const auto found = names_.find(name.folded); found != names_.end()) names_.erase(found);
    ids_.erase(id);
}

std::optional<ProviderFault> find_fault(const CountersetDescriptor& counterset) {
    if (counterset.counters.empty())
        return ProviderFault{no_counters, fmt::format("counterset \"{}\" has no counters", counterset.name)};
    std::set<std::uint32_t> ids;
    std::set<std::string> names;
    for (const CounterDescriptor& counter : counterset.counters) {
        if (auto found = find_counter_fault(counter)) return found;
        if (!ids.insert(counter.id).second)
            return ProviderFault{counter_id_repeated, fmt::format("counter id {} is there twice", counter.id)};
        if (!counter.name.empty() && !names.insert(fold_case(counter.name)).second)
            return ProviderFault{counter_name_repeated,
                                 fmt::format("counter {}: the name \"{}\" is there twice", counter.id, counter.name)};
    }
    for (const CounterDescriptor& counter : counterset.counters)
        if (auto found = find_relation_fault(counter, ids)) return found;
    return std::nullopt;
}

std::optional<ProviderFault> find_fault(const CountersetDescriptor& counterset, const InstanceName& name,
                                        std::uint32_t id, const TakenNames& taken) {
    if (auto found = find_name_fault(counterset, name)) return found;
    if (id >= first_reserved_id)
        return ProviderFault{instance_id_reserved, fmt::format("instance id {:#x} is reserved", id)};
    if (!merges_names(counterset.instances) && taken.has_name(name)) {
        if (name.text.empty())
            return ProviderFault{name_repeated,
                                 fmt::format("counterset \"{}\" has one instance only", counterset.name)};
        return ProviderFault{name_repeated, fmt::format("an instance \"{}\" is there already", name.text)};
    }
    if (taken.has_id(id))
        return ProviderFault{instance_id_repeated, fmt::format("instance id {} is there already", id)};
    return std::nullopt;
}

std::unexpected<ProviderFault> fault(ProviderFault::Rule rule, std::string message) {
    return std::unexpected(ProviderFault{rule, std::move(message)});
}

}  // namespace hkpd
