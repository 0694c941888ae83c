// Rows that are added to a table of a database, many at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "write/sqlite/database.hpp"
#include "write/sqlite/schema.hpp"

namespace hkpd {

/// Adds rows to a table. SQLite adds several rows with one statement in half the time that it takes to add them one by
/// one, so rows are collected first. Texts must stay valid until they are flushed.
template <class... Columns>
class Rows {
  public:
    /// The parameters are those of `sqlite_schema::add_rows`. Keeps a reference to the database.
    Rows(SqliteDatabase& database, std::string_view table, std::string_view row, std::string_view end = "")
        : add_one_(database, sqlite_schema::add_rows(table, row, 1, end)),
          add_many_(database, sqlite_schema::add_rows(table, row, many, end)) {}

    void add(const Columns&... columns) {
        rows_.emplace_back(columns...);
        if (rows_.size() == most) flush();
    }
    /// Adds the collected rows to the database, in the order of their first two columns: SQLite adds a row that is the
    /// last of its table faster, and in less space.
    void flush() {
        const auto by_key = [](const Row& a, const Row& b) {
            return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
        };
        if (!std::ranges::is_sorted(rows_, by_key)) std::ranges::stable_sort(rows_, by_key);
        std::span<const Row> rest(rows_);
        for (; rest.size() >= many; rest = rest.subspan(many)) {
            int parameter = 1;
            for (const Row& row : rest.first(many)) bind(add_many_, std::exchange(parameter, parameter + width), row);
            add_many_.run();
        }
        for (const Row& row : rest) {
            bind(add_one_, 1, row);
            add_one_.run();
        }
        rows_.clear();
    }

  private:
    using Row = std::tuple<Columns...>;
    static constexpr std::size_t many = 64, most = 64 * many;
    static constexpr int width = sizeof...(Columns);
    static void bind(SqliteStatement& statement, int first, const Row& row) {
        std::apply([&](const Columns&... columns) { statement.bind(first, columns...); }, row);
    }

    SqliteStatement add_one_, add_many_;
    std::vector<Row> rows_;
};

}  // namespace hkpd
