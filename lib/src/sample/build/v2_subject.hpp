// Whether a result can be what is asked for, and of which counterset it can be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hkpd/bytes.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

/// Whether a result is of one counter (and not of all), as CounterId asks.
inline bool is_of_one_counter(v2::ResultType type) noexcept {
    return type == v2::ResultType::single_counter || type == v2::ResultType::multiple_instances;
}

/// Whether the name of an identifier may stand for several instances.
inline bool has_wildcards(const v2::Identifier& identifier) noexcept {
    if (!identifier.name) return false;
    const Bytes name = identifier.name->bytes;
    for (std::size_t at = 0; name.contains(at, sizeof(char16_t)); at += sizeof(char16_t)) {
        const auto unit = load<std::uint16_t>(name.at(at), identifier.name->order);
        if (unit == u'*' || unit == u'?') return true;
    }
    return false;
}

/// Whether a result has the shape that its identifier asks for: one counter or all, one instance or a list
/// (learn.microsoft.com PERF_COUNTER_HEADER). With a name that is damaged both are right.
inline bool has_asked_shape(const v2::Result& result, const v2::Identifier& identifier) noexcept {
    if (is_of_one_counter(result.type()) == (identifier.CounterId == v2::wildcard_counter)) return false;
    if (!identifier.name) return true;
    return result.has_instances() ? !identifier.name->bytes.empty() : !has_wildcards(identifier);
}

/// Whether a value can be one of a type, by its size. One that is damaged tells nothing.
inline bool has_size_of(const v2::Value& value, std::uint32_t type) noexcept {
    const std::uint32_t size = CounterType{type}.value_size().value_or(0);
    return value.damaged || size == 0 || value.bytes.size() == size;
}

/// Whether a result can be of a registered counterset: by its ids, by whether it is a list, and by the sizes of the
/// values of its first instance (empty: it has none). A result without ids can only be of a set of one counter.
inline bool fits(const Counterset& set, const v2::Result& result, std::span<const v2::Value> first) noexcept {
    if (!set.registered || (result.has_instances() && !v2::is_multi(set.instances))) return false;
    if (result.ids().empty())
        return set.counters.size() == 1 && result.values_per_instance() == 1 &&
               (first.empty() || has_size_of(first[0], set.counters[0].info.Type));
    for (std::size_t i = 0; i < result.ids().size(); ++i) {
        const CountersetCounter* counter = set.find(result.ids()[i]);
        if (counter == nullptr || counter->info.Type == no_counter_type) return false;
        if (i < first.size() && !has_size_of(first[i], counter->info.Type)) return false;
    }
    return true;
}

}  // namespace hkpd
