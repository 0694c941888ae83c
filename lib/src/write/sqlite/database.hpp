// The parts of SQLite's C interface that are needed here, as objects that close what they open.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"

namespace hkpd {

/// The bytes with which a database begins (sqlite.org/fileformat.html, "Magic Header String").
inline constexpr std::string_view database_head("SQLite format 3\0", 16);

/// Returns the first bytes of a file, as many as `database_head` has; fewer of a shorter file.
inline std::string head_of_file(const std::string& path) {
    FileStream file(path);
    std::string found(database_head.size(), ' ');
    file.read(found.data(), static_cast<std::streamsize>(found.size()));
    found.resize(static_cast<std::size_t>(file.gcount()));
    return found;
}

/// A database and its first failure. After a failure, all further operations do nothing, so callers need not check each
/// step.
class SqliteDatabase {
  public:
    /// Opens a file, or creates it. A file that is not a database is rejected and stays unchanged. All paths passed to
    /// this class must be absolute: for SQLite, some relative names do not mean a file.
    void open(const std::string& path) {
        // SQLite opens devices and pipes, and would create a journal next to them.
        if (is_there(path) && !is_regular_file(path) && !is_directory(path)) return fail("not a regular file");
        if (is_regular_file(path) && !may_be_database(path)) return check(SQLITE_NOTADB);
        sqlite3* handle = nullptr;
        constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;  // only one thread
        // This VFS exists only on Windows. It accepts long paths (over 260 characters) in the form that `path_of`
        // makes.
        const char* const long_paths = "win32-longpath";
        const char* const system = sqlite3_vfs_find(long_paths) != nullptr ? long_paths : nullptr;
        const std::u8string name = path_of(path).u8string();
        const int result = sqlite3_open_v2(reinterpret_cast<const char*>(name.c_str()), &handle, flags, system);
        handle_.reset(handle);
        check(result);
        if (!failed()) distrust_schema();
        if (!failed() && sqlite3_db_readonly(this->handle(), "main") == 1) check(SQLITE_READONLY);
    }

    /// Prevents an existing database from running code of its own: its triggers do not run, and its views and indices
    /// can call only functions without side effects (sqlite.org/security.html).
    void distrust_schema() {
        for (const auto& [option, value] :
             {std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
              std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1)})
            check(sqlite3_db_config(handle(), option, value, nullptr));
    }

    /// Records a failure if the file evidently cannot be created. Creates nothing. Must be called only if the file does
    /// not exist.
    void require_place(const std::string& path) {
        const std::error_code error = why_no_file_in(path_text(path_of(path).parent_path()));
        if (error) fail(std::string(sqlite3_errstr(SQLITE_CANTOPEN)) + ": " + error.message());
    }

    void close() noexcept { handle_.reset(); }

    /// Runs statements and discards the rows that they return. Records a failure if a statement fails.
    void execute(const char* statements) {
        if (!failed()) check(sqlite3_exec(handle(), statements, nullptr, nullptr, nullptr));
    }

    /// Runs statements and returns whether they succeeded. If they fail, no failure is recorded, and later operations
    /// still run.
    bool try_to(const char* statements) noexcept {
        return handle_ != nullptr && sqlite3_exec(handle(), statements, nullptr, nullptr, nullptr) == SQLITE_OK;
    }

    /// Sets how long later operations wait for other writers.
    void wait_at_most(std::chrono::milliseconds timeout) noexcept {
        if (handle_ != nullptr) sqlite3_busy_timeout(handle(), static_cast<int>(timeout.count()));
    }

    /// Returns whether a write-ahead log exists next to the database. If so, other programs have the database open, or
    /// ended without closing it. Must be called before anything is read, because reading creates such a log.
    bool has_log() const {
        if (failed()) return false;
        const char* const name = sqlite3_filename_wal(sqlite3_db_filename(handle(), "main"));
        return name != nullptr && is_there(name);
    }

    /// Returns whether the open file was moved or removed, so that its path no longer leads to it. Returns false if the
    /// system cannot detect this.
    bool is_gone() const noexcept {
        int moved = 0;  // only Unix can detect a move; on other systems an open file cannot be moved
        return handle_ != nullptr &&
               sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
    }

    bool failed() const noexcept { return !failure_.empty(); }
    const std::string& failure() const noexcept { return failure_; }
    /// Records SQLite's message if `result` is a failure and no earlier failure is recorded.
    void check(int result) {
        if (result == SQLITE_OK || failed()) return;
        const bool known = handle_ != nullptr && sqlite3_errcode(handle()) == result;
        std::string why = known ? sqlite3_errmsg(handle()) : sqlite3_errstr(result);
        const int system = handle_ != nullptr ? sqlite3_system_errno(handle()) : 0;
        const int kind = result & 0xFF;  // the basic result, without the bits that extend it
        if (system != 0 && (kind == SQLITE_CANTOPEN || kind == SQLITE_IOERR))
            why.append(": ").append(std::system_category().message(system));
        fail(std::move(why));
    }

    /// Records a failure, unless an earlier one is recorded.
    void fail(std::string why) {
        if (!failed()) failure_ = std::move(why);
    }

    /// Returns the id of the row that was added last.
    std::int64_t last_row() const noexcept { return sqlite3_last_insert_rowid(handle()); }
    sqlite3* handle() const noexcept { return handle_.get(); }

  private:
    struct Close {
        void operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
    };
    /// Returns whether a file is empty or begins like a database. Without this check, SQLite would treat a file of one
    /// byte as an empty database, and overwrite it (tried with SQLite 3.40.1 on Linux).
    static bool may_be_database(const std::string& path) {
        const std::string head = head_of_file(path);
        return head.empty() || head == database_head;  // an empty file is a database without tables
    }

    std::unique_ptr<sqlite3, Close> handle_;
    std::string failure_;
};

/// A prepared statement. Parameters stay bound, so bound texts must live as long as the statement.
class SqliteStatement {
  public:
    /// Keeps a reference to the database.
    SqliteStatement(SqliteDatabase& database, std::string_view statement) : database_(&database) {
        if (database.failed()) return;
        sqlite3_stmt* prepared = nullptr;
        database.check(sqlite3_prepare_v3(database.handle(), statement.data(), static_cast<int>(statement.size()),
                                          SQLITE_PREPARE_PERSISTENT, &prepared, nullptr));
        statement_.reset(prepared);
    }

    /// Binds values to the parameters from number `first` on; NaN and missing values are bound as NULL.
    template <class... Values>
    void bind(int first, const Values&... values) {
        (bind_one(first++, values), ...);
    }

    /// Runs the statement to its end.
    void run() {
        while (step()) {
        }
        sqlite3_reset(statement_.get());
    }

    /// Runs the statement and returns the single number of its result; none if there is no row or the number is NULL.
    std::optional<std::int64_t> number() {
        std::optional<std::int64_t> found;
        if (step() && sqlite3_column_type(statement_.get(), 0) != SQLITE_NULL)
            found = sqlite3_column_int64(statement_.get(), 0);
        sqlite3_reset(statement_.get());
        return found;
    }

    /// Runs the statement and returns the single text of its result; empty if there is no row or the text is NULL.
    std::string text() {
        std::string found;
        if (step())
            if (const unsigned char* const text = sqlite3_column_text(statement_.get(), 0))
                found.assign(reinterpret_cast<const char*>(text),
                             static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), 0)));
        sqlite3_reset(statement_.get());
        return found;
    }

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
    };
    void bind_one(int parameter, std::int64_t number) {
        if (!database_->failed()) database_->check(sqlite3_bind_int64(statement_.get(), parameter, number));
    }

    void bind_one(int parameter, double number) {
        if (std::isnan(number)) return bind_one(parameter, std::nullopt);
        if (!database_->failed()) database_->check(sqlite3_bind_double(statement_.get(), parameter, number));
    }

    void bind_one(int parameter, std::string_view text) {
        if (database_->failed()) return;
        const char* const data = text.empty() ? "" : text.data();  // SQLite would take a null pointer for NULL
        database_->check(
            sqlite3_bind_text64(statement_.get(), parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
    }

    void bind_one(int parameter, std::nullopt_t) {
        if (!database_->failed()) database_->check(sqlite3_bind_null(statement_.get(), parameter));
    }

    template <class T>
    void bind_one(int parameter, const std::optional<T>& value) {
        if (value)
            bind_one(parameter, *value);
        else
            bind_one(parameter, std::nullopt);
    }

    bool step() {
        if (database_->failed()) return false;
        const int result = sqlite3_step(statement_.get());
        if (result != SQLITE_ROW && result != SQLITE_DONE) database_->check(result);
        return result == SQLITE_ROW;
    }

    SqliteDatabase* database_ = nullptr;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace hkpd
