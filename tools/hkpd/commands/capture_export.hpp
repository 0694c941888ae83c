// Exporting the records of a capture to files.
#pragma once

#include <cstdint>
#include <string>

#include "commands/command.hpp"
#include "hkpd/limits.hpp"

namespace hkpd::command {

/// Runs `hkpd capture --export`. Writes each record to a file of its own. Overwrites no file. Writes at most
/// `most_files` files, and stops with an error if more are needed. In the names of the files, NUMBER is the number of
/// the record in diagnostics:
///
/// - V1 blocks are written to NUMBER.bin, V2 blocks to NUMBER.v2, and records of logs to NUMBER.log-KIND.
/// - The query of a V2 block is written to NUMBER.v2-query, where NUMBER is that of the block.
/// - The V1 blocks in a log row are also written to NUMBER-INDEX.bin, where INDEX is the position of the block in the
///   row.
/// - `exported_name` makes the names of title databases, and `registration_file_name` those of registration info.
///
/// `manifest.jsonl` has everything else that the records contain, so that reading the directory gives the same records.
Exit export_capture(const std::string& path, const std::string& directory, const Limits& limits,
                    std::uint64_t most_files, Verbosity verbosity);

}  // namespace hkpd::command
