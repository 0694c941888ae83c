// The parts of make_corpus: seeds for the fuzz targets, the same bytes every time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace hkpd_fuzz {

/// Writes a seed; prints to standard error what cannot be written.
bool write(const std::filesystem::path& path, std::string_view content);
inline bool write(const std::filesystem::path& path, std::span<const std::byte> content) {
    return write(path, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

// Each writes seeds of several targets into `testdata`/corpus, some of them made from `testdata`/captures; returns
// false if a file cannot be written.
bool write_text_seeds(
    const std::filesystem::path& testdata);  ///< titles, counter_path, check, provider, text_log, packed
bool write_rule_seeds(const std::filesystem::path& testdata);       ///< rules
bool write_v1_seeds(const std::filesystem::path& testdata);         ///< v1_block, v1_differential, check, cook
bool write_v2_seeds(const std::filesystem::path& testdata);         ///< v2_data, v2_registration, map, cook
bool write_capture_seeds(const std::filesystem::path& testdata);    ///< capture, overview, dump, replay
bool write_mcap_seeds(const std::filesystem::path& testdata);       ///< capture, dump, replay
bool write_file_seeds(const std::filesystem::path& testdata);       ///< files
bool write_log_seeds(const std::filesystem::path& testdata);        ///< blg, overview, dump, replay, files
bool write_log_event_seeds(const std::filesystem::path& testdata);  ///< blg_event
bool write_interface_seeds(const std::filesystem::path& testdata);  ///< compare, registry, times, export_names

}  // namespace hkpd_fuzz
