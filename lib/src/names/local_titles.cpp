#include "names/local_titles.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "base/number_hash.hpp"
#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "base/zstd_result.hpp"
#include "embedded/local_titles.hpp"
#include "hkpd/error.hpp"
#include "hkpd/names.hpp"
#include "names/titles.hpp"

namespace hkpd {
namespace local_titles {

/// Composes letters from their parts (NFC), if the text has any.
static std::string composed(std::string_view text) {
    const auto is_combining = [](char c) { return c == '\xCC' || c == '\xCD'; };  // first bytes of U+0300 to U+036F
    if (std::ranges::none_of(text, is_combining)) return std::string(text);
    utf8proc_uint8_t* made = nullptr;
    const auto size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                     &made, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(made, &std::free);
    if (size < 0) return std::string(text);
    return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(size)};
}

/// Returns the form of a name in which names are compared.
static std::string loose_name(std::string_view text) {
    std::string folded = fold_case(composed(text));
    std::ranges::replace(folded, '`', '\'');
    if (is_ascii(folded)) return folded;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 11> same{
        {{"\xE2\x80\x98", "'"},           // U+2018
         {"\xE2\x80\x99", "'"},           // U+2019
         {"\xCA\xBC", "'"},               // U+02BC
         {"\xC2\xB4", "'"},               // U+00B4
         {"\xC2\xA0", " "},               // U+00A0
         {"\xE2\x80\xAF", " "},           // U+202F
         {"\xE2\x80\x89", " "},           // U+2009
         {"\xCC\x87", ""},                // U+0307, of the lower case of U+0130
         {"\xC4\xB0", "i"},               // U+0130
         {"\xC4\xB1", "i"},               // U+0131
         {"\xE1\xBA\x9E", "\xC3\x9F"}}};  // U+1E9E, U+00DF
    for (const auto& [from, to] : same)
        for (auto at = folded.find(from); at != std::string::npos; at = folded.find(from, at + to.size()))
            folded.replace(at, from.size(), to);
    return folded;
}

static std::uint64_t long_hash(std::string_view text) { return FnvHash<std::uint64_t>().add(loose_name(text)).value(); }
static bool is_listed(std::string_view text, std::span<const std::uint32_t> hashes) {
    return std::ranges::binary_search(hashes, FnvHash<std::uint32_t>().add(loose_name(text)).value());
}

/// Returns whether names may be in another language than English. A few names of an object suffice.
static bool may_be_local(const NamedObject& object) {
    if (is_listed(object.name, local_objects())) return true;
    if (object.counters.empty() || !is_listed(object.name, english_titles())) return false;
    // The object has the same name in English. Its counters have not.
    constexpr std::size_t few = 8;
    const std::span counters(object.counters.data(), std::min(object.counters.size(), few));
    return std::ranges::none_of(counters, [](std::string_view name) { return is_listed(name, english_titles()); });
}

using Position = std::uint16_t;  // of a title

/// The unpacked table.
class Table {
  public:
    struct Language {
        std::string_view id, name;
        std::vector<bool> has;  // for each title, whether it has a text
    };
    struct Use {
        std::uint64_t hash;
        std::uint16_t language;
        Position title;
    };

    /// Returns the table, which is unpacked by the first call.
    static const Table& get() {
        static const Table table;
        return table;
    }

    const std::vector<Language>& languages() const noexcept { return languages_; }
    std::string_view title(Position position) const noexcept { return titles_[position].text; }
    bool is_object(Position position) const noexcept { return titles_[position].is_object; }
    bool belongs(Position counter, Position object) const noexcept {
        return std::ranges::find(titles_[counter].objects, object) != titles_[counter].objects.end();
    }
    /// Returns the titles for which a text stands, in all languages.
    std::span<const Use> find(std::string_view text) const {
        const auto [begin, end] = std::ranges::equal_range(uses_, long_hash(text), {}, &Use::hash);
        return {begin, end};
    }
    /// Returns the position of an English title.
    std::optional<Position> find_english(std::string_view text) const {
        const auto found = std::ranges::lower_bound(english_, std::pair(long_hash(text), Position{0}));
        if (found == english_.end() || found->first != long_hash(text)) return std::nullopt;
        return found->second;
    }

  private:
    struct Title {
        std::string_view text;
        bool is_object;
        std::vector<Position> objects;
    };

    Table() : text_(local_titles_size, '\0') {
        const std::span<const std::byte> packed = embedded::local_titles_local_titles_zst();
        const std::size_t size = ZSTD_decompress(text_.data(), text_.size(), packed.data(), packed.size());
        if (is_zstd_error(size) || size != text_.size()) return;  // tests hold that it is whole
        std::string_view rest = text_;
        const auto next_part = [](std::string_view& from, char end) {
            const std::size_t length = std::min(from.find(end), from.size());
            const std::string_view part = from.substr(0, length);
            from.remove_prefix(std::min(length + 1, from.size()));
            return part;
        };
        std::size_t title = 0;
        while (!rest.empty()) {
            std::string_view line = next_part(rest, '\n');
            if (line.starts_with('=')) {
                const std::string_view id = next_part(line, '\t').substr(1);
                languages_.push_back({id, line, std::vector<bool>(titles_.size())});
                title = 0;
            } else if (languages_.empty()) {
                Title& added = titles_.emplace_back(Title{next_part(line, '\t'), next_part(line, '\t') == "1", {}});
                while (!line.empty())
                    if (const auto object = parse_number<Position>(next_part(line, ' ')))
                        added.objects.push_back(*object);
            } else {
                languages_.back().has[title] = !line.empty();
                const auto language = static_cast<std::uint16_t>(languages_.size() - 1);
                while (!line.empty())
                    uses_.push_back({long_hash(next_part(line, '\t')), language, static_cast<Position>(title)});
                ++title;
            }
        }
        std::ranges::sort(uses_, {}, [](const Use& use) { return std::tuple(use.hash, use.language, use.title); });
        english_.reserve(titles_.size());
        for (const auto& english : titles_)
            english_.emplace_back(long_hash(english.text), static_cast<Position>(english_.size()));
        std::ranges::sort(english_);
    }

    std::string text_;
    std::vector<Title> titles_;
    std::vector<Language> languages_;
    std::vector<Use> uses_;                                    // by hash
    std::vector<std::pair<std::uint64_t, Position>> english_;  // by hash
};

/// A name of an input, and what it can stand for.
struct Candidates {
    std::span<const Table::Use> uses;
    std::optional<Position> english;
};

static Candidates candidates_of(std::string_view name) {
    return {Table::get().find(name), Table::get().find_english(name)};
}

/// Counts for each language how many names are in it. A title that a language has no text for is English in it, too.
class LanguageVotes {
  public:
    LanguageVotes() : votes_(Table::get().languages().size()) {}

    void add(const Candidates& name) {
        if (name.english) ++english_;
        std::vector<bool> counted(votes_.size());
        for (const Table::Use& use : name.uses) {
            if (!counted[use.language]) ++votes_[use.language];
            counted[use.language] = true;
        }
        for (std::size_t i = 0; i < votes_.size() && name.english; ++i)
            if (!counted[i] && !Table::get().languages()[i].has[*name.english]) ++votes_[i];
    }
    /// Returns the language with most names; none if no language has more than English.
    std::optional<std::uint16_t> winner() const {
        const auto best = std::ranges::max_element(votes_);
        if (best == votes_.end() || *best <= english_) return std::nullopt;
        return static_cast<std::uint16_t>(best - votes_.begin());
    }

  private:
    std::vector<std::size_t> votes_;
    std::size_t english_ = 0;
};

/// Translates the names of one language.
class Translator {
  public:
    explicit Translator(std::uint16_t language) : language_(language) {}

    /// Returns the titles for which a name stands, as far as `accepts` returns true; all if it does so for none.
    std::vector<Position> titles(const Candidates& name, const auto& accepts) const {
        std::vector<Position> all, accepted;
        for (const Table::Use& use : name.uses)
            if (use.language == language_) add(use.title, all);
        if (name.english && !table_.languages()[language_].has[*name.english]) add(*name.english, all);
        if (all.empty() && name.english) add(*name.english, all);
        std::ranges::copy_if(all, std::back_inserter(accepted), accepts);
        return accepted.empty() ? all : accepted;
    }
    /// Returns the object that a name stands for: of several, the one that has most of the counters.
    std::optional<Position> object(const Candidates& name, std::span<const Candidates> counters) const {
        const std::vector<Position> found = titles(name, [this](Position title) { return table_.is_object(title); });
        std::optional<Position> best;
        std::size_t most = 0;
        for (const Position title : found) {
            const auto count = static_cast<std::size_t>(std::ranges::count_if(counters, [&](const Candidates& counter) {
                const auto all = titles(counter, [](Position) { return true; });
                return std::ranges::any_of(all, [&](Position one) { return table_.belongs(one, title); });
            }));
            if (best && count <= most) continue;
            best = title;
            most = count;
        }
        return best;
    }
    /// Returns the counter that a name of an object stands for; none if it is unknown, or one of several.
    std::optional<Position> counter(const Candidates& name, std::optional<Position> object) const {
        const auto found = titles(name, [&](Position title) { return object && table_.belongs(title, *object); });
        const auto differs = [&](Position title) {
            return compare_names(table_.title(title), table_.title(found.front())) != 0;
        };
        if (found.empty() || std::ranges::any_of(found, differs)) return std::nullopt;
        return found.front();
    }

  private:
    static void add(Position title, std::vector<Position>& titles) {
        if (std::ranges::find(titles, title) == titles.end()) titles.push_back(title);
    }

    const Table& table_ = Table::get();
    std::uint16_t language_;
};

/// Returns the language of a table, and what its titles can stand for.
static std::optional<std::uint16_t> language_of(const TitleTable& table, std::vector<Candidates>& candidates) {
    LanguageVotes votes;
    for (std::size_t i = 0; i < table.size(); ++i) {
        candidates.push_back(candidates_of(table[i].text));
        votes.add(candidates.back());
    }
    return votes.winner();
}

/// Returns whether a few of the base titles of a table are not English, so that it is worth a comparison with all
/// languages. These titles have a text of their own in most languages.
static bool may_be_local(const TitleTable& table) {
    for (const std::uint32_t index :
         std::to_array<std::uint32_t>({4, 6, 24, 26, 44, 142, 230, 232, 236, 238, 260, 700})) {
        const auto here = table.find(index), english = builtin_titles().find(index);
        if (here && english && compare_names(*here, *english) != 0) return true;
    }
    return false;
}

static std::optional<Translation> translate_objects(std::span<const NamedObject> objects) {
    if (std::ranges::none_of(objects, [](const NamedObject& object) { return may_be_local(object); }))
        return std::nullopt;
    LanguageVotes votes;
    std::vector<std::string_view> seen;
    for (const NamedObject& object : objects) seen.push_back(object.name);
    for (const NamedObject& object : objects) seen.insert(seen.end(), object.counters.begin(), object.counters.end());
    std::ranges::sort(seen);
    seen.erase(std::ranges::unique(seen).begin(), seen.end());
    for (const std::string_view name : seen) votes.add(candidates_of(name));
    const auto language = votes.winner();
    if (!language) return std::nullopt;

    const Table& table = Table::get();
    const Translator translator(*language);
    Translation made;
    made.language = table.languages()[*language].name;
    made.language_id = table.languages()[*language].id;
    const auto english = [&](std::optional<Position> title, std::string_view name) {
        ++made.names;
        if (title) return table.title(*title);
        if (made.unknown++ == 0) made.first_unknown = name;
        return std::string_view();
    };
    for (const NamedObject& object : objects) {
        std::vector<Candidates> counters;
        counters.reserve(object.counters.size());
        for (const std::string_view name : object.counters) counters.push_back(candidates_of(name));
        const auto of_object = translator.object(candidates_of(object.name), counters);
        NamedObject& added = made.objects.emplace_back(NamedObject{english(of_object, object.name), {}});
        for (std::size_t i = 0; i < counters.size(); ++i)
            added.counters.push_back(english(translator.counter(counters[i], of_object), object.counters[i]));
    }
    return made;
}

static std::optional<TitleTable> translate_table(const TitleTable& table) {
    if (!may_be_local(table)) return std::nullopt;
    std::vector<Candidates> candidates;
    const auto language = language_of(table, candidates);
    if (!language) return std::nullopt;
    const Translator translator(*language);
    TitleTable made(english_language, builtin_titles().origin());
    made.set_machine(table.machine());
    std::vector<std::size_t> order(table.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return table[i].index; });
    std::optional<Position> object;  // of the latest one: the counters of an object have the indices after its own
    for (const std::size_t i : order) {
        const std::uint32_t index = table[i].index;
        if (index % 2 != 0 || builtin_titles().find(index)) continue;  // a help text, or known anyway
        const auto titles = translator.titles(candidates[i], [](Position) { return true; });
        if (titles.size() == 1 && Table::get().is_object(titles.front())) object = titles.front();
        if (const auto title = translator.counter(candidates[i], object)) made.add(index, Table::get().title(*title));
    }
    return made;
}

}  // namespace local_titles

std::optional<Translation> translate(std::span<const NamedObject> objects) {
    return local_titles::translate_objects(objects);
}

std::optional<TitleTable> translate(const TitleTable& table) { return local_titles::translate_table(table); }

void add_translation(Titles& titles, const TitleTable& table) {
    if (auto made = translate(table); made && made->size() != 0) titles.add(*std::move(made));
}

bool is_known_title(std::string_view text) {
    const TitleTable& builtin = builtin_titles();
    for (std::size_t i = 0; i < builtin.size(); ++i)
        if (compare_names(builtin[i].text, text) == 0) return true;
    const auto found = local_titles::candidates_of(text);
    return found.english || !found.uses.empty();
}

std::string_view local_language(const TitleTable& table) {
    if (!local_titles::may_be_local(table)) return {};
    std::vector<local_titles::Candidates> candidates;
    const auto language = local_titles::language_of(table, candidates);
    return language ? local_titles::Table::get().languages()[*language].name : std::string_view();
}

}  // namespace hkpd
