// The form of Windows' logs in a database: a row for each value, in the tables that `relog -f SQL` fills.
#include <fmt/format.h>

#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "base/path.hpp"
#include "hkpd/diagnostics.hpp"
#include "write/cells.hpp"
#include "write/pdh/raw_counter.hpp"
#include "write/pdh/series.hpp"
#include "write/row_tiles.hpp"
#include "write/sqlite/counters.hpp"
#include "write/sqlite/database.hpp"
#include "write/sqlite/schema.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// `0A1B2C3D-0000-4000-8000-1234567890AB`, of random bytes (RFC 9562, version 4), as SQL Server shows it.
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

/// `2024-05-14 09:30:00.000`: 23 characters, as Windows has it in a char(24) and SQLite's functions take it.
std::string database_time(const SystemTime& t) {
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", t.year, t.month, t.day, t.hour, t.minute, t.second,
                       t.milliseconds);
}

class SqliteWriter final : public Writer {
  public:
    explicit SqliteWriter(const WriteOptions& options)
        : options_(options), identities_(options.series), run_name_(database_name(options.run_name)) {}

    /// A file that is not there is made with the first sample: one that was made for nothing could not be removed, as
    /// it may be somebody else's by then.
    void begin(std::string& /*out*/) override {
        path_ = absolute_name(options_.database);  // some names mean other things to SQLite, such as ":memory:"
        if (is_there(path_))
            open();
        else
            database_.require_place(path_);
    }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        const bool has_before = cooker != nullptr && cooker->before() != nullptr;
        identities_.add(sample, has_before ? &cooker->matches() : nullptr);
        for (std::size_t i = 0; i < selected.size(); ++i) {
            if (selected[i].rows.empty()) continue;
            if (!tables_ && !database_.failed()) open();
            if (database_.failed()) return;
            if (needs_time_ && !sample.system_time) return;
            if (at_hand_ != sample.origin) begin_record(sample);  // a row of a log may be of several machines
            write(sample, selected[i], tables_->cells.find(i, sample, selected[i]), cooker);
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
    /// What goes with the database as long as that is open.
    struct Tables {
        Tables(SqliteDatabase& database, const Identities& identities, std::uint64_t most)
            : begin(database, "BEGIN IMMEDIATE"),
              commit(database, "COMMIT"),
              add_run(database, sqlite_schema::add_run),
              update_run(database, sqlite_schema::update_run),
              add_value(database, sqlite_schema::add_value),
              counters(database, identities, most),
              cells(counters, identities, true) {}

        SqliteStatement begin, commit, add_run, update_run, add_value;
        SqliteCounters counters;
        PdhCells cells;
    };

    /// What is refused stays as it was: nothing is written before the tables are known to be the right ones.
    void open() {
        database_.open(path_);
        database_.wait_at_most(options_.patience);
        const bool wants_log = !database_.has_log() && has_log_mode();
        make_tables();
        if (database_.failed()) return leave();
        keep_journal_ = wants_log;
        // What is committed outlives the program at once, and a system that fails loses the last samples at most.
        database_.try_to("PRAGMA synchronous = NORMAL");
    }

    bool has_log_mode() {
        SqliteStatement mode(database_, "PRAGMA journal_mode");
        return mode.text() == "wal";
    }

    /// Others can read while this goes on. Who reads or writes now is not waited for: the next sample tries again.
    void make_journal() {
        if (has_journal_ || database_.failed()) return;
        database_.wait_at_most({});
        has_journal_ = database_.try_to("PRAGMA journal_mode = WAL");  // also where the file system cannot have it
        database_.wait_at_most(options_.patience);
    }

    /// All or nothing: a table of such a name may be another one, and is told by its columns.
    void make_tables() {
        database_.execute("BEGIN IMMEDIATE");
        database_.execute(sqlite_schema::tables);
        tables_ = std::make_unique<Tables>(database_, identities_, options_.series);
        database_.execute(sqlite_schema::indices);
        database_.execute(sqlite_schema::views);
        SqliteStatement foreign_view(database_, sqlite_schema::foreign_view);
        SqliteStatement needs_time(database_, sqlite_schema::needs_time);
        needs_time_ = needs_time.number().value_or(0) != 0;
        if (const std::string found = foreign_view.text(); !found.empty())
            database_.fail(fmt::format("its {} has the name of a view that hkpd makes", found));
        database_.execute("COMMIT");
    }

    void begin_record(const Sample& sample) {
        end_record();
        make_journal();
        tables_->begin.run();
        if (records_ == 0) begin_run(sample);
        at_hand_ = sample.origin;
        time_.reset();
        if (sample.system_time) time_ = database_time(*sample.system_time);
        ++records_;
        tables_->add_value.bind(1, std::string_view(guid_));
        tables_->add_value.bind(2, records_);
        tables_->add_value.bind(3, time_);
    }

    void begin_run(const Sample& sample) {
        guid_ = random_guid();
        if (run_name_.empty()) run_name_ = sample.machine ? database_name(*sample.machine) : "hkpd";
        const TimeZone zone = options_.zone ? *options_.zone : sample.zone.value_or(TimeZone{});
        const std::string zone_name = printable(zone.name);
        tables_->add_run.bind(1, std::string_view(guid_));
        tables_->add_run.bind(2, std::string_view(run_name_));
        tables_->add_run.bind(3, std::int64_t{zone.bias});
        tables_->add_run.bind(4, std::string_view(zone_name));
        tables_->add_run.run();
    }

    /// That at hand, if there is one. Until then nobody sees any of it.
    void end_record() {
        if (!at_hand_) return;
        at_hand_.reset();
        if (database_.is_gone()) return database_.fail("the file is no longer there");
        tables_->update_run.bind(1, std::string_view(guid_));
        tables_->update_run.bind(2, time_);
        tables_->update_run.bind(3, records_);
        tables_->update_run.run();
        tables_->commit.run();
    }

    /// The values of a part, which has rows.
    void write(const Sample& sample, const Selected& selected, const PdhCells::Part& part, Cooker* cooker) {
        const Object& object = sample.objects()[selected.object];
        const auto counters = part.counters();
        for_each_tile(selected.rows, [&](std::span<const std::uint32_t> tile, std::size_t first) {
            for (std::size_t c = 0; c < counters.size(); ++c) {
                const std::uint32_t position = counters[c].position;
                const Column& column = object.columns[position];
                const PdhRawCounters raw(sample, object, column);
                const auto places = part.places(c).subspan(first, tile.size());
                const auto cooked =
                    cooker != nullptr ? cook_tile(*cooker, selected.object, position, tile) : CookedColumn{};
                for (std::size_t i = 0; i < tile.size(); ++i)
                    if (places[i] != no_index && column.sound(tile[i]))
                        add_value_of(places[i], raw[tile[i]],
                                     cooked.values.empty() ? no_value : cooked.values[tile[i] - tile.front()]);
            }
        });
    }

    void add_value_of(std::uint32_t place, const PdhRawCounter& raw, double cooked) {
        const Halves first = Halves::of(raw.first);
        std::optional<std::int64_t> low, high;
        if (raw.second) {
            const Halves second = Halves::of(*raw.second);
            low = second.low;
            high = second.high;
        }
        tables_->add_value.bind(4, tables_->counters.id(place));
        tables_->add_value.bind(5, cooked);
        tables_->add_value.bind(6, first.low);
        tables_->add_value.bind(7, first.high);
        tables_->add_value.bind(8, low);
        tables_->add_value.bind(9, high);
        tables_->add_value.bind(10, Halves::of(raw.multi_count).low);
        tables_->add_value.run();
    }

    /// Closes the database: one file, which can be read where nothing can be written.
    void leave() {
        database_.try_to("ROLLBACK");  // what failed, if anything did
        if (records_ != 0 && !database_.failed()) database_.try_to("PRAGMA analysis_limit = 1000; ANALYZE CounterData");
        // Where others have it open, the mode stays until the last of them is a run that ends. What others have put in
        // place of a file that is gone has a log of its own.
        database_.wait_at_most({});
        if (!keep_journal_ && !database_.is_gone()) database_.try_to("PRAGMA journal_mode = DELETE");
        tables_.reset();
        database_.close();
    }

    WriteOptions options_;
    std::string path_;
    // Whether the journal stays as it is: somebody wants a write-ahead log, where the database had one when it was
    // opened and had been closed well. Where the log itself lay beside it, a run was killed there or goes on, and each
    // may think of the other that it wants it so.
    bool keep_journal_ = true;
    bool needs_time_ = false;   // whoever made the tables has no place for a moment that is none
    bool has_journal_ = false;  // that of a run that goes on
    Identities identities_;
    SqliteDatabase database_;
    std::unique_ptr<Tables> tables_;
    std::string guid_, run_name_;
    std::optional<Sample::Origin> at_hand_;  // of the record at hand, which is not complete yet
    std::optional<std::string> time_;        // likewise
    std::int64_t records_ = 0;
};

}  // namespace

std::unique_ptr<Writer> make_sqlite_writer(const WriteOptions& options) {
    return std::make_unique<SqliteWriter>(options);
}

}  // namespace hkpd
