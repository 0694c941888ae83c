// The summary of a whole run, one line for each counter of each instance.
#include "hkpd/summary.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "write/cells.hpp"
#include "write/run_series.hpp"
#include "write/text/statistics_table.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

class SummaryWriter final : public Writer {
  public:
    SummaryWriter(Format format, const WriteOptions& options, const CookOptions& cook, const SummaryOptions& summary)
        : format_(format), options_(options), summary_(summary), all_(options, cook) {}

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
        std::vector<std::string> machines;
        for (const std::uint32_t place : places)
            if (std::ranges::find(machines, machine_of(place)) == machines.end()) machines.push_back(machine_of(place));
        std::vector<std::uint32_t> of_machine;
        double error = 0;
        for (const std::string& machine : machines) {
            of_machine.clear();
            std::ranges::copy_if(places, std::back_inserter(of_machine),
                                 [&](std::uint32_t place) { return machine_of(place) == machine; });
            out += &machine == machines.data() ? "" : "\n";
            append_machine(out, machine);
            out += '\n';
            error = std::max(
                error, append_statistics_table(options_, all_, of_machine, SeriesLabel::path, summary_.sort, out));
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
