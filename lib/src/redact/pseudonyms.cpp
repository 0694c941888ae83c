#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <random>
#include <span>
#include <utility>

#include "base/sip_hash.hpp"
#include "base/text/names.hpp"
#include "hkpd/redact.hpp"
#include "names/local_titles.hpp"
#include "redact/instance_name.hpp"

namespace hkpd {
namespace {

/// The words for the kinds of names: in front of pseudonyms, and in messages.
struct KindWords {
    std::string_view prefix, one, several;
};
constexpr std::array<KindWords, name_kinds> kind_words{{{"machine", "machine", "machines"},
                                                        {"name", "instance", "instances"},
                                                        {"custom", "object or counter", "objects and counters"},
                                                        {"file", "input", "inputs"},
                                                        {"text", "text", "texts"}}};
const KindWords& words_of(NameKind kind) noexcept { return kind_words[std::to_underlying(kind)]; }

/// Names of objects and counters that hkpd itself uses, in its rules and in place of those of a log, in addition to the
/// titles of Windows.
constexpr auto own_titles = std::to_array<std::string_view>(
    {"Other columns", "Process V2", "Utilization Percentage", "ASP.NET", "Requests Queued", "SQLServer:Buffer Manager",
     "SQLServer:Locks", "SQLServer:Memory Manager", "Page life expectancy", "Memory Grants Pending",
     "Number of Deadlocks/sec", "Average Wait Time (ms)"});

/// Returns whether a name is that of an object or counter of Windows.
bool is_public_title(std::string_view name) {
    const auto equals = [name](std::string_view own) { return compare_names(name, own) == 0; };
    return std::ranges::any_of(own_titles, equals) || is_known_title(name);
}

SipKey random_key() {
    std::random_device device;
    const auto half = [&device] { return std::uint64_t{device()} << 32U | device(); };
    return {half(), half()};
}

/// Returns the key of the hash for the text that a user gave as the key.
SipKey key_of(std::string_view text) {
    if (text.empty()) return random_key();
    const auto bytes = std::as_bytes(std::span(text));
    return {sip_hash({0, 0}, bytes), sip_hash({0, 1}, bytes)};
}

/// Returns the digits of a hash in base 32, whose letters cannot be confused with each other.
std::string letters_of(std::uint64_t hash) {
    constexpr std::string_view letters = "0123456789abcdefghjkmnpqrstvwxyz";
    std::string text;
    for (int left = 13; left > 0; --left, hash >>= 5U) text += letters[hash & 31U];
    return text;
}

/// Returns the extension of a file's name if it is one of a format, else an empty text. The extensions of compressed
/// files are kept together with the one in front.
std::string_view known_extension(std::string_view path) {
    constexpr auto known = std::to_array<std::string_view>(
        {".blg", ".csv", ".tsv", ".mcap", ".bin", ".blob", ".v2", ".txt", ".json", ".reg", ".zip", ".gz", ".zst"});
    const auto extension = [&](std::string_view name) -> std::string_view {
        const auto dot = name.rfind('.');
        const std::string_view found = dot == std::string_view::npos ? std::string_view() : name.substr(dot);
        const auto is_it = [found](std::string_view one) { return compare_names(found, one) == 0; };
        return std::ranges::any_of(known, is_it) ? found : std::string_view();
    };
    const std::string_view last = extension(path), before = extension(path.substr(0, path.size() - last.size()));
    return path.substr(path.size() - last.size() - before.size());
}

/// Returns whether a text consists of one number, as a count or an interval of a capture does.
bool is_plain_number(std::string_view text) {
    constexpr std::size_t most = 20;
    return text.size() <= most && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

class Pseudonyms::State {
  public:
    explicit State(RedactOptions options)
        : key_(key_of(options.key)), keep_counters_(options.keep_counters), keep_(std::move(options.keep)) {
        for (std::string& wildcard : keep_) wildcard = fold_case(wildcard);
    }

    std::string replace(NameKind kind, std::string_view name) {
        const std::scoped_lock lock(mutex_);
        auto& known = known_[std::to_underlying(kind)];
        if (const auto found = known.find(name); found != known.end()) return found->second;
        std::string made = make(kind, name);
        if (remember(name.size() + made.size())) known.emplace(name, made);
        return made;
    }

    std::vector<Pair> replaced() const {
        const std::scoped_lock lock(mutex_);
        std::vector<Pair> all;
        all.reserve(replaced_.size());
        for (const auto& [key, name] : replaced_) all.push_back({key.first, key.second, name});
        return all;
    }
    std::array<std::size_t, name_kinds> counts() const {
        const std::scoped_lock lock(mutex_);
        std::array<std::size_t, name_kinds> found{};
        for (const auto& [key, name] : replaced_) ++found[std::to_underlying(key.first)];
        return found;
    }

  private:
    std::string make(NameKind kind, std::string_view name) {
        if (name.empty()) return {};
        if (kind == NameKind::machine) return machine(name);
        if (is_kept_by_user(name)) return std::string(name);
        switch (kind) {
            case NameKind::instance:
                return instance(name);
            case NameKind::title:
                return title(name);
            case NameKind::file:
                if (name == "-") return "-";
                return pseudonym(kind, name) + fold_case(known_extension(name));
            default:
                return is_plain_number(name) ? std::string(name) : pseudonym(kind, name);
        }
    }

    /// The first part of the name of a host is that of the machine, the others are its domain.
    std::string machine(std::string_view name) {
        const std::size_t begin = std::min(name.find_first_not_of('\\'), name.size());
        std::string made(begin, '\\');
        name.remove_prefix(begin);
        if (name.empty()) return made;
        const std::size_t dot = name.find('.');
        const bool has_domain = dot != 0 && dot < name.size() - 1 && name.find(':') == std::string_view::npos &&
                                name.substr(0, dot).find_first_not_of("0123456789") != std::string_view::npos;
        if (!has_domain) return made + pseudonym(NameKind::machine, name);
        return made + pseudonym(NameKind::machine, name.substr(0, dot)) + "." +
               pseudonym(NameKind::machine, name.substr(dot + 1), "domain");
    }

    /// Each part of `parent/instance` is a name by itself.
    std::string instance(std::string_view name) {
        if (name.find('\\') != std::string_view::npos) return pseudonym(NameKind::instance, name, "path");
        constexpr std::ptrdiff_t most_strokes = 8;
        if (std::ranges::count(name, '/') > most_strokes) return pseudonym(NameKind::instance, name);
        std::string made;
        while (true) {
            const std::size_t stroke = std::min(name.find('/'), name.size());
            append_part(made, name.substr(0, stroke));
            if (stroke == name.size()) return made;
            made += '/';
            name.remove_prefix(stroke + 1);
        }
    }
    void append_part(std::string& out, std::string_view part) {
        if (part.empty() || is_kept_by_user(part)) {
            out += part;
            return;
        }
        const InstanceNameParts parts = split_instance_name(part);
        out += parts.before;
        if (parts.is_public || is_kept_by_user(parts.name))
            out += parts.name;
        else
            out += pseudonym(NameKind::instance, parts.name);
        out += parts.after;
    }

    /// The objects of an instance of SQL Server are called `MSSQL$INSTANCE:Locks`, in place of `SQLServer:Locks`.
    std::string title(std::string_view name) {
        const std::size_t dollar = name.find('$'), colon = name.find(':', std::min(dollar, name.size()));
        if (colon != std::string_view::npos) {
            const std::string_view rest = name.substr(colon);
            if (keep_counters_ || is_public_title("SQLServer" + std::string(rest)))
                return std::string(name.substr(0, dollar + 1)) +
                       pseudonym(NameKind::instance, name.substr(dollar + 1, colon - dollar - 1)) + std::string(rest);
        }
        if (keep_counters_ || is_public_title(name)) return std::string(name);
        return pseudonym(NameKind::title, name);
    }

    bool is_kept_by_user(std::string_view name) const {
        if (keep_.empty()) return false;
        const std::string folded = fold_case(name);
        return std::ranges::any_of(
            keep_, [&folded](const std::string& wildcard) { return matches_wildcard(wildcard, folded); });
    }

    std::string pseudonym(NameKind kind, std::string_view name) { return pseudonym(kind, name, words_of(kind).prefix); }
    std::string pseudonym(NameKind kind, std::string_view name, std::string_view prefix) {
        if (name.empty()) return {};
        std::string folded = fold_case(name);
        const std::string all = letters_of(sip_hash(key_, std::as_bytes(std::span(folded))));
        constexpr std::size_t usual = 10;
        std::string letters = all.substr(0, usual);
        const auto owner = owners_.find(letters);
        if (owner != owners_.end() && owner->second != folded)
            letters = all;
        else if (owner == owners_.end() && remember(folded.size()))
            owners_.emplace(letters, std::move(folded));
        std::string made = std::string(prefix) + "-" + letters;
        const auto key = std::pair(kind, made);
        if (!replaced_.contains(key) && remember(name.size() + made.size())) replaced_.emplace(key, name);
        return made;
    }

    /// Returns whether a text of this size is remembered, and counts it.
    bool remember(std::size_t size) {
        constexpr std::size_t most = std::size_t{256} << 20U, node = 96;
        if (remembered_ + size + node > most) return false;
        remembered_ += size + node;
        return true;
    }

    mutable std::mutex mutex_;
    SipKey key_;
    bool keep_counters_;
    std::vector<std::string> keep_;  // folded
    std::array<std::map<std::string, std::string, std::less<>>, name_kinds> known_;
    std::map<std::string, std::string> owners_;                         // from letters to the folded name that has them
    std::map<std::pair<NameKind, std::string>, std::string> replaced_;  // from pseudonyms to names
    std::size_t remembered_ = 0;
};

Pseudonyms::Pseudonyms(RedactOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Pseudonyms::~Pseudonyms() = default;

std::string Pseudonyms::replace(NameKind kind, std::string_view name) { return state_->replace(kind, name); }

std::vector<Pseudonyms::Pair> Pseudonyms::replaced() const { return state_->replaced(); }

std::array<std::size_t, name_kinds> Pseudonyms::counts() const { return state_->counts(); }

std::string_view name_kind_text(NameKind kind, std::size_t count) noexcept {
    return count == 1 ? words_of(kind).one : words_of(kind).several;
}

}  // namespace hkpd
