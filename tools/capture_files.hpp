// Listing captures, and exporting their records to files.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace hkpd::command {

/// Runs `hkpd capture --info`.
Exit list_capture(const std::string& path, Verbosity verbosity);

/// Runs `hkpd capture --export`. Writes blobs to NUMBER.bin, where NUMBER is the record number in diagnostics, V2
/// blocks to NUMBER.v2 and their queries to NUMBER.v2-query, title databases to their original names, and registration
/// info to names that identify the request (`registration_file_name`). Overwrites no file.
Exit export_capture(const std::string& path, const std::string& directory, Verbosity verbosity);

}  // namespace hkpd::command
