// Exporting the records of a capture to files.
#pragma once

#include <cstdint>
#include <string>

#include "command.hpp"
#include "hkpd/limits.hpp"

namespace hkpd::command {

/// Runs `hkpd capture --export`. Writes each record to a file of its own: blobs to NUMBER.bin, where NUMBER is the
/// record number in diagnostics, V2 blocks to NUMBER.v2, their queries to NUMBER.v2-query, records of logs to
/// NUMBER.log-KIND and the blocks in their rows to NUMBER-INDEX.bin, title databases to `exported_name`, and
/// registration info to `registration_file_name`. `manifest.jsonl` has everything else that the records contain, so
/// that reading the directory gives the same records. Overwrites no file. Writes at most `most_files` files, and stops
/// with an error if more are needed.
Exit export_capture(const std::string& path, const std::string& directory, const Limits& limits,
                    std::uint64_t most_files, Verbosity verbosity);

}  // namespace hkpd::command
