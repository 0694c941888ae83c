// A file as a whole.
#pragma once

#include <string>

namespace hkpd {

/// Reads a file into memory. Returns the error message; empty on success.
std::string read_whole(const std::string& path, std::string& content);

}  // namespace hkpd
