#include "source/unpack.hpp"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "base/text/encoding.hpp"
#include "base/zstd_result.hpp"

namespace hkpd {
namespace {

std::unexpected<Error> fault(Errc code, std::uint64_t offset, std::string_view structure, std::uint64_t expected = 0,
                             std::uint64_t found = 0) {
    return std::unexpected(Error{code, offset, structure, "", expected, found});
}

struct FreeDecompressor {
    void operator()(libdeflate_decompressor* decompressor) const noexcept {
        libdeflate_free_decompressor(decompressor);
    }
};
using Decompressor = std::unique_ptr<libdeflate_decompressor, FreeDecompressor>;

Decompressor make_decompressor() {
    Decompressor made(libdeflate_alloc_decompressor());
    if (!made) throw std::bad_alloc();
    return made;
}

constexpr std::string_view gzip_member = "gzip member", zstd_frame = "zstd frame";
constexpr std::string_view gzip_magic("\x1F\x8B\x08", 3);

bool begins_with(Bytes bytes, std::string_view text) noexcept {
    return std::ranges::equal(bytes.clip(0, text.size()).span(), std::as_bytes(std::span(text)));
}

/// Grows a buffer to a size for the next attempt: twice the size that was too small. Returns false if that size was
/// already the limit.
bool grow(Unpacked& out, std::uint64_t& capacity, std::uint64_t most) {
    if (capacity >= most) return false;
    constexpr std::uint64_t least = std::uint64_t{64} * 1024;
    capacity = std::min(std::max(2 * capacity, least), most);
    out.buffer.grow(static_cast<std::size_t>(capacity));
    return true;
}

std::expected<Unpacked, Error> unpack_gzip(Bytes packed, std::uint64_t most, const FaultSink& faults) {
    const Decompressor decompressor = make_decompressor();
    Unpacked out;
    // The last four bytes state the size of the last member. Usually, there is only one.
    constexpr std::uint64_t smallest = 18;
    const std::uint64_t stated =
        packed.size() < smallest ? 0 : load<std::uint32_t>(packed.at(packed.size() - 4), ByteOrder::little);
    std::uint64_t capacity = std::min(stated, most);
    out.buffer.grow(static_cast<std::size_t>(capacity));
    for (Bytes rest = packed; !rest.empty();) {
        if (!begins_with(rest, gzip_magic)) {
            faults.add(Severity::warning, {Errc::leftover_bytes, rest.offset(), gzip_member, "", 0, rest.size()});
            break;
        }
        std::size_t taken = 0, made = 0;
        const libdeflate_result result = libdeflate_gzip_decompress_ex(
            decompressor.get(), rest.data(), rest.size(), out.buffer.span().subspan(out.size).data(),
            static_cast<std::size_t>(capacity) - out.size, &taken, &made);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
            if (!grow(out, capacity, most))
                return fault(Errc::unpacked_limit, rest.offset(), gzip_member, most, most + 1);
            continue;
        }
        if (result != LIBDEFLATE_SUCCESS || taken == 0) {
            const Error damaged{Errc::packed_damaged, rest.offset(), gzip_member, "", 0, 0};
            if (out.size == 0) return std::unexpected(damaged);
            faults.add(damaged);
            break;
        }
        out.size += made;
        rest = rest.from(taken);
    }
    return out;
}

std::expected<Unpacked, Error> unpack_zstd(Bytes packed, std::uint64_t most, const FaultSink& faults) {
    const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
    if (!stream) throw std::bad_alloc();
    Unpacked out;
    std::uint64_t capacity = 0;
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    // ZSTD_decompressStream returns 0 at the end of a frame. Otherwise, it expects more input or more space.
    for (std::size_t state = 1; in.pos < in.size || state != 0;) {
        if (out.size == capacity && !grow(out, capacity, most))
            return fault(Errc::unpacked_limit, packed.offset() + in.pos, zstd_frame, most, most + 1);
        const std::size_t before = in.pos;
        ZSTD_outBuffer space{out.buffer.span().data(), static_cast<std::size_t>(capacity), out.size};
        state = ZSTD_decompressStream(stream.get(), &space, &in);
        const bool stuck = in.pos == before && space.pos == out.size && state != 0;
        out.size = space.pos;
        if (!is_zstd_error(state) && !stuck) continue;
        const Error damaged{Errc::packed_damaged, packed.offset() + in.pos, zstd_frame, "", 0, 0};
        if (out.size == 0) return std::unexpected(damaged);
        faults.add(damaged);
        break;
    }
    return out;
}

// Structures of zip archives (PKWARE, APPNOTE.TXT 4.3): sizes without names, and offsets of the fields that are read.
namespace zip {

constexpr std::string_view local_magic("PK\3\4", 4), entry_magic("PK\1\2", 4), end_magic("PK\5\6", 4);
constexpr std::uint64_t local_size = 30, local_name_length = 26, local_extra_length = 28;
constexpr std::uint64_t entry_size = 46, entry_flags = 8, entry_method = 10, entry_checksum = 16, entry_packed = 20,
                        entry_unpacked = 24, entry_name_length = 28, entry_extra_length = 30, entry_comment_length = 32,
                        entry_offset = 42;
constexpr std::uint64_t end_size = 22, end_count = 10, end_directory_size = 12, end_directory = 16,
                        end_comment_length = 20;
// zip64, 4.3.14 to 4.3.16 and 4.5.3: a number that does not fit its field is all ones there, and elsewhere in 64 bits.
constexpr std::string_view end64_magic("PK\6\6", 4), locator_magic("PK\6\7", 4);
constexpr std::uint64_t locator_size = 20, locator_end = 8;
constexpr std::uint64_t end64_size = 56, end64_count = 32, end64_directory_size = 40, end64_directory = 48;
constexpr std::uint64_t extra_head = 4, extra_length = 2, number_size = 8;
constexpr std::uint32_t extra_numbers = 1, elsewhere = 0xFFFF'FFFF;
constexpr std::uint32_t encrypted = 0x1, utf8_name = 0x800;
constexpr std::uint32_t stored = 0, deflate = 8, zstd = 93;
constexpr std::string_view directory_structure = "zip directory", file_structure = "zip file";

std::uint32_t u16_at(Bytes bytes, std::uint64_t at) noexcept {
    return load<std::uint16_t>(bytes.at(at), ByteOrder::little);
}
std::uint32_t u32_at(Bytes bytes, std::uint64_t at) noexcept {
    return load<std::uint32_t>(bytes.at(at), ByteOrder::little);
}

std::uint64_t u64_at(Bytes bytes, std::uint64_t at) noexcept {
    return load<std::uint64_t>(bytes.at(at), ByteOrder::little);
}

/// Returns the end record, which is at the end of the archive, before a comment of up to 64 KiB; empty if there is
/// none.
Bytes find_end(Bytes archive) noexcept {
    constexpr std::uint64_t longest_comment = 0xFFFF;
    if (archive.size() < end_size) return {};
    for (std::uint64_t comment = 0; comment <= std::min(longest_comment, archive.size() - end_size); ++comment) {
        const Bytes end = archive.from(archive.size() - end_size - comment);
        if (begins_with(end, end_magic) && u16_at(end, end_comment_length) == comment) return end;
    }
    return {};
}

/// The directory of an archive, as its end states it.
struct Directory {
    std::uint64_t begin, size, count;
};

/// Returns what the end record states, or that of zip64 in front of it.
Directory directory_at(Bytes archive, Bytes end) noexcept {
    const std::uint64_t at = end.offset() - archive.offset();
    const Bytes locator = at < locator_size ? Bytes() : archive.slice(at - locator_size, locator_size);
    if (begins_with(locator, locator_magic)) {
        const Bytes end64 = archive.from(u64_at(locator, locator_end));
        if (end64.size() >= end64_size && begins_with(end64, end64_magic))
            return {u64_at(end64, end64_directory), u64_at(end64, end64_directory_size), u64_at(end64, end64_count)};
    }
    return {u32_at(end, end_directory), u32_at(end, end_directory_size), u16_at(end, end_count)};
}

/// Returns the numbers of an entry's extra field of zip64; empty if it has none.
Bytes numbers_of(Bytes extra) noexcept {
    while (extra.size() >= extra_head) {
        const std::uint64_t length = u16_at(extra, extra_length);
        if (u16_at(extra, 0) == extra_numbers) return extra.clip(extra_head, length);
        extra = extra.from(extra_head + length);
    }
    return {};
}

}  // namespace zip
}  // namespace

Packing packing_of(Bytes beginning) noexcept {
    if (beginning.size() < packing_bytes) return Packing::none;
    if (begins_with(beginning, gzip_magic)) return Packing::gzip;
    if (begins_with(beginning, {"\x28\xB5\x2F\xFD", 4})) return Packing::zstd;
    return begins_with(beginning, zip::local_magic) || begins_with(beginning, zip::end_magic) ? Packing::zip
                                                                                              : Packing::none;
}

std::uint64_t most_unpacked(std::uint64_t packed, const Limits& limits) noexcept {
    constexpr std::uint64_t always = std::uint64_t{16} << 20U;
    const std::uint64_t ratio = std::max<std::uint64_t>(limits.expansion / 4, 1);
    const bool few = packed <= limits.unpacked / ratio;
    return std::min(limits.unpacked, few ? std::max(always, packed * ratio) : limits.unpacked);
}

std::expected<Unpacked, Error> unpack(Packing packing, Bytes packed, const Limits& limits, const FaultSink& faults) {
    const std::uint64_t most = most_unpacked(packed.size(), limits);
    return packing == Packing::gzip ? unpack_gzip(packed, most, faults) : unpack_zstd(packed, most, faults);
}

std::expected<ZipArchive, Error> ZipArchive::open(Unpacked archive, const Limits& limits, const FaultSink& faults) {
    ZipArchive made;
    made.archive_ = std::move(archive);
    const Bytes bytes(made.archive_.span());
    const Bytes end = zip::find_end(bytes);
    if (end.empty()) return fault(Errc::packed_damaged, bytes.end(), zip::directory_structure);
    const auto [begin, size, count] = zip::directory_at(bytes, end);
    if (begin > end.offset() || size > end.offset() - begin)
        return fault(Errc::packed_damaged, end.offset(), zip::directory_structure, end.offset(), begin);
    made.read_directory(bytes.slice(begin, size), count, faults);
    std::ranges::stable_sort(made.entries_, {}, &Entry::name);
    if (made.entries_.size() > limits.series) made.entries_.resize(static_cast<std::size_t>(limits.series));
    return made;
}

void ZipArchive::read_directory(Bytes directory, std::uint64_t count, const FaultSink& faults) {
    constexpr std::uint32_t page_437 = 437;
    for (std::uint64_t i = 0; i < count; ++i) {
        const bool is_entry = directory.size() >= zip::entry_size && begins_with(directory, zip::entry_magic);
        const std::uint64_t name = is_entry ? zip::u16_at(directory, zip::entry_name_length) : 0;
        const std::uint64_t length = !is_entry
                                         ? 0
                                         : zip::entry_size + name + zip::u16_at(directory, zip::entry_extra_length) +
                                               zip::u16_at(directory, zip::entry_comment_length);
        if (!is_entry || length > directory.size())
            return faults.add({Errc::packed_entry, directory.offset(), zip::directory_structure, "", count, i});
        Entry entry;
        entry.flags = zip::u16_at(directory, zip::entry_flags);
        entry.method = zip::u16_at(directory, zip::entry_method);
        entry.checksum = zip::u32_at(directory, zip::entry_checksum);
        entry.packed = zip::u32_at(directory, zip::entry_packed);
        entry.size = zip::u32_at(directory, zip::entry_unpacked);
        entry.offset = zip::u32_at(directory, zip::entry_offset);
        Bytes numbers =
            zip::numbers_of(directory.slice(zip::entry_size + name, zip::u16_at(directory, zip::entry_extra_length)));
        for (std::uint64_t* const number : {&entry.size, &entry.packed, &entry.offset})
            if (*number == zip::elsewhere && numbers.size() >= zip::number_size) {
                *number = zip::u64_at(numbers, 0);
                numbers = numbers.from(zip::number_size);
            }
        append_code_page(entry.name, directory.slice(zip::entry_size, name).span(),
                         (entry.flags & zip::utf8_name) != 0 ? page_utf8 : page_437, ByteOrder::little);
        if (!entry.name.ends_with('/')) entries_.push_back(std::move(entry));
        directory = directory.from(length);
    }
}

std::expected<Unpacked, Error> ZipArchive::unpack(std::size_t position, const Limits& limits) {
    const Entry& entry = entries_[position];
    const Bytes archive(archive_.span());
    const Bytes local = archive.from(entry.offset);
    const auto fail = [&](Errc code, std::uint64_t expected = 0, std::uint64_t found = 0) {
        return fault(code, entry.offset, zip::file_structure, expected, found);
    };
    if (local.size() < zip::local_size || !begins_with(local, zip::local_magic)) return fail(Errc::packed_damaged);
    const bool known = entry.method == zip::stored || entry.method == zip::deflate || entry.method == zip::zstd;
    if ((entry.flags & zip::encrypted) != 0 || !known) return fail(Errc::packed_method, 0, entry.method);
    const std::uint64_t begin =
        zip::local_size + zip::u16_at(local, zip::local_name_length) + zip::u16_at(local, zip::local_extra_length);
    if (!local.contains(begin, entry.packed)) return fail(Errc::packed_damaged, entry.packed, local.from(begin).size());
    const std::uint64_t most =
        std::min(most_unpacked(entry.packed, limits), 2 * most_unpacked(archive.size(), limits) - unpacked_);
    if (entry.size > most) return fail(Errc::unpacked_limit, most, entry.size);
    unpacked_ += entry.size;
    const Bytes packed = local.slice(begin, entry.packed);
    Unpacked out;
    if (entry.method == zip::zstd) {
        auto made = unpack_zstd(packed, entry.size, {});
        if (!made) return fail(made.error().code, entry.size);
        out = std::move(*made);
    } else {
        out.buffer.grow(static_cast<std::size_t>(entry.size));
        if (entry.method == zip::stored) {
            out.size = static_cast<std::size_t>(std::min(entry.size, entry.packed));
            std::ranges::copy(packed.span().first(out.size), out.buffer.span().begin());
        } else if (libdeflate_deflate_decompress(make_decompressor().get(), packed.data(), packed.size(),
                                                 out.buffer.span().data(), static_cast<std::size_t>(entry.size),
                                                 &out.size) != LIBDEFLATE_SUCCESS) {
            return fail(Errc::packed_damaged, entry.size);
        }
    }
    const std::uint32_t checksum = out.size == 0 ? 0 : libdeflate_crc32(0, out.span().data(), out.size);
    if (out.size != entry.size || checksum != entry.checksum) return fail(Errc::packed_damaged, entry.size, out.size);
    return out;
}

}  // namespace hkpd
