// V1 blocks end to end in a stream of bytes, brought into memory one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>

#include "base/stream_window.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

class FaultSink;

/// Cuts a stream into blocks. A block's own length is not trusted (Samba's and Wine's are too short, damaged ones are
/// anything), so each is opened to find where it ends. Memory: one block and a little.
class BlockStream {
  public:
    BlockStream(std::istream& stream, const Limits& limits) : stream_(stream), window_(stream), limits_(limits) {}

    /// Whether the stream begins with a block, or with anything at all.
    bool begins_with_block();
    bool empty();
    /// What it reads, for who finds that it is no blocks before the first `next`.
    StreamWindow& window() noexcept { return window_; }

    /// The next block; none at the end. Bytes between blocks are reported. What does not begin as a block at the very
    /// start is given as it is, for `Block::open` to refuse.
    std::optional<Bytes> next(const FaultSink& faults);

  private:
    void skip_to_block(const FaultSink& faults);
    bool valid_as_stated();
    Bytes available_bytes(const FaultSink& faults);
    std::uint64_t stated_length() const noexcept;
    std::uint64_t find_block(std::uint64_t from, std::uint64_t most);
    /// Whether the stream has no more bytes than the window.
    bool ended() { return !stream_ || stream_.peek() == std::istream::traits_type::eof(); }

    std::istream& stream_;
    StreamWindow window_;
    const Limits& limits_;
    std::uint64_t given_ = 0;        // bytes of the block that was given last, still in the window
    std::uint64_t refused_end_ = 0;  // in the stream: how far the stated lengths reached that were tried in vain
    bool started_ = false;
    bool foreign_ = false;  // what was given last is no block
    v1::Block probe_;
};

}  // namespace hkpd
