// Samples from the rows of binary performance logs: the same shape as those from V1 and V2.
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

/// Builds the samples of a row: one for each machine that the catalogue lists. Keeps memory between rows;
/// names of raw counters live as long as it does. The time is that of the row, in UTC: blocks of a log have the local
/// one.
///
/// Blocks become objects as in V1, named by titles. Raw counters become objects named by the catalogue: each object of
/// a machine with the counters that were taken of the same instances. An object of which several instance lists were
/// taken is there several times, with a number of its own for each. Parents stand in the names of instances,
/// `parent/instance`. What raw counters have no value for has the CStatus of the log as `ValueStatus`; one that another
/// counter of the object had an instance for has PDH_CSTATUS_NO_INSTANCE.
///
/// Where a row does not have the records that the catalogue says, nothing tells which counter is which: then its raw
/// counters are damaged, and its blocks are given.
class LogSampleBuilder {
  public:
    /// `titles` may be null: then objects of blocks have no name. It must outlive the samples.
    LogSampleBuilder(const Titles* titles, const Limits& limits);
    ~LogSampleBuilder();
    LogSampleBuilder(const LogSampleBuilder&) = delete;
    LogSampleBuilder& operator=(const LogSampleBuilder&) = delete;

    /// Takes in what rows of `record.log` go by: a record `log_header`, where a log begins, or `log_catalogue`. At most
    /// `Limits::tables` logs are kept in mind, those that came last. Not to be called between `open` and `build`.
    void take(const Record& record, const FaultSink& faults);

    /// Opens a record `log_row` and says how many samples it gives. The record must stay as it is until the last one
    /// is built.
    std::size_t open(const Record& record, const FaultSink& faults);
    /// Builds one of them, each once. `number` says how many rows came before.
    void build(Sample& sample, std::size_t machine, std::uint32_t number, const FaultSink& faults);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
