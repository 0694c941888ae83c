// The entry point of the library: reads one sample after another from files, bytes in memory or any other source, with
// names and cooked values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

class Countersets;
class Source;

/// Options of a `Reader`: the samples to read, and how.
struct ReaderOptions {
    Limits limits{};
    Range range{};            ///< samples to read, by time and number
    std::uint64_t every = 1;  ///< N: of each stream (see `Reader`), read and cook only the first and each Nth after it
    std::optional<SampleSource> only{};  ///< the only source to read; other samples are skipped, but counted
    bool one_source = false;             ///< for each machine, read only samples of the source that came first
    CookOptions cook{};
    /// If false, no sample is compared with the previous sample of its stream. Formulas that need two samples then have
    /// no value, and changes of times and counter types between samples are not checked. False suits only programs that
    /// read raw values.
    bool compare = true;
    std::vector<std::string> languages{};  ///< languages of titles such as `009`, the preferred first; English follows
    std::optional<Titles> titles{};        ///< titles to use in place of the built-in ones
    bool input_titles = true;              ///< whether titles in the input also name samples
    /// Receives a capture's provenance records as they are read.
    std::function<void(const Record&)> provenance{};
    Diagnostics* diagnostics = nullptr;  ///< receives the faults; if null, the reader has its own list
};

/// Reads samples in order. Each sample is one moment of one machine. Samples of several machines and sources (V1, V2,
/// logs) may be interleaved. The samples of one machine and source are a stream, and each sample is cooked against the
/// previous sample of its stream.
///
/// Names come automatically from titles and registrations in the input, from those next to the input in the same
/// directory, and from the built-in titles. Damage never ends the reading: valid data is returned, and faults are
/// in `diagnostics`.
class Reader {
  public:
    /// Opens files and directories. A file may contain V1 blocks end to end, a capture, or a performance log (.blg);
    /// `-` is standard input. The files of a directory are read in the order of their names. Files are recognised by
    /// content. Fails with `cannot_read` and the system's error number if none of the paths can be opened, and with
    /// `no_data` if there is no path.
    static std::expected<Reader, Error> open(std::vector<std::string> paths, ReaderOptions options = {});
    /// Opens bytes in memory that are the content of one file (V1 blocks end to end, a capture, or a performance log).
    /// The bytes must outlive the reader.
    static std::expected<Reader, Error> open(std::span<const std::byte> bytes, ReaderOptions options = {});
    /// Creates a reader of any source, such as a live machine, a simulated machine, or several inputs in turn.
    explicit Reader(std::unique_ptr<Source> source, ReaderOptions options = {});
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader();

    /// Reads the next sample. Returns false at the end.
    bool next();

    /// Returns the current sample. Must be called only after `next` has returned true. Valid until the next call of
    /// `next`.
    const Sample& sample() const noexcept;
    /// Returns the number of samples that precede the current sample in the same input. Must be called only after
    /// `next` has returned true.
    std::uint32_t number() const noexcept;
    /// Returns the cooked values of a column of the current sample: for each instance a value, or the reason why there
    /// is none. Cooked on first request. Valid until the next call of `next`.
    CookedColumn cooked(const Object& object, const Column& column);
    /// Returns the cooker of the current sample, which `Writer::sample` takes as an argument.
    Cooker& cooker() noexcept;

    /// Returns the number of samples so far, including those that were skipped.
    std::uint32_t count() const noexcept;
    /// Returns the faults found in what was read so far.
    const Diagnostics& diagnostics() const noexcept;
    /// Returns the titles that name objects and counters, including the titles that have been read from the input so
    /// far.
    const Titles& titles() const noexcept;
    /// Returns the countersets that name V2 samples, from registrations.
    const Countersets& countersets() const noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

/// Decodes one block in memory: a V1 block as RegQueryValueEx(HKEY_PERFORMANCE_DATA) returned it, or a V2 block as
/// PerfQueryCounterData returned it. A V2 block contains no names and no types of counters, so its sample has only ids.
/// V1 objects and counters are named by `titles` or, if `titles` is null, by the built-in titles. The sample owns its
/// text and instance names, so the bytes need not outlive the call. Faults are added to `diagnostics` unless
/// `diagnostics` is null. Fails if the block's header cannot be read. For many blocks, a `Reader` is faster, because it
/// reuses its memory.
std::expected<Sample, Error> decode(std::span<const std::byte> block, Diagnostics* diagnostics = nullptr,
                                    const Titles* titles = nullptr);

}  // namespace hkpd
