// The summary of a whole run, one line for each counter of each instance.
#include "hkpd/summary.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "write/cells.hpp"
#include "write/series_lines.hpp"
#include "write/text/statistics_table.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

class SummaryWriter final : public Writer {
  public:
    SummaryWriter(Format format, const WriteOptions& options, const CookOptions& cook, const SummaryOptions& summary)
        : format_(format), options_(options), sort_(summary.sort), all_(with_limits(summary, options), cook) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        all_.add(sample, selected, *cooker);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        const Summary summary = all_.finish();
        if (has_series_lines(format_))
            write_series(format_, options_, summary.series, diagnostics, out);
        else
            write_tables(summary, out);
        report_limit(summary.run, options_, diagnostics);
    }

  private:
    /// Writes a table for each machine.
    void write_tables(const Summary& summary, std::string& out) {
        // Machines come in the order of their first line.
        std::map<std::string_view, std::size_t> numbers;
        std::vector<std::vector<const Series*>> tables;
        for (const Series& series : summary.series) {
            const auto [found, added] = numbers.try_emplace(series.counter->machine, tables.size());
            // Most runs have one machine.
            if (added) tables.emplace_back().reserve(tables.size() == 1 ? summary.series.size() : 0);
            tables[found->second].push_back(&series);
        }
        double error = 0;
        for (const std::vector<const Series*>& table : tables) {
            out += &table == tables.data() ? "" : "\n";
            append_machine(out, table.front()->counter->machine);
            out += '\n';
            error = std::max(error, append_statistics_table(options_, table, SeriesLabel::path, sort_, out));
        }
        append_percentile_note(error, out);
    }

    Format format_;
    WriteOptions options_;
    std::optional<StatisticColumn> sort_;
    SummaryCollector all_;
};

}  // namespace

std::unique_ptr<Writer> make_summary_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                            const SummaryOptions& summary) {
    return with_name_limit(std::make_unique<SummaryWriter>(format, options, cook, summary), options);
}

}  // namespace hkpd
