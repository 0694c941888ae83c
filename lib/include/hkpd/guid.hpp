// A GUID, as the V2 functions tell countersets and providers apart.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hkpd {

/// The 16 bytes as they lie in memory and on the wire: Data1, Data2 and Data3 little endian, Data4 as it is
/// (guiddef.h).
struct Guid {
    /// In the order of the wire, which is not that of the text.
    std::array<std::byte, 16> bytes{};

    auto operator<=>(const Guid&) const = default;
};

/// Appends `{b4fc721a-0378-476f-89ba-a5a79f810b36}`.
void append_guid(std::string& out, const Guid& guid);
/// The same as a text of its own.
std::string guid_text(const Guid& guid);

/// The GUID of a text, with or without braces, whatever its case; none where it is none.
std::optional<Guid> parse_guid(std::string_view text) noexcept;

}  // namespace hkpd
