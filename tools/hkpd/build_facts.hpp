// Facts about the sources and the build of this command.
#pragma once

#include <string>
#include <string_view>

namespace hkpd::command {

/// Returns the text of `--version`: name and version in the first line, then facts that distinguish builds.
std::string build_facts();

/// Returns the date of the last change to the sources, in the form `2026-11-22`; empty if unknown.
std::string_view build_date() noexcept;

}  // namespace hkpd::command
