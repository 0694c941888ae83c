// What this command was built from, and how.
#pragma once

#include <string>
#include <string_view>

namespace hkpd::command {

/// For `--version`: name and version on the first line, then what helps to tell two builds apart.
std::string build_facts();

/// `2026-11-22`: when what this was built from was last changed. Empty where that is not known.
std::string_view build_date() noexcept;

}  // namespace hkpd::command
