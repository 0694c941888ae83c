// The entry point: samples out of files, bytes in memory or any source, one after the other, with names and cooked
// values.
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

/// What a `Reader` reads of its input, and how.
struct ReaderOptions {
    Limits limits{};
    Range range{};            ///< which samples, by their time and number
    std::uint64_t every = 1;  ///< of each stream the first and each Nth after it; values are cooked between those
    std::optional<SampleSource> only{};  ///< samples of this source; the others are skipped, but counted
    bool one_source = false;             ///< of each machine only samples of the source that came first
    CookOptions cook{};
    /// False: samples are not compared with earlier ones. What a formula needs two samples for then has no value, and
    /// neither time nor types are checked from sample to sample. For reading raw values alone.
    bool compare = true;
    std::vector<std::string> languages{};  ///< of titles, the preferred one first: `009`; behind them English
    std::optional<Titles> titles{};        ///< in place of the built-in ones
    bool input_titles = true;              ///< those of the input name samples too
    /// Receives what captures state about their origin, when it is read.
    std::function<void(const Record&)> provenance{};
    Diagnostics* diagnostics = nullptr;  ///< collects the faults; null: the reader has a list of its own
};

/// Reads samples in order: each is one moment of one machine. Samples of several machines and sources (V1, V2, logs)
/// may be mixed; those of one machine and source are a stream, and each is cooked against the one before it in its
/// stream.
///
/// Titles and registrations of the input, those next to it in its directory and the built-in ones are used without
/// being asked for. Damage never ends the reading: what is valid is returned, what is wrong is in `diagnostics`.
class Reader {
  public:
    /// Opens files of V1 blocks end to end, captures, performance logs (.blg), directories of such files (in the order
    /// of their names), and `-` for standard input; recognised by content. Fails with `cannot_read` and the system's
    /// error number where none of the paths can be opened; with `no_data` where there is no path.
    static std::expected<Reader, Error> open(std::vector<std::string> paths, ReaderOptions options = {});
    /// Opens one such file that is in memory. The bytes must outlive the reader.
    static std::expected<Reader, Error> open(std::span<const std::byte> bytes, ReaderOptions options = {});
    /// Reads what any source returns: a live machine, a simulated one, several inputs in turn.
    explicit Reader(std::unique_ptr<Source> source, ReaderOptions options = {});
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader();

    /// Reads the next sample; false at the end.
    bool next();

    /// The current sample, and how many samples of the input came before it. Valid until `next`, and only after it has
    /// returned true.
    const Sample& sample() const noexcept;
    std::uint32_t number() const noexcept;
    /// Returns the cooked values of a column of the current sample: one value, or the reason why there is none, for
    /// each instance. Cooked when it is first asked for. Valid until `next`.
    CookedColumn cooked(const Object& object, const Column& column);
    /// What cooks the current sample: for writers.
    Cooker& cooker() noexcept;

    /// How many samples there were so far, those that were skipped included.
    std::uint32_t count() const noexcept;
    /// All that is wrong with what was read so far.
    const Diagnostics& diagnostics() const noexcept;
    /// What samples are named from. Titles grow while the input brings more.
    const Titles& titles() const noexcept;
    const Countersets& countersets() const noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

/// Decodes one block in memory: a V1 block as RegQueryValueEx(HKEY_PERFORMANCE_DATA) returned it, or a V2 block as
/// PerfQueryCounterData did, which has ids in place of names and no types. Objects and counters are named by `titles`,
/// null: by the built-in ones. Text and names of instances are the sample's own, so that the bytes need not live on.
/// Faults are added to `diagnostics` where it is not null. Fails where the block's header cannot be read. For many
/// blocks, a `Reader` is faster: it keeps its memory.
std::expected<Sample, Error> decode(std::span<const std::byte> block, Diagnostics* diagnostics = nullptr,
                                    const Titles* titles = nullptr);

}  // namespace hkpd
