// Names of the files of an exported capture.
#pragma once

#include <string>
#include <string_view>

namespace hkpd::command {

/// Returns the name of a file for a title database. `name` comes from a capture and may be any text. The result is a
/// valid name on every system and has no meaning of its own on any: `titles-`, then ASCII letters, digits, `-` and `_`
/// (other characters become `_`, directories are left out), then one of the usual extensions of title databases, or
/// `.titles`. It has at most 120 characters.
std::string exported_name(std::string_view name);

}  // namespace hkpd::command
