// A file that takes the place of another one: whoever opens it meanwhile has the old one or the new one, and never a
// part.
#pragma once

#include <cstdio>
#include <string>
#include <system_error>

namespace hkpd::command {

struct ReplacedFile {
    std::string target;     ///< what is replaced: not a link to it, which goes on leading there
    std::string temporary;  ///< where the new one is made
};

/// What a path stands for, with the new file beside it under its name and `ending`.
ReplacedFile replaced_file(const std::string& path, const char* ending, std::error_code& error);

/// Makes the new file, which must not be there yet, for bytes to be written; who may read the old one may read it too.
/// Null and `errno` where that fails.
std::FILE* open_temporary(const ReplacedFile& file);

/// The new file, which is complete and closed, takes the old one's place.
std::error_code take_place(const ReplacedFile& file);

}  // namespace hkpd::command
