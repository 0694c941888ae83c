// Captures as files: what is in one, and its parts as files of their own.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace hkpd::command {

/// `hkpd capture --info`.
Exit list_capture(const std::string& path, Verbosity verbosity);

/// `hkpd capture --export`: blobs as NUMBER.bin, where NUMBER is the one that diagnostics call the record, V2 blocks as
/// NUMBER.v2 and the query that each answers as NUMBER.v2-query; title databases under the names that they had, and
/// registrations under names that say on what they are an answer (`registration_file_name`). No file is overwritten.
Exit export_capture(const std::string& path, const std::string& directory, Verbosity verbosity);

}  // namespace hkpd::command
