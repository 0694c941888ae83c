// Rows that are added to a table of a database, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
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
          add_many_(database, sqlite_schema::add_rows(table, row, many)) {
        rows_.reserve(many);
    }

    void begin_record(std::int64_t id) {
        add_one_.bind(1, id);
        add_many_.bind(1, id);
    }
    void add(const Columns&... columns) {
        rows_.emplace_back(columns...);
        if (rows_.size() == many) flush();
    }
    /// Adds the collected rows to the database.
    void flush() {
        if (rows_.size() == many) {
            int parameter = first_;
            for (const auto& row : rows_) bind(add_many_, std::exchange(parameter, parameter + width), row);
            add_many_.run();
        } else {
            for (const auto& row : rows_) {
                bind(add_one_, first_, row);
                add_one_.run();
            }
        }
        rows_.clear();
    }

  private:
    static constexpr std::size_t many = 64;
    static constexpr int width = sizeof...(Columns);
    static void bind(SqliteStatement& statement, int first, const std::tuple<Columns...>& row) {
        std::apply([&](const Columns&... columns) { statement.bind(first, columns...); }, row);
    }

    int first_;
    SqliteStatement add_one_, add_many_;
    std::vector<std::tuple<Columns...>> rows_;
};

}  // namespace hkpd
