// Opens captures.
#pragma once

#include <fstream>
#include <string>

namespace hkpd {
class Diagnostics;
}

namespace hkpd::command {

/// Opens a capture. Adds a fault and returns false on failure.
bool open_capture(const std::string& path, std::ifstream& file, Diagnostics& diagnostics);

}  // namespace hkpd::command
