#include "write/metrics/sample_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "base/text/located_text.hpp"
#include "hkpd/counter_type.hpp"
#include "sample/display_name.hpp"
#include "write/cells.hpp"

namespace hkpd {
namespace {

// So many machines and titles may come without any series.
constexpr std::size_t few_titles = 1024;
// As many as there are families at most: beyond, none could get one of its own.
constexpr std::size_t most_titles = 65'536;

/// What a title is known by: its text, in which case does not count (a log may have all of it in lower case), or its
/// index where it has none.
std::string title_key(const std::optional<Titles::Answer>& title, std::uint32_t index) {
    return title ? lower_case(title_start(title->text)) : fmt::format("\n{}", index);
}

/// The number of a name, which it gets here where it is new; `no_index` where `most` others have one.
std::uint32_t name_number(std::map<std::string, std::uint32_t>& numbers, std::string&& name, std::size_t most) {
    const auto found = numbers.lower_bound(name);
    if (found != numbers.end() && found->first == name) return found->second;
    if (numbers.size() >= most) return no_index;
    return numbers.emplace_hint(found, std::move(name), static_cast<std::uint32_t>(numbers.size()))->second;
}

std::string help_of(const MetricOrigin& from) {
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

/// What stands for a counter's title in names.
std::string number_words(SampleSource source, const Column& column) {
    const std::string_view word = source == SampleSource::v2       ? "id "
                                  : counter_number(source, column) ? "index "
                                                                   : "title ";
    return std::string(word) + counter_key(source, column);
}

/// The value of a counter that serves another one, by its position; none where it is no sound number.
std::optional<std::uint64_t> served_by(const MetricOrigin& from, std::int32_t position, std::size_t row) noexcept {
    const Column& column = from.object.columns[static_cast<std::size_t>(position)];
    if (column.storage != Storage::number || !column.is_valid(row)) return std::nullopt;
    return column.values[row];
}

/// Ticks a second of the clock that the type of a column names; 0 where it is not known.
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

/// The base of a value, or the instance count of a multi timer: what another column has, or the number beside it.
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

/// Whether the ticks a second of a column's clock are known, of one row or all.
bool has_seconds(const MetricOrigin& from) noexcept {
    return from.column.frequency >= 0 || ticks_per_second(from, 0) > 0;
}

/// Appends what a metric shows of a value; false where there is nothing to show.
bool append_metric_value(std::string& out, const MetricOrigin& from, const Metric& metric, std::size_t row) {
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
    // The reason of a 0 by convention could not stand beside it; that nothing has elapsed yet needs none.
    return (cooked.reason == Reason::none || cooked.reason == Reason::not_started) && append_real(out, cooked.value);
}

}  // namespace

TitleNumber TitleNumbers::number(const Scope& scope, std::size_t place, const std::optional<Titles::Answer>& title,
                                 std::uint32_t index) {
    const std::uint32_t text = name_number(titles_, title_key(title, index), most_titles);
    if (text == no_index || scope.machine == no_index) return {};
    const Known known{scope.machine, scope.object, text, index, repeats_[place]};
    if (const auto found = numbers_.find(known); found != numbers_.end()) return {text, found->second};
    if (numbers_.size() >= most_) return {};
    const std::uint32_t number = counts_[{scope.machine, scope.object, text}]++;
    numbers_.emplace(known, number);
    return {text, number};
}

void append_machine_label(std::string& out, const Sample& sample) {
    if (sample.machine && !sample.machine->empty()) append_label(out, "machine", *sample.machine);
}

SampleMetrics::SampleMetrics(const WriteOptions& options, MetricFamilies& families)
    : options_(options),
      families_(families),
      identities_(options.series),
      most_(std::max<std::size_t>(options.series, few_titles)),
      object_numbers_(most_),
      column_numbers_(most_) {}

void SampleMetrics::add(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                        std::optional<std::int64_t> time, MetricText& text, std::string& out) {
    identities_.add(sample, matches_of(cooker));
    machine_ = name_number(machines_, sample.machine.value_or(""), most_);
    object_numbers_.list(std::span<const Object>(sample.objects()));
    for (const Selected& part : selected) {
        const Object& object = sample.objects()[part.object];
        label_rows(sample, part, text);
        if (rows_.empty()) continue;
        object_number_ = object_numbers_.number({machine_, 0}, part.object, object.name, object.title_index);
        column_numbers_.list(std::span<const Column>(object.columns));
        for (const std::uint32_t place : part.columns)
            add_column({sample, object, part.object, object.columns[place], place, cooker}, time, text, out);
    }
}

/// The rows to write. Those whose names are damaged are left out: no one knows which series they would continue.
void SampleMetrics::label_rows(const Sample& sample, const Selected& part, MetricText& text) {
    const Object& object = sample.objects()[part.object];
    const bool list = object.kind == Kind::multi;
    rows_.clear();
    for (const std::uint32_t row : part.rows) {
        if (!object.instances[row].name) continue;
        labels_.clear();
        append_machine_label(labels_, sample);
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
        rows_.push_back({row, text.labels(labels_)});
    }
}

void SampleMetrics::add_column(const MetricOrigin& from, std::optional<std::int64_t> time, MetricText& text,
                               std::string& out) {
    if (from.column.storage != Storage::number || is_hidden(from.column)) return;
    column_number_ = column_numbers_.number({machine_, from.object.title_index}, from.place, from.column.name,
                                            from.column.title_index);
    for (const Metric& metric : options_.cooked_gauges ? cooked_metrics_of(from.column.type)
                                                       : metrics_of(from.column.type, has_seconds(from))) {
        std::optional<std::uint32_t> family;
        for (const Row row : rows_) {
            value_.clear();
            if (!append_metric_value(value_, from, metric, row.row)) continue;
            if (!time) {
                if (text.in_first_pass()) ++timeless_;
                continue;
            }
            if (!family) family = family_of(from, metric, text);
            text.add(*family, row.labels, *time, value_, out);
        }
    }
}

/// One family for counters of the same title in different samples, whatever their indices. `no_index` where it has
/// none.
std::uint32_t SampleMetrics::family_of(const MetricOrigin& from, const Metric& metric, const MetricText& text) {
    if (object_number_.number == no_index || column_number_.number == no_index) return no_index;
    key_.clear();
    fmt::format_to(std::back_inserter(key_), "{} {} {} {} {}{} {}", object_number_.title, object_number_.number,
                   column_number_.title, column_number_.number, static_cast<int>(metric.type), metric.suffix,
                   metric.unit);
    const std::uint32_t found = families_.find(key_);
    // A name that was claimed for nothing would be gone, and the next sample claim another.
    if (found != no_index || !text.in_first_pass() || families_.full()) return found;
    const SampleSource source = from.sample.source;
    std::string object = metric_words(from.object.name, object_words(source, from.object));
    if (options_.metric_prefix.empty() && object.front() >= '0' && object.front() <= '9') object.insert(0, 1, '_');
    object.insert(0, options_.metric_prefix);
    const std::string counter = metric_words(from.column.name, number_words(source, from.column));
    const std::uint32_t number = counter_number(source, from.column).value_or(0);
    return families_.add(key_,
                         {names_.claim(object, counter, metric, number), metric.type, metric.unit, help_of(from)});
}

}  // namespace hkpd
