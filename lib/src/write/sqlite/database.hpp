// SQLite's interface for C, as far as it is needed here, by objects that close what they opened.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hkpd {

/// A database, and what went wrong with it first: from then on nothing more is done with it, so that who writes need
/// not look after each step.
class SqliteDatabase {
  public:
    /// Opens a file, or makes it. What is no database is refused and stays as it is. Paths are absolute, here and
    /// below: some relative names mean no file to SQLite.
    void open(const std::string& path);
    /// Fails where a file that is not there could not be made, as far as that can be told without making it.
    void require_place(const std::string& path);
    void close() noexcept { handle_.reset(); }

    /// Statements without a result that matters.
    void execute(const char* statements) {
        if (!failed()) check(sqlite3_exec(handle(), statements, nullptr, nullptr, nullptr));
    }
    /// The same, where a failure is none of the database; whether they succeeded.
    bool try_to(const char* statements) noexcept {
        return handle_ != nullptr && sqlite3_exec(handle(), statements, nullptr, nullptr, nullptr) == SQLITE_OK;
    }
    /// For so long others that write are waited for.
    void wait_at_most(std::chrono::milliseconds timeout) noexcept {
        if (handle_ != nullptr) sqlite3_busy_timeout(handle(), static_cast<int>(timeout.count()));
    }

    /// Whether a write-ahead log lies beside it: others have it open, or left it so. To be asked before anything is
    /// read, as that makes one.
    bool has_log() const;
    /// Whether what has its name is no longer it; false where the system cannot tell.
    bool is_gone() const noexcept;

    bool failed() const noexcept { return !failure_.empty(); }
    const std::string& failure() const noexcept { return failure_; }
    /// Keeps what SQLite says of a result, where that is the first that went wrong.
    void check(int result);
    /// Likewise what others say.
    void fail(std::string why) {
        if (!failed()) failure_ = std::move(why);
    }

    /// The number of the row that was added last.
    std::int64_t last_row() const noexcept { return sqlite3_last_insert_rowid(handle()); }
    sqlite3* handle() const noexcept { return handle_.get(); }

  private:
    struct Close {
        void operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
    };
    std::unique_ptr<sqlite3, Close> handle_;
    std::string failure_;
};

/// A statement that is kept. Its parameters stay as they were bound; texts have to live as long.
class SqliteStatement {
  public:
    /// Keeps a reference to the database.
    SqliteStatement(SqliteDatabase& database, std::string_view statement);

    /// Binds parameters from `first` on; NULL where a number is none, or a value is not there.
    template <class... Values>
    void bind(int first, const Values&... values) {
        (bind_one(first++, values), ...);
    }

    /// Runs it to its end.
    void run();
    /// Runs it for one number; none where it has no row or that is NULL.
    std::optional<std::int64_t> number();
    /// Likewise for one text.
    std::string text();

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
    };
    void bind_one(int parameter, std::int64_t number);
    void bind_one(int parameter, double number);
    void bind_one(int parameter, std::string_view text);
    void bind_one(int parameter, std::nullopt_t);
    template <class T>
    void bind_one(int parameter, const std::optional<T>& value) {
        if (value)
            bind_one(parameter, *value);
        else
            bind_one(parameter, std::nullopt);
    }
    bool step();

    SqliteDatabase* database_ = nullptr;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace hkpd
