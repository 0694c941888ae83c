// The system's converter of code pages: iconv, or MultiByteToWideChar on Windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace hkpd {

/// Appends text of an ANSI code page as UTF-8, U+FFFD for each byte that the page cannot explain. Whether there was
/// none; nothing, and nothing appended, where the system does not know the page.
std::optional<bool> append_system_page(std::string& out, std::span<const std::byte> bytes, std::uint32_t page);

}  // namespace hkpd
