// What providers have registered of their V2 countersets: names, types and relations of the counters behind the ids.
// For V2 what the title tables are for V1.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
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
#include "hkpd/limits.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

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
    void add(const Answer& answer, const Limits& limits, Diagnostics& diagnostics);

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
