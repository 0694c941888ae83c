// Samples in order, each with the one before it of the same machine: what cooking needs.
#pragma once

#include <cstdint>
#include <memory>

#include "hkpd/cook.hpp"
#include "hkpd/record.hpp"

namespace hkpd {

class Diagnostics;
class Sample;
class SampleReader;

/// Which samples `Replay` gives.
struct ReplayOptions {
    Range range{};            ///< by the time and the number of samples
    std::uint64_t every = 1;  ///< the first of each stream, and each Nth behind it; values are cooked between those
    CookOptions cook{};
    bool one_source = false;  ///< of each machine only samples of the door that came first
};

/// Steps through the samples of a reader. Samples of several machines and through both doors may come mixed; those of
/// one machine through one door are a stream, and each is cooked against the one before it of its own. Reports what
/// makes neighbours no neighbours: another machine, time that runs backwards, a counter whose type has changed; and at
/// the end, as a note, how many samples `ReplayOptions::one_source` has left out.
class Replay {
  public:
    /// Keeps a reference to `reader`.
    Replay(SampleReader& reader, const ReplayOptions& options);
    Replay(Replay&&) noexcept;
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;
    ~Replay();

    /// Steps to the next sample; false at the end.
    bool next(Diagnostics& diagnostics);

    /// The sample at hand, and its cooked values. Both stay as they are until `next`. Only where that has given one.
    const Sample& sample() const noexcept;
    Cooker& cooker() noexcept;
    /// How many samples came before it in the run.
    std::uint32_t number() const noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
