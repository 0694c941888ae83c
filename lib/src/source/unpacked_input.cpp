#include "source/unpacked_input.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "hkpd/diagnostics.hpp"

namespace hkpd {
namespace {

/// Returns all bytes of an input. If it is too large, reports this and returns none.
Bytes all_of_packed(StreamWindow& window, const Limits& limits, Diagnostics& diagnostics) {
    const Bytes all = window.peek(limits.bytes + 1);
    if (all.size() <= limits.bytes) return all;
    diagnostics.add({Errc::byte_limit, 0, "", "", limits.bytes, all.size()});
    return {};
}

using Take = std::function<void(StreamWindow window, const std::string& path, bool member)>;

/// Calls `take` with each file of a zip archive that is not compressed once more.
void visit_archive(Bytes bytes, const std::string& path, const Limits& limits, Diagnostics& diagnostics,
                   const Take& take) {
    Unpacked content;
    content.buffer.grow(bytes.size());
    content.size = bytes.size();
    std::ranges::copy(bytes.span(), content.buffer.span().begin());
    auto archive = ZipArchive::open(std::move(content), limits, diagnostics);
    if (!archive) return diagnostics.add(Severity::error, archive.error());
    for (std::size_t i = 0; i < archive->entries().size(); ++i) {
        const std::string name = path + '/' + archive->entries()[i].name;
        diagnostics.add_input(name);
        const auto unpacked = archive->unpack(i, limits);
        if (!unpacked)
            diagnostics.add(Severity::error, unpacked.error());
        else if (packing_of(Bytes(unpacked->span())) != Packing::none)
            diagnostics.add(Severity::error, {Errc::packed_twice, 0, "", "", 0, 0});
        else
            take(StreamWindow(unpacked->span()), name, true);
    }
}

}  // namespace

void visit_unpacked(StreamWindow window, const std::string& path, const Limits& limits, Diagnostics& diagnostics,
                    const Take& take) {
    const Packing packing = packing_of(window.peek(packing_bytes));
    if (packing == Packing::none) return take(std::move(window), path, false);
    const Bytes packed = all_of_packed(window, limits, diagnostics);
    if (packed.empty()) return;
    if (packing == Packing::zip) return visit_archive(packed, path, limits, diagnostics, take);
    const auto content = unpack(packing, packed, limits, diagnostics);
    if (!content) return diagnostics.add(Severity::error, content.error());
    if (packing_of(Bytes(content->span())) != Packing::none)
        return diagnostics.add(Severity::error, {Errc::packed_twice, 0, "", "", 0, 0});
    take(StreamWindow(content->span()), path, false);
}

std::optional<Unpacked> unpack_quietly(StreamWindow& window, std::uint64_t most, const Limits& limits) {
    const Packing packing = packing_of(window.peek(packing_bytes));
    if (packing == Packing::none || packing == Packing::zip) return std::nullopt;
    const Bytes packed = window.peek(most + 1);
    if (packed.size() > most) return std::nullopt;
    auto content = unpack(packing, packed, limits, {});
    return content ? std::optional(std::move(*content)) : std::nullopt;
}

}  // namespace hkpd
