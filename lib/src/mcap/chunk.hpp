// Decompresses and compresses a chunk's records. The sizes that a chunk states are not trusted.
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

/// Decompresses chunks; reuses its memory.
class Decompressor {
  public:
    Decompressor();

    /// Returns the records of a chunk after checking size and checksum; `at` is the file offset of the chunk's record.
    /// The chunk's stated size is allocated at once if the zstd frame states the same size and the ratio is credible.
    /// Otherwise the memory grows with the records. Valid until the next call, and no longer than the chunk's bytes.
    std::expected<Bytes, Error> open(const Chunk& chunk, std::uint64_t at, std::uint64_t limit);

    /// Returns the next piece of a chunk's records; empty at their end. Valid until the next call.
    using Pieces = std::function<Bytes()>;
    /// Returns the records of a chunk that is passed in pieces, so that the compressed bytes need not all be in memory.
    /// None if the chunk is damaged or is not one zstd frame that states a credible size; the caller then needs `open`.
    /// Valid until the next call.
    std::optional<Bytes> open_in_pieces(const Chunk& chunk, std::uint64_t limit, const Pieces& next);

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

/// Base-2 logarithm of the size of zstd's window, in bytes. The window covers the complete chunk, so that all samples
/// can refer to earlier samples; for a smaller chunk, zstd uses a smaller window. If the window covers a complete
/// frame, the frame is a single segment and states its size. Readers that decompress the frame in one piece need no
/// window. MCAP's own reader for Node.js does so (tried with chunks of 98 MB). zstd's streaming decoders accept windows
/// up to 128 MiB by default (zstd.h, ZSTD_WINDOWLOG_LIMIT_DEFAULT).
inline constexpr int window_log = 27;

/// A hint that the bytes from `at` on probably equal the bytes `distance` earlier. A `distance` of 0 means no hint.
struct Likeness {
    std::size_t at = 0, distance = 0;
};

/// Compresses chunks well even if consecutive samples are large. At the speed that a recorder needs, zstd's own tables
/// cover only some hundred kilobytes of changing values. This class therefore finds the bytes that a sample has in
/// common with the previous sample, and zstd encodes these matches as an ordinary frame. Reuses its memory.
class Compressor {
  public:
    explicit Compressor(int level);
    ~Compressor();
    Compressor(const Compressor&) = delete;
    Compressor& operator=(const Compressor&) = delete;

    /// Returns the bytes as one zstd frame; empty if the frame would not be smaller. Valid until the next call.
    /// `likenesses`, in ascending order of `at`, state where each message begins and how far back its likely match is.
    std::string_view compress(std::string_view bytes, std::span<const Likeness> likenesses);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd::mcap
