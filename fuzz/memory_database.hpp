// A database of SQLite that is never on a disk, and what must hold of one that was written.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "entry.hpp"
#include "output.hpp"

namespace hkpd_fuzz {

/// From the first one on SQLite keeps all its files in memory, by its own means, as long as somebody has them open:
/// this one, which is here while a writer fills it.
class MemoryDatabase {
  public:
    MemoryDatabase() {
        static const int chosen = sqlite3_vfs_register(sqlite3_vfs_find("memdb"), 1);
        require(chosen == SQLITE_OK && sqlite3_open(name, &handle_) == SQLITE_OK);
    }
    MemoryDatabase(const MemoryDatabase&) = delete;
    MemoryDatabase& operator=(const MemoryDatabase&) = delete;
    ~MemoryDatabase() { sqlite3_close(handle_); }

    /// Where a writer finds it: a name in a directory that is there.
    static constexpr const char* name = "/tmp/hkpd-fuzz.db";

    /// Names do nothing where they are shown, and what belongs together is there.
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
