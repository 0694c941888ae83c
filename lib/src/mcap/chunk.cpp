#include "mcap/chunk.hpp"

// zstd.h declares ZSTD_d_stableOutBuffer for static linking only, but zstd's shared library has supported it since
// 1.4.7.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/zstd_result.hpp"

namespace hkpd::mcap {
namespace {

constexpr std::size_t first_step = std::size_t{64} * 1024;
/// Highest credible compression ratio. Chunks of consecutive samples seldom have a higher ratio; a chunk that consists
/// of zeros can have one. The memory for the output of a chunk with a higher ratio is not allocated in advance, but
/// grows with the output.
constexpr std::uint64_t believed_ratio = 256;

}  // namespace

void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
}

std::expected<Bytes, Error> Decompressor::open(const Chunk& chunk, std::uint64_t at, std::uint64_t limit) {
    const auto fault = [at](Errc code, std::string_view field, std::uint64_t expected, std::uint64_t found) {
        return std::unexpected(Error{code, at, "Chunk", field, expected, found});
    };
    const std::uint64_t size = chunk.uncompressed_size;
    if (size > limit) return fault(Errc::chunk_limit, "uncompressed_size", limit, size);
    Bytes records(chunk.records.span());
    if (chunk.compression == "zstd") {
        const auto at_once = [all = chunk.records]() mutable { return std::exchange(all, {}); };
        if (const auto whole = open_in_pieces(chunk, limit, at_once)) return *whole;
        // `open_in_pieces` also fails if the chunk is valid but its stated size is not credible, or if its records are
        // several zstd frames. `decompress` can decompress such chunks, because it enlarges the output as needed. If
        // the chunk is damaged, `decompress` finds the fault.
        const End end = decompress(chunk.records, size);
        if (end == End::damaged || end == End::input_ended) return fault(Errc::chunk_damaged, "records", 0, 0);
        if (end == End::too_long) return fault(Errc::chunk_size, "uncompressed_size", size, size + 1);
        records = Bytes(out_.span().first(size_));
    } else if (!chunk.compression.empty()) {
        return fault(Errc::chunk_compression, "compression", 0, 0);
    }
    if (records.size() != size) return fault(Errc::chunk_size, "uncompressed_size", size, records.size());
    const std::uint32_t crc = chunk.uncompressed_crc == 0 ? 0 : crc32(0, records);
    if (crc != chunk.uncompressed_crc)
        return fault(Errc::chunk_checksum, "uncompressed_crc", chunk.uncompressed_crc, crc);
    return records;
}

/// Decompresses a chunk straight into the output, which works for most chunks, and returns the output; none if this
/// fails. zstd then needs no window, which would be as large as the chunk, and no copying from the window to the
/// output. Computes the checksum after each piece, while the output of the piece is still in the processor's cache.
std::optional<Bytes> Decompressor::open_in_pieces(const Chunk& chunk, std::uint64_t limit, const Pieces& next) {
    if (chunk.compression != "zstd" || chunk.uncompressed_size > limit) return std::nullopt;
    Bytes piece = next();
    if (!reserve(chunk, piece)) return std::nullopt;
    const Bytes out(out_.span().first(static_cast<std::size_t>(chunk.uncompressed_size)));
    ZSTD_outBuffer place{out_.span().data(), static_cast<std::size_t>(out.size()), 0};
    std::uint32_t crc = 0;
    std::size_t more = 1;
    for (; !piece.empty(); piece = next()) {
        const std::size_t done = place.pos;
        for (ZSTD_inBuffer in{piece.data(), piece.size(), 0}; in.pos < in.size;) {
            // No bytes may follow the frame.
            if (more == 0) return std::nullopt;
            more = ZSTD_decompressStream(context_.get(), &place, &in);
            if (is_zstd_error(more)) return std::nullopt;
        }
        if (chunk.uncompressed_crc != 0) crc = crc32(crc, out.slice(done, place.pos - done));
    }
    if (more != 0 || place.pos != place.size || crc != chunk.uncompressed_crc) return std::nullopt;
    return out;
}

Bytes Decompressor::beginning(const Chunk& chunk, std::uint64_t most) {
    if (chunk.compression.empty()) return Bytes(chunk.records.clip(0, most).span());
    if (chunk.compression != "zstd" || decompress(chunk.records, most) == End::damaged) return {};
    return Bytes(out_.span().first(size_));
}

/// Allocates a chunk's output and prepares zstd. `first`: the first piece of the compressed records. Returns false if
/// the zstd frame does not state the same size as the chunk, or if the size is not credible.
bool Decompressor::reserve(const Chunk& chunk, Bytes first) {
    const std::uint64_t size = chunk.uncompressed_size;
    if (ZSTD_getFrameContentSize(first.data(), first.size()) != size) return false;
    if (size > out_.size() && size / believed_ratio > chunk.records_size) return false;
    out_.renew(static_cast<std::size_t>(size));
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_and_parameters);
    // Allows any window size. A large window costs no memory here: the setting ZSTD_d_stableOutBuffer below makes zstd
    // use the output buffer as its window.
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, ZSTD_WINDOWLOG_MAX);
    return !is_zstd_error(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_stableOutBuffer, 1));
}

/// Decompresses the bytes of `from`, frame by frame, and writes at most `most` bytes to `out_`.
Decompressor::End Decompressor::decompress(Bytes from, std::uint64_t most) {
    size_ = 0;
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_and_parameters);
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    std::size_t more = 0;
    while (true) {
        // Doubles `out_` when it is full. `out_` keeps its size from one chunk to the next, so it may already be large.
        if (size_ == out_.size() && size_ < most)
            out_.grow(static_cast<std::size_t>(std::min<std::uint64_t>(most, std::max(first_step, out_.size() * 2))));
        // After `most` bytes of output, the rest of the input must not produce any output: it can only be a frame's
        // checksum or an empty frame. Therefore `beyond` is passed as the output buffer. If zstd writes a byte to it,
        // the records are too long.
        const auto space = static_cast<std::size_t>(std::min<std::uint64_t>(out_.size(), most) - size_);
        std::byte beyond{};
        const auto free = space == 0 ? std::span(&beyond, 1) : out_.span().subspan(size_, space);
        ZSTD_outBuffer out{free.data(), free.size(), 0};
        const std::size_t taken = in.pos;
        more = ZSTD_decompressStream(context_.get(), &out, &in);
        if (is_zstd_error(more)) return End::damaged;
        if (space == 0 && out.pos != 0) return End::too_long;
        size_ += out.pos;
        if (in.pos == in.size && (more == 0 || out.pos < out.size)) break;
        if (in.pos == taken && out.pos == 0) return End::damaged;
    }
    return more == 0 ? End::complete : End::input_ended;
}

}  // namespace hkpd::mcap
