// Compressed data: gzip, zstd and zip archives, unpacked within limits.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "properties.hpp"
#include "source/unpack.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

Limits limits_of(const Effort& effort) {
    Limits limits = effort.limits();
    limits.unpacked = 1U << 18U;
    return limits;
}

bool same(const Unpacked& a, const Unpacked& b) { return std::ranges::equal(a.span(), b.span()); }

void read_stream(Packing packing, Bytes input, const Effort& effort) {
    const Limits limits = limits_of(effort);
    const Budget budget(input.size() + limits.unpacked, 0, 8);
    Diagnostics faults;
    const auto content = unpack(packing, input, limits, faults);
    require_places(faults, input.end());
    if (!content) return require(content.error().offset <= input.end());
    require(content->size <= most_unpacked(input.size(), limits));
    if (!effort.thorough()) return;
    const ExactCopy there(input.span(), 1);
    const auto again = unpack(packing, there.bytes(), limits, {});
    require(again && same(*again, *content));
}

void read_archive(Bytes input, const Effort& effort) {
    const Limits limits = limits_of(effort);
    const Budget budget(input.size() + 8 * limits.unpacked, 0, 8);
    Unpacked bytes;
    bytes.buffer.grow(input.size());
    bytes.size = input.size();
    std::ranges::copy(input.span(), bytes.buffer.span().begin());
    Diagnostics faults;
    auto archive = ZipArchive::open(std::move(bytes), limits, faults);
    require_places(faults, input.end());
    if (!archive) return require(archive.error().offset <= input.end());
    require(std::ranges::is_sorted(archive->entries(), {}, &ZipArchive::Entry::name));
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < archive->entries().size(); ++i) {
        require(!archive->entries()[i].name.ends_with('/'));
        const auto content = archive->unpack(i, limits);
        if (!content) continue;
        require(content->size == archive->entries()[i].size);
        all += content->size;
    }
    require(all <= 2 * most_unpacked(input.size(), limits));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ExactCopy here(std::as_bytes(std::span(data, size)));
    const Effort effort(data, size);
    const Packing packing = packing_of(here.bytes().clip(0, packing_bytes));
    if (packing == Packing::gzip || packing == Packing::zstd) read_stream(packing, here.bytes(), effort);
    if (packing == Packing::zip) read_archive(here.bytes(), effort);
    return 0;
}
