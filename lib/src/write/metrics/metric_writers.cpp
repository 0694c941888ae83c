// Two writers of the metrics of samples. `OpenMetricsWriter` writes all samples of a run. `LatestText` writes only the
// last sample of each machine.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/counter_type.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/select.hpp"
#include "sample/display_name.hpp"
#include "sample/real_value.hpp"
#include "write/cells.hpp"
#include "write/metrics/exposition.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// The column that metrics are made from, and the sample and the object to which it belongs.
struct MetricOrigin {
    const Sample& sample;
    const Object& object;
    std::size_t position;  ///< position of the object
    const Column& column;
    std::uint32_t place;  ///< position of the column
    Cooker* cooker;       ///< null if there is no previous sample
};

std::string help_of(const MetricOrigin& from) {
    constexpr std::size_t most = 4096;  // the help text of a hostile table could have any length
    std::string help;
    const SampleSource source = from.sample.source;
    if (from.column.help && !from.column.help->text.empty()) {
        help = from.column.help->text.substr(0, most + 1);
    } else {
        help +=
            from.object.name ? std::string(from.object.name->text.substr(0, most)) : object_words(source, from.object);
        help += ": ";
        help +=
            from.column.name ? std::string(from.column.name->text.substr(0, most)) : counter_words(source, from.column);
        help += fmt::format(" ({})", type_text(from.column.type));
    }
    if (help.size() <= most) return help;
    std::size_t end = most;
    while ((static_cast<unsigned char>(help[end]) & 0xC0U) == 0x80U) --end;  // not in the middle of a character
    help.resize(end);
    return help;
}

/// Returns the words that replace a counter's missing title in names.
std::string number_words(SampleSource source, const Column& column) {
    const std::string_view word = source == SampleSource::v2       ? "id "
                                  : counter_number(source, column) ? "index "
                                                                   : "title ";
    return std::string(word) + counter_key(source, column);
}

/// Returns the value that the counter at `position` has in this row. That counter serves `from.column`, for example as
/// its base. Returns none if the value is not a valid number.
std::optional<std::uint64_t> served_by(const MetricOrigin& from, std::int32_t position, std::size_t row) noexcept {
    const Column& column = from.object.columns[static_cast<std::size_t>(position)];
    if (column.storage != Storage::number || !column.is_valid(row)) return std::nullopt;
    return column.values[row];
}

/// Returns the ticks per second of the clock that the column's type uses; 0 if unknown.
double ticks_per_second(const MetricOrigin& from, std::size_t row) noexcept {
    std::int64_t ticks = from.sample.perf.frequency;
    const auto timer = CounterType{from.column.type}.timer();
    if (timer == CounterType::Timer::hundred_ns)
        ticks = 10'000'000;
    else if (from.column.frequency >= 0)
        return static_cast<double>(served_by(from, from.column.frequency, row).value_or(0));
    else if (from.column.frequency == Column::not_there)
        return 0;
    else if (from.column.logged())
        ticks = *from.column.time_base;
    else if (timer == CounterType::Timer::object)
        ticks = from.object.clock.frequency;
    return ticks > 0 ? static_cast<double>(ticks) : 0;
}

/// Returns the base of a value; for a multi timer, this is the number of instances. The base is usually the value of
/// another column. Exceptions: in raw counters of a log, and in V1 multi timers without a base counter, the column
/// itself has a base for each value.
std::optional<std::uint64_t> base_of(const MetricOrigin& from, std::size_t row) noexcept {
    const bool multi = CounterType{from.column.type}.multi();
    if (multi && from.column.logged()) return from.column.multi_count[row];
    const bool counted = multi && from.column.multi >= 0;
    const std::int32_t base = counted ? from.column.multi : from.column.base;
    if (base >= 0) return served_by(from, base, row);
    return from.column.second.empty() ? std::nullopt : std::optional(from.column.second[row]);
}

bool append_real(std::string& out, double value) {
    if (std::isnan(value)) return false;
    if (std::isinf(value))
        out += value > 0 ? "+Inf" : "-Inf";
    else
        append_number(out, value);
    return true;
}

/// Returns whether the ticks per second of the column's clock are known. Either a counter supplies them for each row,
/// or one number is valid for all rows.
bool has_seconds(const MetricOrigin& from) noexcept {
    return from.column.frequency >= 0 || ticks_per_second(from, 0) > 0;
}

/// Appends the value that a metric shows; returns false if there is none. `is_gauge_of_cooked`: all metrics of the text
/// show cooked values (`WriteOptions::cooked_gauges`).
bool append_metric_value(std::string& out, const MetricOrigin& from, const Metric& metric, std::size_t row,
                         bool is_gauge_of_cooked) {
    if (!from.column.is_valid(row)) return false;
    const std::uint64_t raw = from.column.values[row];
    switch (metric.quantity) {
        case Metric::Quantity::number:
            if (const auto real = real_value(from.column, row)) return append_real(out, *real);
            append_digits(out, raw);
            return true;
        case Metric::Quantity::floating:
            return from.column.size == sizeof(double) && append_real(out, std::bit_cast<double>(raw));
        case Metric::Quantity::seconds: {
            const double ticks = ticks_per_second(from, row);
            return ticks > 0 && append_real(out, static_cast<double>(raw) / ticks);
        }
        case Metric::Quantity::ratio: {
            const auto base = base_of(from, row);
            return base.value_or(0) != 0 && append_real(out, static_cast<double>(raw) / static_cast<double>(*base));
        }
        case Metric::Quantity::base: {
            const auto base = base_of(from, row);
            if (base) append_digits(out, *base);
            return base.has_value();
        }
        case Metric::Quantity::cooked:
            break;
    }
    const CookedValue cooked =
        from.cooker != nullptr ? from.cooker->column(from.position, from.place)[row]
                               : cook(from.column.type, nullptr, read(from.sample, from.object, from.column, row), {});
    // Gauges of cooked values have each one that other formats have, also those that are 0 by convention, although
    // metrics cannot state the reason. Next to raw values, such a 0 would be taken for one of them; that of a counter
    // before any time has elapsed (`not_started`) is true.
    const bool shown = is_gauge_of_cooked || cooked.reason == Reason::none || cooked.reason == Reason::not_started ||
                       cooked.reason == Reason::capped;
    return shown && append_real(out, cooked.value);
}

/// Appends the label of a sample's machine, unless the machine has no name.
void append_machine_label(std::string& out, const Sample& sample) {
    if (sample.machine && !sample.machine->empty()) append_label(out, "machine", *sample.machine);
}

/// Converts samples to metrics (names, labels and values), which are added to a `MetricText`.
class SampleMetrics {
  public:
    /// `families` must outlive this object.
    SampleMetrics(const WriteOptions& options, MetricFamilies& families)
        : options_(options),
          families_(families),
          most_(std::max<std::uint64_t>(options.series, few_titles)),
          object_numbers_(most_),
          column_numbers_(most_) {}

    /// Adds the selected values of a sample to a text, with the timestamp `time` in milliseconds since 1970. If `time`
    /// is none, adds no values, and counts them as left out.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::optional<std::int64_t> time,
             MetricText& text) {
        run_ = RunInstances::of(sample).get();
        machine_ = name_number(machines_, sample.machine.value_or(""), most_);
        object_numbers_.list(std::span<const Object>(sample.objects()));
        for (const Selected& part : selected) {
            const Object& object = sample.objects()[part.object];
            label_rows(sample, part, text);
            if (rows_.empty()) continue;
            object_number_ = object_numbers_.number({machine_, 0}, part.object, object.name, object.title_index);
            column_numbers_.list(std::span<const Column>(object.columns));
            for (const std::uint32_t place : part.columns)
                add_column({sample, object, part.object, object.columns[place], place, cooker}, time, text);
        }
    }

  private:
    struct Row {
        std::uint32_t row;
        std::uint32_t labels;     // `no_index` if there are too many sets of labels
        bool is_unnamed = false;  // whether the name is damaged, so that it is unknown to which series values belong
    };
    // The minimum of `most_`, used if the maximum number of series is smaller. `most_` limits how many machines and
    // titles are remembered. Machines and titles without series are counted, too, so there can be more of them than
    // series.
    static constexpr std::size_t few_titles = 1024;

    /// Collects the rows to write and the labels of each.
    void label_rows(const Sample& sample, const Selected& part, MetricText& text) {
        const Object& object = sample.objects()[part.object];
        const bool list = object.kind == Kind::multi;
        const std::vector<std::uint32_t>& numbers = run_->instances(sample, part.object).numbers;
        rows_.clear();
        for (const std::uint32_t row : part.rows) {
            if (!object.instances[row].name) {
                rows_.push_back({row, no_index, true});
                continue;
            }
            labels_.clear();
            append_machine_label(labels_, sample);
            const std::uint32_t number = list ? numbers[row] : 0;
            if (number == no_index) {
                rows_.push_back({row, no_index});
                continue;
            }
            if (list) {
                const Identity identity = (*run_)[number];
                const auto append_id = [this](std::string_view label, const auto& id) {
                    if (id) append_label(labels_, label, std::to_string(*id));
                };
                if (identity.parent) append_label(labels_, "parent", *identity.parent);
                if (const std::string name = identity.instance(); !name.empty())
                    append_label(labels_, "instance", name);
                append_id("pid", identity.pid);
                append_id("instance_id", identity.instance_id);
                if (identity.life > 1) append_id("life", std::optional(identity.life));
            }
            rows_.push_back({row, text.labels(labels_)});
        }
    }

    void add_column(const MetricOrigin& from, std::optional<std::int64_t> time, MetricText& text) {
        if (from.column.storage != Storage::number || is_hidden(from.column)) return;
        column_number_ = column_numbers_.number({machine_, from.object.title_index}, from.place, from.column.name,
                                                from.column.title_index);
        for (const Metric& metric : options_.cooked_gauges ? cooked_metrics_of(from.column.type)
                                                           : metrics_of(from.column.type, has_seconds(from))) {
            std::optional<std::uint32_t> family;
            for (const Row row : rows_) {
                value_.clear();
                if (!append_metric_value(value_, from, metric, row.row, options_.cooked_gauges)) continue;
                if (!time || row.is_unnamed) {
                    text.skip_unplaced();
                    continue;
                }
                if (!family) family = family_of(from, metric);
                text.add(*family, row.labels, *time, value_);
            }
        }
    }

    /// Returns the family for a counter. Adds the family if it does not exist yet; returns `no_index` if there are too
    /// many families. Counters of different samples share a family if their titles are equal, even if their title
    /// indices differ.
    std::uint32_t family_of(const MetricOrigin& from, const Metric& metric) {
        if (object_number_.number == no_index || column_number_.number == no_index) return no_index;
        key_.clear();
        fmt::format_to(std::back_inserter(key_), "{} {} {} {} {}{} {}", object_number_.title, object_number_.number,
                       column_number_.title, column_number_.number, static_cast<int>(metric.type), metric.suffix,
                       metric.unit);
        const std::uint32_t found = families_.find(key_);
        // A name is claimed only if the family can be added. Otherwise the name would stay taken without being used,
        // and each later sample would take a further name.
        if (found != no_index || families_.full()) return found;
        const SampleSource source = from.sample.source;
        std::string object = metric_words(from.object.name, object_words(source, from.object));
        if (options_.metric_prefix.empty() && object.front() >= '0' && object.front() <= '9') object.insert(0, 1, '_');
        object.insert(0, options_.metric_prefix);
        const std::string counter = metric_words(from.column.name, number_words(source, from.column));
        const std::uint32_t number = counter_number(source, from.column).value_or(0);
        return families_.add(key_,
                             {names_.claim(object, counter, metric, number), metric.type, metric.unit, help_of(from)});
    }

    WriteOptions options_;
    MetricFamilies& families_;
    MetricNames names_;
    RunInstances* run_ = nullptr;  // of the current sample
    std::uint64_t most_;           // maximum number of machines, and of titles, that are remembered
    std::map<std::string, std::uint32_t> machines_;
    TitleNumbers object_numbers_, column_numbers_;
    std::uint32_t machine_ = no_index;
    TitleNumber object_number_, column_number_;
    std::vector<Row> rows_;
    std::string labels_, value_, key_;
};

/// OpenMetrics text with time stamps. The text contains raw counters; the program that reads the text computes rates
/// from them. If `WriteOptions::cooked_gauges` is set, the text contains cooked values instead.
class OpenMetricsWriter final : public Writer {
  public:
    explicit OpenMetricsWriter(const WriteOptions& options)
        : options_(options),
          text_({.series = options.series, .buffer = options.buffer}, families_, left_out_),
          metrics_(options, families_) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        // Prometheus accepts only times since 1970.
        const auto since_1970 = unix_time(sample);
        std::optional<std::int64_t> time;
        if (since_1970 && *since_1970 >= 0) time = *since_1970 / 1'000'000;
        metrics_.add(sample, selected, cooker, time, text_);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        text_.finish(out, [this](std::string& text) { drain_much(options_, text); });
        left_out_.report(diagnostics);
    }

  private:
    WriteOptions options_;
    MetricFamilies families_{MetricForm::openmetrics};
    LeftOutPoints left_out_;
    MetricText text_;
    SampleMetrics metrics_;
};

/// A writer of the last sample of each machine, in Prometheus' text format and without time stamps, because textfile
/// collectors reject points with time stamps. Source: node_exporter, collector/textfile.go.
class LatestText final : public TextfileWriter {
  public:
    explicit LatestText(const WriteOptions& options) : options_(options), metrics_(options, families_) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        std::string machine;
        append_machine_label(machine, sample);
        if (const auto before = latest_.find(machine); before != latest_.end()) {
            bytes_ -= before->second.bytes;
            series_ -= before->second.series;
            latest_.erase(before);
        }
        constexpr std::int64_t no_time = 0;  // any time will do, because times are not shown
        MetricText text({options_.series - series_, options_.buffer - bytes_, false}, families_, left_out_);
        metrics_.add(sample, selected, cooker, no_time, text);
        Page page{text.take(), text.bytes(), text.series()};
        if (page.lines.empty()) return;
        bytes_ += page.bytes;
        series_ += page.series;
        latest_.emplace(std::move(machine), std::move(page));
    }

    void write(std::string& out) const override {
        std::map<std::uint32_t, std::vector<const std::string*>> families;
        for (const auto& [machine, page] : latest_)
            for (const auto& [family, lines] : page.lines) families[family].push_back(&lines);
        for (const auto& [family, parts] : families) {
            out += families_[family].head;
            for (const std::string* lines : parts) out += *lines;
        }
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        write(out);
        left_out_.report(diagnostics);
    }

  private:
    /// The text of a machine's last sample: the lines of each family.
    struct Page {
        std::vector<std::pair<std::uint32_t, std::string>> lines;
        std::uint64_t bytes, series;
    };

    WriteOptions options_;
    MetricFamilies families_{MetricForm::prometheus};
    SampleMetrics metrics_;
    std::map<std::string, Page> latest_;    // by the label of the machine, which is empty if the machine has no name
    std::uint64_t bytes_ = 0, series_ = 0;  // of all pages
    LeftOutPoints left_out_;
};

}  // namespace

std::unique_ptr<Writer> make_openmetrics_writer(const WriteOptions& options) {
    return std::make_unique<OpenMetricsWriter>(options);
}

std::unique_ptr<TextfileWriter> make_textfile_writer(const WriteOptions& options) {
    return std::make_unique<LatestText>(options);
}

}  // namespace hkpd
