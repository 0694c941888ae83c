// Compressed inputs: gzip, zstd, and zip archives of files. Everything is unpacked in memory, within limits on its size
// and on its ratio to the compressed size, so that small inputs cannot cost much time or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "base/stream_window.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"

namespace hkpd {

/// The compressed formats that are read, recognised by content.
enum class Packing : std::uint8_t { none, gzip, zstd, zip };

/// Returns the format of an input from its first bytes; `none` for fewer than `packing_bytes`.
Packing packing_of(Bytes beginning) noexcept;
inline constexpr std::size_t packing_bytes = 4;

/// Content that was unpacked.
struct Unpacked {
    ReusableBytes buffer;
    std::size_t size = 0;

    std::span<const std::byte> span() const noexcept { return buffer.span().first(size); }
};

/// Returns the maximum number of bytes to which `packed` bytes may expand (`Limits::unpacked`, `Limits::expansion`).
std::uint64_t most_unpacked(std::uint64_t packed, const Limits& limits) noexcept;

/// Unpacks an input in the format gzip or zstd: all members or frames, one after another. Bytes after the last are
/// reported. If zstd data is truncated or damaged, reports an error and returns what precedes the damage. Fails if
/// nothing can be unpacked: with `packed_damaged`, or with `unpacked_limit` beyond the limits.
std::expected<Unpacked, Error> unpack(Packing packing, Bytes packed, const Limits& limits, const FaultSink& faults);

/// A zip archive in memory, also with the 64-bit numbers of zip64. Encrypted files and other methods than stored,
/// deflate and zstd are not read.
class ZipArchive {
  public:
    /// Takes the bytes of the archive and reads its directory. Fails with `packed_damaged` if there is none. Damaged
    /// entries of the directory are reported and left out.
    static std::expected<ZipArchive, Error> open(Unpacked archive, const Limits& limits, const FaultSink& faults);

    /// A file of the archive. Directories are left out.
    struct Entry {
        std::string name;          ///< UTF-8, with `/` between its parts, not sanitised
        std::uint64_t offset = 0;  ///< of its local header
        std::uint64_t packed = 0, size = 0;
        std::uint32_t method = 0, flags = 0, checksum = 0;
    };
    /// Returns the files in the order of their names.
    const std::vector<Entry>& entries() const noexcept { return entries_; }

    /// Unpacks a file and checks its checksum. Files can share bytes; so all unpacked files together may have at most
    /// twice `most_unpacked` bytes of the archive.
    std::expected<Unpacked, Error> unpack(std::size_t entry, const Limits& limits);

  private:
    void read_directory(Bytes directory, std::uint64_t count, const FaultSink& faults);

    Unpacked archive_;
    std::vector<Entry> entries_;
    std::uint64_t unpacked_ = 0;  // number of bytes unpacked so far
};

}  // namespace hkpd
