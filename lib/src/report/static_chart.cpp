#include "report/static_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "quantity/quantity.hpp"
#include "quantity/times.hpp"
#include "report/html.hpp"
#include "write/cells.hpp"

namespace hkpd {
namespace {

/// Units of a picture's coordinates in both directions, from the left and from the top.
constexpr int extent = 1000;

/// Some neighbouring slots of a series.
struct Point {
    std::int64_t time = 0;  ///< the middle of their first and last sample
    double min = 0, mean = 0, max = 0;
    bool begins = false;  ///< whether no line leads to it
    bool is_range = false;
};
using Points = std::vector<Point>;

/// A line of a chart, and its entry in the legend.
struct Line {
    Points points{};
    std::string name{};
    std::size_t color = 0;  ///< from 1 on
    bool is_dashed = false;
    Statistics statistics{};
};

bool is_finite(const ReducedValues& values) noexcept {
    return values.count != 0 && std::isfinite(values.min) && std::isfinite(values.max);
}

/// The values of several series of a stream in its slots, of which neighbours are joined.
class JoinedSlots {
  public:
    JoinedSlots(std::span<const HistorySlot> slots, std::vector<std::vector<ReducedValues>> values)
        : slots_(slots), values_(std::move(values)) {}

    /// Returns the points of each series. A slot without a value in all of them interrupts the lines, and so does a
    /// gap. `most`: maximum number of points, unless lines are interrupted.
    std::vector<Points> join(std::size_t most, std::optional<std::int64_t> interval) {
        points_.resize(values_.size());
        const std::size_t width = (slots_.size() + most - 1) / most;
        std::size_t begin = 0, size = 0;
        bool begins = true;
        const auto finish = [&] {
            if (size != 0) add(begin, begin + size, std::exchange(begins, false));
            size = 0;
        };
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            const bool is_after_gap = i > 0 && interval && is_gap(slots_[i - 1].to, slots_[i].from, *interval);
            const bool has_value = std::ranges::any_of(values_, [i](const auto& own) { return is_finite(own[i]); });
            if (is_after_gap || !has_value) {
                finish();
                begins = true;
            }
            if (!has_value) continue;
            if (size == 0) begin = i;
            if (++size == width) finish();
        }
        finish();
        return std::move(points_);
    }

  private:
    void add(std::size_t begin, std::size_t end, bool begins) {
        const std::int64_t from = slots_[begin].from, length = time_between(from, slots_[end - 1].to);
        for (std::size_t series = 0; series < values_.size(); ++series) {
            ReducedValues all;
            for (std::size_t i = begin; i < end; ++i)
                if (is_finite(values_[series][i])) all.add(values_[series][i]);
            const double mean = all.count == 0 ? 0 : all.mean();
            points_[series].push_back({from + length / 2, all.min, mean, all.max, begins, all.min != all.max});
        }
    }

    std::span<const HistorySlot> slots_;
    std::vector<std::vector<ReducedValues>> values_;
    std::vector<Points> points_;
};

/// The `d` of a path: whole numbers, relative to the point before.
class PathText {
  public:
    explicit PathText(std::string& out) : out_(out) {}
    ~PathText() { end_level(); }
    PathText(const PathText&) = delete;
    PathText& operator=(const PathText&) = delete;

    void move_to(int x, int y) {
        end_level();
        if (command_ == 'M') out_ += "h0";  // a point to which and from which no line leads
        out_ += 'M';
        append(x, false);
        append(y, true);
        begin('M', x, y);
    }
    void line_to(int x, int y) {
        if (y != y_) {
            end_level();
            const bool continues = command_ == 'l';
            if (!continues) out_ += 'l';
            append(x - x_, continues);
            append(y - y_, true);
            begin('l', x, y);
        } else {
            level_ += x - x_;
            x_ = x;
            if (command_ == 'M' && level_ == 0) out_ += "h0", command_ = 'h';
        }
    }
    void close() {
        end_level();
        out_ += 'z';
        command_ = 'z';
    }
    /// Ends the path; a single point is drawn as one.
    void end() {
        end_level();
        if (command_ == 'M') out_ += "h0";
        command_ = 'z';
    }

  private:
    void begin(char command, int x, int y) {
        command_ = command;
        x_ = x;
        y_ = y;
    }
    void end_level() {
        if (level_ == 0) return;
        out_ += 'h';
        append(std::exchange(level_, 0), false);
        command_ = 'h';
    }
    void append(int number, bool follows) {
        if (follows && number >= 0) out_ += ' ';
        out_ += fmt::format_int(number).c_str();
    }

    std::string& out_;
    char command_ = 'z';
    int x_ = 0, y_ = 0, level_ = 0;
};

/// One picture: its times, axis and height.
class Picture {
  public:
    Picture(std::string& out, const ChartTimes& times, const ValueAxis& axis, double factor, const Zone& zone,
            bool is_small)
        : out_(out), times_(times), axis_(axis), factor_(factor), zone_(zone), is_small_(is_small) {}

    /// Begins the picture. `label`: one sentence for those who do not see it.
    void begin(std::string_view label) {
        out_ += is_small_ ? R"(<svg class="small" role="img" aria-label=")" : R"(<svg role="img" aria-label=")";
        append_html(out_, label);
        out_ += "\" data-low=\"";
        append_number(out_, axis_.low);
        out_ += "\" data-high=\"";
        append_number(out_, axis_.high);
        out_ += fmt::format(R"(" data-from="{}" data-to="{}"><g class="y">)", times_.from / millisecond,
                            times_.to / millisecond);
        const int height = is_small_ ? 60 : 160;
        for (const ValueAxis::Tick& tick : axis_.ticks)
            out_ +=
                fmt::format(R"(<text x="-6" y="{}">{}</text>)", top + 4 + y(tick.value) * height / extent, tick.text);
        out_ += "</g><g class=\"x\">";
        const std::vector<TimeTick> ticks = time_labels();
        for (const TimeTick& tick : ticks) append_time(tick, height);
        out_ += fmt::format(
            "</g><svg y=\"{}\" width=\"100%\" height=\"{}\" viewBox=\"0 0 1000 1000\" "
            "preserveAspectRatio=\"none\">\n<path class=\"grid\" d=\"",
            top, height);
        for (const ValueAxis::Tick& tick : axis_.ticks) out_ += fmt::format("M0 {}h1000", y(tick.value));
        for (const TimeTick& tick : ticks) out_ += fmt::format("M{} 0v1000", x(tick.time));
        out_ += "\"/>\n";
    }
    void end() { out_ += "</svg></svg>\n"; }

    void append_gaps(std::span<const std::pair<std::int64_t, std::int64_t>> gaps) {
        if (gaps.empty()) return;
        out_ += R"(<path class="gap" d=")";
        for (const auto& [from, to] : gaps) {
            const int left = x(from), width = std::max(1, x(to) - left);
            out_ += fmt::format("M{} 0h{}v1000h-{}z", left, width, width);
        }
        out_ += "\"/>\n";
    }

    /// Appends the area between the smallest and largest values of a line, wherever these differ.
    void append_band(const Line& line) {
        if (std::ranges::none_of(line.points, &Point::is_range)) return;
        begin_path(line.is_dashed ? "dashed band" : "band", line);
        PathText path(out_);
        each_stretch(line.points, [&](std::span<const Point> points) {
            if (std::ranges::none_of(points, &Point::is_range)) return;
            path.move_to(x(points.front().time), y_of(points.front().max));
            for (const Point& point : points.subspan(1)) path.line_to(x(point.time), y_of(point.max));
            for (const Point& point : points | std::views::reverse) path.line_to(x(point.time), y_of(point.min));
            path.close();
        });
        out_ += "\"/>\n";
    }

    void append_line(const Line& line) {
        begin_path(line.is_dashed ? "dashed line" : "line", line);
        {
            PathText path(out_);
            for (const Point& point : line.points) {
                const int at = x(point.time), height = y_of(point.mean);
                if (point.begins)
                    path.move_to(at, height);
                else
                    path.line_to(at, height);
            }
            path.end();
        }
        out_ += "\"/>\n";
    }

    /// Appends the area between a line and the one below it, or zero. Both have points at the same times.
    void append_area(const Line& line, const Line* below) {
        begin_path("area", line);
        {
            PathText path(out_);
            std::size_t before = 0;
            each_stretch(line.points, [&](std::span<const Point> points) {
                path.move_to(x(points.front().time), y_of(points.front().mean));
                for (const Point& point : points.subspan(1)) path.line_to(x(point.time), y_of(point.mean));
                for (std::size_t i = points.size(); i > 0; --i)
                    path.line_to(x(points[i - 1].time),
                                 y_of(below != nullptr ? below->points[before + i - 1].mean : 0));
                path.close();
                before += points.size();
            });
        }
        out_ += "\"/>\n";
    }

    void append_limit(const PageLimit& limit) {
        const double value = limit.value * factor_;
        if (!(value >= axis_.low && value <= axis_.high)) return;
        out_ +=
            fmt::format("<path class=\"limit {}\" d=\"M0 {}h1000\"/>\n", rule_severity_name(limit.severity), y(value));
    }

  private:
    static constexpr int top = 8;
    static constexpr std::int64_t millisecond = 1'000'000;

    std::vector<TimeTick> time_labels() const {
        const unsigned most = is_small_ ? 2 : 4;
        return times_.elapsed ? elapsed_ticks(times_.to, most) : time_ticks(times_.from, times_.to, zone_, most);
    }

    void append_time(const TimeTick& tick, int height) {
        constexpr int first_line = 16, second_line = 29;
        const double percent = 100 * place(tick.time);
        int line = first_line;
        for (const std::string& text : {tick.clock, tick.date}) {
            if (text.empty()) continue;
            out_ += fmt::format(R"(<text x="{:.4g}%" y="{}">{}</text>)", percent, top + height + line, text);
            line = second_line;
        }
    }

    void begin_path(std::string_view kind, const Line& line) {
        out_ += fmt::format(R"(<path class="{} c{}" d=")", kind, line.color);
    }

    /// Calls a function for each part of a line that is not interrupted.
    template <class Function>
    static void each_stretch(const Points& points, const Function& function) {
        for (auto begin = points.begin(); begin != points.end();) {
            const auto end = std::find_if(begin + 1, points.end(), [](const Point& point) { return point.begins; });
            function(std::span<const Point>(begin, end));
            begin = end;
        }
    }

    /// Returns the part of the range of time before a moment.
    double place(std::int64_t time) const noexcept {
        const auto length = static_cast<double>(time_between(times_.from, times_.to));
        return length > 0 ? static_cast<double>(time_between(times_.from, time)) / length : 0.5;
    }
    int x(std::int64_t time) const noexcept { return static_cast<int>(std::lround(extent * place(time))); }
    int y(double value) const noexcept {
        const double part = (axis_.high - value) / (axis_.high - axis_.low);
        return static_cast<int>(std::lround(extent * std::clamp(part, 0.0, 1.0)));
    }
    int y_of(double value) const noexcept { return y(value * factor_); }

    std::string& out_;
    const ChartTimes& times_;
    const ValueAxis& axis_;
    double factor_;
    const Zone& zone_;
    bool is_small_;
};

/// Returns what distinguishes each series of a chart: `HkpdChart.lines` in chart.js has the same rules.
std::vector<std::string> names_of(std::span<const ReportSeries> all) {
    using Part = std::optional<std::string_view>;
    constexpr std::size_t parts = 4;
    const auto parts_of = [](const ReportSeries& series) {
        return std::array<Part, parts>{series.machine, series.object,
                                       series.of_list ? Part(series.instance) : std::nullopt, series.counter};
    };
    std::array<bool, parts> varies{};
    for (const ReportSeries& series : all)
        for (std::size_t i = 0; i < parts; ++i)
            varies[i] = varies[i] || parts_of(series)[i] != parts_of(all.front())[i];
    std::vector<std::string> names;
    for (const ReportSeries& series : all) {
        std::array<bool, parts> own = varies;
        if (std::ranges::none_of(varies, std::identity())) own[series.of_list ? 2 : 3] = true;
        std::string& name = names.emplace_back();
        for (std::size_t i = 0; i < parts; ++i) {
            const Part part = parts_of(series)[i];
            if (!own[i] || !part) continue;
            if (!name.empty()) name += " · ";
            name += part->empty() ? "(empty)" : *part;
        }
    }
    return names;
}

/// Returns the lines of a chart without their points.
std::vector<Line> lines_of(const PageChart& chart, const Page& page, std::deque<ReportRun>& runs) {
    constexpr std::size_t solid = 4;  // the colours after these are dashed too
    std::vector<ReportSeries> all;
    all.reserve(chart.series.size());
    for (const std::uint32_t place : chart.series)
        all.push_back(runs[page.series[place].run].series(page.series[place].number));
    const std::vector<std::string> names = names_of(all);
    std::map<std::pair<std::string, std::uint32_t>, std::size_t> seen;
    std::map<std::string, std::size_t> colors;
    std::vector<Line> lines;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::uint32_t run = page.series[chart.series[i]].run;
        Line line{.name = names[i], .statistics = all[i].statistics};
        // Series of the same name are distinguished by their order.
        const std::size_t number = ++seen[{line.name, run}];
        if (number > 1) line.name += fmt::format(" ({})", number);
        line.color = colors.try_emplace(line.name, colors.size() + 1).first->second;
        line.is_dashed = chart.elapsed ? run == 0 : line.color > solid;
        if (chart.elapsed) line.name += run == 0 ? ", before" : ", after";
        lines.push_back(std::move(line));
    }
    return lines;
}

void append_cell(std::string& out, double value, ScaledUnit unit) {
    out += "<td class=\"number\">";
    append_value(out, value, unit);
    out += "</td>";
}

void append_legend(std::string& out, const PageChart& chart, std::span<const Line> lines) {
    constexpr std::size_t most_of_a_label = 300;
    out += fmt::format(
        "<table class=\"key\"><thead><tr><th scope=\"col\">{}</th><th scope=\"col\" class=\"number\">min</th><th "
        "scope=\"col\" class=\"number\">mean</th><th scope=\"col\" class=\"number\">max</th></tr></thead>\n<tbody>\n",
        chart.elapsed ? "Whole runs" : "Whole log");
    for (const Line& line : lines) {
        out += fmt::format(
            R"(<tr><th scope="row"><span class="label"><span class="swatch{} c{}"></span><bdi class="name">)",
            line.is_dashed ? " dashed" : "", line.color);
        append_html(out, line.name, most_of_a_label);
        out += "</bdi></span></th>";
        for (const double value : {line.statistics.min, line.statistics.mean, line.statistics.max})
            append_cell(out, value, chart.unit);
        out += "</tr>\n";
    }
    out += "</tbody></table>\n";
    if (chart.limits.empty()) return;
    out += "<ul class=\"limits\">\n";
    for (const PageLimit& limit : chart.limits) {
        const std::string_view severity = rule_severity_name(limit.severity);
        out += fmt::format("<li><span class=\"swatch dashed {0}\"></span><bdi>", severity);
        append_html(out, limit.label, most_of_a_label);
        out += fmt::format(" ({}: ", severity);
        append_value(out, limit.value, chart.unit);
        out += ")</bdi></li>\n";
    }
    out += "</ul>\n";
}

std::string moment_text(std::int64_t time, const ChartTimes& times, const Zone& zone) {
    if (times.elapsed) return elapsed_text(time);
    std::string text;
    append_date_time(text, local_time(system_time_at(time), zone.offset_at(time)), TimePart::second);
    return text;
}

/// Returns one sentence for those who do not see a chart.
std::string sentence(std::string_view kind, std::string_view title, std::span<const Line> lines, ScaledUnit unit,
                     const ChartTimes& times, const Zone& zone) {
    constexpr std::size_t most = 4, most_of_a_name = 80;
    std::string text = fmt::format("{}: {}, from {} to {}.", kind, title, moment_text(times.from, times, zone),
                                   moment_text(times.to, times, zone));
    for (const Line& line : lines.first(std::min(most, lines.size()))) {
        const Statistics& numbers = line.statistics;
        if (numbers.count == 0) continue;
        const auto number = [unit](double value) { return quantity_text(value * unit.factor, unit.unit); };
        text += fmt::format(" {}: min {}, mean {}, max {}.", cut_text(line.name, most_of_a_name), number(numbers.min),
                            number(numbers.mean), number(numbers.max));
    }
    if (lines.size() > most) text += fmt::format(" {} more are in the legend.", lines.size() - most);
    return text;
}

/// Returns what an axis has to show: all values, and limits that are not far above them.
AxisValues range_of(const PageChart& chart, std::span<const Line> lines) {
    constexpr double far = 2.5;
    double min = std::numeric_limits<double>::infinity(), max = -min;
    for (const Line& line : lines)
        for (const Point& point : line.points) {
            min = std::min(min, chart.stacked ? point.mean : point.min);
            max = std::max(max, chart.stacked ? point.mean : point.max);
        }
    double high = max;
    for (const PageLimit& limit : chart.limits)
        if (limit.value > max && limit.value <= far * max) high = std::max(high, limit.value);
    const double factor = chart.unit.factor;
    return {min * factor, high * factor, chart.unit.unit, chart.stacked || high > max};
}

}  // namespace

StaticCharts::StaticCharts(const Page& page, std::deque<ReportRun>& runs) : page_(page), runs_(runs) {
    constexpr std::int64_t half_a_second = 500'000'000;
    const Overview overview = runs.back().overview();
    interval_ = overview.interval;
    if (overview.time) log_ = {false, overview.time->from, overview.time->to};
    for (const ReportRun& run : runs)
        elapsed_.to = std::max(elapsed_.to, time_between(run.all().begin(), run.all().end()));
    if (log_.from == log_.to) {  // a single sample: the second around it
        log_.from = moved_time(log_.from, -half_a_second);
        log_.to = moved_time(log_.to, half_a_second);
    }
    elapsed_.to = std::max(elapsed_.to, 2 * half_a_second);
    // All pictures together may have as many bytes; a point of a line and its band needs about so many.
    constexpr std::size_t most_bytes = 240'000, bytes_of_a_point = 16, most = 240, fewest = 40;
    std::size_t lines = 1;
    for (const PageChart& chart : page.charts) lines += chart.series.size();
    most_points_ = std::clamp(most_bytes / bytes_of_a_point / lines, fewest, most);
}

void StaticCharts::append(std::string& out, std::uint32_t number) const {
    const PageChart& chart = page_.charts[number];
    std::vector<Line> lines = lines_of(chart, page_, runs_);
    const auto values_of = [this](std::uint32_t place) {
        std::vector<ReducedValues> values;
        runs_[page_.series[place].run].read(page_.series[place].number, values);
        return values;
    };
    const auto stream_of = [this](std::uint32_t place) {
        const ReportRun& run = runs_[page_.series[place].run];
        return std::pair(&run, run.stream(page_.series[place].number));
    };
    const auto points_of = [&](const std::vector<std::uint32_t>& places) {
        std::vector<std::vector<ReducedValues>> values;
        values.reserve(places.size());
        for (const std::uint32_t place : places) values.push_back(values_of(place));
        const auto [run, stream] = stream_of(places.front());
        std::vector<Points> points = JoinedSlots(run->slots(stream), std::move(values)).join(most_points_, interval_);
        if (chart.elapsed)
            for (Points& own : points)
                for (Point& point : own) point.time = time_between(run->all().begin(), point.time);
        return points;
    };
    if (chart.stacked) {
        std::vector<Points> points = points_of(chart.series);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            lines[i].points = std::move(points[i]);
            for (std::size_t j = 0; i > 0 && j < lines[i].points.size(); ++j)
                lines[i].points[j].mean += lines[i - 1].points[j].mean;
        }
    } else {
        for (std::size_t i = 0; i < lines.size(); ++i)
            lines[i].points = std::move(points_of({chart.series[i]}).front());
    }
    std::set<std::pair<const ReportRun*, std::uint32_t>> streams;
    for (const std::uint32_t place : chart.series) streams.insert(stream_of(place));

    const ChartTimes& times = chart.elapsed ? elapsed_ : log_;
    const Zone& zone = runs_.back().all().zone();
    const ValueAxis axis = value_axis(range_of(chart, lines), 4);
    Picture picture(out, times, axis, chart.unit.factor, zone, false);
    out += "<div class=\"static\">";
    picture.begin(
        sentence(chart.stacked ? "Stacked chart" : "Line chart", chart.title, lines, chart.unit, times, zone));
    if (!chart.elapsed && interval_ && streams.size() == 1)
        picture.append_gaps(streams.begin()->first->gaps(streams.begin()->second, *interval_));
    for (std::size_t i = 0; chart.stacked && i < lines.size(); ++i)
        picture.append_area(lines[i], i == 0 ? nullptr : &lines[i - 1]);
    // The first of the legend is drawn last, over the others.
    if (!chart.stacked)
        for (const Line& line : lines | std::views::reverse) picture.append_band(line);
    for (const Line& line : lines | std::views::reverse) picture.append_line(line);
    for (const PageLimit& limit : chart.limits) picture.append_limit(limit);
    picture.end();
    append_legend(out, chart, lines);
    out += "</div>\n";
}

void StaticCharts::append_small(std::string& out, std::string_view title, std::uint32_t series,
                                const AxisValues& values) const {
    constexpr std::size_t most = 120;  // points
    ReportRun& run = runs_.back();
    const ReportSeries shown = run.series(series);
    std::vector<ReducedValues> own;
    run.read(series, own);
    const std::span<const HistorySlot> slots = run.slots(run.stream(series));
    Line line{
        .points = std::move(JoinedSlots(slots, {std::move(own)}).join(std::min(most, most_points_), interval_).front()),
        .name = shown.instance.empty() ? std::string(shown.counter) : shown.instance,
        .color = 1,
        .statistics = shown.statistics};
    const Zone& zone = run.all().zone();
    const ValueAxis axis = value_axis(values, 2);
    Picture picture(out, log_, axis, shown.shown.factor, zone, true);
    picture.begin(sentence("Line chart", title, {&line, 1}, shown.shown, log_, zone));
    picture.append_band(line);
    picture.append_line(line);
    picture.end();
}

}  // namespace hkpd
