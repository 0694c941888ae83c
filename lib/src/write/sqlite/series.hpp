// The series of a run as rows of a database.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "statistics/series_table.hpp"
#include "write/sqlite/database.hpp"
#include "write/sqlite/instances.hpp"
#include "write/sqlite/rows.hpp"

namespace hkpd {

/// Rows of the table `places`: the instance, the run, the place.
using PlaceRows = Rows<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

/// Assigns to each series of a run its row in the database. The place of the series is the id of this row. Two series
/// of one run never share a row, even if their rows have the same contents (a log may have an object twice). A row of
/// an earlier run is reused if it has the right contents and no other series of this run uses it. Otherwise, a row is
/// added.
class SqliteSeries {
  public:
    static constexpr std::int64_t none = -1;

    /// Keeps a reference to `database`. The tables must already exist. `each_counter` calls `begin`, which must begin a
    /// transaction unless one has begun, before it adds rows. The run uses at most `most` counters and at most `most`
    /// rows; a counter has a row for each of its instances. `reuse`: whether the table has rows of earlier runs. If so,
    /// they are searched for rows to reuse.
    SqliteSeries(SqliteDatabase& database, std::uint64_t most, bool reuse, std::function<void()> begin);

    /// Calls `take` for each counter of `part` that has cooked values. `take` gets the position of the counter in the
    /// object, and the id of the series of each row of `part`; `none` beyond a limit.
    template <class Take>
    void each_counter(const Sample& sample, const Selected& part, const Take& take) {
        table_.each_series(
            sample, part, [](const Column& column) { return is_displayable(column); },
            [&](const Object& object, std::uint32_t position, std::uint32_t repeat) {
                return counter(sample, object, object.columns[position], repeat);
            },
            [&](std::uint32_t position, std::uint32_t /*counter*/, std::span<const std::size_t> places) {
                while (ids_.size() < table_.size()) ids_.push_back(add(table_.key(ids_.size())));
                found_.clear();
                for (const std::size_t place : places)
                    found_.push_back(place == SeriesTable::none ? none : ids_[place]);
                take(position, std::span<const std::int64_t>(found_));
            });
    }
    /// Returns whether there were more counters, instances or series than the limit allows.
    bool overflowed() const noexcept { return overflowed_ || table_.overflowed(); }

    /// Adds to `rows` the places that have changed since the record before, of the instances of `part` that have
    /// series.
    void add_places(const Sample& sample, const Selected& part, std::int64_t record, std::int64_t run_id,
                    PlaceRows& rows);
    /// Writes what has been collected. Must be called before a transaction is committed.
    void flush();
    /// Makes the last changes of a run. Can begin a transaction.
    void finish();

  private:
    struct Counter {
        SampleSource source;
        std::string machine;
        std::uint32_t object_number, number, repeat;  // these distinguish counters with equal names
        std::string object, name;
        bool of_list;
        std::uint32_t type;
        std::int32_t scale;
        std::optional<std::int64_t> time_base;

        auto operator<=>(const Counter&) const = default;
    };

    std::uint32_t counter(const Sample& sample, const Object& object, const Column& column, std::uint32_t repeat);
    std::int64_t add(std::pair<std::uint32_t, std::uint32_t> key);
    std::int64_t next_id();

    SqliteDatabase& database_;
    std::function<void()> begin_;
    std::uint64_t most_;  // maximum number of counters
    bool overflowed_ = false;
    SeriesTable table_;
    std::vector<std::int64_t> ids_;    // of the rows, by place of the series in `table_`
    std::vector<std::int64_t> found_;  // of the current counter
    SqliteInstances instances_;
    using Text = std::string_view;
    using Number = std::optional<std::int64_t>;
    Rows<std::int64_t, Text, Text, Text, std::int64_t, std::int64_t, Number, std::optional<Text>, std::optional<Text>,
         Number, Number, Number, Number>
        rows_;
    SqliteStatement last_;
    std::int64_t next_id_ = 0;  // 0: unknown, because other runs can add rows between two transactions
    std::optional<SqliteStatement> find_;
    std::map<Counter, std::uint32_t> numbers_;
    std::vector<const Counter*> counters_;  // by number
    // Hash of a row's contents → id of the last row with this hash that this run uses. The next search for such a row
    // begins after it, so that no row is used twice. If different contents have the same hash, a search can begin too
    // late and miss a row of an earlier run; a new row is then added.
    std::unordered_map<std::size_t, std::int64_t> taken_;
};

}  // namespace hkpd
