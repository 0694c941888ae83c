// Names as they stand in a block.
#pragma once

#include <cstdint>

#include "hkpd/v1.hpp"

namespace hkpd::v1 {

/// PDH_MAX_INSTANCE_NAME (pdh.h): 1024 characters and their NUL. Nothing on Windows takes a longer one, and every line
/// of output repeats it. In bytes, with and without the NUL.
inline constexpr std::uint32_t longest_name = 1025 * 2, longest_characters = 1024 * 2;

/// The characters of a name field of whole `bytes`: without the NUL that ends it, if there is one, without what
/// stands behind that, and without an odd byte at the end of UTF-16.
Text name_text(Bytes bytes, std::uint32_t code_page, ByteOrder order) noexcept;

/// The name of an instance whose whole definition is `definition`; none where it does not lie inside that, behind the
/// fields.
std::optional<Text> instance_name(Bytes definition, const InstanceDefinition& fields, std::uint32_t code_page,
                                  ByteOrder order) noexcept;

/// Whether text of this code page is made of 16-bit units: 0 says so in a V1 block, 1200 is its number in Windows.
constexpr bool is_utf16(std::uint32_t code_page) noexcept { return code_page == 0 || code_page == 1200; }

}  // namespace hkpd::v1
