// The entry point of the library. A `Reader` reads one sample after another from files, bytes in memory or any other
// source. It names the objects and counters of each sample, and computes cooked values from the raw values.
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
#include "hkpd/log_zones.hpp"
#include "hkpd/names.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/text_encoding.hpp"

namespace hkpd {

class Countersets;
class Source;

/// Options of a `Reader`: the samples to read, and how.
struct ReaderOptions {
    Limits limits{};
    LogZones log_zones{};     ///< zones of text logs that state none; used by `Reader::open`
    TextEncoding encoding{};  ///< of text logs without a byte order mark; guessed if not stated; used by `Reader::open`
    Range range{};            ///< samples to read, by time and number
    /// Returns the range to read, in place of `range`. Called once, with the first sample that has a time. For ranges
    /// that depend on the input, such as 10:00 in the time zone of a log on its first day. May be empty.
    std::function<Range(const Sample& first)> range_of{};
    std::uint64_t every = 1;  ///< N: read the first sample of each stream (see `Reader`), and each N-th sample after it
    std::optional<SampleSource> only{};  ///< the only source to read; other samples are skipped, but counted
    bool one_source = false;             ///< read only one source of each machine: that of the machine's first sample
    CookOptions cook{};
    /// If true, each sample is cooked against the previous sample of its stream. The reader then also reports if the
    /// time runs backwards in a stream, or if the type of a counter changes. If false, formulas that need two samples
    /// give no value, these two faults are not reported, and `every` and `one_source` are ignored. False suits only
    /// programs that read raw values.
    bool compare = true;
    std::vector<std::string> languages{};  ///< languages of titles such as `009`, the preferred first; English follows
    std::optional<Titles> titles{};        ///< titles to use in place of the built-in ones
    /// True: objects and counters of logs in other languages have English names, where these are known, in place of
    /// those of the log.
    bool english_names = false;
    bool input_titles = true;  ///< whether titles in the input are used to name samples, too
    /// Receives each provenance record of a capture when the reader reads the record. May be empty.
    std::function<void(const Record&)> provenance{};
    Diagnostics* diagnostics = nullptr;  ///< receives the faults; if null, the reader adds the faults to its own list
};

/// A text log (CSV or TSV), whose values were cooked by the program that wrote it: there are no raw ones.
struct TextLog {
    std::uint32_t input = no_index;  ///< position in `Diagnostics::inputs()`
    std::uint64_t offset = 0;        ///< where the log begins; an input can hold several
    bool zone_stated = true;         ///< false if its times are local times of which no zone is known
};

/// Reads samples in order. A sample has the counters of one machine at one moment. Samples of several machines and
/// sources (V1, V2, logs) may be interleaved. The samples of one machine and source form a stream. Each sample is
/// cooked against the previous sample of its stream.
///
/// Names come from the titles and registrations in the input, and from the built-in titles. If the input is a
/// directory, its files can contain titles and registrations. Damage never ends the reading: the reader returns all
/// valid data, and adds the faults to `diagnostics`.
///
/// With a range, the reader passes over what lies outside, where the source can (`Source::seek`), and returns what it
/// would return if it read everything: the same samples, numbers and values, the first ones computed with the sample
/// before the range. From a pipe, everything is read, with the same results. Of the faults, those are in the list that
/// were found at the beginning of an input (before its first sample, and not in a sample), those in samples of the
/// range, and those between two such samples of an input. Faults before and after are not in the list: they may be in
/// parts that are not read. Instances are followed from sample to sample in the range only: their lives, and the texts
/// of their names, are those of the range. If chunks of a capture were lost before the range, `number` is the number
/// that the recorder gave the sample; a reader that reads everything counts the samples that it finds.
class Reader {
  public:
    /// Opens files and directories. A file may contain V1 blocks end to end, a capture, a performance log (.blg), or a
    /// text log (CSV or TSV), and each of these can be compressed (gzip, zstd or zip). The format of a file is
    /// recognised by its content. The path `-` is standard input. The files of a directory are read in the order of
    /// their names. Fails with `cannot_read` and the system's error number if none of the paths can be opened, and with
    /// `no_data` if there is no path.
    static std::expected<Reader, Error> open(std::vector<std::string> paths, ReaderOptions options = {});
    /// Opens bytes in memory that are the content of one file of any of these formats. The bytes must outlive the
    /// reader. Fails with `no_data` if `bytes` is empty.
    static std::expected<Reader, Error> open(std::span<const std::byte> bytes, ReaderOptions options = {});
    /// Creates a reader of any source, such as a live machine, a simulated machine, or several inputs one after
    /// another.
    explicit Reader(std::unique_ptr<Source> source, ReaderOptions options = {});
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader();

    /// Reads the next sample. Returns false if there are no more samples.
    bool next();

    /// Returns the current sample. Must be called only after `next` has returned true. Valid until the next call of
    /// `next`.
    const Sample& sample() const noexcept;
    /// Returns the number of samples that the reader has read before the current sample. Samples of all inputs are
    /// counted, including samples that the options skip. The samples of all machines in one row of a log count as one.
    /// Must be called only after `next` has returned true.
    std::uint32_t number() const;
    /// Returns the cooked values of a column of the current sample: for each instance a value, or the reason why there
    /// is no value. The first call for a column computes the values. Valid until the next call of `next`.
    CookedColumn cooked(const Object& object, const Column& column);
    /// Returns the `Cooker` that computes the cooked values of the current sample. It can be passed to
    /// `Writer::sample`. Valid until the next call of `next`.
    Cooker& cooker();

    /// Returns the number of samples up to the last one that was read, including samples that the options skip. Those
    /// after a range need not be included.
    std::uint32_t count() const;
    /// Returns the faults that were found so far.
    const Diagnostics& diagnostics() const noexcept;
    /// Returns the titles that name objects and counters: those that the reader began with, and the titles that it has
    /// read from the input so far.
    const Titles& titles() const noexcept;
    /// Returns the countersets whose registrations the reader has read from the input so far. Their registrations
    /// contain the names of the objects and counters of V2 samples.
    const Countersets& countersets() const noexcept;
    /// Returns the text logs that were read so far, but no more than the first 1,000. Valid until the next call of
    /// `next`.
    std::span<const TextLog> text_logs() const noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

/// Decodes one block in memory: a V1 block as RegQueryValueEx(HKEY_PERFORMANCE_DATA) returned it, or a V2 block as
/// PerfQueryCounterData returned it. V1 objects and counters are named by `titles` or, if `titles` is null, by the
/// built-in titles. A V2 block contains no names of objects and counters and no counter types. Its sample therefore has
/// only the ids of counters. The sample owns its text and instance names, so `block` need not outlive the call. Faults
/// are added to `diagnostics`, or discarded if `diagnostics` is null. Fails if the block's header cannot be read. For
/// many blocks, a `Reader` is faster, because it reuses its memory.
std::expected<Sample, Error> decode(std::span<const std::byte> block, Diagnostics* diagnostics = nullptr,
                                    const Titles* titles = nullptr);

}  // namespace hkpd
