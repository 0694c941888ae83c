// What stands out in a window of time, as a table, JSON, JSON Lines or CSV.
#include "hkpd/window.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "hkpd/summary.hpp"
#include "write/cells.hpp"
#include "write/series_lines.hpp"
#include "write/text/window_table.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

constexpr std::array statistic_columns{StatisticColumn::count, StatisticColumn::first, StatisticColumn::last,
                                       StatisticColumn::min,   StatisticColumn::mean,  StatisticColumn::p50,
                                       StatisticColumn::p95,   StatisticColumn::max,   StatisticColumn::stddev};

/// Returns a time of a window; nothing if there is none.
std::string time_text(const WindowTop& top, const std::optional<std::int64_t>& time) {
    std::string out;
    if (time) append_time(out, system_time_at(*time), utc_if_stated(top.run.zone));
    return out;
}

/// The members of a row, in one order for all formats: `json` and `csv` are the functions that write one.
class RowMembers {
  public:
    RowMembers(const WindowTop& top, std::string_view kind, const WindowTop::Row& row)
        : top_(top), kind_(kind), row_(row) {}

    /// Calls `text`, `number` and `truth` with the name and value of each member.
    void each(const auto& text, const auto& number, const auto& truth) const {
        text("kind", std::string(kind_));
        text("window_from", time_text(top_, top_.from));
        text("window_to", time_text(top_, top_.to));
        for (const StatisticColumn column : statistic_columns)
            number(std::string(statistic_name(column)), value_of(row_.series.statistics, column));
        for (const StatisticColumn column : statistic_columns)
            number("rest_" + std::string(statistic_name(column)), value_of(row_.rest, column));
        number("usual", row_.usual);
        number("times", row_.times);
        number("effect", row_.effect);
        number("share", row_.share);
        text("max_time", time_text(top_, row_.max_time));
        truth("is_new", row_.is_new);
        truth("is_gone", row_.is_gone);
    }

  private:
    const WindowTop& top_;
    std::string_view kind_;
    const WindowTop::Row& row_;
};

class WindowWriter final : public Writer {
  public:
    WindowWriter(Format format, const WriteOptions& options, const CookOptions& cook, const WindowOptions& window,
                 std::function<void(const WindowTop&)> seen)
        : format_(format), options_(options), all_(with_limits(window, options), cook), seen_(std::move(seen)) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        all_.add(sample, selected, *cooker);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        const WindowTop top = all_.finish();
        if (format_ == Format::csv)
            write_csv(top, out);
        else if (format_ == Format::json || format_ == Format::jsonl)
            write_json(top, diagnostics, out);
        else
            WindowTable(options_, top).append(out);
        if (seen_) seen_(top);
        report_limit(top.run.is_complete, options_, diagnostics);
    }

  private:
    /// Calls `write` with the kind of each row, and the row.
    static void each_row(const WindowTop& top, const auto& write) {
        for (const WindowTop::Process& process : top.processes)
            for (const auto& position : process.uses)
                if (position) write(std::string_view("process"), top.rows[*position]);
        for (const auto& [kind, list] : {std::pair(std::string_view("disk"), &top.disks),
                                         std::pair(std::string_view("interface"), &top.interfaces),
                                         std::pair(std::string_view("counter"), &top.counters)})
            for (const std::uint32_t position : *list) write(kind, top.rows[position]);
    }

    void write_csv(const WindowTop& top, std::string& out) {
        out +=
            "machine,source,object,object_index,counterset,parent,instance,pid,instance_id,life,counter,counter_index,"
            "type,unit";
        const auto name = [&](const std::string& text, const auto& /*value*/) { (out += ',') += text; };
        RowMembers(top, "", WindowTop::Row{}).each(name, name, name);
        out += '\n';
        each_row(top, [&](std::string_view kind, const WindowTop::Row& row) {
            append_instance_cells(out, *row.series.counter, row.series.instance->identity());
            append_counter_cells(out, *row.series.counter);
            out += cooked_unit(row.series.counter->type);
            RowMembers(top, kind, row)
                .each([&](const std::string&, const std::string& text) { (out += ',') += text; },
                      [&](const std::string&, double number) { append_number(out += ',', number); },
                      [&](const std::string&, bool truth) { out += truth ? ",1" : ",0"; });
            out += '\n';
            drain_much(options_, out);
        });
    }

    static void append_processes(JsonStream& json, std::string_view name, std::uint64_t all,
                                 std::span<const std::shared_ptr<const RunInstance>> list) {
        json.member(name == "started" ? "all_started" : "all_ended", all);
        json.objects(name, list, [&](const std::shared_ptr<const RunInstance>& process) {
            json.member("instance", process->display);
            json.member("pid", process->pid);
        });
    }

    void write_json(const WindowTop& top, const Diagnostics& diagnostics, std::string& out) {
        JsonStream json(out);
        if (format_ == Format::json) {
            json.StartObject();
            json.object("window", [&] {
                json.text_or_null("from", time_text(top, top.from));
                json.text_or_null("to", time_text(top, top.to));
            });
            json.member("samples", top.samples);
            json.member("rest_samples", top.rest_samples);
            append_processes(json, "started", top.all_started, top.started);
            append_processes(json, "ended", top.all_ended, top.ended);
            json.key("rows");
            json.StartArray();
        }
        each_row(top, [&](std::string_view kind, const WindowTop::Row& row) {
            if (format_ == Format::jsonl) json.restart();
            json.object([&] {
                append_instance_members(json, *row.series.counter, row.series.instance->identity());
                append_counter_members(json, *row.series.counter);
                json.member("unit", cooked_unit(row.series.counter->type));
                RowMembers(top, kind, row)
                    .each([&](const std::string& name, const std::string& text) { json.text_or_null(name, text); },
                          [&](const std::string& name, double number) { json.member(name, number); },
                          [&](const std::string& name, bool truth) { json.member(name, truth); });
            });
            if (format_ == Format::jsonl) out += '\n';
            drain_much(options_, out);
        });
        if (format_ == Format::json) json.end_document(diagnostics, out);
    }

    Format format_;
    WriteOptions options_;
    WindowCollector all_;
    std::function<void(const WindowTop&)> seen_;
};

}  // namespace

std::unique_ptr<Writer> make_window_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                           const WindowOptions& window, std::function<void(const WindowTop&)> seen) {
    return std::make_unique<WindowWriter>(format, options, cook, window, std::move(seen));
}

}  // namespace hkpd
