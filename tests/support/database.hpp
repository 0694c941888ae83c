// Reads and makes SQLite databases.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

namespace hkpd_test {

/// Returns the rows of statements, with `|` between cells; NULL is `-`, and numbers have 17 digits where necessary.
inline std::vector<std::string> query(const std::string& path, const std::string& statements) {
    std::vector<std::string> rows;
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK) << path;
    const auto add = [](void* to, int count, char** cells, char** /*names*/) {
        std::string row;
        for (int i = 0; i < count; ++i) row.append(i == 0 ? "" : "|").append(cells[i] == nullptr ? "-" : cells[i]);
        static_cast<std::vector<std::string>*>(to)->push_back(row);
        return 0;
    };
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(database, statements.c_str(), add, &rows, &error), SQLITE_OK)
        << statements << ": " << (error == nullptr ? "" : error);
    sqlite3_free(error);
    sqlite3_close(database);
    return rows;
}

/// Returns the single row of statements, in the same form.
inline std::string query_row(const std::string& path, const std::string& statements) {
    const auto rows = query(path, statements);
    EXPECT_EQ(rows.size(), 1U) << statements;
    return rows.empty() ? std::string() : rows.front();
}

/// Makes a database.
inline void make_database(const std::string& path, const std::string& statements) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK) << path;
    EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
}

}  // namespace hkpd_test
