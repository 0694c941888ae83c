#include "sample_metrics.hpp"

#include <fmt/format.h>

#include "cells.hpp"
#include "forms.hpp"
#include "labels.hpp"

namespace hkpd {
namespace {

/// What a title is known by: its text, or its index where it has none.
std::string title_key(const std::optional<Titles::Answer>& title, std::uint32_t index) {
    return title ? std::string(title_start(title->text)) : fmt::format("\n{}", index);
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

/// What stands for a title in names, which do without the word "counter".
std::string number_words(SampleSource source, const Column& column) {
    const std::string_view word = source == SampleSource::v2       ? "id "
                                  : counter_number(source, column) ? "index "
                                                                   : "title ";
    return std::string(word) + counter_key(source, column);
}

}  // namespace

template <class Titled>
void TitleNumbers::number_all(std::string_view scope, std::span<const Titled> all,
                              std::vector<std::uint32_t>& numbers) {
    seen_.clear();
    numbers.clear();
    for (const Titled& titled : all) {
        auto& known = known_[fmt::format("{}\n{}", scope, title_key(titled.name, titled.title_index))];
        const std::uint32_t repeat = seen_[titled.title_index]++;
        numbers.push_back(
            known.try_emplace({titled.title_index, repeat}, static_cast<std::uint32_t>(known.size())).first->second);
    }
}

void TitleNumbers::number(std::string_view scope, std::span<const Object> all, std::vector<std::uint32_t>& numbers) {
    number_all(scope, all, numbers);
}
void TitleNumbers::number(std::string_view scope, std::span<const Column> all, std::vector<std::uint32_t>& numbers) {
    number_all(scope, all, numbers);
}

void append_machine_label(std::string& out, const Sample& sample) {
    if (sample.machine && !sample.machine->empty()) append_label(out, "machine", *sample.machine);
}

void SampleMetrics::add(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                        std::optional<std::int64_t> time, MetricText& text, std::string& out) {
    identities_.add(sample, cooker != nullptr && cooker->before() != nullptr ? &cooker->matches() : nullptr);
    const std::string_view machine = sample.machine ? std::string_view(*sample.machine) : std::string_view{};
    title_numbers_.number(machine, sample.objects(), object_numbers_);
    for (const Selected& part : selected) {
        const Object& object = sample.objects()[part.object];
        label_rows(sample, part, text);
        title_numbers_.number(fmt::format("{}\n{}", machine, object.title_index),
                              std::span<const Column>(object.columns), column_numbers_);
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

/// One family for counters of the same title in different samples, whatever their indices.
std::uint32_t SampleMetrics::family_of(const MetricOrigin& from, const Metric& metric, const MetricText& text) {
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}{}\n{}", title_key(from.object.name, from.object.title_index),
                    object_numbers_[from.position], title_key(from.column.name, from.column.title_index),
                    column_numbers_[from.place], static_cast<int>(metric.type), metric.suffix, metric.unit);
    const std::uint32_t found = families_.find(key);
    if (found != no_index || !text.in_first_pass()) return found;
    std::string stem = "windows_";
    const SampleSource source = from.sample.source;
    append_metric_name(stem, from.object.name, object_words(source, from.object));
    stem += '_';
    append_metric_name(stem, from.column.name, number_words(source, from.column));
    const std::uint32_t number = counter_number(source, from.column).value_or(0);
    return families_.add(key, {names_.claim(std::move(stem), metric, number), metric.type, metric.unit, help_of(from)});
}

}  // namespace hkpd
