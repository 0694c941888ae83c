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
/// one, so rows are collected first. Texts must stay valid until the object is destroyed.
template <class... Columns>
class Rows {
  public:
    /// `row`: the parameters of a row, such as `(?1, ?, ?)`. ?1 is the id of the record, unless `first`, the number of
    /// the first parameter of a row, is 1. Keeps a reference to the database.
    Rows(SqliteDatabase& database, std::string_view table, std::string_view row, int first = 2)
        : first_(first),
          add_one_(database, sqlite_schema::add_rows(table, row, 1)),
          add_many_(database, sqlite_schema::add_rows(table, row, many)) {}

    void begin_record(std::int64_t id) {
        add_one_.bind(1, id);
        add_many_.bind(1, id);
    }
    void add(const Columns&... columns) {
        rows_.emplace_back(columns...);
        if (rows_.size() == most) flush();
    }
    /// Adds the collected rows to the database, in the order of their first columns: SQLite adds a row that is the last
    /// of its table faster, and in less space.
    void flush() {
        const auto by_first = [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); };
        if (!std::ranges::is_sorted(rows_, by_first)) std::ranges::stable_sort(rows_, by_first);
        std::span<const Row> rest(rows_);
        for (; rest.size() >= many; rest = rest.subspan(many)) {
            int parameter = first_;
            for (const Row& row : rest.first(many)) bind(add_many_, std::exchange(parameter, parameter + width), row);
            add_many_.run();
        }
        for (const Row& row : rest) {
            bind(add_one_, first_, row);
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

    int first_;
    SqliteStatement add_one_, add_many_;
    std::vector<Row> rows_;
};

}  // namespace hkpd
