// Records become samples: blocks of one moment are put together, titles and registrations taken on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"

namespace hkpd {

class Countersets;
class Diagnostics;
class Sample;
class Source;
class Titles;
enum class SampleSource : std::uint8_t;

/// Puts the blocks of a source together into samples. Neighbouring V1 blocks of one machine with equal PerfTime and
/// PerfTime100nSec are one sample, as agents and logs ask object by object; an object that repeats begins a new one.
/// Each V2 block is a sample; it answers the identifiers that came last of its machine. A row of a performance log is
/// a sample of each machine in it; these count as one.
class SampleReader {
  public:
    /// Keeps references to `source` and `titles` (which may be null).
    SampleReader(Source& source, const Titles* titles, const Limits& limits);
    ~SampleReader();
    SampleReader(const SampleReader&) = delete;
    SampleReader& operator=(const SampleReader&) = delete;

    /// Title databases among the records are added to `titles`, at most `Limits::tables` of them: those that samples
    /// are named from. Without it they are passed over.
    void take_titles(Titles& titles) noexcept;
    /// Registrations among the records are added to these, which name the samples from V2 and must outlive them;
    /// without it the reader has its own. To be called before `next`.
    void take_countersets(Countersets& countersets);
    /// What is known of V2 countersets so far.
    const Countersets& countersets() const noexcept;
    /// Gives samples of one door only. The others are passed over, but count.
    void take_only(SampleSource source) noexcept;
    /// What captures say of where they come from is told to `heard` when it is met; without it it is passed over.
    void tell_provenance(std::function<void(const Record&)> heard);

    /// Builds the next sample; false at the end.
    bool next(Sample& sample, Diagnostics& diagnostics);

    const Limits& limits() const noexcept;
    /// How many samples there were so far, with those that the source or the reader has passed over.
    std::uint32_t count() const noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
