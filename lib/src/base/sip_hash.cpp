#include "base/sip_hash.hpp"

#include <bit>

#include "hkpd/bytes.hpp"

namespace hkpd {
namespace {

/// The state of the hash: v0 to v3 of the paper, whose numbers are used below.
struct SipState {
    std::uint64_t v0, v1, v2, v3;

    void round() noexcept {
        v0 += v1;
        v1 = std::rotl(v1, 13) ^ v0;
        v0 = std::rotl(v0, 32);
        v2 += v3;
        v3 = std::rotl(v3, 16) ^ v2;
        v0 += v3;
        v3 = std::rotl(v3, 21) ^ v0;
        v2 += v1;
        v1 = std::rotl(v1, 17) ^ v2;
        v2 = std::rotl(v2, 32);
    }
    void take(std::uint64_t word) noexcept {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }
};

}  // namespace

std::uint64_t sip_hash(const SipKey& key, std::span<const std::byte> bytes) noexcept {
    SipState state{key.k0 ^ 0x736F'6D65'7073'6575, key.k1 ^ 0x646F'7261'6E64'6F6D, key.k0 ^ 0x6C79'6765'6E65'7261,
                   key.k1 ^ 0x7465'6462'7974'6573};
    constexpr std::size_t word = sizeof(std::uint64_t);
    const Bytes all(bytes);
    std::size_t at = 0;
    for (; all.contains(at, word); at += word) state.take(load<std::uint64_t>(all.at(at), ByteOrder::little));
    std::uint64_t last = std::uint64_t{bytes.size()} << 56U;
    for (unsigned bit = 0; at < bytes.size(); ++at, bit += 8) last |= std::to_integer<std::uint64_t>(bytes[at]) << bit;
    state.take(last);
    state.v2 ^= 0xFF;
    for (int i = 0; i < 4; ++i) state.round();
    return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace hkpd
