#include "terminal/input_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "base/path.hpp"
#include "hkpd/select.hpp"
#include "terminal/cause.hpp"

namespace hkpd::command {
namespace {

constexpr std::string_view wildcards = "*?";
/// Maximum number of names to which a pattern expands.
constexpr std::size_t most_names = 1'000'000;
/// Number of inputs named twice that are listed.
constexpr std::size_t most_notes = 5;

bool has_wildcards(std::string_view text) { return text.find_first_of(wildcards) != std::string_view::npos; }

/// Returns whether a character separates the parts of a path. On Windows, `\` does too.
bool is_separator(std::string_view::value_type c) {
    return c == '/' || (c == '\\' && std::filesystem::path::preferred_separator == '\\');
}

bool is_pattern(const std::string& word) {
    // A long text is compared with nothing: the time would be proportional to the product of both lengths.
    return has_wildcards(word) && word != "-" && !CounterPath::is_too_long(word) && !is_there(word);
}

/// Returns the names in a directory that match one part of a pattern, each with `front`, which is the name of the
/// directory with a separator after it, or empty: the current one.
Strings matches_in(const std::string& front, const std::string& part) {
    const Pattern pattern(part);
    std::error_code ignored;  // a directory that cannot be read has no matches
    Strings found;
    for (const std::string& entry : entries_in(front.empty() ? "." : front, ignored)) {
        std::string name = path_text(path_of(entry).filename());
        const bool is_hidden = name.starts_with('.') && !part.starts_with('.');
        if (!is_hidden && pattern.matches(name)) found.push_back(front + name);
    }
    return found;
}

/// Returns what a pattern matches, in sorted order.
Strings expand(const std::string& pattern) {
    Strings found{""};
    for (std::size_t at = 0; at < pattern.size() && !found.empty();) {
        const auto separator =
            std::ranges::find_if(pattern.begin() + static_cast<std::ptrdiff_t>(at), pattern.end(), is_separator);
        const std::string part(pattern.begin() + static_cast<std::ptrdiff_t>(at), separator);
        const auto after = std::ranges::find_if_not(separator, pattern.end(), is_separator);
        const std::string between(separator, after);
        at = static_cast<std::size_t>(after - pattern.begin());
        Strings next;
        for (const std::string& front : found) {
            for (std::string& name : has_wildcards(part) ? matches_in(front, part) : Strings{front + part}) {
                const bool is_found = between.empty() ? is_there(name) : !has_wildcards(part) || is_directory(name);
                if (is_found && next.size() < most_names) next.push_back(std::move(name) + between);
            }
        }
        found = std::move(next);
    }
    std::ranges::sort(found);
    return found;
}

/// The files and directories that inputs are or have, and of each the input.
using Owners = std::map<FileIdentity, std::size_t>;

void add_content(Owners& owners, const Strings& inputs, std::size_t number, bool recursive) {
    const std::string& directory = inputs[number];
    std::error_code ignored;  // reading it reports the error
    Strings all{directory};
    if (recursive) {
        const Strings below = directories_below(directory, ignored);
        all.insert(all.end(), below.begin(), below.end());
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (const auto itself = identity_of_file(all[i]); itself && i != 0) owners.emplace(*itself, number);
        for (const std::string& file : files_in(all[i], ignored))
            if (const auto one = identity_of_file(file)) owners.emplace(*one, number);
    }
}

/// Removes inputs that are another one, or in it.
void remove_same(std::string_view subcommand, Strings& inputs, bool recursive) {
    if (inputs.size() < 2) return;
    Owners named, content;
    std::vector<std::optional<FileIdentity>> identities;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto& own = identities.emplace_back(inputs[i] == "-" ? std::nullopt : identity_of_file(inputs[i]));
        const bool is_first = own && named.emplace(*own, i).second;
        if (is_first && is_directory(inputs[i])) add_content(content, inputs, i, recursive);
    }
    Strings kept;
    std::size_t removed = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto& own = identities[i];
        const auto same = own ? named.find(*own) : named.end();
        const auto around = own ? content.find(*own) : content.end();
        const bool is_same = same != named.end() && same->second != i;
        if (!is_same && (around == content.end() || around->second == i)) {
            kept.push_back(inputs[i]);
        } else if (++removed <= most_notes) {
            const std::string& kept_input = inputs[is_same ? same->second : around->second];
            complain(subcommand, fmt::format("note: '{}' is {} '{}', and is read once", inputs[i],
                                             is_same ? "the same input as" : "in", kept_input));
        }
    }
    if (removed > most_notes)
        complain(subcommand, fmt::format("note: {} more inputs are named twice, and read once", removed - most_notes));
    inputs = std::move(kept);
}

}  // namespace

std::optional<Exit> take_inputs(std::string_view subcommand, Strings& inputs, bool recursive, SameInput same) {
    Strings expanded;
    for (std::string& input : inputs) {
        if (!is_pattern(input)) {
            expanded.push_back(std::move(input));
            continue;
        }
        Strings found = expand(input);
        if (found.empty())
            return end_with(subcommand, Cause::unreadable, input, "no file has a name that matches this pattern");
        expanded.insert(expanded.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    }
    inputs = std::move(expanded);
    if (same == SameInput::once) remove_same(subcommand, inputs, recursive);
    return std::nullopt;
}

bool is_input(const std::string& word) {
    return word == "-" || is_there(word) || (is_pattern(word) && !expand(word).empty());
}

}  // namespace hkpd::command
