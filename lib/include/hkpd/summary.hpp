// Writers of statistics over a whole run: summaries, and the series that stand out (`hkpd top`).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "hkpd/statistics.hpp"
#include "hkpd/write.hpp"

namespace hkpd {

/// Options of a summary.
struct SummaryOptions {
    /// The column by which lines are sorted: the largest number first, lines without a number last. If there is none,
    /// lines are in the order in which counters and instances first appeared.
    std::optional<StatisticColumn> sort{};
    std::size_t top = static_cast<std::size_t>(-1);  ///< maximum number of lines: the first ones
};

/// Creates a writer of a summary. `end` appends one line for each counter of each instance, with its `Statistics` and
/// with the average over the whole run. As in PerfMon and relog, the average is the result of the counter's formula for
/// the first and the last sample. For counter types that need only one sample, the average is the mean. Formats: table,
/// json, jsonl, csv. Any other format gives a table. A table leaves out columns if it would be wider than
/// `WriteOptions::width`.
std::unique_ptr<Writer> make_summary_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                            const SummaryOptions& summary = {});

/// Options of the writer of what stands out.
struct TopOptions {
    /// The column by which rows are sorted, the largest number first. If there is none, it is the mean. Processes are
    /// sorted by processor time or, by `delta` and `slope`, by private bytes.
    std::optional<StatisticColumn> sort{};
    std::size_t top = 10;  ///< maximum number of rows: processes, or counters of instances
    /// Include instances that are no single thing (`_Total`) or that stand for the absence of work (`Idle`).
    bool all_instances = false;
    /// Show the processor time, memory, handles and I/O of processes in columns if the input has the object Process.
    /// Otherwise, and if the input has no such object, there is a row for each counter of an instance.
    bool processes = true;
};

/// Creates a writer of the instances that stand out. `end` appends a table of the processes that use most, or of the
/// instances with the largest numbers. In json, jsonl and csv, each counter of these instances has the members of a
/// line of a summary. Any other format gives a table. A process is one row from its start to its end: another process
/// with the same name, even at the same position in the samples, is another row.
std::unique_ptr<Writer> make_top_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                        const TopOptions& top);

/// A writer of what changed from one run to another.
class ChangeWriter : public Writer {
  public:
    /// Ends the first run: the following samples are those of the second.
    virtual void end_baseline() = 0;
};

/// Creates a writer of what changed. `end` appends the series that both runs have, the largest change first: medians,
/// 95th percentiles and maxima, and the effect, which is a difference divided by the standard deviation of the values.
/// Formats: json has all series; any other format gives a table of `top` lines.
std::unique_ptr<ChangeWriter> make_change_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                                 std::size_t top);

}  // namespace hkpd
