// Exporting the records of a capture to files.
#pragma once

#include <cstdint>
#include <string>

#include "command.hpp"
#include "hkpd/limits.hpp"

namespace hkpd::command {

/// Runs `hkpd capture --export`. Writes each record to a file of its own. NUMBER is the number of the record in
/// diagnostics: blobs are written to NUMBER.bin, V2 blocks to NUMBER.v2, and records of logs to NUMBER.log-KIND. The
/// query of a V2 block is written to NUMBER.v2-query, where NUMBER is that of the block. The blocks in a log row are
/// also written to NUMBER-INDEX.bin. The file names of title databases come from `exported_name`, those of registration
/// info from `registration_file_name`. `manifest.jsonl` has everything else that the records contain, so that reading
/// the directory gives the same records. Overwrites no file. Writes at most `most_files` files, and stops with an error
/// if more are needed.
Exit export_capture(const std::string& path, const std::string& directory, const Limits& limits,
                    std::uint64_t most_files, Verbosity verbosity);

}  // namespace hkpd::command
