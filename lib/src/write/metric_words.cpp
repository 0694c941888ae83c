#include "metric_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace hkpd {
namespace {

constexpr bool is_word(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view word) {
    std::string text(word);
    std::ranges::transform(text, text.begin(), lower);
    return text;
}

bool is_one_of(std::string_view word, const auto& words) noexcept {
    return std::ranges::find(words, word) != std::ranges::end(words);
}

struct Unit {
    std::string_view sign, words;
};

/// What is certain wherever it stands. `MS` and `Mb` are not: one may be Microsoft, the other bits.
constexpr std::array<Unit, 7> signs{{{"ms", "millisecond"},
                                     {"KB", "kilobyte"},
                                     {"kB", "kilobyte"},
                                     {"MB", "megabyte"},
                                     {"GB", "gigabyte"},
                                     {"TB", "terabyte"},
                                     {"PB", "petabyte"}}};
/// What is certain in parentheses of its own, but those of `Thread(s)`. The micro sign is U+00B5, the letter U+03BC.
constexpr std::array<Unit, 6> signs_in_parentheses{{{"s", "seconds"},
                                                    {"us", "microsecond"},
                                                    {"\xC2\xB5s", "microsecond"},
                                                    {"\xCE\xBCs", "microsecond"},
                                                    {"ns", "nanosecond"},
                                                    {"B", "bytes"}}};

std::optional<std::string_view> words_of(std::string_view sign, const auto& units) noexcept {
    const auto found = std::ranges::find(units, sign, &Unit::sign);
    return found == std::ranges::end(units) ? std::nullopt : std::optional(found->words);
}

/// A word of a title, and what stands around it.
struct TitleWord {
    std::string_view title;
    std::size_t begin, end;

    std::string_view text() const noexcept { return title.substr(begin, end - begin); }

    /// What the parentheses hold that it ends; empty where there are none, or they belong to a word before them.
    std::string_view in_parentheses() const noexcept {
        const std::size_t open = title.substr(0, begin).rfind('(');
        if (open == std::string_view::npos || end == title.size() || title[end] != ')') return {};
        return open != 0 && is_word(title[open - 1]) ? std::string_view() : title.substr(open + 1, end - open - 1);
    }

    /// Whether a slash stands right before it, or with blanks, as in `Exceps Thrown / sec`.
    bool is_behind_slash() const noexcept {
        const std::size_t last = title.substr(0, begin).find_last_not_of(' ');
        return last != std::string_view::npos && title[last] == '/';
    }

    /// Whether a slash stands between it and a word before, as in `Bytes/Transfer`, and not as in `I/O`.
    bool is_divisor() const noexcept {
        return begin >= 3 && title[begin - 1] == '/' && is_word(title[begin - 2]) && is_word(title[begin - 3]) &&
               end - begin > 1;
    }
};

std::vector<TitleWord> words_in(std::string_view title) {
    std::vector<TitleWord> words;
    for (std::size_t at = 0; at < title.size(); ++at) {
        if (!is_word(title[at])) continue;
        if (at == 0 || !is_word(title[at - 1])) words.push_back({title, at, at});
        words.back().end = at + 1;
    }
    return words;
}

/// Appends a word as names have it, with its unit spelled out: `sec` is the one that titles of Windows' own abbreviate
/// (`Avg. Disk sec/Read`).
void append_word(const TitleWord& word, std::vector<std::string>& words) {
    const std::string text = lowered(word.text());
    const bool seconds = text == "sec";
    if (seconds && word.is_behind_slash()) return;  // no part of a name, for it says how the counter is shown
    const bool per_second = word.text() == "s" && word.is_behind_slash();
    if (per_second || word.is_divisor()) words.emplace_back("per");
    std::optional<std::string_view> unit = words_of(word.text(), signs);
    if (!unit) unit = words_of(word.in_parentheses(), signs_in_parentheses);
    words.push_back(per_second ? "second" : seconds ? "seconds" : unit ? std::string(*unit) : text);
}

/// Joins abbreviations of which nothing is certain to the words before them, and the first one to that behind it:
/// `User's`, `MS Exchange`. None are left where there is no other word.
void join_abbreviations(std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size();) {
        if (!is_abbreviated_unit(words[i])) {
            ++i;
            continue;
        }
        if (words.size() == 1) return words.clear();
        i -= std::min<std::size_t>(i, 1);
        words[i] += words[i + 1];  // which may be an abbreviation in its turn
        words.erase(std::next(words.begin(), static_cast<std::ptrdiff_t>(i) + 1));
    }
}

/// Units that are to be given in others, or only without a prefix, and are told by their plurals.
constexpr std::array<std::string_view, 11> other_units{"minutes", "hours", "days",   "weeks",  "kelvins", "yards",
                                                       "miles",   "bits",  "pounds", "ounces", "calories"};
constexpr std::array<std::string_view, 8> base_units{"amperes", "bytes",  "grams",   "joules",
                                                     "meters",  "metres", "seconds", "volts"};
constexpr std::array<std::string_view, 19> prefixes{"pico",  "nano", "micro", "milli", "centi", "deci", "deca",
                                                    "hecto", "kilo", "kibi",  "mega",  "mebi",  "mibi", "giga",
                                                    "gibi",  "tera", "tebi",  "peta",  "pebi"};

bool is_plural_of_other_unit(std::string_view word) noexcept {
    const auto prefix = std::ranges::find_if(prefixes, [word](std::string_view one) { return word.starts_with(one); });
    const std::string_view unit = prefix == prefixes.end() ? word : word.substr(prefix->size());
    return is_one_of(unit, other_units) || (unit != word && is_one_of(unit, base_units));
}

void append_faultless(std::string_view word, std::string& name) {
    constexpr std::array<std::string_view, 4> types{"counter", "gauge", "histogram", "summary"};
    name += word;
    if (is_one_of(word, types))
        append_plural(name);
    else if (is_plural_of_other_unit(word))
        name.pop_back();
    else if (word == "inches")
        name.resize(name.size() - 2);
}

}  // namespace

bool is_abbreviated_unit(std::string_view word) noexcept {
    // The last two are none, but have no other form.
    constexpr std::array<std::string_view, 16> units{"s",  "ms", "us", "ns", "sec", "b", "kb",         "mb",
                                                     "gb", "tb", "pb", "m",  "h",   "d", "fahrenheit", "rankine"};
    return is_one_of(word, units);
}

void append_plural(std::string& name) {
    if (name.ends_with('s') || name.ends_with('x'))
        name += "es";
    else if (name.ends_with('y'))
        name.replace(name.size() - 1, 1, "ies");
    else
        name += 's';
}

std::string metric_words(std::string_view title) {
    std::vector<std::string> words;
    for (const TitleWord& word : words_in(title)) append_word(word, words);
    join_abbreviations(words);
    std::string name;
    for (const std::string& word : words) name += (name.empty() ? "" : "_") + word;
    return name;
}

std::string without_faulty_words(std::string_view name) {
    std::string better;
    while (true) {
        const std::size_t end = name.find('_');
        append_faultless(name.substr(0, end), better);
        if (end == std::string_view::npos) return better;
        better += '_';
        name.remove_prefix(end + 1);
    }
}

}  // namespace hkpd
