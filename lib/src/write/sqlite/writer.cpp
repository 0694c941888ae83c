// Windows' log format in a database: a row for each value, in the tables that `relog -f SQL` fills.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/path.hpp"
#include "hkpd/diagnostics.hpp"
#include "sample/display_name.hpp"
#include "write/cells.hpp"
#include "write/series.hpp"
#include "write/sqlite/database.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace sqlite_schema {

// The tables that Windows' logs have in a database, in SQLite's SQL. `relog -f SQL -o SQL:DSN!name` makes and fills
// such tables. The names and the meaning of the columns are described in learn.microsoft.com "SQL log file schema". The
// types of all columns, and the columns MultiCount, TimeBaseA and TimeBaseB, are as in the databases that Windows
// makes.

/// Differences from the tables in SQL Server:
/// - CounterData is ordered by sample, not by counter, so that new rows are appended. If it were ordered by counter,
/// each value of a sample would change a different page, which would be eight times slower and write sixty times as
/// many bytes. Reading one counter does not need all rows: with the statistics of ANALYZE, SQLite skips from sample to
/// sample.
/// - CounterValue can be NULL, because some cooked values need two samples. NULL does not distort averages. The raw
/// value in the same row is always present, because a missing or damaged raw value gets no row.
constexpr const char* tables = R"(
CREATE TABLE IF NOT EXISTS CounterDetails (
    CounterID INTEGER PRIMARY KEY,
    MachineName varchar(1024) NOT NULL,
    ObjectName varchar(1024) NOT NULL,
    CounterName varchar(1024) NOT NULL,
    CounterType int NOT NULL,
    DefaultScale int NOT NULL,
    InstanceName varchar(1024),
    InstanceIndex int,
    ParentName varchar(1024),
    ParentObjectID int,
    TimeBaseA int,
    TimeBaseB int
);
CREATE TABLE IF NOT EXISTS CounterData (
    GUID char(36) NOT NULL,
    CounterID int NOT NULL,
    RecordIndex int NOT NULL,
    CounterDateTime char(24),
    CounterValue float,
    FirstValueA int,
    FirstValueB int,
    SecondValueA int,
    SecondValueB int,
    MultiCount int,
    PRIMARY KEY (GUID, RecordIndex, CounterID)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS DisplayToID (
    GUID char(36) NOT NULL PRIMARY KEY,
    RunID int,
    DisplayString varchar(1024) NOT NULL,
    LogStartTime char(24),
    LogStopTime char(24),
    NumberOfRecords int,
    MinutesToUTC int,
    TimeZoneName char(32)
);
)";

/// An index for finding the counters of earlier runs. The index is created when a run is added to a database that
/// already has counters. The index has every column by which `find_counter` identifies a counter. Without one of them,
/// a search could read any number of counters that differ only in that column.
constexpr const char* indices = R"(
CREATE INDEX IF NOT EXISTS CounterDetailsByName
    ON CounterDetails (ObjectName, CounterName, InstanceName, InstanceIndex, MachineName, ParentName, CounterType,
        DefaultScale, TimeBaseA, TimeBaseB);
)";

/// Views for people. If several runs have the same name, the RunID is appended to the name of all but the first. Units
/// are those of the type's display bits (winperf.h).
constexpr const char* views = R"(
CREATE VIEW IF NOT EXISTS counters AS
SELECT CounterID AS id, machine, object, instance, counter, unit,
    MachineName || '\' || object || coalesce('(' || instance || ')', '') || '\' || counter AS path
FROM (
    SELECT CounterID, MachineName, ltrim(MachineName, '\') AS machine, ObjectName AS object,
        coalesce(ParentName || '/', '') || InstanceName || coalesce('#' || nullif(InstanceIndex, 0), '') AS instance,
        CounterName AS counter,
        CASE CounterType >> 28 & 15 WHEN 1 THEN '/sec' WHEN 2 THEN '%' WHEN 3 THEN 'secs' ELSE '' END AS unit
    FROM CounterDetails
);
CREATE VIEW IF NOT EXISTS samples AS
SELECT DisplayString || coalesce(' #' || nullif(RunID, 0), '') AS run,
    CounterDateTime AS time, machine, object, instance, counter, CounterValue AS value, unit
FROM CounterData JOIN counters ON counters.id = CounterData.CounterID JOIN DisplayToID USING (GUID);
)";

/// Finds what another program has made under the name of a view above: a table, or a view with other columns. The
/// result is text such as `table 'samples'`.
constexpr std::string_view foreign_view =
    "SELECT type || ' ''' || name || '''' FROM sqlite_schema AS s WHERE name COLLATE NOCASE IN ('counters', 'samples') "
    "AND (type <> 'view' OR (SELECT group_concat(name) FROM pragma_table_info(s.name)) NOT IN ("
    "'id,machine,object,instance,counter,unit,path', 'run,time,machine,object,instance,counter,value,unit'))";

/// Checks whether each value must have a time, as in the tables of SQL Server.
constexpr std::string_view needs_time =
    "SELECT \"notnull\" FROM pragma_table_info('CounterData') WHERE name = 'CounterDateTime' COLLATE NOCASE";

/// Checks whether there are counters of earlier runs.
constexpr std::string_view has_counters = "SELECT EXISTS (SELECT 1 FROM CounterDetails)";

/// Finds the first row of CounterDetails with the given contents (?1 to ?10, as in `add_counter`) and a CounterID
/// greater than ?11.
constexpr std::string_view find_counter =
    "SELECT CounterID FROM CounterDetails WHERE MachineName = ?1 AND ObjectName = ?2 AND CounterName = ?3 AND "
    "CounterType = ?4 AND DefaultScale = ?5 AND InstanceName IS ?6 AND InstanceIndex IS ?7 AND ParentName IS ?8 AND "
    "ParentObjectID IS NULL AND TimeBaseA IS ?9 AND TimeBaseB IS ?10 AND CounterID > ?11 ORDER BY CounterID LIMIT 1";
constexpr std::string_view add_counter =
    "INSERT INTO CounterDetails (MachineName, ObjectName, CounterName, CounterType, DefaultScale, InstanceName, "
    "InstanceIndex, ParentName, TimeBaseA, TimeBaseB) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
/// Returns a statement that adds `rows` rows to CounterData. Its first three parameters are common to all rows; each
/// row has seven more.
std::string add_values(int rows) {
    std::string statement =
        "INSERT INTO CounterData (GUID, RecordIndex, CounterDateTime, CounterID, CounterValue, FirstValueA, "
        "FirstValueB, SecondValueA, SecondValueB, MultiCount) VALUES ";
    for (int row = 0; row < rows; ++row)
        statement += row == 0 ? "(?1, ?2, ?3, ?, ?, ?, ?, ?, ?, ?)" : ", (?1, ?2, ?3, ?, ?, ?, ?, ?, ?, ?)";
    return statement;
}
constexpr std::string_view add_run =
    "INSERT INTO DisplayToID (GUID, DisplayString, RunID, NumberOfRecords, MinutesToUTC, TimeZoneName) VALUES "
    "(?1, ?2, (SELECT count(*) FROM DisplayToID WHERE DisplayString = ?2), 0, ?3, ?4)";
/// Updates the start time, the stop time and the number of records of a run. The samples need not come in the order of
/// their times, because a run can have several inputs.
constexpr std::string_view update_run =
    "UPDATE DisplayToID SET LogStartTime = min(coalesce(LogStartTime, ?2), coalesce(?2, LogStartTime)), LogStopTime = "
    "max(coalesce(LogStopTime, ?2), coalesce(?2, LogStopTime)), NumberOfRecords = ?3 WHERE GUID = ?1";

}  // namespace sqlite_schema

namespace {

/// Returns a GUID of random bytes (RFC 9562, version 4) as SQL Server shows it: `0A1B2C3D-0000-4000-8000-1234567890AB`.
std::string random_guid() {
    std::array<unsigned char, 16> b{};
    sqlite3_randomness(static_cast<int>(b.size()), b.data());
    b[6] = static_cast<unsigned char>((b[6] & 0x0FU) | 0x40U);
    b[8] = static_cast<unsigned char>((b[8] & 0x3FU) | 0x80U);
    std::string text;
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        fmt::format_to(std::back_inserter(text), "{:02X}", b[i]);
    }
    return text;
}

/// Returns the time as `2024-05-14 09:30:00.000`: these 23 characters fit the char(24) of Windows, and SQLite's
/// functions accept them.
std::string database_time(const SystemTime& t) {
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", t.year, t.month, t.day, t.hour, t.minute, t.second,
                       t.milliseconds);
}

/// Returns the first characters of UTF-8 text, at most `most` characters.
std::string_view first_characters(std::string_view text, std::size_t most) noexcept {
    if (text.size() <= most) return text;
    std::size_t count = 0;
    const auto end = std::ranges::find_if(text, [&](char c) {
        const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        return begins && ++count > most;
    });
    return text.substr(0, static_cast<std::size_t>(std::distance(text.begin(), end)));
}

/// Returns a name as stored in the database: printable, and cut off at the length of the column. The limit is needed
/// because the length of titles is not limited, and a name is kept for each counter of each instance.
std::string database_name(std::string_view name) {
    // Text is cut off before escaping, so that the rest of a long text need not be escaped. It is cut off again after
    // escaping, because an escaped character is longer.
    std::string shown = printable(first_characters(name, longest_name));
    shown.resize(first_characters(shown, longest_name).size());
    return shown;
}

/// A 64-bit number as in the tables of Windows' logs: two signed columns of 32 bits.
struct Halves {
    std::optional<std::int64_t> low, high;
};
std::int64_t signed_half(std::uint64_t number) noexcept { return static_cast<std::int32_t>(number & 0xFFFF'FFFFU); }
template <class Number>
Halves halves_of(const std::optional<Number>& number) noexcept {
    if (!number) return {};
    const auto bits = static_cast<std::uint64_t>(*number);
    return {signed_half(bits), signed_half(bits >> 32U)};
}

/// Adds the values of a record to CounterData. SQLite adds several rows with one statement in half the time that it
/// takes to add them one by one, so rows are collected first.
class ValueRows {
  public:
    /// Keeps a reference to the database.
    explicit ValueRows(SqliteDatabase& database)
        : add_one_(database, sqlite_schema::add_values(1)), add_many_(database, sqlite_schema::add_values(many)) {
        rows_.reserve(many);
    }

    /// Begins a record. `guid` and `time` must live until the next record begins, because the statements keep
    /// references to them.
    void begin_record(const std::string& guid, std::int64_t record, const std::optional<std::string>& time) {
        for (SqliteStatement* const statement : {&add_one_, &add_many_}) statement->bind(1, guid, record, time);
    }
    void add(std::int64_t counter, double cooked, const PdhRawCounter& raw) {
        const auto first = halves_of(std::optional(raw.first)), second = halves_of(raw.second);
        rows_.push_back({counter, cooked, first, second, signed_half(raw.multi_count)});
        if (rows_.size() == many) flush();
    }
    /// Adds the collected rows to the database.
    void flush() {
        if (rows_.size() == many) {
            for (std::size_t i = 0; i < many; ++i) bind(add_many_, i, rows_[i]);
            add_many_.run();
        } else {
            for (const Row& row : rows_) {
                bind(add_one_, 0, row);
                add_one_.run();
            }
        }
        rows_.clear();
    }

  private:
    static constexpr int many = 16;
    struct Row {
        std::int64_t counter;
        double cooked;
        Halves first, second;
        std::int64_t multi_count;
    };
    static void bind(SqliteStatement& statement, std::size_t position, const Row& row) {
        constexpr int common = 3, each = 7;
        statement.bind(1 + common + each * static_cast<int>(position), row.counter, row.cooked, row.first.low,
                       row.first.high, row.second.low, row.second.high, row.multi_count);
    }

    SqliteStatement add_one_, add_many_;
    std::vector<Row> rows_;
};

/// Returns the name of a sample's machine as in CounterDetails; empty if the machine is unknown.
std::string machine_name(const Sample& sample) {
    return sample.machine ? database_name("\\\\" + *sample.machine) : std::string();
}

/// Assigns to each series of a run its row of CounterDetails. The place of the series is the CounterID of this row. Two
/// series of one run never share a row, even if their rows have the same contents (a log may have an object twice). A
/// row of an earlier run is reused if it has the right contents and no other series of this run uses it. Otherwise, a
/// row is added.
class SqliteCounters final : public ValuePlaces {
  public:
    /// Keeps references to `database` and `identities`. The tables must already exist. `each_counter` must be called
    /// within a transaction, because it can insert rows. The run uses at most `most` counters and at most `most` rows;
    /// a counter has a row for each of its instances. `reuse`: whether the table has rows of earlier runs. If so, they
    /// are searched for rows to reuse.
    SqliteCounters(SqliteDatabase& database, const Identities& identities, std::uint64_t most, bool reuse)
        : ValuePlaces(most, identities), database_(database), add_(database, sqlite_schema::add_counter) {
        if (reuse) find_.emplace(database, sqlite_schema::find_counter);
    }

  private:
    struct Counter {
        std::string machine;
        std::uint32_t object_number, number, repeat;  // these distinguish counters with equal names
        std::string object, name;
        bool of_list;
        std::uint32_t type;
        std::int32_t scale;
        std::optional<std::int64_t> time_base;

        auto operator<=>(const Counter&) const = default;
    };

    std::uint32_t counter(const Sample& sample, const Object& object, const Column& column,
                          std::uint32_t repeat) override {
        Counter counter{machine_name(sample),
                        object.title_index,
                        column.title_index,
                        repeat,
                        database_name(object.name ? object.name->text : object_key(sample.source, object)),
                        database_name(column.name ? column.name->text : counter_key(sample.source, column)),
                        object.kind == Kind::multi,
                        column.type,
                        column.scale,
                        PdhRawCounters(sample, object, column).time_base()};
        if (const auto found = numbers_.find(counter); found != numbers_.end()) return found->second;
        if (!has_space(counters_.size())) return no_index;
        const auto number = static_cast<std::uint32_t>(counters_.size());
        counters_.push_back(&numbers_.emplace(std::move(counter), number).first->first);
        return number;
    }

    std::int64_t add(Key key) override {
        const Counter& counter = *counters_[key.first];
        // The columns of CounterDetails that describe the instance.
        std::optional<std::string> name, parent;
        std::optional<std::int64_t> index;
        if (counter.of_list) {
            const Identities::Identity& instance = identities()[key.second];
            name = database_name(instance.own_name());
            if (!instance.parent.empty()) parent = database_name(instance.parent);
            if (instance.repeat != 0) index = instance.repeat;
        }
        const auto [low, high] = halves_of(counter.time_base);
        const auto bind = [&](SqliteStatement& statement) {
            statement.bind(1, counter.machine, counter.object, counter.name, signed_half(counter.type),
                           std::int64_t{counter.scale}, name, index, parent, low, high);
        };
        if (!find_) {
            bind(add_);
            add_.run();
            return database_.last_row();
        }
        const std::string content = fmt::format("{}\n{}\n{}\n{}\n{}\n{} {} {} {}", counter.machine, counter.object,
                                                counter.name, name.value_or(""), parent.value_or(""), counter.type,
                                                counter.scale, index.value_or(0), counter.time_base.value_or(0));
        std::int64_t& taken = taken_[std::hash<std::string>()(content)];
        bind(*find_);
        find_->bind(11, taken);
        if (const auto found = find_->number()) return taken = *found;
        bind(add_);
        add_.run();
        return taken = database_.last_row();
    }

    SqliteDatabase& database_;
    SqliteStatement add_;
    std::optional<SqliteStatement> find_;
    std::map<Counter, std::uint32_t> numbers_;
    std::vector<const Counter*> counters_;  // by number
    // By the hash of a row's contents: the CounterID of the last used row with this hash. If rows with different
    // contents have equal hashes, some rows of earlier runs are not reused.
    std::unordered_map<std::size_t, std::int64_t> taken_;
};

class SqliteWriter final : public Writer {
  public:
    explicit SqliteWriter(const WriteOptions& options)
        : options_(options), identities_(options.series, options.names), run_name_(database_name(options.run_name)) {}

    /// Opens an existing file. A missing file is created only with the first sample. If the file were created now and
    /// the run had no sample, the file could not be removed safely, because another process could already use it.
    void begin(std::string& /*out*/) override {
        path_ = absolute_name(options_.database);  // some names have a special meaning in SQLite, such as ":memory:"
        if (is_there(path_))
            open();
        else
            database_.require_place(path_);
    }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        identities_.add(sample, matches_of(cooker));
        const std::string machine = machine_name(sample);
        // The samples of one log row have the same origin and, unless names are damaged, different machines. A second
        // sample of the same machine begins a new record.
        bool same_record = pending_ == sample.origin && !machines_.contains(machine);
        for (const Selected& part : selected) {
            if (part.rows.empty()) continue;
            if (!tables_ && !database_.failed()) open();
            if (database_.failed()) return;
            if (needs_time_ && !sample.system_time) return;
            if (!std::exchange(same_record, true)) begin_record(sample);
            machines_.insert(machine);
            tables_->counters.each_counter(sample, part, true,
                                           [&](std::uint32_t position, std::span<const std::int64_t> counters) {
                                               write(sample, part, position, counters, cooker);
                                           });
        }
        if (sample.source != SampleSource::log) end_record();
    }

    void end(Diagnostics& diagnostics, std::string& /*out*/) override {
        end_record();
        if (tables_ && (tables_->counters.overflowed() || identities_.overflowed()))
            diagnostics.add(Severity::error, {Errc::series_limit, 0, "", "", options_.series, options_.series});
        leave();
    }

    std::string_view failure() const noexcept override { return database_.failure(); }

  private:
    /// Statements and counters, which depend on the open database.
    struct Tables {
        Tables(SqliteDatabase& database, const Identities& identities, std::uint64_t most, bool reuse)
            : add_run(database, sqlite_schema::add_run),
              update_run(database, sqlite_schema::update_run),
              values(database),
              counters(database, identities, most, reuse) {}

        SqliteStatement add_run, update_run;
        ValueRows values;
        SqliteCounters counters;
    };

    /// Opens the database. Commits nothing before the tables are known to have the expected columns, so that a rejected
    /// database stays unchanged.
    void open() {
        database_.open(path_);
        database_.wait_at_most(options_.timeout);
        const bool wants_log = !database_.has_log() && text_of("PRAGMA journal_mode") == "wal";
        make_tables();
        if (database_.failed()) return leave();
        keep_journal_ = wants_log;
        // A crash of the program loses no committed samples; a crash of the system loses at most the last ones.
        database_.try_to("PRAGMA synchronous = NORMAL");
    }

    std::string text_of(std::string_view statement) { return SqliteStatement(database_, statement).text(); }

    /// Switches to a write-ahead log, so that other programs can read during the run. Does not wait for programs that
    /// use the database now: if they prevent the switch, the next sample tries again.
    void make_journal() {
        if (has_journal_ || database_.failed()) return;
        database_.wait_at_most({});
        has_journal_ = database_.try_to("PRAGMA journal_mode = WAL");  // also succeeds if the mode is not supported
        database_.wait_at_most(options_.timeout);
    }

    /// Creates the tables in one transaction. If tables with these names exist and have other columns, nothing is
    /// changed.
    void make_tables() {
        database_.execute("BEGIN IMMEDIATE");
        database_.execute(sqlite_schema::tables);
        const bool reuse = SqliteStatement(database_, sqlite_schema::has_counters).number().value_or(0) != 0;
        if (reuse) database_.execute(sqlite_schema::indices);
        tables_ = std::make_unique<Tables>(database_, identities_, options_.series, reuse);
        database_.execute(sqlite_schema::views);
        needs_time_ = SqliteStatement(database_, sqlite_schema::needs_time).number().value_or(0) != 0;
        if (const std::string found = text_of(sqlite_schema::foreign_view); !found.empty())
            database_.fail(fmt::format("its {} has the name of a view that hkpd makes", found));
        database_.execute("COMMIT");
    }

    void begin_record(const Sample& sample) {
        end_record();
        machines_.clear();
        make_journal();
        database_.execute("BEGIN IMMEDIATE");
        if (records_ == 0) begin_run(sample);
        pending_ = sample.origin;
        time_.reset();
        if (sample.system_time) time_ = database_time(*sample.system_time);
        ++records_;
        tables_->values.begin_record(guid_, records_, time_);
    }

    void begin_run(const Sample& sample) {
        guid_ = random_guid();
        if (run_name_.empty()) run_name_ = sample.machine ? database_name(*sample.machine) : "hkpd";
        const TimeZone zone = options_.zone ? *options_.zone : sample.zone.value_or(TimeZone{});
        const std::string zone_name = printable(zone.name);
        tables_->add_run.bind(1, guid_, run_name_, std::int64_t{zone.bias}, zone_name);
        tables_->add_run.run();
    }

    /// Commits the current record, if there is one. Other programs do not see a record before it is committed.
    void end_record() {
        if (!pending_) return;
        pending_.reset();
        if (database_.is_gone()) return database_.fail("the file is no longer there");
        tables_->values.flush();
        tables_->update_run.bind(1, guid_, time_, records_);
        tables_->update_run.run();
        database_.execute("COMMIT");
    }

    /// Writes the values of one counter of an object, one for each instance in `part.rows`. `counters` has the
    /// CounterID of each of these instances.
    void write(const Sample& sample, const Selected& part, std::uint32_t position,
               std::span<const std::int64_t> counters, Cooker* cooker) {
        const Object& object = sample.objects()[part.object];
        const Column& column = object.columns[position];
        const PdhRawCounters raw(sample, object, column);
        const CookedColumn cooked = cooker != nullptr ? cooker->column(part.object, position) : CookedColumn{};
        for (std::size_t i = 0; i < counters.size(); ++i) {
            const std::uint32_t row = part.rows[i];
            if (counters[i] == ValuePlaces::none || !column.is_valid(row)) continue;
            tables_->values.add(counters[i], cooked.values.empty() ? no_value : cooked.values[row], raw[row]);
        }
    }

    /// Closes the database so that a single file remains, which can be read even in a directory without write
    /// permission.
    void leave() {
        database_.try_to("ROLLBACK");  // undoes a failed record
        if (records_ != 0 && !database_.failed()) database_.try_to("PRAGMA analysis_limit = 1000; ANALYZE CounterData");
        // The journal mode cannot be changed while other programs have the database open: it stays until a run is the
        // last to close the database. If the file was moved or removed, the mode is not changed, because the path can
        // lead to another file with another write-ahead log.
        database_.wait_at_most({});
        if (!keep_journal_ && !database_.is_gone()) database_.try_to("PRAGMA journal_mode = DELETE");
        tables_.reset();
        database_.close();
    }

    WriteOptions options_;
    std::string path_;
    // Whether the database stays in write-ahead mode after the run. The mode stays if the database was already in this
    // mode when this run opened it, and no log file existed: then the mode was set on purpose. If a log file existed,
    // another run is in progress or was killed, and possibly that run set the mode only for its own duration. The
    // initial value is true, because the mode of a rejected database must not change.
    bool keep_journal_ = true;
    bool needs_time_ = false;   // whether the tables, made by another program, require a time
    bool has_journal_ = false;  // whether this run has switched to a write-ahead log
    Identities identities_;
    SqliteDatabase database_;
    std::unique_ptr<Tables> tables_;
    std::string guid_, run_name_;
    std::set<std::string> machines_;         // machines of the current record
    std::optional<Sample::Origin> pending_;  // origin of the current record, which is not complete yet
    std::optional<std::string> time_;        // time of the current record
    std::int64_t records_ = 0;
};

}  // namespace

std::unique_ptr<Writer> make_sqlite_writer(const WriteOptions& options) {
    return std::make_unique<SqliteWriter>(options);
}

}  // namespace hkpd
