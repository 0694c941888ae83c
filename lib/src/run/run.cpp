#include "hkpd/run.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/file_stream.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/write.hpp"
#include "run/ordered_jobs.hpp"
#include "source/selected_samples.hpp"

namespace hkpd {
namespace {

/// Reports how a filter matched: whether it was stopped because it took too much work, and whether paths matched
/// English names.
void report_matching(const Filter& filter, Diagnostics& diagnostics) {
    if (filter.gave_up()) diagnostics.add({Errc::path_limit, 0, "", "", 0, Filter::most_comparisons});
    if (const auto paths = filter.matched_in_english(); !paths.empty())
        diagnostics.add({Errc::path_english, 0, "", "", 0, paths.size()});
}

/// The processing of one part.
class PartOfRun {
  public:
    PartOfRun(const Run& run, std::size_t number) : run_(run), filter_(run.filter) { result_.number = number; }

    /// Writes the part. An exception ends only this part, as if each part had its own process.
    void write(Output& output) {
        try {
            write_passes(output);
        } catch (const std::bad_alloc&) {
            result_.failure = memory_refused;
        } catch (const std::exception& error) {
            result_.failure = error.what();
        }
    }
    RunPart& result() noexcept { return result_; }

  private:
    void write_passes(Output& output) {
        const Sink drain = [&output](std::string& text) { output.write(text); };
        reader_ = run_.open(result_.number, result_.diagnostics);
        const auto writer = run_.make_writer(*reader_, result_.diagnostics, drain);
        if (output.is_first()) writer->begin(text_);  // the outputs of several parts have one header
        output.write(text_);
        std::size_t pass = 0;
        result_.count = pass_samples(*reader_, *writer, pass, output, result_.diagnostics);
        while (run_.repeats && writer->again(text_)) {
            output.write(text_);
            Diagnostics earlier_faults(0);
            const auto once_more = run_.open(result_.number, earlier_faults);
            const RunCount again = pass_samples(*once_more, *writer, ++pass, output, earlier_faults);
            if (again.samples != result_.count.samples && writer->failure().empty())
                result_.diagnostics.add(read_error(input_changed));
        }
        writer->end(result_.diagnostics, text_);
        output.write(text_);
        if (result_.count.samples == 0) result_.count.longest = reader_->count();  // may read all of the input
        result_.count.unmatched = filter_.unmatched();
        result_.write_failure = writer->failure();
    }

    RunCount pass_samples(Reader& reader, Writer& writer, std::size_t pass, Output& output, Diagnostics& diagnostics) {
        RunCount count;
        const auto write = [&](Reader& from, std::span<const Selected> selected) {
            if (run_.before_sample) run_.before_sample(from.sample(), pass);
            if (run_.count_values)
                for (const Selected& part : selected) count.values += run_.count_values(from.sample(), part);
            writer.sample(from.sample(), selected, run_.cooks ? &from.cooker() : nullptr, text_);
            output.write(text_);
            return writer.failure().empty();
        };
        count.samples = visit_samples(reader, filter_, run_.strict, diagnostics, write);
        if (run_.before_end) run_.before_end(reader, diagnostics);
        return count;
    }

    const Run& run_;
    Filter filter_;
    RunPart result_;
    std::shared_ptr<Reader> reader_;
    std::string text_;
};

/// Adds the amount of data of a part to the total. `first`: the total is empty.
void add(RunCount& total, const RunCount& next, bool first) {
    total.samples += next.samples;
    total.values += next.values;
    total.longest = std::max(total.longest, next.longest);
    if (first) {
        total.unmatched = next.unmatched;
        return;
    }
    std::erase_if(total.unmatched, [&next](Unmatched& unmatched) {
        const auto found = std::ranges::find(next.unmatched, unmatched.request, &Unmatched::request);
        if (found != next.unmatched.end() && unmatched.nearest.empty()) unmatched.nearest = found->nearest;
        return found == next.unmatched.end();
    });
}

}  // namespace

std::uint64_t visit_samples(Reader& reader, Filter& filter, bool strict, Diagnostics& diagnostics,
                            const VisitSample& visit) {
    const std::uint64_t samples = each_selected(
        reader, filter, [&] { return !strict || !diagnostics.any_fault(); },
        [&](const std::vector<Selected>& selected) { return visit(reader, selected); });
    report_matching(filter, diagnostics);
    return samples;
}

RunCount write_run(const Run& run, const Sink& sink, const std::function<void(RunPart&)>& ended) {
    RunCount total;
    const auto work = [&](std::size_t number, Output& output) -> Ending {
        auto part = std::make_shared<PartOfRun>(run, number);
        part->write(output);
        return [&, part = std::move(part)] {
            add(total, part->result().count, part->result().number == 0);
            ended(part->result());
        };
    };
    run_in_order(run.parts, run.jobs, run.jobs * run.held_text, sink, work);
    return total;
}

}  // namespace hkpd
