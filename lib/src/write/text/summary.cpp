// The summary of a whole run, one line for each counter of each instance.
#include "hkpd/summary.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "statistics/run_series.hpp"
#include "write/cells.hpp"
#include "write/series_lines.hpp"
#include "write/text/statistics_table.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

class SummaryWriter final : public Writer {
  public:
    SummaryWriter(Format format, const WriteOptions& options, const CookOptions& cook, const SummaryOptions& summary)
        : format_(format), options_(options), summary_(summary), all_(series_options(options), cook) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        all_.add(sample, selected, *cooker);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        all_.sort();
        std::vector<std::uint32_t> places(all_.size());
        for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
        if (summary_.sort) sort_by(all_, places, *summary_.sort);
        if (summary_.top < places.size()) places.resize(summary_.top);
        if (format_ == Format::json || format_ == Format::jsonl || format_ == Format::csv)
            write_series(format_, options_, all_, places, diagnostics, out);
        else
            write_tables(places, out);
        all_.report(diagnostics);
    }

  private:
    /// Writes a table for each machine.
    void write_tables(std::span<std::uint32_t> places, std::string& out) {
        const auto machine_of = [this](std::uint32_t place) -> const std::string& {
            return all_.counter(place).machine;
        };
        // Machines come in the order of their first line.
        std::map<std::string_view, std::size_t> numbers;
        std::vector<std::vector<std::uint32_t>> tables;
        for (const std::uint32_t place : places) {
            const auto [found, added] = numbers.try_emplace(machine_of(place), tables.size());
            if (added) tables.emplace_back();
            tables[found->second].push_back(place);
        }
        double error = 0;
        for (const std::vector<std::uint32_t>& table : tables) {
            out += &table == tables.data() ? "" : "\n";
            append_machine(out, machine_of(table.front()));
            out += '\n';
            error =
                std::max(error, append_statistics_table(options_, all_, table, SeriesLabel::path, summary_.sort, out));
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
