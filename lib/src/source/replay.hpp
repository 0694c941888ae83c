// Steps through samples in order. For each machine and source (V1, V2 or log), the previous sample is kept, because
// values are computed from two samples.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hkpd/cook.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

class SampleReader;

/// Options that select the samples that `Replay` returns, and how their values are computed.
struct ReplayOptions {
    /// Range of times or sample numbers. The first sample of a stream in the range is cooked with the last sample of
    /// the stream before the range.
    Range range{};
    /// Called with the first sample that has a time, if set; returns `range`. Until then no sample is in the range.
    std::function<Range(const Sample& first)> range_of{};
    std::uint64_t every = 1;  ///< only every n-th sample of each stream is returned, and used to compute values
    CookOptions cook{};
    bool one_source = false;  ///< for each machine, return only samples of the source of its first sample
    bool compare = true;      ///< false: each sample is cooked by itself, and `every` and `one_source` are not used
};

/// Steps through the samples of a reader. The samples of one machine and source are a stream; several streams may be
/// mixed. Each sample is cooked with the previous one of its stream. Reports as warnings each machine after the first
/// (except in logs), time that runs backwards in a stream, and a counter whose type has changed. At the end, reports as
/// a note how many samples `ReplayOptions::one_source` has left out.
class Replay {
  public:
    /// Keeps a reference to `reader`.
    Replay(SampleReader& reader, ReplayOptions options)
        : reader_(reader),
          options_(std::move(options)),
          is_bounded_(options_.range.is_bounded() || options_.range_of != nullptr) {}
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;
    ~Replay() = default;

    /// Steps to the next sample; returns false at the end.
    bool next(Diagnostics& diagnostics);

    /// Returns the current sample; `cooker` computes its values. Both results are valid only if the last call of `next`
    /// returned true, and only until the next call of `next`.
    const Sample& sample() const noexcept { return sample_; }
    Cooker& cooker();
    /// Returns the current sample's number: the number of samples that the reader counted before it.
    std::uint32_t number() const;

  private:
    struct Stream {
        explicit Stream(const CookOptions& options) : cooker(options) {}
        Cooker cooker;
        Sample before;
        std::optional<std::int64_t> time;  // of the latest sample, which can be later than `before`
        bool has_before = false;
        std::uint64_t count = 0;
    };
    struct Machine {
        std::optional<SampleSource> first{};                          // source of the first sample in the range
        bool is_in_range = false;                                     // whether a sample of it was in the range
        std::array<std::unique_ptr<Stream>, sample_sources> streams;  // by source
    };
    void find_range();
    void begin_bounded(const Diagnostics::Mark& before, Diagnostics& diagnostics);
    void begin_input();
    bool wanted() const;
    void forget_outside(const Diagnostics::Mark& before, bool is_first, Diagnostics& diagnostics);
    void end_range(const Diagnostics::Mark& before, Diagnostics& diagnostics);
    void confirm(const Diagnostics::Mark& before, Diagnostics& diagnostics);
    bool precedes_range() const;
    void keep_for_first();
    Machine& machine_of();
    void report_machine(Machine& machine, Diagnostics& diagnostics);
    Stream& stream_of(Machine& machine) const;
    void keep();
    void report(Error error, std::uint32_t object, Diagnostics& diagnostics) const;
    void check_time(Diagnostics& diagnostics) const;
    void check_types(Diagnostics& diagnostics);

    SampleReader& reader_;
    ReplayOptions options_;
    bool is_bounded_;
    std::uint32_t input_ = no_index;            // of the latest sample, if the source seeks in it
    std::uint32_t latest_input_ = no_index;     // the same, also while the range is not known
    bool begun_ = false;                        // whether a sample was in the range
    std::optional<Diagnostics::Mark> outside_;  // after the last sample in the range, if others followed
    std::size_t named_ = 0;                     // number of machines with a name that have been in the range
    std::map<std::string, Machine> machines_;
    Stream alone_{options_.cook};  // for all samples, if they are not compared
    Stream* stream_ = nullptr;     // of the current sample, if it is compared
    bool cooking_ = false;         // whether the stream's cooker has begun the current sample
    std::uint64_t left_out_ = 0;   // number of samples that `one_source` has left out
    std::string key_;
    Sample sample_;
};

}  // namespace hkpd
