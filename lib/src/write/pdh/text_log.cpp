// Windows' own text log format. Each counter of an instance is a column. Each sample is a row. But if the input is a
// log, and a row of that log has samples of several machines, these samples together are one row.
#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "sample/display_name.hpp"
#include "sample/real_value.hpp"
#include "write/pdh/text.hpp"
#include "write/series.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// The columns of a text log, one for each series. The first line of the log lists all of them, so they are collected
/// before anything is written: over the whole run or, if samples can be passed only once, from the first sample. `fix`
/// then assigns each column its place in a row.
class PdhColumns final : public ValuePlaces {
  public:
    using ValuePlaces::ValuePlaces;

    /// Assigns a place to each column collected so far; columns that appear later get none. The columns are ordered by
    /// machine and object, then by counter, then by instance. Machines, objects, counters and instances that appeared
    /// earlier come first. Appends the headings, with a separator before each heading, and calls `drain` after each
    /// heading.
    template <class Drain>
    void fix(char separator, std::string& out, const Drain& drain) {
        fixed_ = true;
        std::vector<std::uint64_t> keys;
        keys.reserve(places().size());
        for (const auto& [key, place] : places()) keys.push_back(key);
        std::ranges::sort(keys, {},
                          [this](std::uint64_t key) { return std::pair(counters_[key_of(key).first].group, key); });
        for (; size_ < keys.size(); ++size_) {
            places()[keys[size_]] = static_cast<std::int64_t>(size_);
            const auto [number, identity] = key_of(keys[size_]);
            const Counter& counter = counters_[number];
            const Group& group = groups_[counter.group];
            out += separator;
            const std::string instance = identities()[identity].path();
            append_pdh_path(out, group.machine, group.object.text(),
                            group.is_list ? std::optional<std::string_view>(instance) : std::nullopt,
                            counter.title.text());
            drain(out);
        }
    }
    bool fixed() const noexcept { return fixed_; }

    /// Returns the number of columns that have a place.
    std::size_t size() const noexcept { return size_; }
    /// Returns the number of columns that first appeared after `fix`.
    std::uint64_t dropped() const noexcept { return dropped_; }

  private:
    /// The title of an object or counter. Until its name is known, `key` is shown, which contains the index. Title
    /// tables can supply the name later in the run.
    struct Title {
        std::string key, name{};  // `238`, `Processor`

        void learn(const std::optional<Titles::Answer>& answer) {
            if (name.empty() && answer) name = answer->text;
        }
        const std::string& text() const noexcept { return name.empty() ? key : name; }
    };
    struct Group {
        std::string machine;
        Title object;
        bool is_list;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counters{};  // by title index and repeat
    };
    struct Counter {
        std::uint32_t group;
        Title title;
    };

    std::uint32_t counter(const Sample& sample, const Object& object, const Column& column,
                          std::uint32_t repeat) override {
        const bool space = has_space(counters_.size());
        const std::string_view name = sample.machine ? std::string_view(*sample.machine) : std::string_view();
        auto machine = machines_.find(name);
        if (!space && (machine == machines_.end() || !machine->second.contains(object.title_index))) return no_index;
        if (machine == machines_.end()) machine = machines_.try_emplace(std::string(name)).first;
        const auto [entry, is_new] =
            machine->second.try_emplace(object.title_index, static_cast<std::uint32_t>(groups_.size()));
        if (is_new)
            groups_.push_back({std::string(name), {object_key(sample.source, object)}, object.kind == Kind::multi});
        Group& group = groups_[entry->second];
        group.object.learn(object.name);
        auto found = group.counters.find({column.title_index, repeat});
        if (found == group.counters.end()) {
            if (!space) return no_index;
            const auto number = static_cast<std::uint32_t>(counters_.size());
            found = group.counters.emplace(std::pair(column.title_index, repeat), number).first;
            counters_.push_back({entry->second, {counter_key(sample.source, column)}});
        }
        counters_[found->second].title.learn(column.name);
        return found->second;
    }

    std::int64_t add(Key /*key*/) override {
        if (fixed_) ++dropped_;
        return none;
    }

    std::uint64_t dropped_ = 0;
    std::size_t size_ = 0;
    bool fixed_ = false;
    std::vector<Group> groups_;
    std::vector<Counter> counters_;
    std::map<std::string, std::map<std::uint32_t, std::uint32_t>, std::less<>> machines_;  // machine → index → group
};

class PdhWriter final : public Writer {
  public:
    PdhWriter(Format format, const WriteOptions& options)
        : format_(format),
          options_(options),
          identities_(options.series, options.names),
          columns_(options.series, identities_) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        identities_.add(sample, matches_of(cooker));
        if (!columns_.fixed()) {
            find_head_zone(sample);
            for (const Selected& part : selected)
                columns_.each_counter(sample, part, options_.cooked,
                                      [](std::uint32_t, std::span<const std::int64_t>) {});
            if (!options_.one_pass) return;
            write_header(out);
        }
        if (pending_ != sample.origin) begin_row(sample, out);  // samples of one log row have the same origin
        for (const Selected& part : selected)
            columns_.each_counter(sample, part, options_.cooked,
                                  [&](std::uint32_t position, std::span<const std::int64_t> places) {
                                      read(sample, part, position, places, cooker);
                                  });
        // Only a row of a log can continue in the next sample. All other rows are written at once, so that the values
        // of a live machine appear without delay.
        if (sample.source != SampleSource::log) write_row(out);
    }

    bool again(std::string& out) override {
        if (options_.one_pass || columns_.fixed()) return false;
        write_header(out);
        identities_ = Identities(options_.series, options_.names);  // both passes must number the instances equally
        return true;
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        if (!columns_.fixed()) write_header(out);
        write_row(out);
        if (overflowed_) diagnostics.add({Errc::series_limit, 0, "", "", options_.series, options_.series});
        if (columns_.dropped() != 0) diagnostics.add({Errc::columns_fixed, 0, "", "", 0, columns_.dropped()});
    }

  private:
    char separator() const noexcept { return format_ == Format::pdh_tsv ? '\t' : ','; }

    /// Sets the zone of the header: the requested zone at the first time of the run, or the zone of the first log.
    void find_head_zone(const Sample& sample) {
        if (head_zone_) return;
        if (options_.zone && sample.system_time) {
            head_zone_ = options_.zone->at(unix_time(*sample.system_time));
        } else if (!options_.zone && sample.zone) {
            head_zone_ = sample.zone;
            head_input_ = sample.origin.input;
        }
    }

    /// Returns the offset of the current row from UTC, in seconds. The header can state only one offset. The requested
    /// zone, and the zone of the log that the header names, have other offsets when daylight time begins or ends. All
    /// other rows have the offset of the header.
    std::int32_t offset_of(const Sample& sample) const {
        if (options_.zone && sample.system_time) return options_.zone->offset_at(unix_time(*sample.system_time));
        const auto& zone = sample.zone && head_input_ == sample.origin.input ? sample.zone : head_zone_;
        return zone ? -60 * zone->bias : 0;
    }

    void begin_row(const Sample& sample, std::string& out) {
        write_row(out);
        pending_ = sample.origin;
        time_ = sample.system_time;
        offset_ = offset_of(sample);
        row_.assign(columns_.size(), {});
        cells_.assign(columns_.size(), Cell::empty);
    }

    /// Stores the values of a counter at their places in the row.
    void read(const Sample& sample, const Selected& part, std::uint32_t position, std::span<const std::int64_t> places,
              Cooker* cooker) {
        if (options_.cooked && cooker == nullptr) return;
        const Column& column = sample.objects()[part.object].columns[position];
        const CookedColumn cooked = options_.cooked ? cooker->column(part.object, position) : CookedColumn{};
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::uint32_t row = part.rows[i];
            if (places[i] == ValuePlaces::none) continue;
            if (!(options_.cooked ? cooked[row].has_value() : column.is_valid(row))) continue;
            const auto place = static_cast<std::size_t>(places[i]);
            row_[place] = options_.cooked ? std::bit_cast<std::uint64_t>(cooked[row].value) : column.values[row];
            cells_[place] = options_.cooked || double_value(column, row) ? Cell::real : Cell::integer;
        }
    }

    void write_header(std::string& out) {
        // Without a sample, the requested zone is that of the year 1970.
        if (!head_zone_ && options_.zone) head_zone_ = options_.zone->at(0);
        if (options_.console)
            append_console_head(out, format_);
        else
            append_pdh_head(out, format_, head_zone_.value_or(TimeZone{}));
        columns_.fix(separator(), out, [this](std::string& text) { drain_much(options_, text); });
        overflowed_ = columns_.overflowed() || identities_.overflowed();
        end_line(out);
    }

    /// Writes the current row, if there is one.
    void write_row(std::string& out) {
        if (!pending_) return;
        pending_.reset();
        if (time_)
            append_pdh_time(out, *time_, offset_);
        else
            out += no_pdh_value;
        for (std::size_t place = 0; place < row_.size(); ++place) {
            out += separator();
            if (cells_[place] == Cell::empty)
                out += no_pdh_value;
            else if (cells_[place] == Cell::real && options_.console)
                append_console_number(out, std::bit_cast<double>(row_[place]));
            else if (cells_[place] == Cell::real)
                append_pdh_number(out, std::bit_cast<double>(row_[place]));
            else
                append_pdh_number(out, row_[place]);
        }
        end_line(out);
    }

    void end_line(std::string& out) const { out += options_.crlf ? "\r\n" : "\n"; }

    Format format_;
    WriteOptions options_;
    std::optional<TimeZone> head_zone_;        // requested time zone, or that of the first log
    std::optional<std::uint32_t> head_input_;  // the log that supplied the zone; none if it was requested
    Identities identities_;
    PdhColumns columns_;
    bool overflowed_ = false;
    std::optional<Sample::Origin> pending_;  // origin of the current row, which is not written yet
    std::optional<SystemTime> time_;         // time of the current row
    std::int32_t offset_ = 0;                // time zone of the current row: local - UTC, in seconds
    /// States what a value of `row_` is: an integer, the bits of a floating-point number, or nothing.
    enum class Cell : std::uint8_t { empty, integer, real };
    std::vector<std::uint64_t> row_;  // values of the current row
    std::vector<Cell> cells_;         // for each value of `row_`
};

}  // namespace

std::unique_ptr<Writer> make_pdh_writer(Format format, const WriteOptions& options) {
    return std::make_unique<PdhWriter>(format, options);
}

}  // namespace hkpd
