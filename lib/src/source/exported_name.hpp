// File names for the title databases of an exported capture.
#pragma once

#include <string>
#include <string_view>

namespace hkpd {

/// Returns the name of a file for a title database. `name` comes from a capture and may be any text. On every system,
/// the result is a valid file name and not a special name, such as that of a device. It begins with `titles-`. The file
/// name in `name` follows, without its directories; letters are in lower case, so that names
/// which differ only in case do not fall together on some systems; all characters except ASCII letters, digits, `-` and
/// `_` become `_`. At the end is one of the usual extensions of title databases, or `.titles`. The result has at most
/// 120 characters.
std::string exported_name(std::string_view name);

}  // namespace hkpd
