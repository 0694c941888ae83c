// A chunk's records, decompressed and compressed. The sizes that a chunk states are not trusted.
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

/// Keeps its memory from chunk to chunk.
class Decompressor {
  public:
    Decompressor();

    /// The records of a chunk, once size and checksum hold; `at` is where in the file the chunk's record begins.
    /// A size is believed where the zstd frame states it too and it is no more than data are often compressed to; else
    /// the memory grows with the records, so that it costs no more than there really is. Valid until the next call, and
    /// as long as the chunk's bytes are.
    std::expected<Bytes, Error> open(const Chunk& chunk, std::uint64_t at, std::uint64_t limit);

    /// The next bytes of a chunk's records; none at their end. Valid until the next call.
    using Pieces = std::function<Bytes()>;
    /// The same of a chunk whose records come in pieces, so that nobody holds all of them compressed. Nothing where
    /// anything is wrong or other than in most chunks: that is for `open` to say. Valid until the next call.
    std::optional<Bytes> open_in_pieces(const Chunk& chunk, std::uint64_t limit, const Pieces& next);

    /// What can be told of a chunk's records from the first bytes of them, at most `most` bytes; unchecked.
    Bytes begin(const Chunk& chunk, std::uint64_t most);

  private:
    enum class End : std::uint8_t { whole, input_ended, damaged, too_long };
    bool reserve(const Chunk& chunk, Bytes first);
    End decompress(Bytes from, std::uint64_t most);

    struct Free {
        void operator()(ZSTD_DCtx_s* context) const noexcept;
    };
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    ReusableBytes out_;
    std::size_t size_ = 0;  // how much of `out_` is filled
};

/// A whole chunk is one window, so that each sample is seen by all behind it: zstd takes as much of it as there are
/// bytes. Such a frame is a single segment that states its size; those who decompress it in one piece need no window,
/// as the MCAP format's own reader for Node.js does (tried with chunks of 98 MB), and zstd's streaming decoders take up
/// to 128 MiB unless they are told otherwise (zstd.h, ZSTD_WINDOWLOG_LIMIT_DEFAULT).
inline constexpr int window_log = 27;

/// From `at` on, bytes are likely those that stand `distance` before; 0: like none.
struct Likeness {
    std::size_t at = 0, distance = 0;
};

/// Compresses chunks, and makes large neighbouring samples small: zstd's own tables remember, at the speed that a
/// recorder needs, no more than some hundred kilobytes of changing values. So what a sample has in common with the one
/// before it is found here, and zstd writes it down, as a frame like any other. Keeps its memory from chunk to chunk.
class Compressor {
  public:
    explicit Compressor(int level);
    ~Compressor();
    Compressor(const Compressor&) = delete;
    Compressor& operator=(const Compressor&) = delete;

    /// Returns the bytes as one zstd frame; nothing where that would not be smaller. Valid until the next call.
    /// `likenesses`, by rising `at`, state where in the bytes samples and their neighbours are.
    std::string_view compress(std::string_view bytes, std::span<const Likeness> likenesses);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd::mcap
