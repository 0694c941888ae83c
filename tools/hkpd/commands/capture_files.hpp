// Opens captures.
#pragma once

#include <string>

namespace hkpd {
class Diagnostics;
class FileStream;
}  // namespace hkpd

namespace hkpd::command {

/// Opens a capture. Adds a fault and returns false on failure.
bool open_capture(const std::string& path, FileStream& file, Diagnostics& diagnostics);

}  // namespace hkpd::command
