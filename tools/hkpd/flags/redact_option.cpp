#include "flags/redact_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hkpd/guid.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "terminal/input_file.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

/// Reads the key of --redact-key-file, without the line end after it. Returns the error message; empty on success.
std::string read_key_file(const std::string& path, std::string& key) {
    auto content = read_file(path);
    if (!content) return content.error();
    key = *std::move(content);
    while (key.ends_with('\n') || key.ends_with('\r')) key.pop_back();
    return key.empty() ? fmt::format("--redact-key-file: '{}' has no key", path) : std::string();
}

bool has_wildcard(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

/// Returns whether a text is a pseudonym of some run.
bool is_pseudonym(std::string_view text) {
    constexpr std::size_t letters = 10;
    const std::size_t hyphen = text.find('-');
    if (hyphen == std::string_view::npos || text.size() < hyphen + 1 + letters) return false;
    const std::string_view word = text.substr(0, hyphen);
    constexpr std::string_view words[] = {"machine", "name", "path", "custom"};
    return std::ranges::find(words, word) != std::end(words);
}

std::string partial_wildcard(std::string_view text) {
    return fmt::format(
        "'{}': --redact replaces names before they are selected, so that a name with a wildcard in it matches none: "
        "give whole names, or * alone",
        text);
}

/// Returns the lines of --redact-map.
std::string map_text(const std::vector<Pseudonyms::Pair>& pairs) {
    std::string text = "kind\tpseudonym\tname\n";
    for (const Pseudonyms::Pair& pair : pairs) {
        text.append(name_kind_text(pair.kind)).append("\t").append(pair.pseudonym).append("\t");
        append_printable(text, pair.name);
        text += '\n';
    }
    return text;
}

}  // namespace

void describe_redact(po::options_description& shown, RedactChoice& choice) {
    auto add = shown.add_options();
    add("redact", po::bool_switch(&choice.wanted),
        "replace names of machines, processes, users, paths and inputs by pseudonyms");
    add("redact-key", text_option(choice.key, "TEXT"), "the same pseudonyms in all runs with this key");
    add("redact-key-file", text_option(choice.key_file, "FILE"), "the same, with a key that no other user sees");
    add("redact-keep", po::value(&choice.keep)->value_name("X"),
        "keep names of instances, objects and counters: name or wildcard (repeatable)");
    add("redact-keep-counters", po::bool_switch(&choice.keep_counters), "keep all names of objects and counters");
    add("redact-map", text_option(choice.map, "FILE"), "write the names and their pseudonyms to a new file");
}

std::optional<Exit> prepare_redaction(std::string_view subcommand, RedactChoice& choice) {
    if (!choice.wanted) {
        if (!choice.key && !choice.key_file && !choice.map && choice.keep.empty() && !choice.keep_counters)
            return std::nullopt;
        return usage_error(subcommand,
                           "--redact-key, --redact-key-file, --redact-keep, --redact-keep-counters and --redact-map "
                           "require --redact");
    }
    if (choice.key && choice.key_file)
        return usage_error(subcommand, "--redact-key and --redact-key-file cannot be combined");
    RedactOptions options{.key = choice.key.value_or(""), .keep = choice.keep, .keep_counters = choice.keep_counters};
    if (choice.key && options.key.empty()) return usage_error(subcommand, "--redact-key: expected a key, found ''");
    if (choice.key_file) {
        if (const std::string wrong = read_key_file(*choice.key_file, options.key); !wrong.empty()) {
            complain(subcommand, wrong);
            return Exit::unreadable;
        }
    }
    if (choice.map && exists(*choice.map))
        return usage_error(subcommand, fmt::format("--redact-map: '{}' exists, give a new file", *choice.map));
    choice.names = std::make_shared<Pseudonyms>(std::move(options));
    return std::nullopt;
}

Exit conclude_redaction(std::string_view subcommand, const RedactChoice& choice, Exit found) {
    if (!choice.names) return found;
    std::string replaced;
    const auto counts = choice.names->counts();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        if (!replaced.empty()) replaced += ", ";
        replaced += fmt::format("{} {}", counts[i], name_kind_text(static_cast<NameKind>(i), counts[i]));
    }
    std::string kept;
    append_kept_names(kept);
    std::string text =
        fmt::format("hkpd {}: --redact: names replaced: {}\n", subcommand, replaced.empty() ? "none" : replaced);
    text += fmt::format(
        "hkpd {}: --redact: kept: numbers, times, GUIDs, Windows' names of objects and counters, drives such as C:, "
        "instances such as {}\n",
        subcommand, kept);
    for (const std::string& name : choice.keep)
        text += fmt::format("hkpd {}: --redact: kept: what matches '{}'\n", subcommand, name);
    if (choice.keep_counters)
        text += fmt::format("hkpd {}: --redact: kept: all names of objects and counters\n", subcommand);
    if (!choice.key && !choice.key_file)
        text += fmt::format("hkpd {}: --redact: the key was random, the next run has other pseudonyms\n", subcommand);
    write_error(text);
    if (!choice.map) return found;
    const std::string wrong = write_private_file(*choice.map, map_text(choice.names->replaced()));
    if (wrong.empty()) return found;
    complain(subcommand, "--redact-map: " + wrong);
    return Exit::unreadable;
}

std::string shown_input(const RedactChoice& choice, const std::string& name) {
    return choice.names ? choice.names->replace(NameKind::file, name) : name;
}

std::expected<std::string, std::string> redacted_pattern(const RedactChoice& choice, NameKind kind,
                                                         const std::string& pattern) {
    const bool is_number = pattern.find_first_not_of("0123456789") == std::string::npos;
    if (!choice.names || pattern == "*" || is_number || is_pseudonym(pattern) || parse_guid(pattern)) return pattern;
    if (!has_wildcard(pattern)) return choice.names->replace(kind, pattern);
    // Most names of objects and counters are kept.
    if (kind == NameKind::title) return pattern;
    std::string replaced = choice.names->replace(kind, pattern);
    if (!has_wildcard(replaced)) return std::unexpected(partial_wildcard(pattern));
    for (std::size_t begin = 0; begin <= pattern.size();) {  // `parent/*`
        const std::size_t end = std::min(pattern.find('/', begin), pattern.size());
        const std::string part = pattern.substr(begin, end - begin);
        if (part != "*" && has_wildcard(part)) return std::unexpected(partial_wildcard(pattern));
        begin = end + 1;
    }
    return replaced;
}

std::expected<std::string, std::string> redacted_path(const RedactChoice& choice, const std::string& path) {
    const auto parsed = CounterPath::parse(path);
    if (!choice.names || !parsed) return path;
    std::string object = parsed->object, instance;
    const std::size_t open = object.find('(');
    const bool has_instance = open != std::string::npos && object.ends_with(')');
    if (has_instance) {
        instance = object.substr(open + 1, object.size() - open - 2);
        object.resize(open);
    }
    std::string made;
    if (!parsed->machine.empty()) {
        const auto machine = redacted_pattern(choice, NameKind::machine, parsed->machine);
        if (!machine) return machine;
        made += "\\\\" + *machine;
    }
    const auto title = redacted_pattern(choice, NameKind::title, object),
               counter = redacted_pattern(choice, NameKind::title, parsed->counter);
    if (!title || !counter) return title ? counter : title;
    made += "\\" + *title;
    if (has_instance) {
        const auto name = redacted_pattern(choice, NameKind::instance, instance);
        if (!name) return name;
        made += "(" + *name + ")";
    }
    return made + "\\" + *counter;
}

std::string with_typed_names(const RedactChoice& choice, std::string text) {
    if (!choice.names) return text;
    for (const Pseudonyms::Pair& pair : choice.names->replaced())
        if (const std::size_t at = text.find(pair.pseudonym); at != std::string::npos)
            text.replace(at, pair.pseudonym.size(), pair.name);
    return text;
}

}  // namespace hkpd::command
