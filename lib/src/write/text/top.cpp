// What stands out in a run: the processes that use most, or the instances with the largest numbers.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/summary.hpp"
#include "write/cells.hpp"
#include "write/series_lines.hpp"
#include "write/text/process_table.hpp"
#include "write/text/statistics_table.hpp"
#include "write/verdict_text.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

class TopWriter final : public Writer {
  public:
    TopWriter(Format format, const WriteOptions& options, const CookOptions& cook, const TopOptions& top)
        : format_(format),
          options_(options),
          sort_(top.sort),
          has_verdict_(top.verdict.has_value()),
          all_(collected(format, with_limits(top, options)), cook) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        all_.add(sample, selected, *cooker);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        const Top top = all_.finish();
        if (has_series_lines(format_))
            write_series(format_, options_, rows_of(top.series), top.run.zone, diagnostics, out, top.courses,
                         [&](JsonStream& json) {
                             if (has_verdict_) VerdictText(top.verdict, top.run).append_json(json);
                         });
        else if (top.has_processes)
            ProcessTable(options_, top).append(out);
        else
            write_instances(top, out);
        if (!has_series_lines(format_)) VerdictText(top.verdict, top.run).append(out, options_.width);
        report_limit(top.run.is_complete, options_, diagnostics);
    }

  private:
    /// Returns the options of what is collected: a table of processes has no percentiles.
    static TopOptions collected(Format format, TopOptions top) {
        using enum StatisticColumn;
        const bool by_percentile = top.sort == p50 || top.sort == p95 || top.sort == p99;
        top.process_percentiles = has_series_lines(format) || by_percentile;
        return top;
    }
    void write_instances(const Top& top, std::string& out) {
        if (top.run.samples == 0) return;
        append_run_line(top.run, out);
        if (top.series.empty()) {
            out += top.run.samples < 2 ? "no values: rates need two samples\n" : "no values\n";
            return;
        }
        SeriesLabel label = top.run.machines.size() > 1 ? SeriesLabel::machine_path : SeriesLabel::path;
        if (is_one_list(top.series)) {
            label = SeriesLabel::instance;
            const RunCounter& counter = *top.series.front().counter;
            out += printable(fmt::format("\\{}(*)\\{}", counter.object, counter.name));
            out += '\n';
        }
        append_percentile_note(append_statistics_table(options_, rows_of(top.series), label, sort_, out), out);
    }

    /// Returns whether series are of one counter, on one machine, of an object with a list of instances.
    static bool is_one_list(const SeriesList& all) {
        const RunCounter* const first = all.front().counter.get();
        return first->of_list &&
               std::ranges::all_of(all, [first](const Series& series) { return series.counter.get() == first; });
    }

    Format format_;
    WriteOptions options_;
    std::optional<StatisticColumn> sort_;
    bool has_verdict_;
    TopCollector all_;
};

}  // namespace

std::unique_ptr<Writer> make_top_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                        const TopOptions& top) {
    return with_name_limit(std::make_unique<TopWriter>(format, options, cook, top), options);
}

}  // namespace hkpd
