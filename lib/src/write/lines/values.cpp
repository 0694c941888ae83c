// One value per line, for pipelines: JSON Lines and CSV with the same fields.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>

#include "hkpd/counter_type.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/select.hpp"
#include "identity/instance_name.hpp"
#include "sample/display_name.hpp"
#include "sample/real_value.hpp"
#include "text_log/not_recorded.hpp"
#include "write/cells.hpp"
#include "write/digits.hpp"
#include "write/json/json_stream.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// Copies a text to `at`. Returns the end of the copy.
inline char* copy_text(std::string_view text, char* at) noexcept {
    std::memcpy(at, text.data(), text.size());
    return std::next(at, static_cast<std::ptrdiff_t>(text.size()));
}

/// Copies a literal, whose size is known when compiling.
template <std::size_t size>
char* copy_text(const char (&text)[size], char* at) noexcept {
    std::memcpy(at, std::data(text), size - 1);
    return std::next(at, static_cast<std::ptrdiff_t>(size - 1));
}

/// A writer of one line for each value, with the names of its object, instance and counter. A name that occurs in
/// several lines of a sample is formatted only once.
class ValueWriter final : public Writer {
  public:
    ValueWriter(bool json, const WriteOptions& options)
        : json_(json), cooked_(options.cooked), drain_(options.drain), options_(options) {}

    void begin(std::string& out) override {
        if (json_) return;
        out += options_.file_of_input ? "time,machine,file," : "time,machine,";
        out +=
            "source,object,object_index,counterset,parent,instance,pid,instance_id,life,pdh_instance,counter,"
            "counter_index,type,raw";
        out += cooked_ ? ",value,reason\n" : "\n";
    }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        run_ = RunInstances::of(sample).get();
        time_.clear();
        const bool utc = json_ || (!options_.zone && !options_.log_zone);
        if (sample.system_time)
            append_time(time_, *sample.system_time,
                        utc ? utc_if_stated(sample.shown_zone(options_.zone)) : sample.shown_zone(options_.zone));
        for (const Selected& part : selected) {
            const Object& object = sample.objects()[part.object];
            begin_object(sample, object, part);
            const ObjectInstances& instances = run_->instances(sample, part.object);
            for (std::size_t i = 0; i < part.rows.size(); ++i) {
                const std::uint32_t row = part.rows[i];
                if (cooked_ && cooker != nullptr && (i == 0 || row < first_ || row - first_ >= count_))
                    cook(*cooker, part, row);
                begin_row(sample, object.instances[row], instances.numbers[row], instances.places[row]);
                write_row(object, row, out);
            }
        }
    }

  private:
    struct Shown {
        const Column* column;
        std::uint32_t position;
        std::size_t begin, length;  // the counter's part of `counters_`; length 0: it is not kept there
        std::string_view counter;   // the same
        bool plain;           // whether `write_plain_lines` can write it: its counter is kept, and the end of every
                              // line is an integer: no value is missing, text or bytes
        CookedColumn cooked;  // values of the rows from `first_` on; empty if only raw values are written
    };
    /// Number of rows cooked at a time: whole columns of a large object would need as much memory as the sample.
    static constexpr std::uint32_t batch_size = 1024;
    /// Number of bytes from which on no more counters are kept as text. On real machines all counters of an object need
    /// a few KiB.
    static constexpr std::size_t most_kept = std::size_t{4} << 20U;

    void begin_object(const Sample& sample, const Object& object, const Selected& part) {
        counterset_.clear();
        if (object.counterset) append_guid(counterset_, *object.counterset);
        start_.clear();
        text(start_, R"({"time":)", time_.empty() ? std::nullopt : std::optional<std::string_view>(time_));
        text(start_, R"(,"machine":)", sample.machine);
        if (options_.file_of_input) text(start_, R"(,"file":)", options_.file_of_input(sample.origin.input));
        text(start_, R"(,"source":)", source_name(sample.source));
        text(start_, R"(,"object":)", name_object(sample, object));
        number(start_, R"(,"object_index":)", object_number(sample.source, object));
        text(start_, R"(,"counterset":)",
             object.counterset ? std::optional<std::string_view>(counterset_) : std::nullopt);
        object_size_ = start_.size();
        previous_ = nullptr;
        counters_.clear();
        columns_.clear();
        longest_counter_ = 0;
        for (const std::uint32_t position : part.columns) {
            const Column& column = object.columns[position];
            const std::size_t begin = counters_.size();
            const bool kept = begin < most_kept;
            if (kept) append_counter(sample.source, column, type_, counters_);
            const std::size_t length = counters_.size() - begin;
            columns_.push_back({&column, position, begin, length, {}, kept && !cooked_ && is_plain_column(column), {}});
            longest_counter_ = std::max(longest_counter_, length);
        }
        source_ = sample.source;
        for (Shown& shown : columns_) shown.counter = std::string_view(counters_).substr(shown.begin, shown.length);
    }

    /// Appends the part of a line that describes the counter. `type`: memory for the text of its type.
    void append_counter(SampleSource source, const Column& column, std::string& type, std::string& out) const {
        type.clear();
        if (column.type != no_counter_type) append_type(type, column.type);
        text(out, R"(,"counter":)", column.name ? std::optional(column.name->text) : std::nullopt);
        number(out, R"(,"counter_index":)", counter_number(source, column));
        text(out, R"(,"type":)", type.empty() ? std::nullopt : std::optional<std::string_view>(type));
        if (json_) out += R"(,"raw":)";
    }

    static bool is_plain_column(const Column& column) noexcept {
        return column.storage == Storage::number && column.status.empty() && column.type != perf_double_raw;
    }

    /// Cooks at most `batch_size` rows, starting with `row`.
    void cook(Cooker& cooker, const Selected& part, std::uint32_t row) {
        first_ = row;
        count_ = std::min(batch_size, std::max(row, part.rows.back()) - row + 1);
        for (Shown& shown : columns_) shown.cooked = cooker.rows(part.object, shown.position, first_, count_);
    }

    /// Makes the beginning of a row's lines. Consecutive rows often have the same parent, whose name is then kept.
    /// `number`: of its identity. `place`: the n of `name#n`.
    void begin_row(const Sample& sample, const Instance& instance, std::uint32_t number, std::uint32_t place) {
        if (previous_ == nullptr || !have_same_parent(*previous_, instance)) {
            parent_.reset();
            if (const auto found = sample.parent(instance))
                parent_ = sample.objects()[found->object].instances[found->instance].name;
            start_.resize(object_size_);
            text(start_, R"(,"parent":)", parent_);
            parent_size_ = start_.size();
            parent_is_plain_ = is_plain(parent_.value_or(""), '"', '\\');
        }
        previous_ = &instance;
        start_.resize(parent_size_);
        const std::optional<Identity> identity = run_->named(number);
        if (json_ && identity && parent_is_plain_ && is_plain(*instance.name, '"', '\\'))
            return append_plain_names(*instance.name, place, *identity);
        std::optional<std::string_view> name = instance.name;
        if (identity) name = place_text({}, identity->name, identity->place);
        text(start_, R"(,"instance":)", name);
        this->number(start_, R"(,"pid":)", identity ? identity->pid : std::nullopt);
        this->number(start_, R"(,"instance_id":)", identity ? identity->instance_id : std::nullopt);
        this->number(start_, R"(,"life":)", identity ? std::optional(identity->life) : std::nullopt);
        name = instance.name;
        if (name && (parent_ || place != 0)) name = place_text(parent_, *name, place);
        text(start_, R"(,"pdh_instance":)", name);
    }

    /// Does for JSON what the end of `begin_row` does, if no name needs escapes, as nearly all: in one step.
    void append_plain_names(std::string_view name, std::uint32_t place, const Identity& identity) {
        constexpr std::string_view keys = R"(,"instance":"","pid":,"instance_id":,"life":,"pdh_instance":"")";
        const std::size_t before = start_.size(), most = before + keys.size() + 2 * name.size() +
                                                         parent_.value_or("").size() + 2 * most_place +
                                                         3 * (1 + most_digits);
        start_.resize_and_overwrite(most, [&](char* text, std::size_t /*size*/) {
            const auto id = [](char* at, const auto& number) {
                if (!number) return copy_text("null", at);
                if (*number < 0) at = copy_text("-", at);
                return write_digits(at, static_cast<std::uint64_t>(std::abs(std::int64_t{*number})));
            };
            char* at = copy_text(R"(,"instance":")", std::next(text, static_cast<std::ptrdiff_t>(before)));
            at = copy_place(at, std::nullopt, identity.name, identity.place);
            at = id(copy_text(R"(","pid":)", at), identity.pid);
            at = id(copy_text(R"(,"instance_id":)", at), identity.instance_id);
            at = copy_text(R"(,"life":)", at);
            at = identity.life == 1 ? copy_text("1", at) : write_digits(at, identity.life);
            at = copy_text(R"(,"pdh_instance":")", at);
            return static_cast<std::size_t>(copy_text("\"", copy_place(at, parent_, name, place)) - text);
        });
    }

    std::string_view place_text(const std::optional<std::string_view>& parent, std::string_view name,
                                std::uint32_t place) {
        display_.clear();
        append_place(display_, parent, name, place);
        return display_;
    }

    void write_row(const Object& object, std::uint32_t row, std::string& out) const {
        for (std::span<const Shown> rest(columns_); !rest.empty();) {
            rest = rest.front().plain ? write_plain_lines(rest, row, out) : write_line(rest, object, row, out);
            if (drain_ != nullptr && out.size() >= much_text) drain_(out);
        }
    }

    /// Writes the line of the first column. Returns the other columns.
    std::span<const Shown> write_line(std::span<const Shown> columns, const Object& object, std::uint32_t row,
                                      std::string& out) const {
        const Shown& shown = columns.front();
        out.append(start_).append(shown.counter);
        if (std::string type; shown.length == 0) append_counter(source_, *shown.column, type, out);
        write_raw(object, *shown.column, row, out);
        if (!shown.cooked.values.empty()) write_cooked(shown.cooked[row - first_], out);
        out += json_ ? "}\n" : "\n";
        return columns.subspan(1);
    }

    /// Writes the lines of the plain columns at the beginning of `columns`, as many as surely fit `much_text`, but at
    /// least one. Returns the other columns. Nearly all lines of real inputs are written here: the space of many lines
    /// is reserved at once, and a line consists of two copies and a number.
    std::span<const Shown> write_plain_lines(std::span<const Shown> columns, std::uint32_t row,
                                             std::string& out) const {
        const std::size_t longest = start_.size() + longest_counter_ + most_digits + std::string_view("}\n").size();
        const std::size_t most = std::clamp<std::size_t>(much_text / longest, 1, columns.size());
        const auto lines = std::ranges::find(columns.first(most), false, &Shown::plain) - columns.begin();
        const std::size_t before = out.size();
        out.resize_and_overwrite(before + static_cast<std::size_t>(lines) * longest,
                                 [&](char* text, std::size_t /*size*/) {
                                     char* at = std::next(text, static_cast<std::ptrdiff_t>(before));
                                     for (const Shown& shown : columns.first(static_cast<std::size_t>(lines))) {
                                         at = copy_text(start_, at);
                                         at = copy_text(shown.counter, at);
                                         at = write_digits(at, shown.column->values[row]);
                                         at = json_ ? copy_text("}\n", at) : copy_text("\n", at);
                                     }
                                     return static_cast<std::size_t>(at - text);
                                 });
        return columns.subspan(static_cast<std::size_t>(lines));
    }

    /// Writes the raw value. In JSON, `raw` is a number or null, so that `raw` fits a numeric column of a table. A
    /// value that is no number follows `raw` under another key.
    void write_raw(const Object& object, const Column& column, std::uint32_t row, std::string& out) const {
        const bool valid = column.is_valid(row);
        if (const auto real = double_value(column, row)) {
            if (json_ && !std::isfinite(*real))
                out += "null";  // JSON has no such numbers
            else
                append_number(out, *real);
            return;
        }
        if (valid && column.storage == Storage::number) return append_digits(out, column.values[row]);
        if (json_) out += "null";
        if (!valid) {
            // A damaged value is null and has no status. Every other missing value has a status, which states why the
            // value is missing.
            if (json_ && column.status[row] != ValueStatus::damaged)
                out.append(R"(,"status":")").append(status_number(column.status[row])) += '"';
            if (column.status[row] != ValueStatus::not_recorded || column.values[row] == 0) return;
            text(out, R"(,"text":)", std::string_view(unpacked_text(column.values[row])));
            if (!json_) out.pop_back();  // the comma
        } else if (column.storage == Storage::text) {
            text(out, R"(,"text":)", object.bytes(column, row));
            if (!json_) out.pop_back();  // the comma
        } else {
            // In CSV, `0x` is written even if the value has no bytes: an empty cell would mean that the value is
            // damaged or missing.
            out += json_ ? R"(,"hex":")" : "0x";
            append_hex(out, object.bytes(column, row));
            if (json_) out += '"';
        }
    }

    void write_cooked(CookedValue cooked, std::string& out) const {
        out += json_ ? R"(,"value":)" : ",";
        if (json_ && !cooked.has_value()) out += "null";
        append_number(out, cooked.value);
        if (!json_)
            out.append(",").append(reason_name(cooked.reason));
        else if (cooked.reason == Reason::none)
            out += R"(,"reason":null)";
        else
            out.append(R"(,"reason":")").append(reason_name(cooked.reason)) += '"';
    }

    /// Writes a CSV cell, or in JSON a key and its value.
    void text(std::string& out, std::string_view key, const std::optional<std::string_view>& value) const {
        if (!json_) return append_csv_cell(out, value.value_or(""));
        if (value && is_plain(*value, '"', '\\')) return append_plain(out, key, *value);
        out += key;
        if (value)
            append_json_string(out, *value);
        else
            out += "null";
    }
    /// Appends a key of JSON, and a text that needs no escapes, as nearly all.
    static void append_plain(std::string& out, std::string_view key, std::string_view value) {
        const std::size_t before = out.size(), size = before + key.size() + value.size() + 2;
        out.resize_and_overwrite(size, [&](char* text, std::size_t /*size*/) {
            char* at = copy_text(key, std::next(text, static_cast<std::ptrdiff_t>(before)));
            at = copy_text("\"", copy_text(value, copy_text("\"", at)));
            return static_cast<std::size_t>(at - text);
        });
    }
    template <class Number>
    void number(std::string& out, std::string_view key, const std::optional<Number>& value) const {
        if (json_) out += key;
        if (value)
            append_digits(out, *value);
        else if (json_)
            out += "null";
        if (!json_) out += ',';
    }

    /// Returns the name of an object; none if the name is unknown. For a V2 result whose name and counterset are both
    /// unknown, returns its position in the block: `result 2`.
    std::optional<std::string_view> name_object(const Sample& sample, const Object& object) {
        if (object.name) return object.name->text;
        if (sample.source != SampleSource::v2 || object.counterset) return std::nullopt;
        return object_ = object_label(sample.source, object);
    }

    bool json_, cooked_;
    std::function<void(std::string&)> drain_;
    WriteOptions options_;
    std::string time_, object_, counterset_, type_, display_;
    SampleSource source_ = SampleSource::v1;  // of the current sample
    RunInstances* run_ = nullptr;             // of the current sample
    std::uint32_t first_ = 0, count_ = 0;     // the rows whose values are in `Shown::cooked`
    std::string start_;                       // beginning of all lines of the current instance
    std::size_t object_size_ = 0;             // length of the part of `start_` that describes the object
    std::size_t parent_size_ = 0;             // length of the part of `start_` that describes the object and the parent
    const Instance* previous_ = nullptr;  // the instance whose parent is in `start_`; null at the start of an object
    std::optional<std::string_view> parent_;
    bool parent_is_plain_ = false;     // whether its name needs no escapes in JSON; also if there is none
    std::string counters_;             // name, index and type of each counter of the object
    std::size_t longest_counter_ = 0;  // length of the longest part of `counters_`
    std::vector<Shown> columns_;
};

}  // namespace

std::unique_ptr<Writer> make_value_writer(Format format, const WriteOptions& options) {
    return std::make_unique<ValueWriter>(format == Format::jsonl, options);
}

}  // namespace hkpd
