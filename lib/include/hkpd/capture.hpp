// Captures: the data of a run in one file, with its titles and its provenance. The file is an MCAP container
// (mcap.dev/spec) with profile `x-hkpd`, so that other programs can open, list, cut, merge and recover it. Nothing here
// interprets the contents of a block.
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
struct Limits;

/// The message encodings of the channels in a capture. An encoding identifies what the messages of its channel are.
///
/// Each machine has one channel for its V1 blocks, one for its V2 blocks, and one for the identifiers of its V2 queries
/// (which precede the block that answers them, in the same sample). It also has one channel for each of its title
/// tables and one for each registration answer about a counterset.
///
/// Channels have the metadata `machine` where the machine is known. Titles add `name` (of the original file) and
/// `language`; registrations add `counterset` (its GUID in braces), `request` (a number, `v2::RegistrationRequest`),
/// `language`, and `title_index` where it is known. A performance log has one channel for its rows and one each for its
/// header, catalogue and trailer, all with the metadata `log` (its GUID in braces).
namespace capture_encoding {
inline constexpr std::string_view prefix = "x-hkpd-";  ///< common prefix, also of encodings of later versions
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

/// The limits at which a chunk ends, whichever is reached first. After a crash only complete chunks can be read.
struct CaptureOptions {
    std::uint32_t samples = 64;  ///< number of samples in a chunk
    /// Uncompressed bytes, checked at the end of each sample. A single sample of 8 MiB or more waits for one more
    /// sample, because neighbouring samples make each other compress better: a 49 MB sample in which a quarter of the
    /// values changed compresses to a third of what it takes alone. It does not wait for two more, because a reader has
    /// to hold a complete chunk in memory: this way it holds two samples at most.
    std::uint64_t bytes = 8ULL << 20U;
    /// Age of a chunk, checked at the end of each sample; 0: each sample has a chunk of its own.
    std::chrono::milliseconds time{10000};
    int level = 3;                 ///< zstd compression level
    std::string library = "hkpd";  ///< name of the writing program, for the file's header
};

/// Writes a capture sequentially, without seeking: to a file or a pipe. Neighbouring samples in a chunk make each other
/// compress better. A chunk describes all the channels that it uses, so that it can be read without the other chunks.
class CaptureWriter {
  public:
    /// Receives the next bytes of the file and hands them to the system before it returns. Returns false on failure.
    using Sink = std::function<bool(std::span<const std::byte>)>;
    /// Keys and values, in UTF-8.
    using Metadata = std::map<std::string, std::string>;

    /// Begins a file. All bytes of the file go to `sink` in order, each once, beginning with this call.
    CaptureWriter(Sink sink, const CaptureOptions& options);
    ~CaptureWriter();  ///< does not call `finish`: an unfinished capture ends truncated, as after a crash
    CaptureWriter(const CaptureWriter&) = delete;
    CaptureWriter& operator=(const CaptureWriter&) = delete;

    /// Writes a metadata record, such as provenance: machine, OS, query, language, tool version.
    void add_metadata(std::string_view name, const Metadata& entries);
    /// Adds a title database or a registration. These get chunks of their own, so that readers can find them without
    /// reading the samples next to them.
    void add_reference(const Record& reference);
    /// Adds a block of the current sample, or the identifiers that belong to the block. `record.time` must be set;
    /// `machine` may be empty.
    void add_block(const Record& block);
    /// Ends the current sample; blocks added afterwards belong to the next one.
    void end_sample();
    /// Writes the open chunk, the summary with the index, and the footer. Nothing can be added afterwards.
    void finish();

    /// Returns whether everything so far was written and fits the format (at most 65,535 channels).
    bool good() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Determines the machine and time of each block and where samples end, as `SampleReader` does, and passes each block
/// to the writer byte for byte. A record that cannot be opened as a block is reported and not recorded. Each V2 block
/// is written with the identifiers that it answers: those immediately before it, or else a copy of the machine's most
/// recent ones.
class Recorder {
  public:
    /// Keeps a reference to `writer`.
    explicit Recorder(CaptureWriter& writer);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// A title database that is written before the first block of each machine.
    struct TitleFile {
        std::string name, content, language;  ///< name and unchanged bytes of the file; `009`, or empty
    };
    /// Adds a title database. Must be called before the first record is added.
    void add_titles(TitleFile file);
    /// Sets the provenance of the blocks; it is written once for each machine, with the machine's name.
    void set_provenance(std::map<std::string, std::string> entries);
    /// Takes the next record, which is used only during the call.
    void add(const Record& record, const FaultSink& faults);
    /// Ends the last sample. For each machine whose records state their cost, writes the metadata record `collection`
    /// with the number of samples whose cost is known, their bytes and their nanoseconds: `v1_samples`, `v1_bytes`,
    /// `v1_nanoseconds`, and the same for `v2`.
    void finish();

    /// Returns the number of samples written so far.
    std::uint64_t samples() const noexcept;
    /// Returns the number of blocks written so far.
    std::uint64_t blocks() const noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

/// A capture file, written from the first block to the last:
///
///     auto capture = CaptureFile::create("run.mcap");
///     capture->add({.bytes = Bytes(block)}, faults);  // as RegQueryValueEx returned it; once for each block
///     capture->finish();
class CaptureFile {
  public:
    /// Creates the file, replacing an existing one. Fails with `cannot_write` and the system's error number.
    static std::expected<CaptureFile, Error> create(const std::string& path, const CaptureOptions& options = {});
    CaptureFile(CaptureFile&&) noexcept;
    CaptureFile& operator=(CaptureFile&&) noexcept;
    ~CaptureFile();  ///< does not call `finish`: an unfinished capture ends as after a crash

    /// Adds the next record, as `Recorder::add` does.
    void add(const Record& record, const FaultSink& faults);
    /// Returns the recorder that takes the records: for adding titles and provenance.
    Recorder& recorder() noexcept;
    /// Writes what is still open, and the index. Fails with `cannot_write` if not everything could be written.
    std::expected<void, Error> finish();

  private:
    struct State;
    explicit CaptureFile(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
};

/// A capture's description of itself.
struct CaptureInfo {
    /// A channel: one that `capture_encoding` describes, or another program's.
    struct Channel {
        std::uint16_t id = 0;
        std::string topic, encoding;  ///< `v1/DEMO`; `x-hkpd-v1`
        std::map<std::string, std::string> metadata;
        std::uint64_t messages = 0;
    };
    /// Provenance: `hkpd` (machine, os, tool, ...), `collection` (the cost of collecting), or another program's.
    struct MetadataRecord {
        std::string name;
        std::map<std::string, std::string> entries;
    };
    std::string profile, library;  ///< `x-hkpd`; name of the program that wrote the file
    bool finished = false;         ///< whether the file is complete to its end
    bool indexed = false;          ///< whether the summary was usable; otherwise the whole file was read
    std::uint64_t file_bytes = 0;
    std::uint64_t chunks = 0, compressed_bytes = 0, uncompressed_bytes = 0;
    std::uint64_t messages = 0;
    std::optional<std::uint64_t> first_time, last_time;  ///< of the messages, in nanoseconds since 1970 (UTC)
    std::uint64_t attachments = 0;
    std::vector<Channel> channels;
    std::vector<MetadataRecord> metadata;
};

/// Reads a capture in constant memory: one chunk at a time, delivered only if its checksum is right. Damage costs one
/// chunk and is reported; a file without its end is read as far as it goes.
class CaptureReader {
  public:
    /// Returns whether an input begins with the magic of a capture.
    static bool is_capture(Bytes first_bytes) noexcept;
    /// Returns whether a stream begins with the magic of a capture. The stream's position is unchanged; if it cannot
    /// seek, only the first byte is examined.
    static bool is_capture(std::istream& stream);
    /// Number of bytes that `is_capture` examines.
    static constexpr std::size_t magic_size = 8;

    /// Reads from the current position of the stream, which must be at the magic. The index is used where it helps and
    /// the stream can seek.
    CaptureReader(std::istream& stream, const Limits& limits);
    ~CaptureReader();
    CaptureReader(const CaptureReader&) = delete;
    CaptureReader& operator=(const CaptureReader&) = delete;

    /// Makes `next` skip chunks that, according to the index, hold nothing of the range and no titles or registrations.
    /// Without a valid index nothing is skipped. Records that `next` returns must still be compared with the range.
    /// Must be called before `next`.
    void seek(const Range& range, const FaultSink& faults);
    /// Returns the number of samples that `seek` skipped, if it skipped by their number.
    std::uint64_t skipped_samples() const noexcept;

    /// Returns the next block, identifiers, title database or registration; none at the end. `Record::place` holds its
    /// number.
    std::optional<Record> next(const FaultSink& faults);

    /// Returns the capture's description of itself, from the summary; if that is missing or wrong, by reading the whole
    /// file. Must be called instead of `next`.
    CaptureInfo info(const FaultSink& faults);
    /// Returns the metadata records encountered so far (once `next` has returned its first record, those before the
    /// first message).
    std::span<const CaptureInfo::MetadataRecord> metadata() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
