#include "rules/computed_series.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text/names.hpp"

namespace hkpd::pal {

ComputedSeries::ComputedSeries(const Rules::Data& data) : data_(data), users_(data.sources.size()) {
    for (std::uint32_t source = 0; source < data.sources.size(); ++source) {
        const auto& computed = data.sources[source].computed;
        if (computed && computed->has_own_loops) continue;
        const auto& inputs = data.sources[source].inputs;
        for (std::uint32_t input = 0; input < inputs.size(); ++input) users_[inputs[input]].push_back({source, input});
    }
}

/// Returns the part of an object's name that names the server: `MSSQL$NAME` of `MSSQL$NAME:Locks`.
std::string ComputedSeries::server_of(const RuleSeries& names) {
    const std::string_view object = names.english_object.empty() ? names.object : names.english_object;
    return std::string(object.substr(0, object.find(':')));
}

std::uint32_t ComputedSeries::group_of(std::uint32_t source, std::string_view instance, bool is_shared) {
    const std::string key =
        fmt::format("{}/{}/{}/{}", source, machine_, is_shared ? "shared" : "single", fold_case(instance));
    const auto [found, is_new] = group_positions_.emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) groups_.push_back({std::vector<std::uint32_t>(data_.sources[source].inputs.size(), no_index)});
    return found->second;
}

void ComputedSeries::add_input(std::uint32_t source, const RuleSeries& names, std::uint32_t series,
                               std::vector<New>& added) {
    for (const User& user : users_[source]) {
        const Rules::Data::Source& computed = data_.sources[user.source];
        const bool by_server = computed.computed && computed.computed->by_server_instance;
        // A counter without instances belongs to all instances of the others.
        const bool is_shared = !by_server && !names.of_list;
        const std::string server = by_server ? server_of(names) : std::string{};
        const std::string_view instance = by_server ? std::string_view(server) : names.instance;
        const std::uint32_t group = group_of(user.source, instance, is_shared);
        if (user.input != 0) {
            groups_[group].series[user.input] = series;
            continue;
        }
        const SeriesPath& path = computed.paths.front();
        const std::string_view matched = by_server ? instance : names.matched();
        const auto excludes = [matched](const Pattern& pattern) { return pattern.matches(matched); };
        if (std::ranges::any_of(computed.excluded, excludes) || computed_.size() >= most_series) continue;
        const std::uint32_t shared = group_of(user.source, {}, true);
        computed_.push_back({user.source, machine_, series, no_index, group, shared});
        added.push_back({user.source,
                         {.machine = std::string(names.machine),
                          .object = path.object_text(),
                          .instance = std::string(path.has_instance() ? instance : std::string_view{}),
                          .counter = path.counter().text()}});
    }
}

}  // namespace hkpd::pal
