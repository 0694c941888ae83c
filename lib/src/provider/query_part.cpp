#include "provider/query_part.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "base/byte_writer.hpp"
#include "base/text/encoding.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/live.hpp"

namespace hkpd {
namespace {

// Offsets of fields in PERF_COUNTER_IDENTIFIER (perflib.h).
constexpr std::size_t identifier_size_at = 20, counter_id_at = 24, instance_id_at = 28;

std::uint32_t u32_at(Bytes bytes, std::size_t at) { return load<std::uint32_t>(bytes.at(at), ByteOrder::little); }

/// Returns the bytes of a UTF-16 text before its first NUL; none if the text has no NUL.
std::optional<Bytes> terminated(Bytes text) {
    for (std::size_t at = 0; text.contains(at, 2); at += 2)
        if (load<std::uint16_t>(text.at(at), ByteOrder::little) == 0) return text.slice(0, at);
    return std::nullopt;
}

std::optional<QueryPart> read_identifier(Bytes bytes) {
    QueryPart part;
    std::memcpy(part.guid.bytes.data(), bytes.data(), part.guid.bytes.size());
    part.counter_id = u32_at(bytes, counter_id_at);
    std::string name;
    if (bytes.size() > v2::identifier_size) {
        const auto text = terminated(bytes.from(v2::identifier_size));
        if (!text) return std::nullopt;
        append_utf16(name, text->span(), ByteOrder::little);
    }
    part.instances = InstanceRequest(name, u32_at(bytes, instance_id_at));
    part.bytes.assign(bytes.span().begin(), bytes.span().end());
    return part;
}

}  // namespace

std::optional<std::vector<QueryPart>> read_identifiers(std::span<const std::byte> buffer) {
    std::vector<QueryPart> parts;
    Bytes rest(buffer);
    do {
        if (!rest.contains(0, v2::identifier_size)) return std::nullopt;
        const std::uint32_t size = u32_at(rest, identifier_size_at);
        if (size < v2::identifier_size || size % 8 != 0 || !rest.contains(0, size)) return std::nullopt;
        auto part = read_identifier(rest.slice(0, size));
        if (!part) return std::nullopt;
        parts.push_back(*std::move(part));
        rest = rest.from(size);
    } while (!rest.empty());
    return parts;
}

}  // namespace hkpd
