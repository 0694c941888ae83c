// The summary of a whole run, one line for each counter of each instance.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "sample/display_name.hpp"
#include "sample/identity.hpp"
#include "write/cells.hpp"
#include "write/json/json_stream.hpp"
#include "write/series.hpp"
#include "write/text/grid.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// A counter of an object on a machine, with the counter's properties.
struct Counted {
    SampleSource source{};
    std::string machine, object, name;
    std::optional<std::uint32_t> object_index;  // none for V2
    std::optional<std::string> counterset;
    std::optional<std::uint32_t> index;  // title index, or id for V2
    std::uint32_t type = 0;
    std::uint64_t attributes = 0;
    std::int32_t scale = 0;
};

/// One counter of one instance over the whole run.
struct Series {
    std::uint32_t counter, identity;
    std::uint64_t count = 0;
    double min = no_value, max = no_value, last = no_value, sum = 0;  // NaN if there is no value
    Reading first_reading, last_reading;
    std::uint64_t readings = 0;
    Reason last_reason = Reason::none;

    void add(CookedValue cooked) noexcept {
        last_reason = cooked.reason;
        // A new instance can have the same name as an earlier instance. Readings of the earlier instance must not be
        // used for the new one.
        if (cooked.reason == Reason::instance_new) readings = 0;
        if (!cooked.has_value()) return;
        const double value = cooked.value;
        min = count == 0 ? value : std::min(min, value);
        max = count == 0 ? value : std::max(max, value);
        sum += value;
        last = value;
        ++count;
    }
    void add(const Reading& reading) noexcept {
        if (reading.fault != Reason::none) return;
        if (readings++ == 0) first_reading = reading;
        last_reading = reading;
    }
};

/// A line of output. Numbers that do not exist for a series are NaN.
struct Line {
    const Counted& counter;
    const Identities::Identity& identity;
    const Series& series;
    double mean;
    CookedValue average;
};

std::string number_cell(const std::optional<std::uint32_t>& number) { return number ? fmt::to_string(*number) : ""; }

class SummaryWriter final : public Writer {
  public:
    SummaryWriter(Format format, const WriteOptions& options, const CookOptions& cook)
        : format_(format), options_(options), cook_(cook), identities_(options.series, options.names) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        identities_.add(sample, matches_of(cooker));
        for (const Selected& part : selected) {
            if (part.rows.empty()) continue;
            const Object& object = sample.objects()[part.object];
            repeats_.count(std::span<const Column>(object.columns));
            for (const std::uint32_t position : part.columns) {
                const Column& column = object.columns[position];
                if (!is_displayable(column) || column.storage != Storage::number) continue;
                const std::uint32_t counter = counter_of(sample, object, position);
                const CookedColumn cooked = cooker->column(part.object, position);
                for (const std::uint32_t row : part.rows) {
                    Series* series = series_of(counter, identities_.number(part.object, row));
                    if (series == nullptr) continue;
                    series->add(cooked[row]);
                    series->add(read(sample, object, column, row));
                }
            }
        }
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        const auto order = [](const Series& s) { return std::tuple(s.counter, s.identity); };
        if (!std::ranges::is_sorted(series_, {}, order)) std::ranges::stable_sort(series_, {}, order);
        if (format_ == Format::json)
            write_document(diagnostics, out);
        else if (format_ == Format::jsonl)
            write_lines(out);
        else if (format_ == Format::csv)
            write_csv(out);
        else
            write_table(out);
        if (left_out_ != 0 || identities_.overflowed())
            diagnostics.add(Severity::error, {Errc::series_limit, 0, "", "", 0, options_.series});
    }

  private:
    std::uint32_t counter_of(const Sample& sample, const Object& object, std::uint32_t position) {
        const Column& column = object.columns[position];
        // Counters with the same title are distinguished by their order. A counter whose type changes counts as a new
        // counter.
        const std::uint32_t before = repeats_[position];
        const auto [found, added] = counter_numbers_.try_emplace(
            {sample.machine.value_or(""), object.title_index, column.title_index, before, column.type},
            static_cast<std::uint32_t>(counters_.size()));
        const SampleSource source = sample.source;
        if (added)
            counters_.push_back({source, sample.machine.value_or(""), object_label(source, object),
                                 counter_label(source, column), object_number(source, object), counterset_text(object),
                                 counter_number(source, column), column.type, column.attributes, column.scale});
        return found->second;
    }

    Series* series_of(std::uint32_t counter, std::uint32_t identity) {
        constexpr unsigned half = 32;
        if (identity == no_index) return nullptr;
        const std::uint64_t key = std::uint64_t{counter} << half | identity;
        if (const auto found = positions_.find(key); found != positions_.end()) return &series_[found->second];
        if (series_.size() >= options_.series) {
            ++left_out_;
            return nullptr;
        }
        positions_.emplace(key, series_.size());
        return &series_.emplace_back(
            Series{.counter = counter, .identity = identity, .first_reading = {}, .last_reading = {}});
    }

    Line line_of(const Series& series) const {
        const Counted& counter = counters_[series.counter];
        const bool any = series.count != 0;
        const double mean = any ? series.sum / static_cast<double>(series.count) : no_value;
        CookedValue average{mean, any ? Reason::none : series.last_reason};
        if (needs_two_samples(counter.type) && series.readings != 0) {
            average = cook(counter.type, series.readings > 1 ? &series.first_reading : nullptr, series.last_reading,
                           cook_, series.last_reason == Reason::none ? Reason::first_sample : series.last_reason);
            if (cook_.scale) average.value = scaled(average.value, counter.scale);
        }
        return {counter, identities_[series.identity], series, mean, average};
    }

    void write_document(const Diagnostics& diagnostics, std::string& out) const {
        JsonStream json(out);
        json.StartObject();
        json.key("summary");
        json.StartArray();
        for (const Series& series : series_) {
            write_line(json, line_of(series));
            drain_much(options_, out);
        }
        json.end_document(diagnostics, out);
    }

    void write_lines(std::string& out) const {
        JsonStream json(out);
        for (const Series& series : series_) {
            json.restart();
            write_line(json, line_of(series));
            out += '\n';
            drain_much(options_, out);
        }
    }

    static void write_line(JsonStream& json, const Line& line) {
        json.object([&] {
            json.member("machine", line.counter.machine);
            json.member("source", source_name(line.counter.source));
            json.member("object", line.counter.object);
            json.member("object_index", line.counter.object_index);
            json.member("counterset", line.counter.counterset);
            json.text_or_null("parent", line.identity.parent);
            json.member("instance", line.identity.path());
            json.member("instance_name", line.identity.own_name());
            json.member("counter", line.counter.name);
            json.member("counter_index", line.counter.index);
            json.member("type", type_text(line.counter.type));
            json.member("count", line.series.count);
            json.member("min", line.series.min);
            json.member("mean", line.mean);
            json.member("max", line.series.max);
            json.member("last", line.series.last);
            json.member("average", line.average.value);
            json.member("reason", line.average.reason);
        });
    }

    void write_csv(std::string& out) const {
        out +=
            "machine,source,object,object_index,counterset,parent,instance,instance_name,counter,counter_index,type,"
            "count,min,mean,max,last,average,reason\n";
        for (const Series& series : series_) {
            const Line line = line_of(series);
            append_csv_cell(out, line.counter.machine);
            append_csv_cell(out, source_name(line.counter.source));
            append_csv_cell(out, line.counter.object);
            append_csv_cell(out, number_cell(line.counter.object_index));
            append_csv_cell(out, line.counter.counterset.value_or(""));
            append_csv_cell(out, line.identity.parent);
            append_csv_cell(out, line.identity.path());
            append_csv_cell(out, line.identity.own_name());
            append_csv_cell(out, line.counter.name);
            append_csv_cell(out, number_cell(line.counter.index));
            append_csv_cell(out, type_text(line.counter.type));
            append_csv_cell(out, fmt::to_string(line.series.count));
            for (const double value :
                 {line.series.min, line.mean, line.series.max, line.series.last, line.average.value}) {
                append_number(out, value);
                out += ',';
            }
            append_csv_cell(out, reason_name(line.average.reason));
            out.back() = '\n';
            drain_much(options_, out);
        }
    }

    /// Writes one grid for each machine, with the counters' paths and their summaries. A grid is written in pages, so
    /// that only one page of its text is in memory.
    void write_table(std::string& out) const {
        for (std::size_t begin = 0; begin < series_.size();) {
            const std::string& machine = counters_[series_[begin].counter].machine;
            std::size_t end = begin;
            while (end < series_.size() && counters_[series_[end].counter].machine == machine) ++end;
            out += begin == 0 ? "" : "\n";
            append_machine(out, machine);
            out += '\n';
            Layout layout = lay_out(std::span(series_).subspan(begin, end - begin));
            for (; begin < end; begin += rows_at_once) {
                append_page(layout, std::span(series_).subspan(begin, std::min(rows_at_once, end - begin)), out);
                layout.page.has_heading = false;
                drain_much(options_, out);
            }
            begin = end;
        }
    }

    static constexpr std::size_t rows_at_once = 1024;
    static constexpr std::array heads = {"unit", "count", "min", "mean", "max", "last", "average"};
    using Cells = std::array<std::string, heads.size()>;

    /// The layout of a grid. A grid is written in pages of at most `rows_at_once` rows each; all pages have the same
    /// layout.
    struct Layout {
        Grid page;                  ///< without rows; its columns have the widths of the whole grid
        bool labels_above = false;  ///< the lines are longer than the terminal: each label has a line of its own
    };

    Layout lay_out(std::span<const Series> all) const {
        Layout layout;
        for (const std::string_view head : heads)
            layout.page.columns.push_back(
                {std::string(head), "", head == "unit" ? Grid::Align::left : Grid::Align::right, {}, head.size()});
        std::size_t longest_label = 0;
        for (const Series& series : all) {
            const Line line = line_of(series);
            longest_label = std::max(longest_label, display_width(label_of(line)));
            const Cells cells = cells_of(line);
            for (std::size_t i = 0; i < cells.size(); ++i)
                layout.page.columns[i].least_width =
                    std::max(layout.page.columns[i].least_width, display_width(cells[i]));
        }
        std::size_t width = longest_label;
        for (const Grid::Column& column : layout.page.columns) width += Grid::gap + column.least_width;
        layout.labels_above = width > options_.width;
        if (!layout.labels_above) layout.page.least_label_width = longest_label;
        return layout;
    }

    void append_page(const Layout& layout, std::span<const Series> rows, std::string& out) const {
        constexpr std::size_t unlimited = static_cast<std::size_t>(-1) / 2;
        Grid page = layout.page;
        std::vector<std::string> labels;
        for (const Series& series : rows) {
            const Line line = line_of(series);
            labels.push_back(label_of(line));
            Cells cells = cells_of(line);
            for (std::size_t i = 0; i < cells.size(); ++i) page.columns[i].cells.push_back(std::move(cells[i]));
        }
        if (!layout.labels_above) {
            page.labels = std::move(labels);
            page.append(out, unlimited);
            return;
        }
        page.labels.resize(labels.size());
        std::string text;
        page.append(text, unlimited);
        auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));  // lines still to be written
        for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1), --lines) {
            if (lines <= labels.size()) out.append(labels[labels.size() - lines]) += '\n';
            out.append(rest.substr(0, rest.find('\n') + 1));
        }
    }

    static std::string label_of(const Line& line) {
        const std::string path = line.identity.path();
        return printable(path.empty() ? fmt::format("\\{}\\{}", line.counter.object, line.counter.name)
                                      : fmt::format("\\{}({})\\{}", line.counter.object, path, line.counter.name));
    }

    static Cells cells_of(const Line& line) {
        const bool hex = shows_hex(line.counter.type, line.counter.attributes);
        const auto shown = [hex](double value) { return value == value ? number_text(value, hex) : "-"; };
        return {std::string(cooked_unit(line.counter.type)),
                fmt::to_string(line.series.count),
                shown(line.series.min),
                shown(line.mean),
                shown(line.series.max),
                shown(line.series.last),
                line.average.has_value() ? shown(line.average.value) : std::string(reason_name(line.average.reason))};
    }

    Format format_;
    WriteOptions options_;
    CookOptions cook_;
    Identities identities_;
    std::vector<Counted> counters_;
    std::map<std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t>
        counter_numbers_;
    std::vector<Series> series_;
    std::unordered_map<std::uint64_t, std::size_t> positions_;  // counter and identity → series
    TitleRepeats repeats_;                                      // of the current object
    std::uint64_t left_out_ = 0;
};

}  // namespace

std::unique_ptr<Writer> make_summary_writer(Format format, const WriteOptions& options, const CookOptions& cook) {
    return with_name_limit(std::make_unique<SummaryWriter>(format, options, cook), options);
}

}  // namespace hkpd
