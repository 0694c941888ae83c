// Builds samples from the rows of binary performance logs, in the same form as those from V1 and V2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace hkpd {

class FaultSink;
class Sample;
class Titles;
struct Limits;
struct Record;

/// Builds the samples of a row, which has the data of all machines of a log at one time. The data are V1 blocks and raw
/// counters: counters that the log stores individually, outside blocks. Each machine has one sample, or more if it has
/// blocks of several moments. A sample has the time of the row, in UTC, because the times in the blocks of a log are
/// local. Keeps memory between rows; names of raw counters live as long as the builder.
///
/// Blocks become objects as in V1, named by titles. Raw counters become objects named by the catalogue of the log,
/// which describes the records of every row. Such an object has those counters of one Windows object of one machine
/// that were logged for the same instances. If counters of a Windows object were logged for different instances or in
/// several instance lists, the sample has several objects with the same name. Each of them has a different
/// `title_index`. Instance names include the parent: `parent/instance`.
///
/// A missing value of a raw counter has the CStatus of the log as its `ValueStatus`. If each counter of an object has
/// its own instance list, an instance can be missing from the list of one counter, although the list of another counter
/// contains it. The status of the missing value is then PDH_CSTATUS_NO_INSTANCE.
///
/// If the records of a row do not match the catalogue, the raw counters of the row cannot be identified and are
/// damaged; the blocks of the row are still decoded.
class LogSampleBuilder {
  public:
    /// `titles` may be null: objects of blocks then have no name. The titles must outlive the samples.
    LogSampleBuilder(const Titles* titles, const Limits& limits);
    ~LogSampleBuilder();
    LogSampleBuilder(const LogSampleBuilder&) = delete;
    LogSampleBuilder& operator=(const LogSampleBuilder&) = delete;

    /// Makes objects of raw counters have English names, where they are known, in place of those of the log.
    void show_english();

    /// Adds a record that describes the rows of the log `record.log`: `log_header`, which begins a log, or
    /// `log_catalogue`. Keeps at most `Limits::logs` logs, those used last. Must not be called between `open` and the
    /// last `build` of a row.
    void take(const Record& record, const FaultSink& faults);

    /// Opens a record of the kind `log_row` and returns the number of samples in the row; 0 if the row cannot be read.
    /// The record must not change until the last of these samples has been built.
    std::size_t open(const Record& record, const FaultSink& faults);
    /// Builds one sample of the opened row. Must be called once for each sample. `machine`: position of the sample in
    /// the row, counted from 0. `number`: number of rows before this row.
    void build(Sample& sample, std::size_t machine, std::uint32_t number, const FaultSink& faults);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
