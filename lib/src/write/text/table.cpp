// The table for people: instances as rows, counters as columns.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/time.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/select.hpp"
#include "quantity/times.hpp"
#include "sample/display_name.hpp"
#include "sample/real_value.hpp"
#include "write/cells.hpp"
#include "write/text/grid.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

std::string cell(const Object& object, const Column& column, std::size_t row) {
    if (!column.is_valid(row)) return status_word(column.status[row]);
    if (column.storage == Storage::text) return printable(object.bytes(column, row));
    if (column.storage == Storage::bytes) {
        std::string hex = column.size == 0 ? "" : "0x";
        append_hex(hex, object.bytes(column, row));
        return hex;
    }
    if (const auto real = real_value(column, row)) return fmt::format("{}", *real);
    if (shows_hex(column.type, column.attributes)) return fmt::format("{:#x}", column.values[row]);
    return std::to_string(column.values[row]);
}

/// Returns the name of a counter type. If the type has no name, returns the type in hexadecimal, followed by a
/// description of its fields in parentheses.
std::string described_type(std::uint32_t type) {
    std::string text = type_text(type);
    if (type == no_counter_type || !counter_type_name(type).empty()) return text;
    text += " (";
    append_counter_type(text, type);
    return text += ')';
}

/// Returns the number of things shown as text, such as `2 instances`, or `2 of 17 instances` if not all are shown.
/// `thing` is the word for one of them, such as `instance`.
std::string shown_of(std::size_t shown, std::size_t all, std::string_view thing) {
    return shown == all ? count_of(all, thing) : fmt::format("{} of {}", shown, count_of(all, thing));
}

/// Returns the heading of an object:
///
/// - V1, also in a log: `Processor (238)`; `#238` if the name is unknown.
/// - V2: `Geometric Waves (V2 {f3a…})`; `{f3a…} (V2)` if the name is unknown; `result 2 (V2)` if the counterset is
///   unknown too.
/// - An object that is known only by its name: `Memory`.
std::string object_title(SampleSource source, const Object& object) {
    std::string label = printable(object_label(source, object));
    const IdKind known = id_kind(source, object);
    if (known == IdKind::name) return label;
    if (known == IdKind::title) return object.name ? fmt::format("{} ({})", label, object_key(source, object)) : label;
    return object.name && object.counterset ? fmt::format("{} (V2 {})", label, object_key(source, object))
                                            : fmt::format("{} (V2)", label);
}

/// Describes where the names of a V2 sample come from. V2 has no title tables.
std::string_view names_of_countersets(const Sample& sample) {
    const auto has_name = [](const auto& titled) { return titled.name.has_value(); };
    const bool named = std::ranges::any_of(sample.objects(), [&](const Object& object) {
        return has_name(object) || std::ranges::any_of(object.columns, has_name);
    });
    return named ? "registration info" : "none (use --registration FILE)";
}

/// Describes where the names of a sample come from. The text is empty if the names come from title tables.
std::string_view names_without_tables(const Sample& sample) {
    if (sample.source == SampleSource::v2) return names_of_countersets(sample);
    const auto by_name = [&](const Object& object) { return id_kind(sample.source, object) == IdKind::name; };
    if (std::ranges::any_of(sample.objects(), by_name)) return "performance log";
    return sample.tables().empty() ? "none (use --titles FILE)" : std::string_view();
}

/// Returns the words for the source of a sample: `V2 (PerfLib), `, or `log, Pacific Standard Time (UTC-08:00), ` with
/// the time zone of the log. Returns an empty text for V1.
std::string api(const Sample& sample) {
    if (sample.source == SampleSource::v2) return "V2 (PerfLib), ";
    if (sample.source == SampleSource::v1) return "";
    if (!sample.is_zone_stated()) return "log, local time, zone not stated, ";
    if (!sample.zone) return "log, ";
    return fmt::format("log, {}, ", printable(zone_text(*sample.zone)));
}

class TableWriter final : public Writer {
  public:
    explicit TableWriter(WriteOptions options) : options_(std::move(options)) {
        if (options_.drain != nullptr) drain_ = [this](std::string& text) { drain_much(options_, text); };
    }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        if (selected.empty() && !sample.objects().empty()) return;  // all objects of the sample are filtered out
        if (number_++ != 0) out += '\n';
        cooker_ = options_.cooked ? cooker : nullptr;
        head(sample, out);
        for (const Selected& part : selected) {
            out += '\n';
            write_object(sample, cooker_ != nullptr ? displayable(sample, part) : part, out);
        }
    }

  private:
    void head(const Sample& sample, std::string& out) const {
        const auto to = std::back_inserter(out);
        append_machine(out, sample.machine);
        out += ", ";
        if (sample.system_time)
            append_time(out, *sample.system_time, sample.shown_zone(options_.zone));
        else
            out += "time unknown";
        const std::string_view kind = cooker_ == nullptr             ? "raw"
                                      : cooker_->before() == nullptr ? "first sample, cooked"
                                                                     : "cooked";
        const std::string_view names = names_without_tables(sample);
        fmt::format_to(to, ", {}{}, {} values, names: {}", api(sample), count_of(sample.objects().size(), "object"),
                       kind, names);
        bool first = names.empty();
        for (const std::uint32_t position : sample.tables()) {
            if (!first) out += ", ";
            first = false;
            append_table_name(out, options_.titles->tables()[position]);
        }
        out += '\n';
    }

    /// Returns the part without the columns that are not shown in a table of cooked values: hidden counters, and
    /// counters without a cooked value, such as bases. Text columns are shown.
    static Selected displayable(const Sample& sample, const Selected& part) {
        Selected shown{part.object, part.rows, {}};
        for (const std::uint32_t position : part.columns) {
            const Column& column = sample.objects()[part.object].columns[position];
            const CounterType type{column.type};
            const bool nothing_to_show = type.is_base() || type.size() == CounterType::Size::zero || is_hidden(column);
            if (!nothing_to_show) shown.columns.push_back(position);
        }
        return shown;
    }

    std::string shown_cell(const Object& object, std::size_t at, std::uint32_t position, std::uint32_t row,
                           Unit unit) const {
        const Column& column = object.columns[position];
        if (cooker_ == nullptr || column.storage != Storage::number) return cell(object, column, row);
        const CookedValue cooked = cooker_->column(at, position)[row];
        if (cooked.has_value()) {
            const std::string number = cooked_text(cooked.value, unit, shows_hex(column.type, column.attributes));
            return cooked.reason == Reason::capped ? number + " capped" : number;
        }
        // In the first sample of a run no counter has a rate, so the reason is not shown.
        if (cooked.reason == Reason::first_sample && cooker_->before() == nullptr) return "-";
        const bool logged = cooked.reason == Reason::pdh_status && !column.is_valid(row);
        return logged ? status_word(column.status[row]) : std::string(reason_name(cooked.reason));
    }

    /// Appends the mark of a cell to those of its column.
    void add_mark(std::vector<Mark>& marks, const Object& object, std::size_t at, std::uint32_t position,
                  std::uint32_t row) const {
        const Column& column = object.columns[position];
        if (!column.is_valid(row))
            marks.push_back(column.status[row] == ValueStatus::damaged ? Mark::damaged : Mark::missing);
        else if (cooker_ == nullptr || column.storage != Storage::number || cooker_->before() == nullptr ||
                 cooker_->column(at, position)[row].has_value())
            marks.push_back(Mark::none);
        else
            marks.push_back(Mark::missing);
    }

    /// Returns the unit of a column's raw values; cooked values have theirs in each cell.
    std::string_view raw_unit_of(const Column& column) const {
        const bool cooked = cooker_ != nullptr && column.storage == Storage::number;
        return cooked ? std::string_view{} : raw_unit(column.type);
    }

    void write_object(const Sample& sample, const Selected& part, std::string& out) {
        const Object& object = sample.objects()[part.object];
        const auto to = std::back_inserter(out);
        out += object_title(sample.source, object);
        const bool metadata = object.kind == Kind::metadata_single || object.kind == Kind::metadata_multi;
        if (object.kind == Kind::multi)
            fmt::format_to(to, ", {}", shown_of(part.rows.size(), object.instances.size(), "instance"));
        fmt::format_to(to, ", {}", shown_of(part.columns.size(), object.columns.size(), "counter"));
        if (metadata) out += ", metadata without values";
        out += '\n';
        if (options_.help_text && object.help) fmt::format_to(to, "{}\n", printable(object.help->text));
        const bool one_row = object.kind == Kind::single;
        if (one_row || metadata || options_.help_text || (part.rows.empty() && object.kind == Kind::multi))
            write_counters(sample, object, part, one_row, out);
        if (!one_row && !part.rows.empty() && !part.columns.empty()) write_instances(sample, object, part, out);
        if (!one_row && part.columns.empty())
            for (const std::string& label : labels(sample, object, part)) out.append(label).append("\n");
    }

    /// Writes one line for each counter of an object, which is easier to read than one long row. With `values`, each
    /// line has the value of the counter in the object's only row.
    void write_counters(const Sample& sample, const Object& object, const Selected& part, bool values,
                        std::string& out) const {
        Grid grid;
        const bool shown = values && !part.rows.empty();
        Grid::Column value, unit{"", "", Grid::Align::left, {}}, type = unit, help = unit;
        for (const std::uint32_t position : part.columns) {
            const Column& column = object.columns[position];
            grid.labels.push_back("  " + printable(counter_label(sample.source, column)));
            if (shown)
                value.cells.push_back(shown_cell(object, part.object, position, part.rows.front(),
                                                 unit_of(sample.source, object, column)));
            if (shown && options_.color) add_mark(value.marks, object, part.object, position, part.rows.front());
            unit.cells.emplace_back(raw_unit_of(column));
            type.cells.push_back(described_type(column.type));
            if (options_.help_text) help.cells.push_back(column.help ? printable(column.help->text) : "");
        }
        if (shown) grid.columns = {std::move(value), std::move(unit)};
        if (options_.type_names || !values) grid.columns.push_back(std::move(type));
        if (options_.help_text) grid.columns.push_back(std::move(help));
        // Help texts are long: one wide line is better than columns that continue below.
        grid.append(out, static_cast<std::size_t>(-1) / 2, {}, drain_);
    }

    void write_instances(const Sample& sample, const Object& object, const Selected& part, std::string& out) {
        Grid grid;
        grid.labels = labels(sample, object, part);
        for (const std::uint32_t position : part.columns) {
            const Column& column = object.columns[position];
            Grid::Column shown{printable(counter_label(sample.source, column)),
                               std::string(raw_unit_of(column)),
                               column.storage == Storage::text ? Grid::Align::left : Grid::Align::right,
                               {}};
            const Unit unit = unit_of(sample.source, object, column);
            if (options_.type_names) shown.unit = type_text(column.type);
            for (const std::uint32_t row : part.rows) {
                shown.cells.push_back(shown_cell(object, part.object, position, row, unit));
                if (options_.color) add_mark(shown.marks, object, part.object, position, row);
            }
            grid.columns.push_back(std::move(shown));
        }
        grid.append(out, options_.width, object_title(sample.source, object) + ", continued", drain_);
    }

    std::vector<std::string> labels(const Sample& sample, const Object& object, const Selected& part) {
        const ObjectInstances& instances = RunInstances::of(sample)->instances(sample, part.object);
        std::vector<std::string> labels;
        for (const std::uint32_t row : part.rows) {
            std::string name;
            append_place(name, sample, object.instances[row], instances.places[row]);
            if (shown_name(object.instances[row]).empty()) name += "(no name)";
            labels.push_back("  " + printable(name));
        }
        return labels;
    }

    WriteOptions options_;
    std::function<void(std::string&)> drain_;
    Cooker* cooker_ = nullptr;  // of the current sample; null if raw values are shown
    std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<Writer> make_table_writer(const WriteOptions& options) {
    return std::make_unique<TableWriter>(options);
}

}  // namespace hkpd
