// Writers of answers about a whole run: summaries, what stands out (`hkpd top`), and what changed between two runs. The
// values that they write are those of answers.hpp. Limits and zone are those of `WriteOptions`.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "hkpd/answers.hpp"
#include "hkpd/write.hpp"

namespace hkpd {

struct WindowOptions;
struct WindowTop;

/// Creates a writer of a summary. `end` appends one line for each counter of each instance, with its `Statistics` and
/// with the average over the whole run. As in PerfMon and relog, the average is the result of the counter's formula for
/// the first and the last sample. For counter types that need only one sample, the average is the mean. Formats: table,
/// json, jsonl, csv. Any other format gives a table. A table leaves out columns if it would be wider than
/// `WriteOptions::width`.
std::unique_ptr<Writer> make_summary_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                            const SummaryOptions& summary = {});

/// Creates a writer of the instances that stand out. `end` appends a table of the processes that use most, or of the
/// instances with the largest numbers. In json, jsonl and csv, each counter of these instances has the members of a
/// line of a summary. Any other format gives a table. A process is one row from its start to its end: another process
/// with the same name, even at the same position in the samples, is another row.
std::unique_ptr<Writer> make_top_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                        const TopOptions& top);

/// Creates a writer of what stands out in a window of time. `end` appends a table of processes, disks, interfaces and
/// counters, with their means in the window and in the rest of the run. In json, jsonl and csv, each row has the
/// statistics of both. Any other format gives a table. `seen`, unless it is empty, receives the values that `end`
/// writes.
std::unique_ptr<Writer> make_window_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                           const WindowOptions& window,
                                           std::function<void(const WindowTop&)> seen = {});

/// A writer of what changed from one run to another.
class ChangeWriter : public Writer {
  public:
    /// States the run of the following samples, as `ChangeCollector::continue_with` does.
    virtual void continue_with(ComparedRun run) = 0;
};

/// Creates a writer of what changed. `end` appends the series that both runs have, the largest change first. Formats:
/// json has all series with their medians, 95th percentiles, maxima and both effects; any other format gives a table of
/// `top` lines with the larger effect, the two numbers that it is of, and the number of values on each side.
std::unique_ptr<ChangeWriter> make_change_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                                 std::size_t top);

}  // namespace hkpd
