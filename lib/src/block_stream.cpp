#include "block_stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hkpd {
namespace {

constexpr std::uint64_t header_size = 88, signature_size = 8;
/// What a block may be longer than it says: its header (Samba), Wine's gap, and the signature of the next block.
constexpr std::uint64_t beyond_length = header_size + signature_size;
constexpr std::uint64_t chunk = std::uint64_t{64} * 1024;

}  // namespace

bool BlockStream::empty() {
    fill(1);
    return begin_ == end_;
}

bool BlockStream::begins_with_block() {
    fill(signature_size);
    return v1::is_block(window());
}

std::optional<Bytes> BlockStream::next(Diagnostics& diagnostics) {
    consume(given_);
    given_ = 0;
    fill(header_size);
    if (started_) skip_to_block(diagnostics);
    started_ = true;
    if (begin_ == end_) return std::nullopt;
    if (v1::is_block(window())) {
        const std::uint64_t want = wanted_bytes();
        fill(std::min(want, limits_.bytes));
        if (want > limits_.bytes && window().size() >= limits_.bytes)
            diagnostics.add(Severity::error, {Errc::byte_limit, offset_ + 20, "PERF_DATA_BLOCK", "TotalByteLength",
                                              want - beyond_length, limits_.bytes});
        Diagnostics unheard(0);  // whoever decodes the block reports what is wrong with it
        const bool opened = probe_.open(window(), unheard).has_value();
        given_ = opened ? probe_.bytes().size() : std::min<std::size_t>(window().size(), header_size);
    } else {
        given_ = end_ - begin_;
        foreign_ = true;
    }
    return window().clip(0, given_);
}

/// What a block that begins here may need: its own length, wrong or not, and more.
std::uint64_t BlockStream::wanted_bytes() const noexcept {
    const Bytes bytes = window();
    if (bytes.size() < header_size) return header_size;
    const ByteOrder order = bytes.data()[0] == std::byte{'P'} ? ByteOrder::little : ByteOrder::big;
    const auto total = load<std::uint32_t>(bytes.data() + 20, order);
    const auto header = load<std::uint32_t>(bytes.data() + 24, order);
    return std::uint64_t{total} + std::min<std::uint32_t>(header, 64 * 1024) + beyond_length;
}

/// Drops bytes that belong to no block, up to the next signature or the end.
void BlockStream::skip_to_block(Diagnostics& diagnostics) {
    const std::uint64_t from = offset_;
    bool zero = true;
    while (begin_ != end_ && !v1::is_block(window())) {
        const auto bytes = window().span();
        std::size_t skip = 1;
        while (skip + signature_size <= bytes.size() && !v1::is_block(window().from(skip))) ++skip;
        if (skip + signature_size > bytes.size()) {
            const std::size_t before = bytes.size();
            fill(before + chunk);
            if (end_ - begin_ == before) skip = before;
        }
        const auto dropped = window().clip(0, skip).span();
        zero = zero && std::ranges::all_of(dropped, [](std::byte b) { return b == std::byte{0}; });
        consume(skip);
    }
    // Of a stream that does not begin with a block, it has been said that it is none.
    if (offset_ != from && !std::exchange(foreign_, false))
        diagnostics.add(zero ? Severity::note : Severity::warning,
                        {Errc::leftover_bytes, from, "PERF_DATA_BLOCK", "", 0, offset_ - from});
}

void BlockStream::fill(std::uint64_t want) {
    if (end_ - begin_ >= want) return;
    if (begin_ != 0 && end_ != begin_) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    // In steps, so that a length that lies costs no more memory than there are bytes.
    while (end_ < want && stream_) {
        const std::uint64_t step = std::max<std::uint64_t>(chunk, end_);
        const auto size = static_cast<std::size_t>(std::min(want, end_ + step));
        if (buffer_.size() < size) buffer_.resize(size);
        stream_.read(reinterpret_cast<char*>(buffer_.data() + end_), static_cast<std::streamsize>(size - end_));
        end_ += static_cast<std::size_t>(stream_.gcount());
    }
}

void BlockStream::consume(std::size_t count) noexcept {
    begin_ += count;
    offset_ += count;
}

}  // namespace hkpd
