// The groups in which --help-all and manual pages show options.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "flags/help.hpp"

namespace hkpd::command {
namespace {

/// A heading, and the names of the options below it in the order in which they are shown, separated by spaces.
struct Group {
    std::string_view heading, names;
};

/// An option has the same group in all subcommands that have it.
constexpr auto all_groups = std::to_array<Group>({
    {"Input",
     "v2 from-v2 registration identifiers recursive titles lang names log-tz encoding services source meta baseline"},
    {"Selection", "path cf object instance counter at record by all-instances missing"},
    {"Time", "from to rest sample every bucket tz utc"},
    {"Output",
     "format output all counters summary sort top types help-text color title theme name textfile metric-prefix cooked "
     "crlf speed "
     "flush info export"},
    {"Rules", "rules answer allow-none"},
    {"Values", "raw cap no-cap clamp unwrap scale multi-timer tolerance"},
    {"Live and simulated", "live simulate machine query interval count duration perflib seed processes threads cpus"},
    {"Limits", "strict jobs limit-values limit-names limit-expansion limit-files"},
});

/// The group of options that are in no other: those on help and messages.
constexpr std::string_view other = "Other";

}  // namespace

std::vector<OptionGroup> in_groups(std::vector<ShownOption> options) {
    std::vector<OptionGroup> groups;
    for (const auto& [heading, names] : all_groups) {
        OptionGroup group{heading, {}};
        for (const std::string_view name : split(names, ' ')) {
            const auto is_it = [name](const ShownOption& option) {
                return option.name.starts_with("--") && std::string_view(option.name).substr(2) == name;
            };
            const auto found = std::ranges::find_if(options, is_it);
            if (found == options.end()) continue;
            group.options.push_back(std::move(*found));
            options.erase(found);
        }
        if (!group.options.empty()) groups.push_back(std::move(group));
    }
    if (!options.empty()) groups.push_back({groups.empty() ? "" : other, std::move(options)});
    return groups;
}

}  // namespace hkpd::command
