// Atomic replacement of a file: a program that opens the file meanwhile reads the old or the new content, never a part.
#pragma once

#include <cstdio>
#include <string>
#include <system_error>

namespace hkpd::command {

struct ReplacedFile {
    std::string target;     ///< file to replace; links are resolved, so that a link stays a link
    std::string temporary;  ///< path of the new file while it is written
};

/// Returns the file that a path refers to, and the path of the new file, which is the path of the first with `ending`
/// appended.
ReplacedFile replaced_file(const std::string& path, const char* ending, std::error_code& error);

/// Creates the new file, which must not exist, for binary writing and with the permissions of the old one. Returns null
/// and sets `errno` on failure.
std::FILE* open_temporary(const ReplacedFile& file);

/// Replaces the old file by the new one, which is complete and closed.
std::error_code take_place(const ReplacedFile& file);

}  // namespace hkpd::command
