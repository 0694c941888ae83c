// Reads consecutive V2 blocks from a stream of bytes, one at a time.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>

#include "base/stream_window.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

class FaultSink;

/// A stream of bytes that is split into V2 blocks by the dwTotalSize of each block, because nothing else marks where a
/// block begins. If a dwTotalSize is damaged, or bytes that belong to no block follow a block, the rest of the stream
/// may be read as part of the current block, or may be lost.
class V2BlockStream {
  public:
    V2BlockStream(std::istream& stream, const Limits& limits) : window_(stream), limits_(limits) {}

    /// Returns the next block; none at the end of the stream. The result is valid until the next call. Reports bytes
    /// that belong to no block.
    std::optional<Bytes> next(const FaultSink& faults);

  private:
    void skip_padding(const FaultSink& faults);
    bool valid_as_stated();
    bool confirmed(std::uint64_t end);
    Bytes doubtful_bytes();
    std::optional<Bytes> doubtful(const FaultSink& faults);

    StreamWindow window_;
    Limits limits_;
    std::uint64_t given_ = 0;           // size of the block returned last, which is still in the window
    std::uint64_t looked_through_ = 0;  // number of bytes examined for doubtful blocks; repeated ones count again
    std::uint64_t seen_ = 0;            // offset up to which the stream was examined for doubtful blocks
    bool ended_ = false;
    v2::DataBlock probe_;
};

}  // namespace hkpd
