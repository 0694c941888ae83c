// A capture: the data of a run, with its titles and where it comes from, in one file. An MCAP container
// (mcap.dev/spec), profile `x-hkpd`, so that other programs open, list, cut, merge and recover it too. Knows nothing of
// what is in a blob.
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

/// Channels carry what they are as message encoding. Each machine has one for its blocks of either kind and one for the
/// identifiers of its V2 queries (which stand before the block that answers them, in the same sample), one for each of
/// its title tables and one for each answer that it gave on a counterset. Metadata of a channel: `machine`; of titles
/// also `name` (of the file that they were) and `language`; of registrations `counterset` (its GUID in braces),
/// `request` (a number, `v2::RegistrationRequest`), `language`, and `title_index` where it is known. A performance log
/// has one for its rows and one each for what goes with them, all with `log` (its GUID in braces).
namespace capture_encoding {
inline constexpr std::string_view prefix = "x-hkpd-";  ///< of all of them, those of later versions too
/// One for each `Record::Kind` but provenance, which is metadata.
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

/// When a chunk ends, at the latest: only whole chunks can be read again after a crash.
struct CaptureOptions {
    std::uint32_t samples = 64;  ///< after so many samples
    /// At the end of the sample with which it holds so many bytes. A single sample of 8 MiB or more waits for one more,
    /// as neighbours make each other small: 49 MB with a quarter of the values changed take a third of their size
    /// alone. Not for two more, as who reads has to hold a whole chunk: then it is twice a sample at most.
    std::uint64_t bytes = 8ULL << 20U;
    std::chrono::milliseconds time{10000};  ///< at the end of the first sample after so long; 0: after each sample
    int level = 3;                          ///< of zstd
    std::string library = "hkpd";           ///< the program that writes, for the file's header
};

/// Writes a capture from front to back, never looking back: to a file or a pipe. Neighbouring samples in a chunk make
/// each other small; a chunk names all the channels that it uses, so that it can be read without the others.
class CaptureWriter {
  public:
    /// Takes the next bytes of the file, and hands them to the system before it returns; false where that fails.
    using Sink = std::function<bool(std::span<const std::byte>)>;
    /// Keys and values, UTF-8.
    using Metadata = std::map<std::string, std::string>;

    /// Begins a file: the first bytes go to `sink`, as all that follow, in order and each once.
    CaptureWriter(Sink sink, const CaptureOptions& options);
    ~CaptureWriter();  ///< does not `finish`: what was not finished is torn, as after a crash
    CaptureWriter(const CaptureWriter&) = delete;
    CaptureWriter& operator=(const CaptureWriter&) = delete;

    /// Provenance: machine, OS, query, language, tool version.
    void add_metadata(std::string_view name, const Metadata& entries);
    /// What names the data: titles and registrations. They get a chunk of their own, so that readers find them without
    /// the samples beside them.
    void add_reference(const Record& reference);
    /// A block of the sample at hand, or the identifiers that belong to it. `record.time` must be set; `machine` may be
    /// empty.
    void add_block(const Record& block);
    /// The sample at hand is complete; what is added next belongs to the next one.
    void end_sample();
    /// Writes what is still open, the summary with the index, and the end. Nothing can be added behind it.
    void finish();

    /// False since something could not be written or would not fit the format (more than 65,535 channels).
    bool good() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Finds out of each block whose it is, when it was taken and where samples end, as `SampleReader` does, and hands it
/// to the writer byte for byte. What cannot be opened as a block is reported and not recorded. Each V2 block is
/// written with the identifiers that it answers: those in front of it, else again those that came last of its machine.
class Recorder {
  public:
    /// Keeps a reference to `writer`.
    explicit Recorder(CaptureWriter& writer);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// A title database for the machines whose blocks come: written in front of the first block of each.
    struct TitleFile {
        std::string name, content, language;  ///< of the file; its bytes as they are; `009`, or empty
    };
    /// To be called before the first record.
    void add_titles(TitleFile file);
    /// What is to be said of where the blocks come from: written once for each machine, with its name.
    void set_provenance(std::map<std::string, std::string> entries);
    /// Takes the next record, which is used during the call only.
    void add(const Record& record, const FaultSink& faults);
    /// The last sample is complete. Where records told their cost, metadata `collection` of each machine says how many
    /// samples it was told of, with how many bytes and nanoseconds: `v1_samples`, `v1_bytes`, `v1_nanoseconds`, and so
    /// on for `v2`.
    void finish();

    /// How many were written so far.
    std::uint64_t samples() const noexcept;
    std::uint64_t blocks() const noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

/// A capture in a file, from the first block to the last:
///
///     auto capture = CaptureFile::create("run.mcap");
///     capture->add({.bytes = Bytes(block)}, faults);  // as RegQueryValueEx returned it; and the next one
///     capture->finish();
class CaptureFile {
  public:
    /// Creates the file; one that is there is replaced. Fails with `cannot_write` and the system's error number.
    static std::expected<CaptureFile, Error> create(const std::string& path, const CaptureOptions& options = {});
    CaptureFile(CaptureFile&&) noexcept;
    CaptureFile& operator=(CaptureFile&&) noexcept;
    ~CaptureFile();  ///< does not `finish`: the capture then ends as after a crash

    /// Adds the next record, as `Recorder::add` does.
    void add(const Record& record, const FaultSink& faults);
    /// What takes the records: for titles and provenance.
    Recorder& recorder() noexcept;
    /// Writes what is still open, and the index. Fails with `cannot_write` where not all could be written.
    std::expected<void, Error> finish();

  private:
    struct State;
    explicit CaptureFile(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
};

/// What a capture says of itself.
struct CaptureInfo {
    /// A channel: what `capture_encoding` describes, or another program's.
    struct Channel {
        std::uint16_t id = 0;
        std::string topic, encoding;  ///< `v1/DEMO`; `x-hkpd-v1`
        std::map<std::string, std::string> metadata;
        std::uint64_t messages = 0;
    };
    /// Provenance: `hkpd` (machine, os, tool, ...), `collection` (what it cost), or another program's.
    struct MetadataRecord {
        std::string name;
        std::map<std::string, std::string> entries;
    };
    std::string profile, library;  ///< `x-hkpd`; who wrote it
    bool finished = false;         ///< whether the end is there
    bool indexed = false;          ///< whether the summary could be used; else the whole file was read
    std::uint64_t file_bytes = 0;
    std::uint64_t chunks = 0, compressed_bytes = 0, uncompressed_bytes = 0;
    std::uint64_t messages = 0;
    std::optional<std::uint64_t> first_time, last_time;  ///< of messages, in nanoseconds since 1970 (UTC)
    std::uint64_t attachments = 0;
    std::vector<Channel> channels;
    std::vector<MetadataRecord> metadata;
};

/// Reads a capture in constant memory: one chunk at a time, delivered only when its checksum holds. What is damaged
/// costs one chunk and is reported; a file without its end is read as far as it goes.
class CaptureReader {
  public:
    /// Whether an input begins as a capture does.
    static bool is_capture(Bytes first_bytes) noexcept;
    /// Likewise of a stream, which stays where it is; of one that cannot seek only the first byte is seen.
    static bool is_capture(std::istream& stream);
    /// Bytes that `is_capture` looks at.
    static constexpr std::size_t magic_size = 8;

    /// Reads from where the stream stands: the magic. Streams that can seek are read with their index where it helps.
    CaptureReader(std::istream& stream, const Limits& limits);
    ~CaptureReader();
    CaptureReader(const CaptureReader&) = delete;
    CaptureReader& operator=(const CaptureReader&) = delete;

    /// From now on, passes over chunks that hold nothing of the range, no titles and no registrations, by the index;
    /// without a sound index nothing is passed over. What comes still has to be compared with the range. To be called
    /// before `next`.
    void seek(const Range& range, const FaultSink& faults);
    /// How many samples `seek` has passed over, where it went by their number.
    std::uint64_t skipped_samples() const noexcept;

    /// The next block, identifiers, title database or registration; none at the end. `Record::place` has the
    /// number of each.
    std::optional<Record> next(const FaultSink& faults);

    /// What the capture says of itself: from its summary, or where that is missing or wrong by reading all of it. To be
    /// called instead of `next`.
    CaptureInfo info(const FaultSink& faults);
    /// The metadata records met so far (those before the first message, when `next` has given the first).
    std::span<const CaptureInfo::MetadataRecord> metadata() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
