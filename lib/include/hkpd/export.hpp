// Exports captures: each record into a file of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hkpd/limits.hpp"

namespace hkpd {

class Diagnostics;

/// Options of an export.
struct ExportOptions {
    Limits limits{};
    std::uint64_t most_files = 1'000'000;  ///< the export stops with a failure if more files are needed
};

/// The result of an export.
struct Exported {
    std::uint64_t blobs = 0;  ///< V1 blocks, also those in rows of logs
    std::uint64_t titles = 0, v2_blocks = 0, queries = 0, registrations = 0, log_records = 0;
    std::string failure{};  ///< why not everything was written, with the name of the file; empty if everything was
    bool is_full = false;   ///< whether `ExportOptions::most_files` was reached
};

/// Writes each record of a capture to a file of its own in a directory, which is created, or must be empty. Overwrites
/// no file. Adds the faults of the capture to `diagnostics`. Returns none if the file cannot be read or is no capture,
/// which is a fault, too. In the names of the files, NUMBER is the number of the record in diagnostics:
///
/// - V1 blocks are written to NUMBER.bin, V2 blocks to NUMBER.v2, and records of logs to NUMBER.log-KIND.
/// - The query of a V2 block is written to NUMBER.v2-query, where NUMBER is that of the block.
/// - The V1 blocks in a log row are also written to NUMBER-INDEX.bin, where INDEX is the position of the block in the
///   row.
/// - Title databases keep their names after `titles-`, and `registration_file_name` makes the names of registration
///   info.
///
/// `manifest.jsonl` has everything else that the records contain, so that reading the directory (`open_files`) gives
/// the same records.
std::optional<Exported> export_capture(const std::string& capture, const std::string& directory,
                                       const ExportOptions& options, Diagnostics& diagnostics);

}  // namespace hkpd
