// Opening and listing captures.
#pragma once

#include <fstream>
#include <string>

#include "command.hpp"
#include "hkpd/limits.hpp"

namespace hkpd::command {

/// Runs `hkpd capture --info`.
Exit list_capture(const std::string& path, const Limits& limits, Verbosity verbosity);

/// Opens a capture. Adds a fault and returns false on failure.
bool open_capture(const std::string& path, std::ifstream& file, Diagnostics& diagnostics);

}  // namespace hkpd::command
