// zstd.h declares the functions for sequences for static linking only, but zstd has exported them, unchanged, since
// 1.4.7.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "base/zstd_result.hpp"
#include "mcap/chunk.hpp"

namespace hkpd::mcap {
namespace {

/// Smallest distance in bytes at which the functions in this file find matches. A match is a sequence of bytes that
/// equals earlier bytes; its distance is the offset of the later bytes minus that of the earlier ones. zstd itself
/// finds the matches at smaller distances. If two samples begin at least this far apart, zstd's tables contain little
/// of the first sample when zstd compresses the second. A sample of 657 KB is compressed to 8.5 % of its size with
/// zstd's own matches, and to 6.6 % with the matches found here.
constexpr std::size_t far_distance = std::size_t{256} << 10;
/// Maximum number of bytes that zstd searches at a time. Limited because the buffer for the resulting sequences is five
/// times as large.
constexpr std::size_t piece = std::size_t{16} << 20;
/// Length in bytes of the shortest match that is used. Encoding a shorter match takes as much space as its bytes do
/// without a match.
constexpr std::size_t shortest = 4;
/// Number of bytes after which `append_matches` checks whether the bytes still equal those that are `distance` bytes
/// earlier. If fewer than half of them do, `append_matches` tries other distances. If no other distance is better, it
/// makes the next check after twice as many bytes.
constexpr std::size_t first_look = 256;
/// Limits of the search for a new distance in `best_distance`, in bytes. `farthest`: largest difference between the
/// previous distance and a tried distance. `alignment`: step between the tried distances. If an instance was added or
/// removed, all bytes after it are moved, and the distance changes, by a multiple of the structures' alignment.
constexpr std::size_t farthest = 4096, alignment = 8;
/// Number of 8-byte words that are compared at each tried distance.
constexpr std::size_t words_compared = 8;

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
    return load<std::uint64_t>(std::as_bytes(std::span(bytes.substr(at, sizeof(std::uint64_t)))).data(),
                               ByteOrder::little);
}

/// Returns the number of bytes from `at` on, at most up to `end`, that equal the bytes `distance` earlier.
std::size_t length_of_match(std::string_view bytes, std::size_t at, std::size_t end, std::size_t distance) {
    const std::size_t begin = at;
    for (; end - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t))
        if (const std::uint64_t differ = word_at(bytes, at) ^ word_at(bytes, at - distance); differ != 0)
            return at - begin + static_cast<std::size_t>(std::countr_zero(differ)) / 8;
    while (at < end && bytes[at] == bytes[at - distance]) ++at;
    return at - begin;
}

std::size_t equal_words(std::string_view bytes, std::size_t at, std::size_t distance) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i < words_compared; ++i, at += sizeof(std::uint64_t))
        if (word_at(bytes, at) == word_at(bytes, at - distance)) ++equal;
    return equal;
}

/// Compares the words from `at` on with the words that lie a distance earlier, and returns the distance at which the
/// largest number of words are equal. Tries only distances close to `distance`. Returns `distance` itself if no other
/// distance is better.
std::size_t best_distance(std::string_view bytes, std::size_t at, std::size_t end, std::size_t distance) {
    constexpr std::size_t size = words_compared * sizeof(std::uint64_t);
    if (end - at < size) return distance;
    std::size_t best = distance, most = equal_words(bytes, at, distance);
    const std::size_t low = distance - std::min(distance - size, farthest) / alignment * alignment;
    for (std::size_t there = low; there <= std::min(at, distance + farthest); there += alignment) {
        const std::size_t equal = equal_words(bytes, at, there);
        if (equal <= most) continue;
        most = equal;
        best = there;
    }
    return best;
}

using Sequences = std::vector<ZSTD_Sequence>;

/// Appends a sequence: `literals` bytes without a match, then `length` bytes that equal the bytes `distance` earlier. A
/// `length` of 0 means no match. If the previous sequence has no match, merges its literals into the new sequence.
void append(Sequences& sequences, std::size_t literals, std::size_t length, std::size_t distance) {
    if (!sequences.empty() && sequences.back().matchLength == 0) {
        literals += sequences.back().litLength;
        sequences.pop_back();
    }
    sequences.push_back(
        {static_cast<unsigned>(distance), static_cast<unsigned>(literals), static_cast<unsigned>(length), 0});
}

/// Appends the matches of the bytes from `begin` to `end` with the bytes `distance` earlier. Where bytes were inserted
/// or removed, finds the new distance. Returns false if more than a third of the bytes have no match; zstd should then
/// search these bytes itself.
bool append_matches(std::string_view bytes, std::size_t begin, std::size_t end, std::size_t distance,
                    Sequences& sequences) {
    std::size_t literals = 0, different = 0, equal = 0, looked = begin, look = first_look;
    for (std::size_t at = begin; at < end;) {
        const std::size_t length = length_of_match(bytes, at, end, distance);
        if (length >= shortest) {
            append(sequences, std::exchange(literals, 0), length, distance);
            equal += length;
            at += length;
        } else {
            const std::size_t passed = std::min(length + 1, end - at);
            literals += passed;
            different += passed;
            at += passed;
        }
        if (at - looked < look) continue;
        look = first_look;
        if (equal < (at - looked) / 2) {
            const std::size_t old = std::exchange(distance, best_distance(bytes, at, end, distance));
            if (distance == old) look = 2 * (at - looked);
        }
        looked = at;
        equal = 0;
    }
    append(sequences, literals, 0, 0);
    return different <= (end - begin) / 3;
}

}  // namespace

struct Compressor::State {
    struct Free {
        void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
    };
    using Context = std::unique_ptr<ZSTD_CCtx, Free>;

    /// Compresses `bytes` into `out` with the matches in `likenesses`, and returns the compressed size. Returns 0 if
    /// all matches are nearer than `far_distance`, because zstd finds those by itself. Also returns 0 if `bytes` is
    /// larger than zstd's window, or on failure. The caller then compresses with zstd alone.
    std::size_t compress_matches(std::string_view bytes, std::span<const Likeness> likenesses) {
        const auto is_far = [](const Likeness& like) { return like.distance >= far_distance; };
        if (std::ranges::none_of(likenesses, is_far) || bytes.size() > std::size_t{1} << window_log ||
            !append_all(bytes, likenesses))
            return 0;
        const std::size_t size = ZSTD_compressSequences(writes.get(), out.span().data(), out.size(), sequences.data(),
                                                        sequences.size(), bytes.data(), bytes.size());
        return is_zstd_error(size) ? 0 : size;
    }

    bool append_all(std::string_view bytes, std::span<const Likeness> likenesses) {
        sequences.clear();
        std::size_t begin = 0;
        for (std::size_t i = 0; i <= likenesses.size(); ++i) {
            const std::size_t end = i < likenesses.size() ? likenesses[i].at : bytes.size();
            const std::size_t distance = i == 0 ? 0 : likenesses[i - 1].distance;
            matches.clear();
            if (distance >= far_distance && append_matches(bytes, begin, end, distance, matches)) {
                for (const ZSTD_Sequence& one : matches) append(sequences, one.litLength, one.matchLength, one.offset);
                begin = end;
            }
            for (; begin < end; begin += std::min(piece, end - begin))
                if (!append_generated(bytes.substr(begin, std::min(piece, end - begin)))) return false;
        }
        return true;
    }

    /// Appends the sequences that zstd finds within these bytes alone; returns false on failure.
    bool append_generated(std::string_view bytes) {
        generated.resize(std::max(generated.size(), ZSTD_sequenceBound(bytes.size())));
        const std::size_t count =
            ZSTD_generateSequences(finds.get(), generated.data(), generated.size(), bytes.data(), bytes.size());
        if (is_zstd_error(count)) return false;
        std::size_t missing = bytes.size();
        for (const ZSTD_Sequence& one : std::span(generated).first(count)) {
            append(sequences, one.litLength, one.matchLength, one.offset);
            missing -= std::min<std::size_t>(missing, std::size_t{one.litLength} + one.matchLength);
        }
        // If the last block that zstd makes has only a few bytes, zstd returns no sequence for it. These bytes are
        // appended as literals, that is, bytes without a match.
        append(sequences, missing, 0, 0);
        return missing < shortest * 2;
    }

    Context plain{ZSTD_createCCtx()}, finds{ZSTD_createCCtx()}, writes{ZSTD_createCCtx()};
    Sequences sequences, matches, generated;
    ReusableBytes out;
};

Compressor::Compressor(int level) : state_(std::make_unique<State>()) {
    for (ZSTD_CCtx* const context : {state_->plain.get(), state_->finds.get(), state_->writes.get()}) {
        if (context == nullptr) throw std::bad_alloc();
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, std::clamp(level, ZSTD_minCLevel(), ZSTD_maxCLevel()));
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    }
    ZSTD_CCtx_setParameter(state_->writes.get(), ZSTD_c_minMatch, ZSTD_MINMATCH_MIN);
    ZSTD_CCtx_setParameter(state_->writes.get(), ZSTD_c_validateSequences, 1);
}

Compressor::~Compressor() = default;

std::string_view Compressor::compress(std::string_view bytes, std::span<const Likeness> likenesses) {
    ReusableBytes& out = state_->out;
    out.renew(ZSTD_compressBound(bytes.size()));
    std::size_t size = state_->compress_matches(bytes, likenesses);
    // zstd gets all bytes in one call, so it writes their number into the frame's header. `Decompressor` can then
    // allocate its memory in one piece.
    if (size == 0)
        size = ZSTD_compress2(state_->plain.get(), out.span().data(), out.size(), bytes.data(), bytes.size());
    if (is_zstd_error(size) || size >= bytes.size()) return {};
    return {reinterpret_cast<const char*>(out.span().data()), size};
}

}  // namespace hkpd::mcap
