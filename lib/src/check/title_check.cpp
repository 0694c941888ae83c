#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/located_text.hpp"
#include "base/text/parse_number.hpp"
#include "base/text/reg_file.hpp"
#include "base/text/registry_text.hpp"
#include "hkpd/check.hpp"
#include "hkpd/counter_type.hpp"
#include "names/local_titles.hpp"
#include "sample/grouping.hpp"
#include "v1/layout.hpp"

namespace hkpd {
namespace {

struct Known {
    std::string_view name;
    std::optional<PerflibValues::Number> PerflibValues::* member;
};

constexpr Known known_values[] = {{"Last Counter", &PerflibValues::last_counter},
                                  {"Last Help", &PerflibValues::last_help},
                                  {"Base Index", &PerflibValues::base_index}};

void read_value(RegistryExport& input, PerflibValues& values, const FaultSink& faults) {
    const RawText& text = input.text();
    const Piece name = input.value().name;
    const std::uint64_t offset = text.offset(input.value().begin);
    for (const auto& [known, member] : known_values) {
        if (name.size() != known.size() || !text.starts_with(name, known) || values.*member) continue;
        if (const auto number = input.number())
            values.*member = {*number, offset};
        else
            faults.add({Errc::title_registry_value, offset, "title table", known, 0, 0});
    }
}

/// A title, and the input and offset from which it comes.
struct PlacedTitle {
    std::uint32_t index;
    std::string_view text;
    std::uint64_t offset;
    const TitleInput* from;
};

/// Titles in ascending order of their indices, without repeated indices.
using PlacedTitles = std::vector<PlacedTitle>;

/// All titles of a language. Names have even indices, help texts odd ones (FORMAT.md §1.4); index 1 is neither.
struct Language {
    PlacedTitles names, helps;
    bool is_system_file = false;             ///< whether titles are from a file that Windows installs
    std::optional<PlacedTitle> highest_own;  ///< title 1, whose text is the highest index of the system's own titles
};

/// Sorts entries by index. Of several entries with the same index, keeps only the last one.
void sort_by_index(PlacedTitles& entries) {
    std::ranges::stable_sort(entries, {}, &PlacedTitle::index);
    std::ranges::reverse(entries);
    const auto repeated = std::ranges::unique(entries, {}, &PlacedTitle::index);
    entries.erase(repeated.begin(), repeated.end());
    std::ranges::reverse(entries);
}

class TitleCheck {
  public:
    TitleCheck(std::span<const TitleInput> inputs, const FaultSink& faults) : faults_(faults) {
        for (const TitleInput& input : inputs) {
            for (const auto& [name, member] : known_values)
                if (!(values_.*member)) values_.*member = input.values.*member;
            if (values_from_ == nullptr && (input.values.last_counter || input.values.last_help)) values_from_ = &input;
            is_damaged_ = is_damaged_ || input.is_damaged;
            for (const TitleTable& table : input.tables) {
                Language& language = languages_[normal_language(table.language())];
                language.is_system_file = language.is_system_file || is_system_file(table.origin());
                find_disorder(table, input);
                for (std::size_t i = 0; i < table.size(); ++i) {
                    const auto [index, text, offset] = table[i];
                    const PlacedTitle entry{index, text, offset, &input};
                    if (index == 1)
                        language.highest_own = entry;
                    else
                        (index % 2 == 0 ? language.names : language.helps).push_back(entry);
                }
            }
        }
        for (auto& [name, language] : languages_) {
            sort_by_index(language.names);
            sort_by_index(language.helps);
        }
    }

    void run() {
        for (const PlacedTitle& entry : disordered_)
            report_it(Severity::warning, Errc::title_order, entry, "index", 0, entry.index);
        for (const auto& [name, language] : languages_) {
            check_last(language.names, values_.last_counter, "Last Counter");
            check_last(language.helps, values_.last_help, "Last Help");
            check_base(language);
            check_helps(language);
            check_own(language);
            check_count(language);
        }
        const Language& english_titles = languages_["009"];
        check_present(english_titles.names, values_.last_counter, R"(009\Counter)");
        check_present(english_titles.helps, values_.last_help, R"(009\Help)");
        check_languages(&Language::names, "Counter");
        check_languages(&Language::helps, "Help");
        check_english(english_titles.names);
        for (const auto& [name, language] : languages_)
            if (name != "009") check_meaning(language.names, english_titles.names);
    }

  private:
    /// Finds indices of Windows' own titles after one of others, and single indices that are out of place. The titles
    /// of a provider are together, but Windows appends later providers below and above earlier ones. Lists of programs,
    /// which do not begin with index 1 or 3, are in any order.
    void find_disorder(const TitleTable& table, const TitleInput& input) {
        constexpr std::uint32_t last_own = 1847;
        if (table.size() == 0) return;
        const std::uint32_t first = table[0].index;
        if (first != 1 && first != 3 && !input.values.last_counter) return;
        struct Last {
            std::uint32_t index = 0, before = 0;
            std::uint64_t offset = 0;
        };
        std::array<Last, 2> lasts{};  // names and help texts are in lists of their own
        for (std::size_t i = 0; i < table.size(); ++i) {
            const auto [index, text, offset] = table[i];
            auto& [last, before, last_offset] = lasts[index % 2];
            if (index <= last_own && index < last)
                disordered_.push_back({index, text, offset, &input});
            else if (before > last && index > before && before > last_own)
                disordered_.push_back({last, {}, last_offset, &input});
            before = last;
            last = index;
            last_offset = offset;
        }
    }

    void check_last(const PlacedTitles& entries, const std::optional<PerflibValues::Number>& last,
                    std::string_view field) {
        if (entries.empty() || !last || entries.back().index == last->value) return;
        const bool is_low = entries.back().index < last->value;
        if (is_low && is_damaged_) return;
        const Severity severity = is_low ? Severity::error : Severity::warning;
        report_it(severity, Errc::title_last_index, entries.back(), field, entries.back().index, last->value);
    }

    /// Reports an error if `last` is present but the English titles are missing. `entries` are the English names or
    /// help texts. `last` is the value of the Perflib key that states their highest index. An input with this value is
    /// taken for an export of the whole Perflib key. Such an export must contain the English titles, because every
    /// program requests them.
    void check_present(const PlacedTitles& entries, const std::optional<PerflibValues::Number>& last,
                       std::string_view field) {
        if (!entries.empty() || !last) return;
        const PlacedTitle at{last->value, {}, last->offset, values_from_};
        report_it(Severity::error, Errc::title_missing, at, field, 0, 0);
    }

    void check_base(const Language& language) {
        if (!language.highest_own || !values_.base_index) return;
        const auto highest = parse_number<std::uint32_t>(language.highest_own->text).value_or(0);
        if (highest != values_.base_index->value)
            report_it(Severity::warning, Errc::title_last_index, *language.highest_own, "Base Index", highest,
                      values_.base_index->value);
    }

    /// Returns whether a file is one of those that Windows installs: perfc009.dat.
    static bool is_system_file(std::string_view origin) {
        return origin.size() > 5 && (origin.starts_with("perfc") || origin.starts_with("PERFC"));
    }

    /// Returns whether Windows Vista has no title of this index; later versions have.
    static constexpr bool is_later(std::uint32_t index) noexcept {
        return (index >= 1262 && index <= 1278) || (index >= 1594 && index <= 1632) || index == 1686 ||
               (index >= 1810 && index <= 1836);
    }

    /// Reports Windows' own titles that are missing in a language that should have them.
    void check_own(const Language& language) {
        const PlacedTitles& names = language.names;
        if (names.empty()) return;
        const TitleTable& own = builtin_titles();
        std::vector<std::uint32_t> missing;
        std::size_t there = 0;
        const bool has_later = std::ranges::any_of(names, [](const PlacedTitle& name) { return is_later(name.index); });
        auto next = names.begin();
        for (std::size_t i = 0; i < own.size(); ++i) {
            next = std::lower_bound(next, names.end(), own[i].index,
                                    [](const PlacedTitle& name, std::uint32_t index) { return name.index < index; });
            const bool is_there = next != names.end() && next->index == own[i].index;
            there += is_there ? 1U : 0U;
            if (!is_there && (has_later || !is_later(own[i].index))) missing.push_back(own[i].index);
        }
        // Wine and Samba have few of these titles.
        const bool states_all = values_.last_counter && values_.last_counter->value >= last_system_title;
        if (missing.empty() || !(states_all || language.is_system_file || there > own.size() / 10)) return;
        for (std::size_t i = 0, first = 0; i < missing.size(); ++i) {
            const bool goes_on = i + 1 < missing.size() && !has_between(names, missing[i], missing[i + 1]);
            if (goes_on) continue;
            const auto after = std::ranges::lower_bound(names, missing[first], {}, &PlacedTitle::index);
            report_it(Severity::error, Errc::title_base, after == names.begin() ? *after : *(after - 1), "Counter",
                      missing[first], missing[i]);
            first = i + 1;
        }
    }

    /// Returns whether there is a title between two indices.
    static bool has_between(const PlacedTitles& titles, std::uint32_t first, std::uint32_t last) {
        const auto after = std::ranges::upper_bound(titles, first, {}, &PlacedTitle::index);
        return after != titles.end() && after->index < last;
    }

    /// Compares the number of names with that which Last Counter announces. Providers that were removed leave gaps, but
    /// they have never registered half of all.
    void check_count(const Language& language) {
        if (!values_.last_counter || values_.last_counter->value <= last_system_title || is_damaged_) return;
        const std::uint32_t announced = values_.last_counter->value / 2;
        if (language.names.empty() || language.names.size() >= announced / 2) return;
        report_it(Severity::error, Errc::title_count, language.names.back(), "Counter", announced,
                  language.names.size());
    }

    /// Reports that titles of a language mean others than the English ones of the same indices, as far as they are
    /// known.
    void check_meaning(const PlacedTitles& names, const PlacedTitles& english) {
        TitleTable table;
        for (const PlacedTitle& name : names)
            if (name.index < last_system_title) table.add(name.index, name.text);
        if (english.empty() || table.size() == 0) return;
        const auto meant = translate(table);
        if (!meant) return;
        const PlacedTitle *first = nullptr, *last = nullptr;
        for (const PlacedTitle& name : names) {
            const auto known = meant->find(name.index), own = builtin_titles().find(name.index);
            const auto there = std::ranges::lower_bound(english, name.index, {}, &PlacedTitle::index);
            if (!known || !own || there == english.end() || there->index != name.index || there->text != *own ||
                *known == there->text)
                continue;
            if (first == nullptr) first = &name;
            last = &name;
        }
        if (first != nullptr)
            report_it(Severity::warning, Errc::title_languages, *first, "text", first->index, last->index);
    }

    void check_helps(const Language& language) {
        if (language.helps.empty()) return;
        const PlacedTitle* first = nullptr;  // first of the consecutive names without a help text
        auto help = language.helps.begin();
        for (std::size_t i = 0; i < language.names.size(); ++i) {
            const PlacedTitle& name = language.names[i];
            while (help != language.helps.end() && help->index < name.index) ++help;
            if (help == language.helps.end() || help->index != name.index + 1) {
                if (first == nullptr) first = &name;
            } else if (first != nullptr) {
                report_it(Severity::note, Errc::title_no_help, *first, "Help", first->index,
                          language.names[i - 1].index);
                first = nullptr;
            }
        }
        if (first != nullptr)
            report_it(Severity::note, Errc::title_no_help, *first, "Help", first->index, language.names.back().index);
    }

    /// Reports, for each language, the indices that have no title in this language but have a title in another
    /// language. `titles` selects names or help texts. A language without any titles of the selected kind is skipped,
    /// because many systems have help texts in English only.
    void check_languages(PlacedTitles Language::* titles, std::string_view field) {
        std::vector<std::uint32_t> all;
        for (const auto& [name, language] : languages_)
            std::ranges::transform(language.*titles, std::back_inserter(all), &PlacedTitle::index);
        std::ranges::sort(all);
        const auto repeated = std::ranges::unique(all);
        all.erase(repeated.begin(), repeated.end());

        for (const auto& [name, language] : languages_) {
            const PlacedTitles& entries = language.*titles;
            auto next = all.begin();  // the next index expected
            for (std::size_t i = 0; i < entries.size(); ++i) {
                const auto there = std::lower_bound(next, all.end(), entries[i].index);
                if (there != next)
                    report_it(Severity::warning, Errc::title_languages, entries[i == 0 ? 0 : i - 1], field, *next,
                              *(there - 1));
                next = there + 1;
            }
            if (!entries.empty() && next != all.end())
                report_it(Severity::warning, Errc::title_languages, entries.back(), field, *next, all.back());
        }
    }

    /// Compares the English names with the built-in table. If there are names for fewer than half of the table's
    /// indices, the names do not come from Windows and are not compared. Many differences mean that a language pack has
    /// overwritten the English titles; one fault is reported for all of them. A few differences mean that a program has
    /// written its own titles to indices that Windows uses; each difference is reported.
    void check_english(const PlacedTitles& names) {
        const TitleTable& own = builtin_titles();
        std::vector<const PlacedTitle*> differing;
        std::size_t in_both = 0;
        for (const PlacedTitle& name : names) {
            const auto text = own.find(name.index);
            if (!text) continue;
            ++in_both;
            if (*text != name.text && !name.text.empty()) differing.push_back(&name);
        }
        const bool is_local = !differing.empty() && is_in_other_language(names);
        if (in_both < own.size() / 2 && !is_local) return;
        if (differing.size() > in_both / 20 || is_local)
            return report_it(Severity::error, Errc::title_overwritten, *differing.front(), "Counter", 0,
                             differing.front()->index);
        for (const PlacedTitle* name : differing)
            report_it(Severity::warning, Errc::title_differs, *name, "Counter", 0, name->index);
    }

    /// Returns whether names are in a known language other than English.
    static bool is_in_other_language(const PlacedTitles& names) {
        TitleTable table;
        for (const PlacedTitle& name : names) table.add(name.index, name.text);
        return !local_language(table).empty();
    }

    void report_it(Severity severity, Errc code, const PlacedTitle& at, std::string_view field, std::uint64_t expected,
                   std::uint64_t found) {
        faults_.at(at.from->place).add(severity, {code, at.offset, "title table", field, expected, found});
    }

    PlacedTitles disordered_;
    std::map<std::string, Language> languages_;
    PerflibValues values_;
    const TitleInput* values_from_ = nullptr;
    bool is_damaged_ = false;  // whether titles are known to be lost
    FaultSink faults_;
};

}  // namespace

PerflibValues read_perflib_values(Bytes input, const FaultSink& faults) {
    PerflibValues values;
    const RegistryText registry(input);
    if (registry.form() == RegistryForm::none) return values;
    using enum RegistryExport::Step;
    RegistryExport entries(registry.text());
    bool is_perflib = false;
    for (auto step = entries.next(); step != end; step = entries.next()) {
        if (step == key)
            is_perflib = entries.lower(entries.key()).ends_with("\\perflib");
        else if (is_perflib)
            read_value(entries, values, faults);
    }
    return values;
}

bool loses_titles(Errc code) noexcept {
    using enum Errc;
    constexpr Errc codes[] = {title_index,     title_index_empty,    title_unpaired, title_odd_byte,
                              title_after_end, title_registry_value, byte_limit};
    return std::ranges::find(codes, code) != std::end(codes);
}

void check_titles(std::span<const TitleInput> inputs, const FaultSink& faults) { TitleCheck(inputs, faults).run(); }

void check_named(const v1::Block& block, const Titles& titles, const FaultSink& faults) {
    using ObjectLayout = layout::PERF_OBJECT_TYPE<boost::endian::order::little>;
    using CounterLayout = layout::PERF_COUNTER_DEFINITION<boost::endian::order::little>;
    const FaultSink discarded;  // the reader of the block reports these faults
    std::string machine;
    assign_machine(machine, block);
    v1::Object object;
    for (const v1::ObjectEntry& entry : block.objects()) {
        if (!object.open(block, entry, discarded)) continue;
        const std::uint32_t object_index = object.header().ObjectNameTitleIndex;
        std::set<std::uint32_t> reported;
        const auto check = [&](std::uint32_t index, std::uint64_t offset, std::string_view structure,
                               std::string_view field) {
            if (index == 0 || titles.find(index, {false, machine}) || !reported.insert(index).second) return;
            faults.add({Errc::title_unnamed, offset, structure, field, 0, index}, object_index);
        };
        check(object_index, object.bytes().offset() + offsetof(ObjectLayout, ObjectNameTitleIndex), "PERF_OBJECT_TYPE",
              "ObjectNameTitleIndex");
        for (const v1::Counter& counter : object.counters())
            // Base counters are not shown anywhere, and many have no name of their own.
            if (!CounterType{counter.definition.CounterType}.is_base())
                check(counter.definition.CounterNameTitleIndex,
                      counter.offset + offsetof(CounterLayout, CounterNameTitleIndex), "PERF_COUNTER_DEFINITION",
                      "CounterNameTitleIndex");
    }
}

}  // namespace hkpd
