// The counters of a run in a database's CounterDetails.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hkpd/sample.hpp"
#include "sample/identity.hpp"
#include "write/pdh/series.hpp"
#include "write/sqlite/database.hpp"

namespace hkpd {

/// A name as the database has it: printable, and not longer than its columns. The rest is cut off: names are kept for
/// each counter of each instance, and a title may have any length.
std::string database_name(std::string_view name);

/// Finds the row of each counter of each instance, or adds it. Each is a row of its own, also where nothing in it tells
/// it from another's (a log may have an object twice); rows that earlier runs left serve again.
class SqliteCounters final : public ValuePlaces {
  public:
    /// Keeps references. The tables have to be there.
    SqliteCounters(SqliteDatabase& database, const Identities& identities, std::uint64_t most);

    std::uint32_t counter(const Sample& sample, const Object& object, const Column& column,
                          std::uint32_t ordinal) override;
    /// To be called in a transaction.
    std::uint32_t place(std::uint32_t counter, std::uint32_t identity) override;

    /// The CounterID of a place.
    std::int64_t id(std::uint32_t place) const noexcept { return ids_[place]; }
    /// Whether there were more than can be remembered.
    bool overflowed() const noexcept { return overflowed_; }

  private:
    struct Counter {
        std::string machine;
        std::uint32_t object_number, number, ordinal;  // what tells it from others of the same names
        std::string object, name;
        bool of_list;
        std::uint32_t type;
        std::int32_t scale;
        std::optional<std::int64_t> time_base;

        auto operator<=>(const Counter&) const = default;
    };
    /// What the row of an instance's counter has of the instance.
    struct InstanceCells {
        std::optional<std::string> name, parent;
        std::optional<std::int64_t> index;
    };
    bool has_room(std::size_t count) noexcept;
    std::int64_t find_or_add(const Counter& counter, const InstanceCells& instance);

    SqliteDatabase& database_;
    const Identities& identities_;
    std::uint64_t most_;
    bool overflowed_ = false;
    SqliteStatement add_, find_;
    std::map<Counter, std::uint32_t> numbers_;
    std::vector<const Counter*> counters_;                     // by number
    std::unordered_map<std::uint64_t, std::uint32_t> places_;  // by counter and identity
    std::vector<std::int64_t> ids_;                            // by place
    // By the hash of what a row holds: the last one that was taken. Two with one hash cost rows that do not serve
    // again.
    std::unordered_map<std::size_t, std::int64_t> taken_;
};

}  // namespace hkpd
