// Reads V1 blocks that lie end to end in a stream of bytes, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <utility>

#include "base/stream_window.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

class FaultSink;

/// A stream of bytes that is split into V1 blocks. The length in a block's header cannot be trusted: Samba and Wine
/// state too small a length, and a damaged block may state any length. Each block is therefore opened to find its end.
/// The stream keeps slightly more than one block in memory.
class BlockStream {
  public:
    BlockStream(std::istream& stream, const Limits& limits) : window_(stream), limits_(limits) {}
    /// Constructs a stream that reads bytes in memory. The bytes are not copied and must outlive the stream.
    BlockStream(std::span<const std::byte> bytes, const Limits& limits) : window_(bytes), limits_(limits) {}
    /// Constructs a stream that reads what a window shows, which is at the beginning of a stream or of bytes in memory.
    BlockStream(StreamWindow&& window, const Limits& limits) : window_(std::move(window)), limits_(limits) {}

    /// Returns the next block; none at the end of the stream. Reports bytes between blocks. If the stream does not
    /// begin with a block, the first call returns the stream's first bytes unchanged, and `Block::open` then rejects
    /// them.
    std::optional<Bytes> next(const FaultSink& faults);
    /// Returns the block that `next` returned last, already open. Returns null unless this block has the length that
    /// its header states and no fault. The result is valid until the next call of `next`.
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
    std::uint64_t refused_end_ = 0;  // highest end, in the stream, that a rejected length stated
    bool started_ = false;
    bool foreign_ = false;  // the stream's first bytes, which `next` returned, are not a block
    bool opened_ = false;   // whether `probe_` is the block returned last, and has no fault
    v1::Block probe_;
};

}  // namespace hkpd
