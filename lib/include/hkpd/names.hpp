// Names. For V1 blocks, these are the texts of title indices; all forms in which Windows stores the texts are read. For
// V2, names come from the registrations of providers.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

class FaultSink;

/// Returns the three digits under which Perflib keeps a language: `009` for `9`, `009` and the full identifier `409`.
/// The full identifiers `404`, `804` (Chinese), `416` and `816` (Portuguese) are returned as they are. Any other text
/// is returned in lower case.
std::string normal_language(std::string_view language);

/// A table of titles, index ↔ text, in one language and from one origin. Names (even indices by convention) and help
/// texts (odd) share one index space. The `Counter` and `Help` values of a language can therefore be two tables with
/// disjoint indices, or a single table.
class TitleTable {
  public:
    TitleTable() = default;
    /// Constructs an empty table with a language (empty: unknown) and an origin.
    TitleTable(std::string_view language, std::string_view origin) : language_(language), origin_(origin) {}

    /// Returns the machine to which the titles belong; empty if the titles are valid for any machine.
    const std::string& machine() const noexcept { return machine_; }
    void set_machine(std::string_view machine) { machine_ = machine; }
    /// Sets the language of a table whose source does not state it.
    void set_language(std::string_view language) { language_ = language; }

    /// An entry of the table. The view is valid until the table changes.
    struct Title {
        std::uint32_t index;
        std::string_view text;
        std::uint64_t offset = 0;  ///< offset of the index in the input; 0 if the table was not read from an input
    };

    /// Returns the language as three hexadecimal digits, as in the registry (`009` English, `007` German); empty if the
    /// language is unknown.
    const std::string& language() const noexcept { return language_; }
    /// Returns the origin of the table: a file's name, or `built-in`.
    const std::string& origin() const noexcept { return origin_; }

    /// Adds an entry; `offset` is the offset of the entry's index in the input. Returns false, and adds nothing, if the
    /// table would exceed the default `Limits::title_bytes`.
    bool add(std::uint32_t index, std::string_view text, std::uint64_t offset = 0);
    /// Returns the text of an index; none if the table does not have the index. If an index is repeated, the last entry
    /// counts, as in Microsoft's sample program, which fills an array by index. Returns none for index 1: the text of
    /// that entry is not a title, but the highest index of the system's own titles.
    std::optional<std::string_view> find(std::uint32_t index) const {
        const std::uint32_t position = index < low_.size() ? low_[index] : high_position(index);
        if (index == 1 || position == no_index) return std::nullopt;
        const Entry& entry = entries_[position];
        return std::string_view(text_).substr(entry.begin, entry.length);
    }
    /// Returns the number of entries, repeated ones and index 1 included.
    std::size_t size() const noexcept { return entries_.size(); }
    /// Returns the approximate memory use in bytes, entries with empty texts included.
    std::size_t bytes() const noexcept { return text_.size() + entries_.size() * entry_bytes; }
    /// Returns the entry at a position in the order of the source. `position` must be below `size`.
    Title operator[](std::size_t position) const noexcept;

    /// Returns whether both tables have the same titles in the same order and the same language, origin and machine;
    /// offsets in the input may differ.
    bool operator==(const TitleTable&) const = default;

  private:
    struct Entry {
        std::uint64_t offset;
        std::uint32_t index, begin, length;

        bool operator==(const Entry& other) const noexcept {
            return index == other.index && begin == other.begin && length == other.length;
        }
    };
    std::uint32_t high_position(std::uint32_t index) const {
        const auto found = high_.empty() ? high_.end() : high_.find(index);
        return found == high_.end() ? no_index : found->second;
    }
    static constexpr std::size_t entry_bytes = 24 + 48;  // an Entry and a node of the map
    std::string language_, origin_, machine_, text_;
    std::vector<Entry> entries_;  // in the order of the source
    // The position of the last entry of each index. Low indices are positions in the list `low_`, so that a title is
    // found in one step: Windows assigns indices from 1 upwards, and a block has thousands of titles. Higher indices
    // are in the map `high_`.
    std::vector<std::uint32_t> low_;
    std::map<std::uint32_t, std::uint32_t> high_;
};

/// Returns the title tables of a file. The form of the file, one of those listed below, is recognised by the content.
/// If the content does not state the language, the language is taken from `name`, the file's name. Most forms give one
/// table; a `.reg` file gives one table for each language and value.
///
/// Forms: REG_MULTI_SZ bytes (UTF-16, either byte order); text with indices and titles on alternate lines, or with
/// `index<TAB>title` on each line (UTF-8, UTF-16, else Windows-1252, with or without byte order mark); `.reg` exports
/// with `hex(7):` values `Counter`, `Help`, `Counter 009`, ... Fails with `not_recognised` for any other form, and with
/// `byte_limit` if the file is larger than the default `Limits::bytes`.
std::expected<std::vector<TitleTable>, Error> parse_titles(Bytes input, std::string_view name, const FaultSink& faults);

/// Returns the system's own base titles: the English names, without help texts, of indices 2 to 1846. These titles are
/// the same on every Windows.
const TitleTable& builtin_titles();

/// Appends a table's entries as REG_MULTI_SZ bytes in UTF-16 little endian, as in the registry value `Counter`. Omits
/// the NUL at the end of the list, so that more tables can be appended.
void append_multi_sz(std::string& out, const TitleTable& table);

/// Title tables in an order of preference.
class Titles {
  public:
    /// A text and the table that contains it.
    struct Answer {
        std::string_view text;  ///< UTF-8, not sanitised: may contain any characters
        std::uint32_t table;    ///< position in `tables()`
    };
    /// The producer of the index that is looked up.
    struct Scope {
        bool windows_own = true;     ///< whether Windows numbers the titles; false: the producer does
        std::string_view machine{};  ///< empty: unknown
    };

    /// Adds a table, which ranks after the earlier tables of equal preference.
    void add(TitleTable table);
    /// Sets the languages to search first, in this order. A language is written as `009` or `9`. A full identifier such
    /// as `407` stands for its primary language, as in Windows (see `normal_language`). After these languages come
    /// English (`009`), then tables of unknown language, then all others. The built-in table comes last of all, or, if
    /// English is one of `languages`, directly after the other English tables. Tables of equal rank are searched in the
    /// order in which they were added.
    void prefer(const std::vector<std::string>& languages);

    /// Returns the text of an index from the first table that has it; none if no table has it. Skips tables of other
    /// machines. Also skips the built-in table if the producer numbers its titles itself. Views are valid as long as
    /// this object.
    std::optional<Answer> find(std::uint32_t index, const Scope& scope) const;
    /// The tables that the indices of one producer are looked up in. Valid until a table is added or the order changes.
    class ScopedTables {
      public:
        ScopedTables() = default;
        /// Returns what `Titles::find` returns for this scope.
        std::optional<Answer> find(std::uint32_t index) const {
            for (const auto& [table, position] : tables_)
                if (const auto text = table->find(index)) return Answer{*text, position};
            return std::nullopt;
        }

      private:
        friend class Titles;
        std::vector<std::pair<const TitleTable*, std::uint32_t>> tables_;  // in the order of search
    };
    /// Returns the tables for a scope. Many indices are looked up faster in them than by `find`.
    ScopedTables in_scope(const Scope& scope) const;
    /// Returns the text of an index from the first table of any machine that has it; none if no table has it.
    std::optional<Answer> find(std::uint32_t index) const { return find(index, Scope{}); }
    /// Returns the tables in the order in which they were added; they never move in memory.
    const std::deque<TitleTable>& tables() const noexcept { return tables_; }
    /// Returns positions in `tables()`, in the order in which the tables are searched.
    std::span<const std::uint32_t> order() const noexcept { return order_; }
    bool empty() const noexcept { return tables_.empty(); }

  private:
    std::vector<std::string> languages_;
    std::deque<TitleTable> tables_;
    std::vector<std::uint32_t> order_;
};

struct Limits;

/// A registered counter, with its texts in the best-ranked of the available languages.
struct CountersetCounter {
    v2::CounterRegInfo info{};                   ///< has type `no_counter_type` if only texts are known
    std::optional<std::string_view> name, help;  ///< none: unknown, or the counter has no such text (as a base)
};

/// A counterset of one machine. Texts are valid as long as the `Countersets`.
struct Counterset {
    Guid guid;
    std::string machine;       ///< empty: any
    std::uint32_t number = 0;  ///< identifies the GUID in this run; the same for all machines
    bool registered = false;   ///< whether a result of `counterset_struct` is known; if not, only texts are known
    v2::InstanceType instances = v2::InstanceType::multi;
    std::uint32_t detail_level = 0;
    std::optional<std::uint32_t> title_index;  ///< the object's index in V1 (registry: "First Counter"), if known
    std::optional<std::string_view> name, help, provider_name;
    std::optional<Guid> provider;
    std::vector<CountersetCounter> counters;  ///< in ascending order of ids, each id once

    /// Returns the counter with an id; null if it is not registered.
    const CountersetCounter* find(std::uint32_t id) const noexcept;
};

/// All registrations that are known in a run.
class Countersets {
  public:
    Countersets() = default;
    Countersets(const Countersets&) = delete;  // a copy would view the texts of the original; builders keep references
    Countersets& operator=(const Countersets&) = delete;
    ~Countersets() = default;

    /// Sets the preferred languages of texts, best first (`009`). After them come English, texts of unknown language
    /// and all others. Must be called before the first `add`.
    void prefer(const std::vector<std::string>& languages);

    /// A result of PerfQueryCounterSetRegistrationInfo with its request, its machine (empty: any) and its language
    /// (`009`; empty: unknown). The bytes are used only during `add`.
    struct Answer {
        Guid guid;
        v2::RegistrationRequest request{};
        std::string_view machine{}, language{};
        std::optional<std::uint32_t> title_index{};
        Bytes bytes{};
    };
    /// Adds the valid content of a result, as far as `Limits` (title_bytes, series) allow. If a result registers an id
    /// twice, the first registration counts and the others are reported. A later counterset struct replaces an earlier
    /// one. A text is replaced only by a text in a better-ranked language. Adding the same result again changes
    /// nothing. Faults are reported with the object number `number(guid)`.
    void add(const Answer& answer, const Limits& limits, const FaultSink& faults);

    /// Returns the counterset that was added for `machine`, otherwise the counterset that was added for any machine;
    /// null if there is neither. If only one of the two is registered and the other has only texts, returns the
    /// registered one.
    const Counterset* find(std::string_view machine, const Guid& guid) const noexcept;
    /// Returns the countersets in the order in which they were added; they never move in memory.
    const std::deque<Counterset>& all() const noexcept { return all_; }
    /// Returns the number that identifies a GUID in this run (`Counterset::number`). Assigns the next number to a new
    /// GUID; the first number is `first_counterset`. Returns `no_index` for a new GUID if the run already has 65,536
    /// GUIDs.
    std::uint32_t number(const Guid& guid);

  private:
    struct Known {
        std::uint32_t number = 0;
        std::map<std::string, std::size_t, std::less<>> machines;  // → position in all_
    };
    // Position in all_, the request that returns the text, and the counter's id.
    using TextKey = std::tuple<std::size_t, v2::RegistrationRequest, std::uint32_t>;
    class Intake;  // adds one result

    std::optional<std::size_t> entry(std::string_view machine, const Guid& guid);

    std::vector<std::string> languages_;
    std::deque<Counterset> all_;
    std::map<Guid, Known> known_;
    std::deque<std::string> texts_;  // a deque, as texts must not move
    std::size_t text_bytes_ = 0, counters_ = 0;
    std::map<TextKey, std::size_t> ranks_;  // rank of each text's language: a better-ranked text replaces it
};

}  // namespace hkpd
