// OpenMetrics text with time stamps: counters as they are underneath, for whoever reads the text to make rates of.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cells.hpp"
#include "digits.hpp"
#include "forms.hpp"
#include "hkpd/counter_type.hpp"
#include "labels.hpp"
#include "metric_names.hpp"
#include "metric_text.hpp"

namespace hkpd {
namespace {

/// A column and what its values are of.
struct Origin {
    const Sample& sample;
    const Object& object;
    std::size_t position;  // of the object
    const Column& column;
    std::uint32_t place;  // of the column
    Cooker* cooker;
};

/// The value of a counter that serves another one, by its position; none where it is no sound number.
std::optional<std::uint64_t> served_by(const Origin& from, std::int32_t position, std::size_t row) noexcept {
    const Column& column = from.object.columns[static_cast<std::size_t>(position)];
    if (column.storage != Storage::number || !column.sound(row)) return std::nullopt;
    return column.values[row];
}

/// Ticks a second of the clock that the type of a column names; 0 where it is not known.
double ticks_per_second(const Origin& from, std::size_t row) noexcept {
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

/// Whether the ticks a second of a column's clock are known, of one row or all.
bool has_seconds(const Origin& from) noexcept { return from.column.frequency >= 0 || ticks_per_second(from, 0) > 0; }

/// The base of a value, or the instance count of a multi timer: what another column has, or the number beside it.
std::optional<std::uint64_t> base_of(const Origin& from, std::size_t row) noexcept {
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

/// Appends what a metric shows of a value; false where there is nothing to show.
bool append_value(std::string& out, const Origin& from, const Metric& metric, std::size_t row) {
    if (!from.column.sound(row)) return false;
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
    // The reason of a 0 by convention could not stand beside it; that nothing has elapsed yet needs none.
    return (cooked.reason == Reason::none || cooked.reason == Reason::not_started) && append_real(out, cooked.value);
}

/// What a title is known by: its text, or its index where it has none.
std::string title_key(const std::optional<Titles::Answer>& title, std::uint32_t index) {
    return title ? std::string(title_start(title->text)) : fmt::format("\n{}", index);
}

/// Tells apart what has the same title. On one machine an index keeps its number for the whole run, so that no series
/// goes on with the values of another counter; titles of several machines are the same whatever their indices.
class TitleNumbers {
  public:
    /// A number for each of `all`, which stand in `scope` of a machine.
    template <class Titled>
    void number(std::string_view scope, std::span<const Titled> all, std::vector<std::uint32_t>& numbers) {
        seen_.clear();
        numbers.clear();
        for (const Titled& titled : all) {
            auto& known = known_[fmt::format("{}\n{}", scope, title_key(titled.name, titled.title_index))];
            const std::uint32_t repeat = seen_[titled.title_index]++;
            numbers.push_back(known.try_emplace({titled.title_index, repeat}, static_cast<std::uint32_t>(known.size()))
                                  .first->second);
        }
    }

  private:
    std::map<std::string, std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>> known_;
    std::map<std::uint32_t, std::uint32_t> seen_;  // of the list at hand
};

std::string help_of(const Origin& from) {
    constexpr std::size_t most = 4096;  // a hostile table's could have any length
    std::string help;
    const SampleSource source = from.sample.source;
    if (from.column.help && !from.column.help->text.empty()) {
        help = from.column.help->text;
    } else {
        help += from.object.name ? std::string(from.object.name->text) : object_words(source, from.object);
        help += ": ";
        help += from.column.name ? std::string(from.column.name->text) : counter_words(source, from.column);
        help += fmt::format(" ({})", type_text(from.column.type));
    }
    if (help.size() <= most) return help;
    std::size_t end = most;
    while ((static_cast<unsigned char>(help[end]) & 0xC0U) == 0x80U) --end;  // not in the middle of a character
    help.resize(end);
    return help;
}

std::string_view type_name(Metric::Type type) noexcept {
    return type == Metric::Type::counter ? "counter" : type == Metric::Type::gauge ? "gauge" : "unknown";
}

class OpenMetricsWriter final : public Writer {
  public:
    explicit OpenMetricsWriter(const WriteOptions& options)
        : options_(options),
          text_({.series = options.series, .buffer = options.buffer, .one_pass = options.one_pass}),
          identities_(options.series) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        identities_.add(sample, cooker != nullptr && cooker->before() != nullptr ? &cooker->matches() : nullptr);
        // What Prometheus takes in begins in 1970.
        const auto time = unix_time(sample);
        time_.reset();
        if (time && *time >= 0) time_ = *time / 1'000'000;
        const std::string_view machine = sample.machine ? std::string_view(*sample.machine) : std::string_view{};
        title_numbers_.number(machine, sample.objects(), object_numbers_);
        for (const Selected& part : selected) {
            const Object& object = sample.objects()[part.object];
            label_rows(sample, part);
            title_numbers_.number(fmt::format("{}\n{}", machine, object.title_index),
                                  std::span<const Column>(object.columns), column_numbers_);
            for (const std::uint32_t place : part.columns)
                write_column({sample, object, part.object, object.columns[place], place, cooker}, out);
        }
    }

    bool again(std::string& out) override {
        identities_ = Identities(options_.series);  // each pass begins with the first sample
        return text_.next_pass(out);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        text_.finish(out);
        const auto left_out = [&diagnostics](Severity severity, Errc code, std::uint64_t points) {
            if (points != 0) diagnostics.add({severity, {code, 0, {}, {}, 0, points}});
        };
        left_out(Severity::error, Errc::series_limit, text_.beyond_series());
        left_out(Severity::error, Errc::output_limit, text_.beyond_buffer());
        left_out(Severity::warning, Errc::point_order, text_.out_of_order() + timeless_);
    }

  private:
    /// The rows to write. Those whose names are damaged are left out: no one knows which series they would continue.
    void label_rows(const Sample& sample, const Selected& part) {
        const Object& object = sample.objects()[part.object];
        const bool list = object.kind == Kind::multi;
        rows_.clear();
        for (const std::uint32_t row : part.rows) {
            if (!object.instances[row].name) continue;
            labels_.clear();
            if (sample.machine && !sample.machine->empty()) append_label(labels_, "machine", *sample.machine);
            const std::uint32_t number = list ? identities_.number(part.object, row) : 0;
            if (number == no_index) {
                rows_.push_back({row, no_index});
                continue;
            }
            if (list) {
                const Identities::Identity& identity = identities_[number];
                if (!identity.parent.empty()) append_label(labels_, "parent", identity.parent);
                if (!identity.name.empty()) append_label(labels_, "instance", identity.name);
            }
            rows_.push_back({row, text_.labels(labels_)});
        }
    }

    void write_column(const Origin& from, std::string& out) {
        if (from.column.storage != Storage::number || is_hidden(from.column)) return;
        for (const Metric& metric : options_.cooked_gauges ? cooked_metrics_of(from.column.type)
                                                           : metrics_of(from.column.type, has_seconds(from))) {
            std::optional<std::uint32_t> family;
            for (const Row row : rows_) {
                value_.clear();
                if (!append_value(value_, from, metric, row.row)) continue;
                if (!time_) {
                    if (text_.in_first_pass()) ++timeless_;
                    continue;
                }
                if (!family) family = family_of(from, metric);
                text_.add(*family, row.labels, *time_, value_, out);
            }
        }
    }

    /// One family for counters of the same title in different samples, whatever their indices.
    std::uint32_t family_of(const Origin& from, const Metric& metric) {
        const std::string key =
            fmt::format("{}\n{}\n{}\n{}\n{}{}\n{}", title_key(from.object.name, from.object.title_index),
                        object_numbers_[from.position], title_key(from.column.name, from.column.title_index),
                        column_numbers_[from.place], type_name(metric.type), metric.suffix, metric.unit);
        const std::uint32_t found = text_.find_family(key);
        if (found != no_index || !text_.in_first_pass()) return found;
        std::string stem = "windows_";
        const SampleSource source = from.sample.source;
        append_metric_name(stem, from.object.name, object_words(source, from.object));
        stem += '_';
        append_metric_name(stem, from.column.name, counter_words(source, from.column));
        const std::uint32_t number = counter_number(source, from.column).value_or(0);
        return text_.add_family(
            key, {names_.claim(std::move(stem), metric, number), type_name(metric.type), metric.unit, help_of(from)});
    }

    WriteOptions options_;
    MetricText text_;
    MetricNames names_;
    Identities identities_;
    std::optional<std::int64_t> time_;  // of the sample, in milliseconds
    TitleNumbers title_numbers_;
    std::vector<std::uint32_t> object_numbers_, column_numbers_;
    struct Row {
        std::uint32_t row, labels;  // labels: `no_index` where there are too many
    };
    std::vector<Row> rows_;
    std::string labels_, value_;
    std::uint64_t timeless_ = 0;  // points
};

}  // namespace

std::unique_ptr<Writer> make_openmetrics_writer(const WriteOptions& options) {
    return std::make_unique<OpenMetricsWriter>(options);
}

}  // namespace hkpd
