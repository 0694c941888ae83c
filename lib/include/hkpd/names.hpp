// Names: the texts behind the indices of V1 blocks, in every form in which Windows keeps them, and what V2 providers
// have registered.
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
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

class FaultSink;

/// The three digits under which Perflib keeps a language: `009` for `9`, `009` and the full identifier `409`; anything
/// else as it is, in lower case.
std::string normal_language(std::string_view language);

/// Index ↔ text of one language from one place. Names (even indices by convention) and help texts (odd) share one
/// space of indices, so a `Counter` and a `Help` value of a language are two tables with disjoint indices, or one.
class TitleTable {
  public:
    TitleTable() = default;
    /// An empty table of a language (empty: unknown) and a place that it is said to come from.
    TitleTable(std::string_view language, std::string_view origin) : language_(language), origin_(origin) {}

    /// The machine whose titles these are; empty where they are not tied to one.
    const std::string& machine() const noexcept { return machine_; }
    void set_machine(std::string_view machine) { machine_ = machine; }
    /// Says the language of a table that does not say its own.
    void set_language(std::string_view language) { language_ = language; }

    /// One text of the table. The view is valid until the table changes.
    struct Title {
        std::uint32_t index;
        std::string_view text;
        std::uint64_t offset = 0;  ///< where its index stands in the input; 0 where the table was read from none
    };

    /// Three hexadecimal digits as in the registry (`009` English, `007` German); empty where nothing tells it.
    const std::string& language() const noexcept { return language_; }
    /// Where the table comes from: a file's name, or `built-in`.
    const std::string& origin() const noexcept { return origin_; }

    /// `offset` is where the index stands in the input. False, and nothing is added, where the table would take more
    /// than `Limits::title_bytes`.
    bool add(std::uint32_t index, std::string_view text, std::uint64_t offset = 0);
    /// The text of an index. Where an index is there twice the last one counts, as for readers that fill an array
    /// (Microsoft's sample does). Index 1 is no title: its text is the highest index of the system's own titles.
    std::optional<std::string_view> find(std::uint32_t index) const;
    /// All entries, in the order of the source, repeated ones and index 1 included.
    std::size_t size() const noexcept { return entries_.size(); }
    /// Bytes that it takes in memory, about: a title without a text takes some too.
    std::size_t bytes() const noexcept { return text_.size() + entries_.size() * entry_bytes; }
    /// An entry by its position, which is below `size`.
    Title operator[](std::size_t position) const noexcept;

    /// The same titles in the same order, of the same language, origin and machine; wherever they stood in the input.
    bool operator==(const TitleTable&) const = default;

  private:
    struct Entry {
        std::uint64_t offset;
        std::uint32_t index, begin, length;

        bool operator==(const Entry& other) const noexcept {
            return index == other.index && begin == other.begin && length == other.length;
        }
    };
    static constexpr std::size_t entry_bytes = 24 + 48;  // an Entry, and a node of the map
    std::string language_, origin_, machine_, text_;
    std::vector<Entry> entries_;                       // in the order of the source
    std::map<std::uint32_t, std::uint32_t> by_index_;  // index → position of its last entry
};

/// Reads the tables of a file, whatever its form: told by content, the language by the file's name where content is
/// silent. One table each for most forms; a `.reg` file has one for each language and value.
///
/// Forms: REG_MULTI_SZ bytes (UTF-16, either order); text with one string a line, index and title in turn, or
/// `index<TAB>title` (UTF-8, UTF-16, else Windows-1252, with or without byte order mark); `.reg` exports with
/// `hex(7):` values `Counter`, `Help`, `Counter 009`, ... Fails with `not_recognised` where it is none of them, and
/// with `byte_limit` where it is larger than `Limits` allow.
std::expected<std::vector<TitleTable>, Error> parse_titles(Bytes input, std::string_view name, const FaultSink& faults);

/// The system's own base titles, indices 2 to 1846, English names without help: the same on every Windows.
const TitleTable& builtin_titles();

/// Appends a table's entries as REG_MULTI_SZ bytes, UTF-16 little endian, as `Counter` has them; without the NUL that
/// ends the list, so that tables can follow each other.
void append_multi_sz(std::string& out, const TitleTable& table);

/// Several tables with a stated order of preference.
class Titles {
  public:
    /// A text, and who gave it.
    struct Answer {
        std::string_view text;  ///< UTF-8, as it came: it may hold any characters
        std::uint32_t table;    ///< position in `tables()`
    };
    /// On whose behalf is asked.
    struct Scope {
        bool windows_own = true;     ///< false: a producer that numbers its titles itself
        std::string_view machine{};  ///< empty: unknown
    };

    /// Adds one, to be asked behind those of equal rank.
    void add(TitleTable table);
    /// Languages to ask first, in this order (`009`, or `9`; of a full identifier such as `407` the primary language
    /// counts, as in Windows). Behind them come English (`009`), tables of unknown language, and the others, and last
    /// of all the built-in table; tables of equal rank are asked in the order in which they were added.
    void prefer(const std::vector<std::string>& languages);

    /// The text of an index, from the first table that has it. Tables of another machine are not asked, nor is the
    /// built-in one for a producer that numbers its titles itself. Views stay valid as long as this object does.
    std::optional<Answer> find(std::uint32_t index, const Scope& scope) const;
    /// Likewise, whoever asks.
    std::optional<Answer> find(std::uint32_t index) const { return find(index, Scope{}); }
    /// In the order in which they were added; they never move.
    const std::deque<TitleTable>& tables() const noexcept { return tables_; }
    /// Positions in `tables()`, in the order in which they are asked.
    std::span<const std::uint32_t> order() const noexcept { return order_; }
    bool empty() const noexcept { return tables_.empty(); }

  private:
    std::vector<std::string> languages_;
    std::deque<TitleTable> tables_;
    std::vector<std::uint32_t> order_;
};

struct Limits;

/// A counter as it is registered, with its texts in the language that ranks first among those that were given.
struct CountersetCounter {
    v2::CounterRegInfo info{};                   ///< of type `no_counter_type` where only texts are known
    std::optional<std::string_view> name, help;  ///< none: not given, or the counter has none (bases)
};

/// A counterset of one machine. Texts live as long as the `Countersets`.
struct Counterset {
    Guid guid;
    std::string machine;       ///< empty: any
    std::uint32_t number = 0;  ///< stands for the GUID in this run: equal for all machines
    bool registered = false;   ///< whether its struct is known; else only texts are
    v2::InstanceType instances = v2::InstanceType::multi;
    std::uint32_t detail_level = 0;
    std::optional<std::uint32_t> title_index;  ///< "First Counter": the object's index in V1, where it is known
    std::optional<std::string_view> name, help, provider_name;
    std::optional<Guid> provider;
    std::vector<CountersetCounter> counters;  ///< by ascending id, each id once

    /// The counter of an id; null where it is not registered.
    const CountersetCounter* find(std::uint32_t id) const noexcept;
};

/// All registrations that are known in a run.
class Countersets {
  public:
    Countersets() = default;
    Countersets(const Countersets&) = delete;  // texts would lie in the other, and builders keep references
    Countersets& operator=(const Countersets&) = delete;
    ~Countersets() = default;

    /// Languages that texts are taken of, the best first (`009`); behind them English, and any other. To be called
    /// first.
    void prefer(const std::vector<std::string>& languages);

    /// One answer of PerfQueryCounterSetRegistrationInfo: of which machine (empty: any) and language (`009`; empty:
    /// unknown), to which request. Its bytes are looked at during `add` only.
    struct Answer {
        Guid guid;
        v2::RegistrationRequest request{};
        std::string_view machine{}, language{};
        std::optional<std::uint32_t> title_index{};
        Bytes bytes{};
    };
    /// Takes it in, as far as it is sound and `Limits` (title_bytes, series) allow. Ids that are registered twice: the
    /// first counts, and it is said so. Of structs that come again the last counts, of texts the first of the best
    /// language. Taking in the same again changes nothing. What it finds belongs to the object `number(guid)`.
    void add(const Answer& answer, const Limits& limits, const FaultSink& faults);

    /// The counterset of a machine, else one that belongs to any; a registered one before one of which only texts are
    /// known.
    const Counterset* find(std::string_view machine, const Guid& guid) const noexcept;
    /// In the order in which they came; they never move.
    const std::deque<Counterset>& all() const noexcept { return all_; }
    /// The number that stands for a GUID in this run, from `first_counterset` on; the same as `Counterset::number`.
    /// `no_index` where a run has too many (65,536).
    std::uint32_t number(const Guid& guid);

  private:
    struct Known {
        std::uint32_t number = 0;
        std::map<std::string, std::size_t, std::less<>> machines;  // → position in all_
    };
    // Position in all_, the request that brings it, and the counter's id.
    using TextKey = std::tuple<std::size_t, v2::RegistrationRequest, std::uint32_t>;
    class Intake;  // one answer being taken in

    std::optional<std::size_t> entry(std::string_view machine, const Guid& guid);

    std::vector<std::string> languages_;
    std::deque<Counterset> all_;
    std::map<Guid, Known> known_;
    std::deque<std::string> texts_;  // they never move
    std::size_t text_bytes_ = 0, counters_ = 0;
    std::map<TextKey, std::size_t> ranks_;  // of the languages that texts came in, so that a better one takes the place
};

}  // namespace hkpd
