// An SQLite database that is never on a disk, and the properties of one that was written.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "entry.hpp"
#include "output.hpp"

namespace hkpd_fuzz {

/// From the first object on, SQLite keeps all its files in memory (its `memdb`) as long as one connection is open: this
/// one, which stays open while a writer fills the database.
class MemoryDatabase {
  public:
    MemoryDatabase() {
        static const int chosen = sqlite3_vfs_register(sqlite3_vfs_find("memdb"), 1);
        require(chosen == SQLITE_OK && sqlite3_open(name, &handle_) == SQLITE_OK);
    }
    MemoryDatabase(const MemoryDatabase&) = delete;
    MemoryDatabase& operator=(const MemoryDatabase&) = delete;
    ~MemoryDatabase() { sqlite3_close(handle_); }

    /// Name that a writer opens, in a directory that exists.
    static constexpr const char* name = "/tmp/hkpd-fuzz.db";

    /// Requires that names have no effect where they are shown, and that all references can be resolved.
    void require_valid() {
        if (number("SELECT count(*) FROM sqlite_schema") == 0) return;  // there was no sample
        require(
            number("SELECT count(*) FROM CounterData WHERE CounterID NOT IN (SELECT CounterID FROM CounterDetails)") ==
            0);
        require(number("SELECT count(*) FROM CounterData") == number("SELECT count(*) FROM samples"));
        require(number("SELECT coalesce(max(RecordIndex), 0) <= (SELECT max(NumberOfRecords) FROM DisplayToID) FROM "
                       "CounterData") == 1);
        for_each("SELECT path FROM counters", [](sqlite3_stmt* row) {
            const auto* const text = sqlite3_column_text(row, 0);
            if (text != nullptr)
                require_printable(
                    {reinterpret_cast<const char*>(text), static_cast<std::size_t>(sqlite3_column_bytes(row, 0))});
        });
    }

  private:
    template <class Each>
    void for_each(const char* query, const Each& each) {
        sqlite3_stmt* statement = nullptr;
        require(sqlite3_prepare_v2(handle_, query, -1, &statement, nullptr) == SQLITE_OK);
        int result = SQLITE_ROW;
        while ((result = sqlite3_step(statement)) == SQLITE_ROW) each(statement);
        require(result == SQLITE_DONE && sqlite3_finalize(statement) == SQLITE_OK);
    }
    std::int64_t number(const char* query) {
        std::int64_t found = 0;
        for_each(query, [&found](sqlite3_stmt* row) { found = sqlite3_column_int64(row, 0); });
        return found;
    }

    sqlite3* handle_ = nullptr;
};

}  // namespace hkpd_fuzz
