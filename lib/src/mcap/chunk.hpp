// Decompresses and compresses the records in a chunk of an MCAP file (mcap.dev/spec). The sizes that a chunk states are
// not trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/stream_window.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "mcap/records.hpp"

struct ZSTD_DCtx_s;

namespace hkpd::mcap {

/// Decompresses chunks. Uses its memory again for the next chunk.
class Decompressor {
  public:
    Decompressor();

    /// Decompresses a chunk, checks the size and the checksum of its records, and returns the records. `at`: file
    /// offset of the chunk's record. `limit`: maximum size of the records in bytes. Allocates the memory in one piece
    /// if the zstd frame states the same size as the chunk and the compression ratio is credible. Otherwise the memory
    /// grows with the records. The result is valid until the next call, and only as long as the bytes of `chunk` are
    /// valid.
    std::expected<Bytes, Error> open(const Chunk& chunk, std::uint64_t at, std::uint64_t limit);

    /// A function that returns the next piece of a chunk's compressed records; empty at the end of the records. Each
    /// piece is valid until the next call.
    using Pieces = std::function<Bytes()>;
    /// Decompresses a chunk as `open` does, but gets the compressed records in pieces from `next`, so that they need
    /// not all be in memory. Returns none if the chunk is damaged or is not a single zstd frame with a credible size.
    /// The caller then calls `open` to read the chunk or to learn the fault. The result is valid until the next call.
    std::optional<Bytes> open_in_pieces(const Chunk& chunk, std::uint64_t limit, const Pieces& next);

    /// Returns the beginning of a chunk's records, at most `most` bytes: what the stored records in `chunk`, which may
    /// be incomplete, lead to. Neither size nor checksum is checked. The result is valid as that of `open` is.
    Bytes beginning(const Chunk& chunk, std::uint64_t most);

  private:
    enum class End : std::uint8_t { complete, input_ended, damaged, too_long };
    bool reserve(const Chunk& chunk, Bytes first);
    End decompress(Bytes from, std::uint64_t most);

    struct Free {
        void operator()(ZSTD_DCtx_s* context) const noexcept;
    };
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    ReusableBytes out_;
    std::size_t size_ = 0;  // bytes used in `out_`
};

/// Base-2 logarithm of the size of zstd's window in bytes. The window covers a complete chunk, so that zstd can find
/// matches in all earlier samples of the chunk; for a smaller chunk, zstd uses a smaller window. If the window covers a
/// complete frame, the frame is a single segment and states its size. Readers that decompress the frame in one piece
/// need no window. MCAP's own reader for Node.js decompresses in one piece (tried with chunks of 98 MB). zstd's
/// streaming decoders accept windows up to 128 MiB by default (zstd.h, ZSTD_WINDOWLOG_LIMIT_DEFAULT).
inline constexpr int window_log = 27;

/// A hint that the bytes from `at` on probably equal the bytes `distance` earlier. A `distance` of 0 means no hint.
struct Likeness {
    std::size_t at = 0, distance = 0;
};

/// Compresses chunks well even if consecutive samples are large. At the compression levels that are fast enough for a
/// recorder, zstd's own tables remember only the last few hundred kilobytes of changing values. This class therefore
/// finds the bytes that a sample has in common with the previous sample, and zstd encodes these matches as an ordinary
/// frame. Reuses its memory for the next chunk.
class Compressor {
  public:
    explicit Compressor(int level);
    ~Compressor();
    Compressor(const Compressor&) = delete;
    Compressor& operator=(const Compressor&) = delete;

    /// Returns the bytes as one zstd frame; empty if zstd fails or the frame is not smaller than the bytes. Valid until
    /// the next call. `likenesses`, in ascending order of `at`, state where each message begins and how far back its
    /// likely match is.
    std::string_view compress(std::string_view bytes, std::span<const Likeness> likenesses);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd::mcap
