// V2 blocks end to end in a stream of bytes, brought into memory one at a time.
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

/// Cuts a stream into blocks by dwTotalSize. Nothing else marks where a block begins: where a length leads to no block
/// (it was damaged, or the stream is none of blocks) all that is behind it belongs to it, or is lost.
class V2BlockStream {
  public:
    V2BlockStream(std::istream& stream, const Limits& limits) : window_(stream), limits_(limits) {}

    /// The next block; none at the end. Valid until the next call. Says what is no block.
    std::optional<Bytes> next(const FaultSink& faults);

  private:
    void skip_padding(const FaultSink& faults);
    bool valid_as_stated();
    bool confirmed(std::uint64_t end);
    Bytes doubtful_bytes();
    std::optional<Bytes> doubtful(const FaultSink& faults);

    StreamWindow window_;
    Limits limits_;
    std::uint64_t given_ = 0;           // bytes of the block that was given last, still in the window
    std::uint64_t looked_through_ = 0;  // bytes, again for each doubtful block
    std::uint64_t seen_ = 0;            // bytes of the stream up to where it was looked through
    bool ended_ = false;
    v2::DataBlock probe_;
};

}  // namespace hkpd
