// Compresses chunks, and makes large neighbouring samples small: zstd's own tables remember, at the speed that a
// recorder needs, no more than some hundred kilobytes of changing values. So what a sample has in common with the one
// before it is found here, and zstd writes it down, as a frame like any other.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace hkpd::mcap {

/// A whole chunk is one window, so that each sample is seen by all behind it: zstd takes as much of it as there are
/// bytes. Such a frame is a single segment that states its size; those who decompress it in one piece need no window,
/// as the MCAP format's own reader for Node.js does (tried with chunks of 98 MB), and zstd's streaming decoders take up
/// to 128 MiB unless they are told otherwise (zstd.h, ZSTD_WINDOWLOG_LIMIT_DEFAULT).
inline constexpr int window_log = 27;

/// From `at` on, bytes are likely those that stand `distance` before; 0: like none.
struct Likeness {
    std::size_t at = 0, distance = 0;
};

/// Keeps its memory from chunk to chunk.
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
