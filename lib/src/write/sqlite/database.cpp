#include "write/sqlite/database.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/path.hpp"

namespace hkpd {
namespace {

/// Whether SQLite may take a file for its own. It would do so itself with any that is shorter than a page, and
/// overwrite it.
bool may_be_database(const std::string& path) {
    constexpr std::string_view head("SQLite format 3\0", 16);
    std::ifstream file(path_of(path), std::ios::binary);
    std::string found(head.size(), ' ');
    file.read(found.data(), static_cast<std::streamsize>(found.size()));
    return file.gcount() == 0 || found == head;  // an empty one is a database without tables
}

}  // namespace

void SqliteDatabase::open(const std::string& path) {
    if (is_regular_file(path) && !may_be_database(path)) return check(SQLITE_NOTADB);
    sqlite3* handle = nullptr;
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;  // one thread at a time
    // Windows alone has this one, for paths of more than 260 characters, which begin as `path_of` makes them.
    const char* const long_paths = "win32-longpath";
    const char* const system = sqlite3_vfs_find(long_paths) != nullptr ? long_paths : nullptr;
    const std::u8string name = path_of(path).u8string();
    const int result = sqlite3_open_v2(reinterpret_cast<const char*>(name.c_str()), &handle, flags, system);
    handle_.reset(handle);
    check(result);
    if (!failed() && sqlite3_db_readonly(this->handle(), "main") == 1) check(SQLITE_READONLY);
}

void SqliteDatabase::require_place(const std::string& path) {
    const std::error_code error = why_no_file_in(path_text(path_of(path).parent_path()));
    if (error) fail(std::string(sqlite3_errstr(SQLITE_CANTOPEN)) + ": " + error.message());
}

void SqliteDatabase::check(int result) {
    if (result == SQLITE_OK || failed()) return;
    const bool known = handle_ != nullptr && sqlite3_errcode(handle()) == result;
    std::string why = known ? sqlite3_errmsg(handle()) : sqlite3_errstr(result);
    const int system = handle_ != nullptr ? sqlite3_system_errno(handle()) : 0;
    const int kind = result & 0xFF;  // the rest of an extended result says more
    if (system != 0 && (kind == SQLITE_CANTOPEN || kind == SQLITE_IOERR))
        why.append(": ").append(std::system_category().message(system));
    fail(std::move(why));
}

bool SqliteDatabase::has_log() const {
    if (failed()) return false;
    const char* const name = sqlite3_filename_wal(sqlite3_db_filename(handle(), "main"));
    return name != nullptr && is_there(name);
}

bool SqliteDatabase::is_gone() const noexcept {
    int moved = 0;  // Unix has this one; elsewhere a file that is open stays
    return handle_ != nullptr && sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved != 0;
}

SqliteStatement::SqliteStatement(SqliteDatabase& database, std::string_view statement) : database_(&database) {
    if (database.failed()) return;
    sqlite3_stmt* prepared = nullptr;
    database.check(sqlite3_prepare_v3(database.handle(), statement.data(), static_cast<int>(statement.size()),
                                      SQLITE_PREPARE_PERSISTENT, &prepared, nullptr));
    statement_.reset(prepared);
}

void SqliteStatement::bind_one(int parameter, std::int64_t number) {
    if (!database_->failed()) database_->check(sqlite3_bind_int64(statement_.get(), parameter, number));
}

void SqliteStatement::bind_one(int parameter, double number) {
    if (std::isnan(number)) return bind_one(parameter, std::nullopt);
    if (!database_->failed()) database_->check(sqlite3_bind_double(statement_.get(), parameter, number));
}

void SqliteStatement::bind_one(int parameter, std::string_view text) {
    if (database_->failed()) return;
    const char* const data = text.empty() ? "" : text.data();  // a null pointer would be NULL
    database_->check(sqlite3_bind_text64(statement_.get(), parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void SqliteStatement::bind_one(int parameter, std::nullopt_t) {
    if (!database_->failed()) database_->check(sqlite3_bind_null(statement_.get(), parameter));
}

bool SqliteStatement::step() {
    if (database_->failed()) return false;
    const int result = sqlite3_step(statement_.get());
    if (result != SQLITE_ROW && result != SQLITE_DONE) database_->check(result);
    return result == SQLITE_ROW;
}

void SqliteStatement::run() {
    while (step()) {
    }
    sqlite3_reset(statement_.get());
}

std::optional<std::int64_t> SqliteStatement::number() {
    std::optional<std::int64_t> found;
    if (step() && sqlite3_column_type(statement_.get(), 0) != SQLITE_NULL)
        found = sqlite3_column_int64(statement_.get(), 0);
    sqlite3_reset(statement_.get());
    return found;
}

std::string SqliteStatement::text() {
    std::string found;
    if (step())
        if (const unsigned char* const text = sqlite3_column_text(statement_.get(), 0))
            found.assign(reinterpret_cast<const char*>(text),
                         static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), 0)));
    sqlite3_reset(statement_.get());
    return found;
}

}  // namespace hkpd
