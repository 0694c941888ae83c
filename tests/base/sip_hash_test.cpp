// SipHash-2-4 against the test vector of the paper (appendix A), and its neighbours from the authors' table.
#include "base/sip_hash.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hkpd {
namespace sip_hash_test {

/// Returns the hash of the bytes 0, 1, 2, ... with the key 00 01 ... 0f, as in the paper.
std::uint64_t hash_of(std::size_t size) {
    std::array<std::byte, 64> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
    return sip_hash({0x0706'0504'0302'0100, 0x0F0E'0D0C'0B0A'0908}, std::span(bytes).first(size));
}

TEST(SipHash, HasTheVectorsOfItsAuthors) {
    EXPECT_EQ(hash_of(15), 0xA129'CA61'49BE'45E5U);
    EXPECT_EQ(hash_of(0), 0x726F'DB47'DD0E'0E31U);
    EXPECT_EQ(hash_of(1), 0x74F8'39C5'93DC'67FDU);
    EXPECT_EQ(hash_of(8), 0x93F5'F579'9A93'2462U);
}

TEST(SipHash, DependsOnBothHalvesOfTheKey) {
    const std::array<std::byte, 3> text{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
    EXPECT_NE(sip_hash({0, 0}, text), sip_hash({1, 0}, text));
    EXPECT_NE(sip_hash({0, 0}, text), sip_hash({0, 1}, text));
}

}  // namespace sip_hash_test
}  // namespace hkpd
