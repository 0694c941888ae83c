// The identities of instances as rows of a database.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hkpd/identity.hpp"
#include "hkpd/sample.hpp"
#include "write/sqlite/database.hpp"

namespace hkpd {

/// Assigns to each identity of a run its row in the table `instances`. Two identities of one run never share a row. A
/// row of an earlier run is reused if it has the right contents: a process of another run that has the same name and id
/// can be another process.
class SqliteInstances {
  public:
    /// Keeps a reference to `database`. The tables must already exist. `reuse`: whether there can be rows of earlier
    /// runs.
    SqliteInstances(SqliteDatabase& database, bool reuse);

    struct Row {
        std::int64_t id = 0;  ///< 0: there is none
        std::optional<std::string_view> parent{};
        std::string_view instance{};     ///< `name` or `name#n`
        std::uint32_t place = no_index;  ///< the last one in the table `places`
        bool is_new = false;             ///< whether this run has added the row
        bool has_ids = false;
        std::uint8_t form = 0;  ///< at least the column `form`
    };
    struct Object {
        SampleSource source;
        const std::string &machine, &name;
    };

    /// Returns the row of an identity, which is added if there is none. Must be called within a transaction. The texts
    /// stay valid.
    const Row& find_or_add(RunInstances& run, std::uint32_t number, const Object& object);
    /// Returns the row of an identity; null if it has none.
    Row* find(std::uint32_t number) noexcept {
        return number < rows_.size() && rows_[number].id != 0 ? &rows_[number] : nullptr;
    }

    /// Calls `begin` and then changes the rows of instances that have to be shown with their ids because of others that
    /// were found later. Calls nothing if there are none.
    template <class Begin>
    void finish(RunInstances& run, const Begin& begin) {
        for (std::uint32_t number = 0; number < rows_.size(); ++number) {
            if (rows_[number].id == 0 || rows_[number].form == with_life) continue;
            const std::uint8_t form = form_of(run, number);
            if (form <= rows_[number].form) continue;
            begin();
            change(rows_[number].id, std::nullopt, form);
        }
    }

  private:
    static constexpr std::uint8_t by_name = 0, with_ids = 1, with_life = 3;  // the column `form`
    /// The instances of one name.
    struct Group {
        std::int64_t next = 0;   // the number of the next one
        bool has_ids = false;    // whether any of them has ids
        bool shows_ids = false;  // whether all of this run are shown with their ids
    };

    std::uint8_t form_of(RunInstances& run, std::uint32_t number);
    void change(std::int64_t id, std::optional<std::string_view> source, std::uint8_t form);
    std::string_view keep(std::string text, std::string_view original);

    SqliteDatabase& database_;
    SqliteStatement add_, change_, show_ids_, show_lives_;
    std::optional<SqliteStatement> find_, next_number_, has_ids_;  // none: there are no rows of earlier runs
    std::vector<Row> rows_;                                        // by number of the identity
    std::deque<std::string> texts_;                                // those that the run does not have
    std::unordered_map<std::string, Group> groups_;                // by source, machine, object, parent and folded name
    std::unordered_map<std::string, std::int64_t> taken_;          // by contents: the last row that this run uses
    std::string display_, text_;
};

}  // namespace hkpd
