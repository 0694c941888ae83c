// GUIDs, which identify countersets and providers in V2.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hkpd {

/// The 16 bytes of a GUID, in the order in which Windows stores them in memory and in blocks: Data1, Data2 and Data3 in
/// little endian, then the bytes of Data4 (guiddef.h).
struct Guid {
    /// The bytes in memory order. The text form orders the bytes of Data1, Data2 and Data3 differently.
    std::array<std::byte, 16> bytes{};

    auto operator<=>(const Guid&) const = default;
};

/// Appends a GUID in the form `{b4fc721a-0378-476f-89ba-a5a79f810b36}`.
void append_guid(std::string& out, const Guid& guid);
/// Returns a GUID as text in the form `{b4fc721a-0378-476f-89ba-a5a79f810b36}`.
std::string guid_text(const Guid& guid);

/// Returns the GUID that a text contains; none if the text is not a GUID. Accepts texts with or without braces, in
/// upper or lower case.
std::optional<Guid> parse_guid(std::string_view text) noexcept;

}  // namespace hkpd
