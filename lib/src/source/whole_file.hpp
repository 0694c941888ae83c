// A file as a whole, and what kind of file it is.
#pragma once

#include <iosfwd>
#include <string>

namespace hkpd {

/// Returns whether a file begins like a performance log. The stream is at its beginning afterwards.
bool is_log(std::istream& file);

/// Reads a file into memory. Returns the error message; empty on success.
std::string read_whole(const std::string& path, std::string& content);

}  // namespace hkpd
