// Runs: inputs, in one part or in several, whose samples go in order to a writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"

namespace hkpd {

class Reader;
class Sample;
class Writer;

/// Receives the current sample of a reader as the parts of it that a filter selects. Returns whether to go on.
using VisitSample = std::function<bool(Reader& reader, std::span<const Selected> selected)>;

/// Reads all samples of `reader` in order, and passes the parts that `filter` selects to `visit`. Reports how the
/// filter matched to `diagnostics`, which must be the list of the reader. With `strict`, ends at the first warning or
/// error. Returns the number of samples.
std::uint64_t visit_samples(Reader& reader, Filter& filter, bool strict, Diagnostics& diagnostics,
                            const VisitSample& visit);

/// Takes all of a text and leaves the text empty.
using Sink = std::function<void(std::string&)>;

/// The inputs and the writer of a run. Parts are processed as if each were a run of its own, several at the same time,
/// and their text is written in the order of the parts. The functions are called by any thread, those of one part by
/// one thread.
struct Run {
    /// Opens the inputs of a part. The reader adds faults to `diagnostics`. If `repeats` is true, the function is
    /// called again for each further pass over the part, whose faults are discarded.
    std::function<std::shared_ptr<Reader>(std::size_t part, Diagnostics& diagnostics)> open;
    /// Creates the writer of a part. `diagnostics` has the faults of the part. `drain` writes a text of any size before
    /// the end of a sample (`WriteOptions`). The reader is valid as long as the writer.
    std::function<std::unique_ptr<Writer>(Reader& reader, Diagnostics& diagnostics, const Sink& drain)> make_writer;
    std::size_t parts = 1;
    std::size_t jobs = 1;  ///< number of parts that are processed at the same time, with a thread for each
    /// Maximum number of bytes of text in memory that later parts hold back until it is their turn, for each job on
    /// average.
    std::size_t held_text = std::size_t{32} << 20U;
    Filter filter{};
    bool strict = false;   ///< end a part at its first warning or error
    bool cooks = true;     ///< the writer gets the cooker of each sample (`Writer::sample`)
    bool repeats = false;  ///< the inputs can be read again, if the writer requests it (`Writer::again`)

    std::function<void(const Sample& sample, std::size_t pass)> before_sample{};  ///< called before it is written
    /// Returns the number of values that are shown of a part of a sample; if empty, values are not counted.
    std::function<std::uint64_t(const Sample& sample, const Selected& selected)> count_values{};
    /// Receives the reader of a part after its last sample; may add faults. May be empty.
    std::function<void(const Reader& reader, Diagnostics& diagnostics)> before_end{};
};

/// The amount of data of a run, or of a part.
struct RunCount {
    std::uint64_t samples = 0, values = 0;  ///< number of samples and values shown
    std::uint32_t longest = 0;  ///< if no sample is shown: number of those in the input, or in the part with the most
    std::vector<Unmatched> unmatched{};  ///< filters that matched in no part, see `Filter::unmatched`
};

/// The failure of a part for which the system has too little memory.
inline constexpr std::string_view memory_refused = "the system refused memory";

/// The result of a part.
struct RunPart {
    std::size_t number = 0;
    Diagnostics diagnostics{};
    RunCount count{};
    std::string write_failure{};  ///< why the writer could not write everything (`Writer::failure`)
    std::string failure{};        ///< why the part ended early: `memory_refused`, or text of another exception
};

/// Processes all parts. Writes their text to `sink`, and calls `ended` for each part after its text, in the order of
/// the parts and by one thread at a time. Returns the amount of data of all parts.
RunCount write_run(const Run& run, const Sink& sink, const std::function<void(RunPart&)>& ended);

}  // namespace hkpd
