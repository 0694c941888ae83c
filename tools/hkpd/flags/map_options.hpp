// The options of `hkpd map`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/text/names.hpp"
#include "flags/options.hpp"
#include "hkpd/map.hpp"
#include "hkpd/select.hpp"

namespace hkpd::command {

struct MapArguments {
    Strings inputs, v2, identifiers, registrations, titles, languages;
    std::optional<std::string> at, record, object, limit_values, limit_expansion;
    std::string format, output;
    bool json = false, all = false, verbose = false;
};

/// A filter that selects the entries to show.
struct MapFilter {
    std::optional<std::uint64_t> at;
    std::optional<std::uint32_t> record;
    std::optional<Pattern> object;
    Nearest nearest{""};  // the object name most similar to `object`, for a hint
    std::uint32_t offered = no_index;

    /// Returns whether an entry is selected, and offers the name of the entry's object to `nearest`.
    bool holds(const MapEntry& entry);
};

/// Reads the arguments. Returns an exit code if help was shown or the arguments are wrong.
std::optional<Exit> read_map(const Strings& arguments, MapArguments& o, MapFilter& request, Limits& limits);

}  // namespace hkpd::command
