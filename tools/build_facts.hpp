// What this command was built from, and how.
#pragma once

#include <string>

namespace hkpd::command {

/// For `--version`: name and version on the first line, then what helps to tell two builds apart.
std::string build_facts();

}  // namespace hkpd::command
