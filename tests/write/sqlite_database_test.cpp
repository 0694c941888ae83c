// Databases to which runs are added: existing content, files that are no databases, and other processes that write.
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "support/sqlite_runs.hpp"

namespace hkpd_test {
namespace sqlite_database_test {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Sqlite, ASecondRunUsesTheSameCounters) {
    const auto run = [](std::uint32_t value) {
        return sample_at(0, {lone({{.title = 44}, {.title = 44}}, {value, value + 1})});  // equal names
    };
    EXPECT_EQ(write({run(1)}, {.run_name = "day"}), "");
    EXPECT_EQ(write({run(3), sample_at(1, {lone({{.title = 44}, {.title = 46}}, {5, 6})})}, {.run_name = "day"}), "");
    EXPECT_EQ(write({run(7)}, {.run_name = "night"}), "");
    EXPECT_THAT(rows("SELECT CounterID, CounterName FROM CounterDetails"),
                ElementsAre("1|Processor Queue Length", "2|Processor Queue Length", "3|Thread State"));
    EXPECT_THAT(rows("SELECT DisplayString, RunID, NumberOfRecords FROM DisplayToID ORDER BY 1, 2"),
                ElementsAre("day|0|1", "day|1|2", "night|0|1"));
    EXPECT_THAT(rows("SELECT DisplayString, RunID, RecordIndex, CounterID, CounterValue FROM CounterData JOIN "
                     "DisplayToID USING (GUID) ORDER BY 1, 2, 3, 4"),
                ElementsAre("day|0|1|1|1.0", "day|0|1|2|2.0", "day|1|1|1|3.0", "day|1|1|2|4.0", "day|1|2|1|5.0",
                            "day|1|2|3|6.0", "night|0|1|1|7.0", "night|0|1|2|8.0"));
    EXPECT_THAT(rows("SELECT run, count(*) FROM samples GROUP BY 1"), ElementsAre("day|2", "day #1|4", "night|2"));
}

/// Checks that the rows of counters with equal names, too long for the short-string buffer, stay separate and are used
/// again.
TEST_F(Sqlite, LongEqualNames) {
    const std::u16string parent(60, u'p'), child(70, u'c');
    const blob::Object processes{.title = 230,
                                 .kind = blob::Kind::multi,
                                 .counters = {{.title = 680}, {.title = 680}},
                                 .instances = {{.name = parent, .values = {1, 2}}}};
    const blob::Object threads{.title = 232,
                               .kind = blob::Kind::multi,
                               .counters = {{.title = 46}, {.title = 46}},
                               .instances = {{.name = child, .values = {3, 4}, .parent_object = 230}}};
    for (int run = 0; run < 2; ++run) EXPECT_EQ(write({sample_at(0, {processes, threads})}), "");
    EXPECT_THAT(rows("SELECT CounterID, FirstValueA, length(InstanceName), length(ParentName) FROM CounterData JOIN "
                     "CounterDetails USING (CounterID) GROUP BY 1"),
                ElementsAre("1|1|60|-", "2|2|60|-", "3|3|70|60", "4|4|70|60"));
}

TEST_F(Sqlite, WithoutSamplesThereIsNoFile) {
    EXPECT_EQ(write({}), "");
    EXPECT_FALSE(std::filesystem::exists(hkpd::path_of(path_)));
    make_database(path_, "CREATE TABLE other (x)");
    EXPECT_EQ(write({}), "");
    EXPECT_EQ(row("SELECT count(*) FROM DisplayToID"), "0");
}

/// Checks that a file created in the meantime, whose owner is unknown, is not removed.
TEST_F(Sqlite, ARunWithoutSamplesLeavesTheFileOfAnother) {
    const auto empty = make_writer(hkpd::Format::sqlite, {.database = path_});
    std::string out;
    empty->begin(out);
    EXPECT_EQ(write({one()}), "");
    hkpd::Diagnostics reported;
    empty->end(reported, out);
    EXPECT_EQ(row("SELECT count(*) FROM CounterData"), "1");
}

TEST_F(Sqlite, OtherTablesAreKept) {
    make_database(path_, "CREATE TABLE sample (x); INSERT INTO sample VALUES (1); CREATE TABLE other (x)");
    EXPECT_EQ(write({one()}), "");
    EXPECT_EQ(row("SELECT x FROM sample"), "1");
    EXPECT_EQ(row("SELECT count(*) FROM samples"), "1");
}

TEST_F(Sqlite, OtherViewsAndTablesWithTheNamesOfViewsAreRefused) {
    const std::pair<const char*, const char*> others[] = {
        {"CREATE TABLE counters (a)", "table 'counters'"},
        {"CREATE TABLE Samples (run, time, machine, object, instance, counter, value, unit)", "table 'Samples'"},
        {"CREATE VIEW samples AS SELECT 1 AS run", "view 'samples'"},
        {"CREATE VIEW counters AS SELECT 1 AS id", "view 'counters'"}};
    for (const auto& [statement, word] : others) {
        std::filesystem::remove(hkpd::path_of(path_));
        make_database(path_, statement);
        const std::string before = read_file(hkpd::path_of(path_));
        EXPECT_EQ(write({one()}),
                  "its " + std::string(word) + " has the name of a view that hkpd makes: give another file");
        EXPECT_TRUE(read_file(hkpd::path_of(path_)) == before) << statement;
        EXPECT_THAT(rows("SELECT sql FROM sqlite_schema"), ElementsAre(statement));
    }
    std::filesystem::remove(hkpd::path_of(path_));
    make_database(path_, "CREATE TABLE t (a); CREATE INDEX samples ON t (a)");
    EXPECT_THAT(write({one()}), HasSubstr("already an index named samples"));
}

/// Another connection that has locked the database.
class Locking {
  public:
    Locking(const std::string& path, const char* statement) {
        EXPECT_EQ(sqlite3_open(path.c_str(), &handle_), SQLITE_OK);
        lock(statement);
    }
    ~Locking() { sqlite3_close(handle_); }
    Locking(const Locking&) = delete;
    Locking& operator=(const Locking&) = delete;

    void lock(const char* statement) {
        EXPECT_EQ(sqlite3_exec(handle_, statement, nullptr, nullptr, nullptr), SQLITE_OK) << statement;
    }
    void unlock() { EXPECT_EQ(sqlite3_exec(handle_, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK); }

  private:
    sqlite3* handle_ = nullptr;
};

/// While an instance exists, SQLite's sleeps for a locked database take no time: they are added up, and `meanwhile`
/// runs during the first one. Thus nothing here depends on the scheduling of threads. At most one instance may exist at
/// a time.
class Waiting {
  public:
    explicit Waiting(std::function<void()> meanwhile = {}) {
        meanwhile_ = std::move(meanwhile);
        slept_ = {};
        // On Windows the library uses this one; elsewhere it does not exist, and the default is used.
        sqlite3_vfs* const system = sqlite3_vfs_find("win32-longpath");
        system_ = system != nullptr ? *system : *sqlite3_vfs_find(nullptr);
        system_.xSleep = [](sqlite3_vfs* /*system*/, int microseconds) {
            slept_ += std::chrono::microseconds(microseconds);
            if (meanwhile_) std::exchange(meanwhile_, nullptr)();
            return microseconds;
        };
        EXPECT_EQ(sqlite3_vfs_register(&system_, 1), SQLITE_OK);  // found before the original of the same name
    }
    ~Waiting() { EXPECT_EQ(sqlite3_vfs_unregister(&system_), SQLITE_OK); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    static std::chrono::microseconds slept() { return slept_; }

  private:
    static inline sqlite3_vfs system_{};  // databases opened meanwhile may be closed later
    static inline std::function<void()> meanwhile_;
    static inline std::chrono::microseconds slept_{};
};

TEST_F(Sqlite, ALockedDatabaseIsWaitedFor) {
    make_database(path_, "");
    // Locked when a run begins, or after its first sample: for good, or until the run waits.
    for (const bool at_first : {true, false})
        for (const bool for_good : {true, false}) {
            std::optional<Locking> other;
            const Waiting waiting([&] {
                if (!for_good) other->unlock();
            });
            const auto lock = [&] { other.emplace(path_, "BEGIN IMMEDIATE"); };
            if (at_first) lock();
            hkpd::WriteOptions options;
            if (for_good) options.timeout = std::chrono::milliseconds(20);
            EXPECT_EQ(write({one(), one()}, options, at_first ? std::function<void()>() : lock),
                      for_good ? "database is locked" : "");
            EXPECT_GT(waiting.slept().count(), 0);
        }
    // The run that was locked out later has written its first sample.
    EXPECT_THAT(rows("SELECT records FROM runs ORDER BY id"), ElementsAre("2", "1", "2"));
}

TEST_F(Sqlite, ALockedOutRunWaitsOnce) {
    make_database(path_, "");
    const Locking other(path_, "BEGIN EXCLUSIVE");
    constexpr std::chrono::seconds timeout(60);
    const Waiting waiting;
    EXPECT_EQ(write({one()}, {.timeout = timeout}), "database is locked");
    EXPECT_GE(waiting.slept(), timeout);
    EXPECT_LT(waiting.slept(), 2 * timeout);
}

/// Checks that a process reading while the journal is set up delays only the first sample.
TEST_F(Sqlite, AnEarlierReader) {
    EXPECT_EQ(write({one()}), "");
    std::optional<Locking> reader;
    const Waiting waiting([&reader] { reader->unlock(); });
    SqliteRun run = begin({one(), one(), one()});
    reader.emplace(path_, "BEGIN; SELECT count(*) FROM DisplayToID");
    run.next();
    EXPECT_GT(waiting.slept().count(), 0) << "the run waits for the reader";
    run.next();
    EXPECT_EQ(row("PRAGMA journal_mode"), "wal");
    reader->lock("BEGIN; SELECT count(*) FROM DisplayToID");
    run.next();
    EXPECT_THAT(rows("SELECT NumberOfRecords FROM DisplayToID ORDER BY 1"), ElementsAre("1", "3"));
    reader->unlock();
    EXPECT_EQ(run.end(), "");
}

TEST_F(Sqlite, AFileThatIsNoDatabaseIsRefusedAndKept) {
    for (const std::string& content :
         {std::string("x"), std::string("hello\n"), std::string(10'000, 'x'), std::string("SQLite format 2")}) {
        const std::string other = folder_.write("other.txt", content);
        EXPECT_EQ(write({one()}, {.database = other}), "file is not a database");
        EXPECT_TRUE(read_file(hkpd::path_of(other)) == content);
    }
    EXPECT_THAT(write({}, {.database = folder_.path()}), HasSubstr("unable to open database file"));
    EXPECT_THAT(write({}, {.database = folder_.path("none/perf.db")}), HasSubstr("unable to open database file"));
}

TEST_F(Sqlite, OtherTablesWithTheSameNamesAreRefusedAndKept) {
    const std::pair<const char*, const char*> others[] = {
        {"CREATE TABLE data (record, series, number)", "has no column named"},
        {"CREATE TABLE series (id)", "has no column named"},
        {"CREATE TABLE runs (guid)", "has no column named"},
        {"CREATE VIEW runs AS SELECT 1 AS guid", "because it is a view"},
        {"CREATE TABLE CounterData (GUID, CounterID, Value)", "its table 'CounterData' has the name of a view"},
        {"CREATE VIEW DisplayToID AS SELECT 1 AS GUID", "its view 'DisplayToID' has the name of a view"}};
    for (const auto& [statement, word] : others)
        for (const std::string mode : {"DELETE", "WAL"}) {
            std::filesystem::remove(path_);
            make_database(path_, "PRAGMA journal_mode = " + mode + ";" + statement);
            const std::string before = read_file(hkpd::path_of(path_));
            EXPECT_THAT(write({one()}), HasSubstr(word)) << statement;
            EXPECT_TRUE(read_file(hkpd::path_of(path_)) == before) << statement << mode;
            EXPECT_THAT(rows("SELECT sql FROM sqlite_schema"), ElementsAre(statement));
        }
}

TEST_F(Sqlite, AFinishedDatabaseIsOneFile) {
    EXPECT_EQ(write({one()}), "");
    EXPECT_FALSE(std::filesystem::exists(path_ + "-wal"));
    EXPECT_EQ(row("PRAGMA journal_mode"), "delete");
    EXPECT_EQ(row("PRAGMA integrity_check"), "ok");
    query(path_, "PRAGMA journal_mode = WAL");  // set by another program
    EXPECT_EQ(write({sample_at(1, {lone({{.title = 44}}, {1})})}), "");
    EXPECT_EQ(row("PRAGMA journal_mode"), "wal");
}

TEST_F(Sqlite, TheJournalOfAKilledRunIsRemovedByTheNext) {
    const std::string killed = folder_.path("killed.db");
    int samples = 0;
    const auto kill = [&] {
        if (++samples < 2) return;  // a new database has a journal from the second transaction on
        for (const char* const part : {"", "-wal"})
            std::filesystem::copy_file(hkpd::path_of(path_ + part), hkpd::path_of(killed + part));
    };
    EXPECT_EQ(write({one(), one(), one()}, {}, kill), "");
    EXPECT_EQ(write({one()}, {.database = killed}), "");
    EXPECT_EQ(query_row(killed, "PRAGMA journal_mode"), "delete");
    EXPECT_THAT(query(killed, "SELECT NumberOfRecords FROM DisplayToID"), ElementsAre("2", "1"));
}

TEST_F(Sqlite, TheJournalOfTwoRunsIsRemovedByTheLast) {
    SqliteRun first = begin({one()});
    first.next();
    SqliteRun second = begin({one(), one()});
    second.next();
    EXPECT_EQ(first.end(), "");
    second.next();
    EXPECT_EQ(second.end(), "");
    EXPECT_EQ(row("PRAGMA journal_mode"), "delete");
    EXPECT_THAT(rows("SELECT NumberOfRecords FROM DisplayToID ORDER BY 1"), ElementsAre("1", "2"));
}

#ifndef _WIN32  // an open file cannot be removed there
TEST_F(Sqlite, ARemovedDatabaseEndsTheRun) {
    const auto remove = [this] { std::filesystem::remove(path_); };
    EXPECT_EQ(write({one(), one(), one()}, {}, remove), "the file is no longer there");
    EXPECT_FALSE(std::filesystem::exists(path_));
    std::string other;
    const auto replace = [&] {
        if (!other.empty()) return;
        make_database(path_ + ".new", "CREATE TABLE other (x)");
        std::filesystem::rename(path_ + ".new", path_);
        other = read_file(path_);
    };
    EXPECT_EQ(write({one(), one()}, {}, replace), "the file is no longer there");
    EXPECT_TRUE(read_file(path_) == other);
}
#endif

}  // namespace sqlite_database_test
}  // namespace hkpd_test
