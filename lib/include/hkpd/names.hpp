// Names of objects and counters, and their help texts. V1 blocks contain title indices instead of names. Title tables
// contain the name or the help text of each title index; the library reads title tables in all forms in which Windows
// stores them. The names of V2 counters come from the registrations of providers.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

class FaultSink;

/// Returns the three hexadecimal digits under which Perflib stores the texts of a language. `language` is a hexadecimal
/// language identifier of up to three digits: the result is `009` for `9`, for `009` and for `409`. The identifiers
/// `404`, `804` (Chinese), `416` and `816` (Portuguese) are returned unchanged. Any other text is returned in lower
/// case.
std::string normal_language(std::string_view language);

/// A table of titles in one language and from one origin. Each entry has an index and the text of the index: a name or
/// a help text. By convention, names have even indices and help texts have odd indices, so no index has both a name and
/// a help text. Therefore, the names and the help texts of a language (the registry values `Counter` and `Help`) can be
/// in one table or in two tables.
class TitleTable {
  public:
    TitleTable() = default;
    /// Constructs an empty table. The functions `language` and `origin` return the texts that are passed here.
    TitleTable(std::string_view language, std::string_view origin) : language_(language), origin_(origin) {}

    /// Returns the machine to which the titles belong; empty if the titles are valid for any machine.
    const std::string& machine() const noexcept { return machine_; }
    void set_machine(std::string_view machine) { machine_ = machine; }
    /// Sets the language, for a table whose file does not state its language.
    void set_language(std::string_view language) { language_ = language; }

    /// An entry of the table. The view is valid until the table changes.
    struct Title {
        std::uint32_t index;
        std::string_view text;
        std::uint64_t offset = 0;  ///< offset of this entry's index in the input; 0 if the table is not from an input
    };

    /// Returns the language as three hexadecimal digits, as in the registry (`009` English, `007` German); empty if the
    /// language is unknown.
    const std::string& language() const noexcept { return language_; }
    /// Returns the origin of the table: a file's name, or `built-in`.
    const std::string& origin() const noexcept { return origin_; }

    /// Adds an entry; `offset` is the offset of the entry's index in the input. Returns false, and adds nothing, if the
    /// table would exceed the default `Limits::title_bytes`.
    bool add(std::uint32_t index, std::string_view text, std::uint64_t offset = 0);
    /// Returns the text of an index; none if the table does not have the index. If several entries have the index,
    /// returns the text of the last entry. Microsoft's sample program does the same, because it stores the texts in an
    /// array by index. Always returns none for index 1: the text of index 1 is not a title, but the highest index of
    /// the titles that belong to Windows itself.
    std::optional<std::string_view> find(std::uint32_t index) const {
        const std::uint32_t position = contents_->position(index);
        if (index == 1 || position == no_index) return std::nullopt;
        const Entry& entry = contents_->entries[position];
        return std::string_view(contents_->text).substr(entry.begin, entry.length);
    }
    /// Returns the number of entries. An entry also counts if another entry has the same index, or if its index is 1.
    std::size_t size() const noexcept { return contents_->entries.size(); }
    /// Returns the approximate memory use in bytes, of the texts and of the entries themselves. Copies of a table, and
    /// tables with equal titles in one `Titles`, use this memory together.
    std::size_t bytes() const noexcept { return contents_->bytes(); }
    /// Returns the address of the titles: it is equal for tables that share them.
    const void* titles_address() const noexcept { return contents_.get(); }
    /// Returns the entry at a position, in the order in which entries were added. `position` must be below `size`.
    Title operator[](std::size_t position) const noexcept;

    /// Returns whether both tables have the same titles in the same order and the same language, origin and machine;
    /// offsets in the input may differ.
    bool operator==(const TitleTable& other) const noexcept {
        return language_ == other.language_ && origin_ == other.origin_ && machine_ == other.machine_ &&
               (contents_ == other.contents_ || *contents_ == *other.contents_);
    }

  private:
    friend class Titles;
    struct Entry {
        std::uint64_t offset;
        std::uint32_t index, begin, length;

        bool operator==(const Entry& other) const noexcept {
            return index == other.index && begin == other.begin && length == other.length;
        }
    };
    /// The titles themselves. Copies of a table share them, until one of them gets a further entry.
    struct Contents {
        std::size_t hash = 0;  // of the entries in their order
        std::string text;
        std::vector<Entry> entries;  // in the order in which they were added
        // For each index, the position in `entries` of the last entry with this index. Windows assigns indices from 1
        // upwards, and a block needs thousands of titles. Therefore, `low` has an element for each low index, so that a
        // search takes one step. The map `high` is for all other indices and saves memory, because few of them are
        // used.
        std::vector<std::uint32_t> low;
        std::map<std::uint32_t, std::uint32_t> high;

        std::uint32_t position(std::uint32_t index) const {
            if (index < low.size()) return low[index];
            const auto found = high.empty() ? high.end() : high.find(index);
            return found == high.end() ? no_index : found->second;
        }
        std::size_t bytes() const noexcept;
        bool operator==(const Contents&) const = default;
    };

    std::string language_, origin_, machine_;
    std::shared_ptr<Contents> contents_ = std::make_shared<Contents>();
};

/// Returns the title tables of a file. `input` is the content of the file, and `name` is the name of the file. If the
/// content does not state the language, the language is taken from `name`. The form of the file is recognised by the
/// content. The following forms are read:
///
/// - REG_MULTI_SZ bytes, in UTF-16 of either byte order.
/// - Text with an index and a title on alternate lines, or with `index<TAB>title` on each line. The text is in UTF-8 or
///   UTF-16, with or without byte order mark; otherwise it is read as Windows-1252.
/// - A `.reg` export with the values `Counter`, `Help`, `Counter 009`, ... in the form `hex(7):`. Each of these values
///   gives one table; a file of any other form gives one table.
///
/// Fails with `not_recognised` for any other form, and with `byte_limit` if the file is larger than the default
/// `Limits::bytes`.
std::expected<std::vector<TitleTable>, Error> parse_titles(Bytes input, std::string_view name, const FaultSink& faults);

/// Returns the built-in titles: the English names of indices 2 to 1846, without help texts. These are the titles of
/// Windows itself, which are the same on every Windows system.
const TitleTable& builtin_titles();

/// Appends a table's entries as REG_MULTI_SZ bytes in UTF-16 little endian, as in the registry value `Counter`. Omits
/// the NUL at the end of the list, so that more tables can be appended.
void append_multi_sz(std::string& out, const TitleTable& table);

/// A list of title tables, searched in an order of preference. Tables with equal titles, such as those of machines with
/// the same software, share the memory for them.
class Titles {
  public:
    /// A text and the table that contains it.
    struct Answer {
        std::string_view text;  ///< UTF-8, not sanitised: may contain any characters
        std::uint32_t table;    ///< position in `tables()`
    };
    /// The producer of a block that contains title indices: Windows, or other software such as Samba, on one machine.
    /// `find` searches only the title tables that apply to this producer.
    struct Scope {
        bool windows_own = true;  ///< true if indices are those of Windows; false if the producer has its own indices
        std::string_view machine{};  ///< name of the producer's machine; empty if it is unknown
    };

    /// Adds a table. It is searched after the earlier tables of equal rank (see `prefer`). Returns the added table,
    /// which is valid as long as this object exists, and which shares its titles with an equal one.
    const TitleTable& add(TitleTable table);
    /// Returns whether a table was added that is equal to `table`.
    bool contains(const TitleTable& table) const;
    /// Returns the approximate memory use in bytes of all tables and of `further`, as if it were added.
    std::uint64_t bytes_with(const TitleTable& further) const;
    /// Sets the order in which tables are searched, also for tables that are added later. A language is written as
    /// `009`, `9` or `409` (see `normal_language`). Tables rank by language:
    ///
    /// - First come the tables in one of `languages`, in the order of `languages`.
    /// - Then come English tables (`009`), then tables of unknown language, then all other tables.
    /// - The built-in table comes directly after the other English tables if `languages` contains English. If
    ///   `languages` does not contain English, the built-in table comes last.
    ///
    /// Tables of equal rank are searched in the order in which they were added.
    void prefer(const std::vector<std::string>& languages);
    /// Returns whether there is a table in a language, written as for `prefer`. The built-in table is English.
    bool has_language(std::string_view language) const;

    /// Returns the text of an index from the first table that has the index; none if no table has it. If
    /// `scope.machine` is not empty, skips tables that belong to another machine. If `scope.windows_own` is false,
    /// skips the built-in table. The text is valid as long as this object exists.
    std::optional<Answer> find(std::uint32_t index, const Scope& scope) const { return find(index, scope, {}); }
    /// Returns the same from the tables of one language, such as `009`, alone; `language` empty: from all.
    std::optional<Answer> find(std::uint32_t index, const Scope& scope, std::string_view language) const;
    /// The tables that `find` searches for one scope, in the order of search. Valid until a table is added or `prefer`
    /// is called.
    class ScopedTables {
      public:
        ScopedTables() = default;
        /// Returns the same result as `Titles::find` with this index and the scope that was passed to `in_scope`.
        std::optional<Answer> find(std::uint32_t index) const {
            for (const auto& [table, position] : tables_)
                if (const auto text = table->find(index)) return Answer{*text, position};
            return std::nullopt;
        }
        /// Returns the place of a table in the order of search; `position` is its position in `Titles::tables()`.
        std::size_t place(std::uint32_t position) const noexcept {
            std::size_t place = 0;
            while (place < tables_.size() && tables_[place].second != position) ++place;
            return place;
        }

      private:
        friend class Titles;
        std::vector<std::pair<const TitleTable*, std::uint32_t>> tables_;  // in the order of search
    };
    /// Returns the tables that `find` searches for a scope. For many indices of one scope, `ScopedTables::find` is
    /// faster than `find`.
    ScopedTables in_scope(const Scope& scope) const;
    /// Returns the text of an index from the first table that has the index, whichever machine the table belongs to;
    /// none if no table has it.
    std::optional<Answer> find(std::uint32_t index) const { return find(index, Scope{}); }
    /// Returns the tables in the order in which they were added. The tables never move in memory.
    const std::deque<TitleTable>& tables() const noexcept { return tables_; }
    /// Returns the positions of all tables in `tables()`, in the order in which the tables are searched.
    std::span<const std::uint32_t> order() const noexcept { return order_; }
    bool empty() const noexcept { return tables_.empty(); }

  private:
    using Contents = TitleTable::Contents;
    using Key = std::tuple<const Contents*, std::string, std::string, std::string>;
    std::shared_ptr<Contents> equal_contents(const TitleTable& table) const;
    static Key key_of(const Contents* contents, const TitleTable& table);
    void insert_by_rank(std::vector<std::uint32_t>& order, std::uint32_t position) const;
    template <typename Visit>
    void visit_in_scope(const Scope& scope, Visit visit) const;

    std::vector<std::string> languages_;
    std::deque<TitleTable> tables_;
    std::vector<std::size_t> ranks_;  // of each table, for `languages_`
    std::vector<std::uint32_t> order_;
    /// The tables of each machine, and those of no machine under an empty name, in the order of search. A search for
    /// one machine then does not take longer if there are many others.
    std::map<std::string, std::vector<std::uint32_t>, std::less<>> of_machine_;
    std::unordered_multimap<std::size_t, std::shared_ptr<Contents>> contents_;  // by their hash, each once
    std::set<Key> known_;
    std::uint64_t bytes_ = 0;
};

/// Returns the title in the tables that is most similar to a mistyped one, ignoring case; empty if none is similar.
std::string similar_title(std::span<const TitleTable* const> tables, std::string_view text);

struct Limits;

/// A registered counter, with its texts. If a text is available in several languages, the text in the best-ranked
/// language is stored (`Countersets::prefer`).
struct CountersetCounter {
    /// Registration of the counter. If only texts of the counter are known, `info` contains only the counter's id, and
    /// its type is `no_counter_type`.
    v2::CounterRegInfo info{};
    std::optional<std::string_view> name, help;  ///< none if unknown, or if the counter has no such text (some bases)
};

/// A counterset of one machine. Texts are valid as long as the `Countersets` object exists.
struct Counterset {
    Guid guid;
    std::string machine;       ///< name of the machine; empty if the counterset is valid for any machine
    std::uint32_t number = 0;  ///< identifies the GUID in this run; the same for all machines
    /// True if the registration of the counterset itself has been added: the result of
    /// PerfQueryCounterSetRegistrationInfo for the request `v2::RegistrationRequest::counterset_struct`. `instances`
    /// and `detail_level` come from this result; until then, both have default values.
    bool registered = false;
    v2::InstanceType instances = v2::InstanceType::multi;
    std::uint32_t detail_level = 0;
    std::optional<std::uint32_t> title_index;  ///< the object's title index in V1 (registry: "First Counter"), if known
    std::optional<std::string_view> name, help, provider_name;
    std::optional<Guid> provider;
    std::vector<CountersetCounter> counters;  ///< in ascending order of ids, each id once

    /// Returns the counter with an id; null if `counters` does not contain the id.
    const CountersetCounter* find(std::uint32_t id) const noexcept;
};

/// All registrations of V2 countersets that are known in a run.
class Countersets {
  public:
    Countersets() = default;
    Countersets(const Countersets&) = delete;  // the views in a copy would refer to the texts of the original
    Countersets& operator=(const Countersets&) = delete;
    ~Countersets() = default;

    /// Sets the preferred languages of texts (such as `009`), in order of preference. Texts in other languages rank
    /// after these: first English, then unknown languages, then all others. Must be called before the first `add`.
    void prefer(const std::vector<std::string>& languages);

    /// Returns whether a text in a language, written as for `prefer`, has been added.
    bool has_language(std::string_view language) const;

    /// A result of PerfQueryCounterSetRegistrationInfo, and the request for which Windows returned it.
    struct Answer {
        Guid guid;                          ///< the counterset
        v2::RegistrationRequest request{};  ///< determines the form of `bytes`
        /// `machine`: name of the machine; empty if the result is valid for any machine. `language`: language of the
        /// texts, such as `009`; empty if unknown.
        std::string_view machine{}, language{};
        std::optional<std::uint32_t> title_index{};  ///< the object's title index in V1, if known
        Bytes bytes{};                               ///< the result; used only during `add`
    };
    /// Adds the valid content of a result. Content beyond a limit is left out and reported: `Limits::title_bytes` for
    /// texts, `Limits::series` for counters. If a result registers a counter id twice, the first registration is used,
    /// and the repetition is reported. A registration replaces an earlier registration of the same counterset or
    /// counter. A text replaces an earlier text only if its language ranks better. Adding the same result again changes
    /// nothing. Faults are reported with the object number `number(guid)`.
    void add(const Answer& answer, const Limits& limits, const FaultSink& faults);

    /// Returns the counterset with this GUID that was added for `machine`, or the one that was added for any machine
    /// (empty name). If both exist, returns the one for `machine`, unless only the one for any machine is
    /// registered (`Counterset::registered`). Returns null if neither exists.
    const Counterset* find(std::string_view machine, const Guid& guid) const noexcept;
    /// Returns the countersets in the order in which they were added. The countersets never move in memory.
    const std::deque<Counterset>& all() const noexcept { return all_; }
    /// Returns the number that identifies a GUID in this run (`Counterset::number`). If the GUID has no number yet,
    /// assigns the next one, beginning with `first_counterset`. If 65,536 GUIDs already have a number, returns
    /// `no_index` for a new GUID.
    std::uint32_t number(const Guid& guid);

  private:
    struct Known {
        std::uint32_t number = 0;
        std::map<std::string, std::size_t, std::less<>> machines;  // from the name of a machine to a position in all_
    };
    // Identifies a text: position of its counterset in all_, the request that returns the text, and the counter's id
    // (0 for a text of the counterset itself).
    using TextKey = std::tuple<std::size_t, v2::RegistrationRequest, std::uint32_t>;
    class Intake;  // adds one result

    std::optional<std::size_t> entry(std::string_view machine, const Guid& guid);

    std::vector<std::string> languages_;
    std::set<std::string> added_languages_;  // in the form of `normal_language`
    std::deque<Counterset> all_;
    std::map<Guid, Known> known_;
    std::deque<std::string> texts_;  // a deque, because views of the texts would become invalid if the texts moved
    std::size_t text_bytes_ = 0, counters_ = 0;
    std::map<TextKey, std::size_t> ranks_;  // rank of the language of each stored text; 0 is the best rank
};

}  // namespace hkpd
