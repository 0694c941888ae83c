// Captures: files that contain collected blocks of performance data together with the title databases (names of objects
// and counters) and the provenance of the blocks. A capture is an MCAP container (mcap.dev/spec) with profile `x-hkpd`,
// so that other programs can open, list, cut, merge and recover it. Blocks are stored byte for byte.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/record.hpp"

namespace hkpd {

class FaultSink;
class StreamWindow;  // of the library itself
struct Limits;

/// The message encodings of the channels in a capture. A channel's encoding identifies what its messages contain.
///
/// Each machine has one channel for its V1 blocks, one for its V2 blocks, and one for the identifiers of its V2 queries
/// (results of PerfQueryCounterInfo, which identify the results in V2 blocks). The identifiers of a query precede the
/// block that answers the query, in the same sample. Each machine also has one channel for each of its title tables,
/// and one for each registration that is stored. A registration is identified by its counterset, request and language.
///
/// A channel has the metadata `machine` if the machine is known. Channels of titles also have `name` (of the original
/// file) and `language`. Channels of registrations also have `counterset` (its GUID in braces), `request` (a number,
/// `v2::RegistrationRequest`), `language`, and, if known, `title_index`. A performance log (.blg) has four channels:
/// for its rows, its header, its catalogue (which describes the rows) and its trailer (the data after the last row).
/// All four have the metadata `log` (the GUID of the log in braces).
namespace capture_encoding {
inline constexpr std::string_view prefix = "x-hkpd-";  ///< beginning of all encodings, also of those of later versions
/// One encoding for each `Record::Kind` except provenance, which is stored as metadata.
/// @{
inline constexpr std::string_view v1_block = "x-hkpd-v1";
inline constexpr std::string_view titles = "x-hkpd-titles";
inline constexpr std::string_view v2_block = "x-hkpd-v2";
inline constexpr std::string_view v2_identifiers = "x-hkpd-v2-query";
inline constexpr std::string_view v2_registration = "x-hkpd-v2-registration";
inline constexpr std::string_view log_header = "x-hkpd-log-header";
inline constexpr std::string_view log_catalogue = "x-hkpd-log-catalogue";
inline constexpr std::string_view log_row = "x-hkpd-log";
inline constexpr std::string_view log_trailer = "x-hkpd-log-trailer";
/// @}
}  // namespace capture_encoding

/// The limits of a chunk, and other settings of a capture. A chunk is a compressed part of the file. At the end of each
/// sample, the writer closes the chunk if the chunk has reached one of the limits `samples`, `bytes` and `time`. After
/// a crash only closed chunks can be read.
struct CaptureOptions {
    std::uint32_t samples = 64;  ///< maximum number of samples in a chunk
    /// Number of uncompressed bytes at which a chunk is closed. Exception: if the first sample of a chunk has 8 MiB or
    /// more, this limit applies only once the chunk also contains a second sample, because two neighbouring samples
    /// compress better in one chunk than in two. Example: in a 49 MB sample, a quarter of the values differ from those
    /// of the previous sample. In one chunk with the previous sample, the 49 MB sample takes a third of the bytes that
    /// it takes in a separate chunk. The chunk does not stay open for a third sample, because a reader must hold a
    /// complete chunk in memory.
    std::uint64_t bytes = 8ULL << 20U;
    /// Time after which a chunk is closed, counted from its first record. If `time` is 0, each sample is in a separate
    /// chunk.
    std::chrono::milliseconds time{10000};
    int level = 3;                 ///< zstd compression level
    std::string library = "hkpd";  ///< name of the writing program, for the file's header
};

/// Writes a capture to a file or a pipe, sequentially and without seeking. Records are written in chunks. A chunk also
/// contains the descriptions of the MCAP channels of its records, so that it can be read without the other chunks.
class CaptureWriter {
  public:
    /// Receives the next bytes of the file, and must pass them to the operating system before returning. Otherwise
    /// bytes that count as written are lost if the process is killed. Returns false on failure.
    using Sink = std::function<bool(std::span<const std::byte>)>;
    /// The keys and values of a metadata record, in UTF-8.
    using Metadata = std::map<std::string, std::string>;

    /// Begins a file. `sink` receives each byte of the file once, in order. The constructor already passes the first
    /// bytes to `sink`.
    CaptureWriter(Sink sink, const CaptureOptions& options);
    ~CaptureWriter();  ///< does not call `finish`: an unfinished capture ends truncated, as after a crash
    CaptureWriter(const CaptureWriter&) = delete;
    CaptureWriter& operator=(const CaptureWriter&) = delete;

    /// Writes a metadata record. Example: the record `hkpd` contains the provenance, with entries for machine, OS,
    /// query, language and tool version.
    void add_metadata(std::string_view name, const Metadata& entries);
    /// Adds a record that describes data: a title database, a registration, or the header, catalogue or trailer of a
    /// log. The record is written to a chunk without samples, so that readers can find the record without reading
    /// samples.
    void add_reference(const Record& reference);
    /// Adds a record to the current sample. The record is a block, a row of a log, or the identifiers of a V2 query.
    /// The identifiers must be added before the block that answers the query. `block.time` must be set. `block.machine`
    /// may be empty.
    void add_block(const Record& block);
    /// Ends the current sample. Blocks that are added afterwards belong to the next sample.
    void end_sample();
    /// Writes the open chunk, the summary with the index, and the footer. Afterwards the writer ignores everything that
    /// is added.
    void finish();

    /// Returns false if writing has failed: the `Sink` has returned false, or the capture needs more than 65,535
    /// channels, the maximum of the format. Returns true otherwise.
    bool good() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// A recorder that passes each block to a `CaptureWriter` byte for byte. The recorder determines the machine and time
/// of each block, and where each sample ends, as `SampleReader` does. If a V1 or V2 block cannot be opened, the
/// recorder reports the block and does not write it. Before each V2 block, the recorder writes the machine's most
/// recent list of counter identifiers (result of PerfQueryCounterInfo), because readers need it to decode the block.
/// This list is written again for each V2 block, even if the input contains it only once.
class Recorder {
  public:
    /// Keeps a reference to `writer`.
    explicit Recorder(CaptureWriter& writer);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// A title database that is written before the first block of each machine.
    struct TitleFile {
        /// `name`: name of the file. `content`: unchanged bytes of the file. `language`: for example `009`; empty if
        /// unknown.
        std::string name, content, language;
    };
    /// Adds a title database. Must be called before the first record is added.
    void add_titles(TitleFile file);
    /// Sets the provenance of the blocks. The provenance is written once for each machine, with the machine's name.
    void set_provenance(std::map<std::string, std::string> entries);
    /// Adds the next record. The record is used only during the call.
    void add(const Record& record, const FaultSink& faults);
    /// Ends the last sample. Does not call `CaptureWriter::finish`. For each machine with records that state how long
    /// collecting them took (`Record::cost`), writes the metadata record `collection`. Its entries are `v1_samples`
    /// (number of V1 samples for which this time is known), `v1_bytes` (the bytes of these samples), `v1_nanoseconds`
    /// (the time spent on these samples), and the same for `v2`.
    void finish();

    /// Returns the number of samples written so far.
    std::uint64_t samples() const noexcept;
    /// Returns the number of blocks written so far.
    std::uint64_t blocks() const noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

/// A capture file that is written block by block. Example:
///
///     auto capture = CaptureFile::create("run.mcap");
///     capture->add({.bytes = Bytes(block)}, faults);  // as RegQueryValueEx returned it; once for each block
///     capture->finish();
class CaptureFile {
  public:
    /// Creates the file, and replaces an existing file. If the file cannot be created, fails with `cannot_write`;
    /// `Error::found` is then the system's error number.
    static std::expected<CaptureFile, Error> create(const std::string& path, const CaptureOptions& options = {});
    CaptureFile(CaptureFile&&) noexcept;
    CaptureFile& operator=(CaptureFile&&) noexcept;
    ~CaptureFile();  ///< does not call `finish`: an unfinished capture ends truncated, as after a crash

    /// Adds the next record, as `Recorder::add` does.
    void add(const Record& record, const FaultSink& faults);
    /// Returns the recorder that writes the records. A caller uses the recorder to add titles and provenance.
    Recorder& recorder() noexcept;
    /// Ends the last sample, and writes the last chunk and the index. Fails with `cannot_write` if not everything could
    /// be written.
    std::expected<void, Error> finish();

  private:
    struct State;
    explicit CaptureFile(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
};

/// The properties of a capture: the program that wrote it, its size, its channels and its metadata.
struct CaptureInfo {
    /// A channel of the MCAP file: a series of messages with one topic and one encoding. The channels of hkpd have the
    /// encodings in `capture_encoding`. Other programs can add channels with other encodings.
    struct Channel {
        std::uint16_t id = 0;
        std::string topic, encoding;  ///< for example `v1/DEMO` and `x-hkpd-v1`
        std::map<std::string, std::string> metadata;
        std::uint64_t messages = 0;
    };
    /// A metadata record. The name is `hkpd` (provenance: machine, os, tool, ...), `collection` (the number and size of
    /// the samples collected, and the time that collecting them took), or a name that another program chose.
    struct MetadataRecord {
        std::string name;
        std::map<std::string, std::string> entries;
    };
    /// `profile`: the MCAP profile that the file states; captures of hkpd have `x-hkpd`. `library`: name of the program
    /// that wrote the file.
    std::string profile, library;
    bool finished = false;  ///< whether the file ends as a finished capture does; false if it is truncated
    /// True if the counts, times and channels below come from the summary section of the MCAP file. False if they come
    /// from reading the whole file, for example because the summary is missing or wrong.
    bool indexed = false;
    std::uint64_t file_bytes = 0;
    std::uint64_t chunks = 0, compressed_bytes = 0, uncompressed_bytes = 0;
    std::uint64_t messages = 0;
    /// Times of the earliest and of the latest message, in nanoseconds since 1970 (UTC). None if there are no messages.
    std::optional<std::uint64_t> first_time, last_time;
    std::uint64_t attachments = 0;
    std::vector<Channel> channels;
    std::vector<MetadataRecord> metadata;
};

/// Reads a capture in constant memory, one chunk at a time. The records of a chunk are returned only if the chunk's
/// checksum is right. A damaged chunk is reported and skipped, and reading continues with the next chunk. A truncated
/// file is read up to its end.
class CaptureReader {
  public:
    /// Returns whether an input begins with the magic of a capture.
    static bool is_capture(Bytes first_bytes) noexcept;
    /// Returns whether a stream begins with the magic of a capture. The stream's position is unchanged. If the
    /// stream cannot seek, only the first byte is examined.
    static bool is_capture(std::istream& stream);
    /// Size of the magic in bytes. `is_capture` needs this many bytes to recognise a capture.
    static constexpr std::size_t magic_size = 8;

    /// Prepares to read from the current position of the stream, where the magic must be. If the stream can seek,
    /// `skip_samples` and `info` use the file's index to avoid reading the whole file.
    CaptureReader(std::istream& stream, const Limits& limits);
    /// Prepares to read what a window shows, which is at the beginning of a stream or of bytes in memory.
    CaptureReader(StreamWindow&& window, const Limits& limits);
    ~CaptureReader();
    CaptureReader(const CaptureReader&) = delete;
    CaptureReader& operator=(const CaptureReader&) = delete;

    /// Makes `next` skip each chunk that, according to the file's index, contains nothing but samples. Without a valid
    /// index, `next` skips nothing and returns the records of samples too. Must be called before `next`.
    void skip_samples(const FaultSink& faults);

    /// The part of a capture that `skip_middle` skips, according to the file's index.
    struct SkippedMiddle {
        /// The part of the run that is skipped, in nanoseconds since 1970 (UTC): the time of its first and last
        /// message.
        std::uint64_t first_time = 0, last_time = 0;
        /// Numbers of messages in the whole capture that are parts of samples, by kind.
        std::uint64_t v1_blocks = 0, v2_blocks = 0, log_rows = 0;
        /// A time between two consecutive chunks in the skipped part, from the last message of the one to the first
        /// message of the other.
        struct Pause {
            std::uint64_t from = 0, to = 0;
        };
        std::vector<Pause> pauses;  ///< in the order of the file
    };
    /// Makes `next` skip the middle of a large capture: all chunks that contain nothing but samples, except the first
    /// and the last three of them. Returns what is skipped. Returns none, and skips nothing, if the chunks contain at
    /// most `sample_above_bytes` bytes, if there are few of them, or without a valid index. Must be called before
    /// `next`.
    std::optional<SkippedMiddle> skip_middle(std::uint64_t sample_above_bytes, const FaultSink& faults);

    /// The times of the earliest and of the latest message of samples, in nanoseconds since 1970 (UTC).
    struct Times {
        std::uint64_t first = 0, last = 0;
    };
    /// Returns the times that the index of a capture states; none without a valid index.
    static std::optional<Times> times(std::istream& stream, const Limits& limits);
    /// Makes `next` skip chunks that follow the current one and have no sample in the range, except what the first
    /// samples in the range need (see `Source::seek`). Must be called after `next` has returned a record of a sample.
    /// `again`: another stream of the same file, at its beginning. `first`: number of the capture's first sample.
    /// Returns false and skips nothing without a valid index, if chunks are skipped already, and if another program
    /// wrote the capture, whose numbers and times need not be those of samples.
    bool seek(std::istream& again, const Range& range, std::uint64_t first);

    /// Returns the number of samples that `next` has returned or skipped before the end, if chunks were skipped after
    /// the last of them: the end of the capture then has more. Otherwise returns none.
    std::optional<std::uint32_t> cut_at() const noexcept;
    /// Returns the number of samples that a capture of hkpd states with its last sample; 0 without a valid index.
    static std::uint32_t count_samples(std::istream& stream, const Limits& limits);

    /// Returns the next record, which is of any kind except provenance; `std::nullopt` at the end of the file.
    /// `Place::record` in `Record::place` is the number of records that `next` returned before.
    std::optional<Record> next(const FaultSink& faults);

    /// Returns the properties of the capture, which the summary at the end of the file states. If the summary is
    /// missing or wrong, reads the whole file instead. A reader can be used either for `info` or for `next`, not for
    /// both.
    CaptureInfo info(const FaultSink& faults);
    /// Returns the metadata records read so far. When `next` returns its first record, all metadata records that
    /// precede the first message in the file have been read.
    std::span<const CaptureInfo::MetadataRecord> metadata() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
