// Reads V1 blocks that lie end to end in a stream of bytes, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>

#include "base/stream_window.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

class FaultSink;

/// Splits a stream into blocks. The length in a block's header is not trusted (Samba and Wine write too small a value,
/// and a damaged block may have any value), so each block is opened to find its end. Memory: slightly more than one
/// block.
class BlockStream {
  public:
    BlockStream(std::istream& stream, const Limits& limits) : window_(stream), limits_(limits) {}
    /// Constructs a stream of bytes in memory, which must outlive the stream and are not copied.
    BlockStream(std::span<const std::byte> bytes, const Limits& limits) : window_(bytes), limits_(limits) {}

    /// Returns whether the stream begins with the signature of a block.
    bool begins_with_block();
    bool empty();
    /// Returns the window through which the stream is read. If the stream holds no blocks, and `next` has not been
    /// called yet, a caller can read another format through this window.
    StreamWindow& window() noexcept { return window_; }

    /// Returns the next block; none at the end of the stream. Reports bytes between blocks. If the stream does not
    /// begin with a block, returns the stream's first bytes unchanged, for `Block::open` to reject.
    std::optional<Bytes> next(const FaultSink& faults);
    /// Returns the block that `next` returned last, open, if it has no fault; null otherwise. Valid until the next call
    /// of `next`.
    const v1::Block* opened() const noexcept { return opened_ ? &probe_ : nullptr; }

  private:
    void skip_to_block(const FaultSink& faults);
    bool valid_as_stated();
    Bytes available_bytes(const FaultSink& faults);
    std::uint64_t stated_length() const noexcept;
    std::uint64_t find_block(std::uint64_t from, std::uint64_t most);
    StreamWindow window_;
    const Limits& limits_;
    std::uint64_t given_ = 0;        // size of the block returned last, which is still in the window
    std::uint64_t refused_end_ = 0;  // highest offset in the stream that a rejected length reached
    bool started_ = false;
    bool foreign_ = false;  // the bytes returned last are not a block
    bool opened_ = false;   // whether `probe_` is the block returned last, and has no fault
    v1::Block probe_;
};

}  // namespace hkpd
