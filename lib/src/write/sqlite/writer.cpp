// Writes runs into a database.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/path.hpp"
#include "base/time.hpp"
#include "hkpd/diagnostics.hpp"
#include "quantity/times.hpp"
#include "sample/display_name.hpp"
#include "write/bucket_values.hpp"
#include "write/cells.hpp"
#include "write/sqlite/database.hpp"
#include "write/sqlite/names.hpp"
#include "write/sqlite/rows.hpp"
#include "write/sqlite/schema.hpp"
#include "write/sqlite/series.hpp"
#include "write/sqlite/views.hpp"
#include "write/writers.hpp"

namespace hkpd {
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
std::string database_time(const SystemTime& time) {
    std::string text;
    append_date_time(text, time, TimePart::millisecond);
    return text;
}

/// Returns the signed number that has the same 64 bits, because SQLite stores only signed integers.
std::int64_t stored(std::uint64_t bits) noexcept { return static_cast<std::int64_t>(bits); }

class SqliteWriter final : public Writer {
  public:
    explicit SqliteWriter(const WriteOptions& options)
        : options_(options), run_name_(database_name(options.run_name)) {}

    /// Opens an existing file. A missing file is created only with the first sample. If the file were created now and
    /// the run had no sample, the file could not be removed safely, because another process could already use it.
    void begin(std::string& /*out*/) override {
        path_ = absolute_name(options_.database);  // some names have a special meaning in SQLite, such as ":memory:"
        is_new_ = !is_there(path_);
        if (is_new_)
            database_.require_place(path_);
        else
            open();
    }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        const std::string machine = machine_name(sample);
        // The samples of one log row have the same origin and, unless names are damaged, different machines. A second
        // sample of the same machine begins a new record.
        bool same_record = pending_ == sample.origin && !machines_.contains(machine);
        const std::optional<std::int64_t> time = has_buckets() ? unix_time(sample) : std::nullopt;
        if (has_buckets() && !time) return;
        for (const Selected& part : selected) {
            if (part.rows.empty()) continue;
            if (!tables_ && !database_.failed()) open();
            if (database_.failed()) return;
            if (!std::exchange(same_record, true)) begin_record(sample);
            if (time) begin_bucket(machine, buckets_of(options_, sample).begin(*time));
            machines_.insert(machine);
            tables_->series.each_counter(sample, part,
                                         [&](std::uint32_t position, std::span<const std::int64_t> series) {
                                             write(sample, part, position, series, cooker);
                                         });
            if (!has_buckets()) tables_->series.add_places(sample, part, record_, run_, tables_->places);
        }
        if (sample.source != SampleSource::log) end_record();
    }

    void end(Diagnostics& diagnostics, std::string& /*out*/) override {
        end_record();
        if (tables_ && has_buckets()) end_buckets();
        if (tables_) tables_->series.finish();
        commit();
        if (tables_ && tables_->series.overflowed())
            diagnostics.add({Errc::series_limit, 0, "", "", options_.series, options_.series});
        leave();
    }

    std::string_view failure() const noexcept override { return database_.failure(); }

  private:
    using Clock = std::chrono::steady_clock;

    /// Statements and series, which depend on the open database.
    struct Tables {
        Tables(SqliteDatabase& database, std::uint64_t most, bool reuse, std::function<void()> begin)
            : add_run(database, sqlite_schema::add_run),
              update_run(database, sqlite_schema::update_run),
              add_record(database, sqlite_schema::add_record),
              values(database, "data (record, series, value)", "(?, ?, ?)"),
              raw(database, "raw_data (record, series, first, second, multi_count)", "(?, ?, ?, ?, ?)"),
              places(database, "places (record, instance, run, place)", "(?, ?, ?, ?)"),
              buckets(database, "buckets (run, series, time, seconds, count, min, mean, max)",
                      "(?, ?, ?, ?, ?, ?, ?, ?)", sqlite_schema::join_buckets),
              series(database, most, reuse, std::move(begin)) {}

        SqliteStatement add_run, update_run, add_record;
        Rows<std::int64_t, std::int64_t, double> values;
        Rows<std::int64_t, std::int64_t, std::int64_t, std::optional<std::int64_t>, std::int64_t> raw;
        PlaceRows places;
        Rows<std::int64_t, std::int64_t, std::string_view, std::int64_t, std::int64_t, double, double, double> buckets;
        SqliteSeries series;
    };

    /// Opens the database. Commits nothing before the tables are known to have the expected columns, so that a rejected
    /// database stays unchanged.
    void open() {
        database_.open(path_);
        database_.wait_at_most(options_.timeout);
        const bool needs_log = !database_.has_log() && text_of("PRAGMA journal_mode") == "wal";
        make_tables();
        if (database_.failed()) return leave();
        keep_journal_ = needs_log;
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

    /// Creates the tables in one transaction, or brings those of the former release into their present form. If tables
    /// with these names exist and have other columns, nothing is changed.
    void make_tables() {
        database_.execute("BEGIN IMMEDIATE");
        const bool former = SqliteStatement(database_, sqlite_schema::is_former).number().value_or(0) != 0;
        if (former) {
            refuse_foreign_views(true);
            database_.execute(sqlite_schema::migrate_columns);
        }
        database_.execute(sqlite_schema::tables);
        const SqliteStatement columns(database_, sqlite_schema::add_instance);  // fails for a table of another program
        database_.execute(sqlite_schema::instances_by_name);
        if (former) database_.execute(sqlite_schema::migrate_rows);
        const bool reuse = SqliteStatement(database_, sqlite_schema::has_series).number().value_or(0) != 0;
        if (reuse) database_.execute(sqlite_schema::indices);
        tables_ = std::make_unique<Tables>(database_, options_.series, reuse, [this] { begin_transaction(); });
        database_.execute(sqlite_schema::views().c_str());
        refuse_foreign_views(false);
        database_.execute("COMMIT");
    }

    void refuse_foreign_views(bool former) {
        if (const std::string found = text_of(sqlite_schema::foreign_view(former)); !found.empty())
            database_.fail(fmt::format("its {} has the name of a view that hkpd makes: give another file", found));
    }

    void begin_record(const Sample& sample) {
        end_record();
        machines_.clear();
        if (!has_buckets() || records_ == 0) begin_transaction();
        if (records_ == 0) begin_run(sample);
        pending_ = sample.origin;
        time_.reset();
        if (sample.system_time) time_ = database_time(*sample.system_time);
        ++records_;
        if (has_buckets()) return;
        tables_->add_record.bind(1, run_, records_, time_);
        tables_->add_record.run();
        record_ = database_.last_row();
    }

    /// Returns whether the path still leads to the database. If not, the run has failed.
    bool has_file() {
        if (database_.is_gone()) database_.fail("the file is no longer there");
        return !database_.failed();
    }

    /// Begins a transaction, unless one has begun. It ends with the record or interval that is written at
    /// `options_.commit_after`.
    void begin_transaction() {
        if (std::exchange(in_transaction_, true)) return;
        begun_ = Clock::now();
        if (!has_file()) return;
        // A new database has nothing that others could read before the first transaction is committed. Without the log,
        // each page is written once instead of twice, and not read.
        if (!std::exchange(is_new_, false)) make_journal();
        database_.execute("BEGIN IMMEDIATE");
    }

    /// Commits what the current transaction has written, if there is one.
    void commit() {
        if (!std::exchange(in_transaction_, false)) return;
        if (!has_file()) return;
        tables_->series.flush();
        tables_->values.flush();
        tables_->raw.flush();
        tables_->places.flush();
        tables_->update_run.bind(1, run_, time_, records_);
        tables_->update_run.run();
        database_.execute("COMMIT");
    }

    void begin_run(const Sample& sample) {
        const std::string guid = random_guid();
        if (run_name_.empty()) run_name_ = sample.machine ? database_name(*sample.machine) : "hkpd";
        const bool is_stated = sample.is_zone_stated();
        const TimeZone zone = options_.zone && is_stated ? options_.zone->at(unix_time(sample).value_or(0))
                                                         : sample.zone.value_or(TimeZone{});
        const std::string zone_name = is_stated ? printable(zone.name) : std::string(unstated_zone_text);
        tables_->add_run.bind(1, guid, run_name_, is_stated ? std::optional(std::int64_t{zone.bias}) : std::nullopt,
                              zone_name);
        tables_->add_run.run();
        run_ = database_.last_row();
    }

    /// The values of one machine in the current interval, by series.
    struct Bucket {
        using Values = std::unordered_map<std::int64_t, BucketValues>;
        std::int64_t begin = 0;
        Values values{};
    };
    bool has_buckets() const noexcept { return options_.bucket_length != 0; }

    /// Begins the interval that begins at this time, and writes the interval before it.
    void begin_bucket(const std::string& machine, std::int64_t begin) {
        bucket_ = &buckets_[machine];
        if (begin == bucket_->begin) return;
        write(*bucket_);
        bucket_->begin = begin;
    }

    void write(Bucket& bucket) {
        if (bucket.values.empty()) return;
        begin_transaction();
        constexpr std::int64_t second = 1'000'000'000;
        const std::string time = database_time(system_time_at(bucket.begin));
        std::vector<const Bucket::Values::value_type*> all;
        all.reserve(bucket.values.size());
        for (const auto& each : bucket.values) all.push_back(&each);
        std::ranges::sort(all, {}, [](const auto* each) { return each->first; });
        for (const auto* each : all) {
            const BucketValues& values = each->second;
            tables_->buckets.add(run_, each->first, time, options_.bucket_length / second,
                                 static_cast<std::int64_t>(values.count), values.min, values.mean, values.max);
        }
        tables_->buckets.flush();
        bucket.values.clear();
    }

    void end_buckets() {
        begin_transaction();
        for (auto& [machine, bucket] : buckets_) write(bucket);
        commit();
    }

    /// Ends the current record, if there is one. Other programs do not see a record before it is committed.
    void end_record() {
        if (std::exchange(pending_, std::nullopt) && Clock::now() - begun_ >= options_.commit_after) commit();
    }

    /// Writes the values of one counter of an object, one for each instance in `part.rows`; NULL where there is none,
    /// whatever the reason. `series` has the id of the series of each of these instances.
    void write(const Sample& sample, const Selected& part, std::uint32_t position, std::span<const std::int64_t> series,
               Cooker* cooker) {
        const Object& object = sample.objects()[part.object];
        const Column& column = object.columns[position];
        std::optional<PdhRawCounters> raw_counters;
        if (options_.raw_values) raw_counters.emplace(sample, object, column);
        const CookedColumn cooked = cooker != nullptr ? cooker->column(part.object, position) : CookedColumn{};
        for (std::size_t i = 0; i < series.size(); ++i) {
            const std::uint32_t row = part.rows[i];
            if (series[i] == SqliteSeries::none) continue;
            if (has_buckets()) {
                if (!cooked.values.empty() && cooked[row].has_value())
                    bucket_->values[series[i]].add(cooked.values[row]);
                continue;
            }
            tables_->values.add(record_, series[i], cooked.values.empty() ? no_value : cooked.values[row]);
            if (!raw_counters || !column.is_valid(row)) continue;
            const PdhRawCounter raw = (*raw_counters)[row];
            tables_->raw.add(record_, series[i], stored(raw.first), raw.second.transform(stored),
                             stored(raw.multi_count));
        }
    }

    /// Closes the database so that a single file remains, which can be read even in a directory without write
    /// permission.
    void leave() {
        database_.try_to("ROLLBACK");  // undoes the records of a failed transaction
        if (records_ != 0 && !database_.failed()) database_.try_to("PRAGMA analysis_limit = 1000; ANALYZE");
        // SQLite cannot change the journal mode while other programs have the database open. The database then stays in
        // write-ahead mode until a run closes it after all other programs. If the file was moved or removed, the mode
        // is not changed, because the path can lead to another file with another write-ahead log.
        database_.wait_at_most({});
        if (!keep_journal_ && !database_.is_gone()) database_.try_to("PRAGMA journal_mode = DELETE");
        tables_.reset();
        database_.close();
    }

    WriteOptions options_;
    std::string path_;
    // True if the database stays in write-ahead mode after the run. It does if it was already in this mode when this
    // run opened it, and had no write-ahead log file: then the mode was set on purpose. If such a file existed, another
    // run is in progress or was killed, and possibly that run set the mode only for its own duration. The initial value
    // is true, because the mode of a rejected database must not change.
    bool keep_journal_ = true;
    bool has_journal_ = false;  // whether this run has switched to a write-ahead log
    bool is_new_ = false;       // whether this run makes the database, and has begun no transaction
    SqliteDatabase database_;
    std::unique_ptr<Tables> tables_;
    std::string run_name_;
    std::int64_t run_ = 0;                   // id of the run
    std::set<std::string> machines_;         // machines of the current record
    std::optional<Sample::Origin> pending_;  // origin of the current record, which is not complete yet
    std::optional<std::string> time_;        // time of the current record
    std::int64_t records_ = 0;
    std::int64_t record_ = 0;  // id of the current record
    bool in_transaction_ = false;
    Clock::time_point begun_{};              // of the transaction
    std::map<std::string, Bucket> buckets_;  // by machine
    Bucket* bucket_ = nullptr;               // of the current machine
};

}  // namespace

bool is_database(const std::string& path) { return is_regular_file(path) && head_of_file(path) == database_head; }

std::unique_ptr<Writer> make_sqlite_writer(const WriteOptions& options) {
    return std::make_unique<SqliteWriter>(options);
}

}  // namespace hkpd
