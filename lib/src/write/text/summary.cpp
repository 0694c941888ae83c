// The summary of a whole run, one line for each counter of each instance.
#include "hkpd/summary.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answers/summary_rows.hpp"
#include "hkpd/diagnostics.hpp"
#include "write/cells.hpp"
#include "write/series_lines.hpp"
#include "write/text/statistics_table.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

class SummaryWriter final : public Writer {
  public:
    SummaryWriter(Format format, const WriteOptions& options, const CookOptions& cook, SummaryOptions summary)
        : format_(format), options_(options), summary_(std::move(summary)), all_(series_options(options), cook) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        all_.add(sample, selected, *cooker);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        const SummaryRows rows(all_, summary_);
        if (has_series_lines(format_)) {
            const SeriesRows lines{rows.size(), [&rows](std::size_t row) { return rows[row]; }};
            write_series(format_, options_, lines, all_.zone(), diagnostics, out);
        } else {
            write_tables(rows, out);
        }
        report_limit(all_.is_complete(), options_, diagnostics);
    }

  private:
    /// Writes a table for each machine.
    void write_tables(const SummaryRows& rows, std::string& out) {
        // Machines come in the order of their first line.
        std::map<std::string_view, std::size_t> numbers;
        std::vector<std::vector<std::uint32_t>> tables;
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            const auto [found, added] = numbers.try_emplace(rows.counter(row).machine, tables.size());
            // Most runs have one machine.
            if (added) tables.emplace_back().reserve(tables.size() == 1 ? rows.size() : 0);
            tables[found->second].push_back(row);
        }
        double error = 0;
        for (const std::vector<std::uint32_t>& table : tables) {
            out += &table == tables.data() ? "" : "\n";
            append_machine(out, rows.counter(table.front()).machine);
            out += '\n';
            const SeriesRows lines{table.size(), [&](std::size_t row) { return rows[table[row]]; }};
            error = std::max(error, append_statistics_table(options_, lines, SeriesLabel::path, summary_.sort, out));
        }
        append_percentile_note(error, out);
    }

    Format format_;
    WriteOptions options_;
    SummaryOptions summary_;
    SeriesCollector all_;
};

}  // namespace

std::unique_ptr<Writer> make_summary_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                            const SummaryOptions& summary) {
    return with_name_limit(std::make_unique<SummaryWriter>(format, options, cook, summary), options);
}

}  // namespace hkpd
