// Writes and reads the manifest of an exported capture. The bytes of each exported record are in a file of a directory.
// The manifest is in the same directory, and has a line for each record. The line is a JSON object that states the name
// of the record's file, and everything else that the record states. The records can therefore be read from the
// directory unchanged.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/source.hpp"

namespace hkpd {

/// `manifest_name`: name of the manifest in its directory. `manifest_begin`: first line of the manifest, which states
/// the version of the format.
inline constexpr std::string_view manifest_name = "manifest.jsonl", manifest_begin = "{\"hkpd_export\":1}\n";

/// Returns whether a file is the manifest of an exported capture: it has the name and the first line of one.
bool is_manifest(const std::string& path);
/// Returns the manifest's line for a record whose bytes are in `file`. For provenance, which has no file, `file` is
/// empty.
std::string manifest_line(const Record& record, std::string_view file);
/// Returns the manifest's line for a file with a copy of part of a record, such as one block of a log row. Such files
/// are for other programs; they are not read as records.
std::string manifest_line_of_copy(std::string_view file);

/// A source that returns the records of an exported capture in the order of its manifest. Reports files that are
/// missing.
class ManifestSource final : public Source {
  public:
    /// Opens a directory. `members` has the paths of the files in the directory. Removes from `members` the manifest
    /// itself and the files that the manifest lists. Returns null if the directory has no manifest.
    static std::unique_ptr<ManifestSource> open(std::vector<std::string>& members, const Limits& limits,
                                                Diagnostics& diagnostics);

    std::optional<Record> next(Diagnostics& diagnostics) override;

    /// A line of the manifest.
    struct Entry {
        std::string file, machine, name, language;
        std::map<std::string, std::string> entries;
        Record record;  ///< without bytes and texts, which `next` adds
        bool copy = false;
    };

  private:
    ManifestSource(std::string front, std::string text, std::uint32_t input, const Limits& limits)
        : front_(std::move(front)), text_(std::move(text)), input_(input), limits_(limits) {}
    void rewind() noexcept {
        at_ = manifest_begin.size();
        line_ = 1;
    }
    std::optional<std::string_view> next_line() noexcept;
    bool read_file(Diagnostics& diagnostics);

    std::string front_, text_;  // the directory's path with a trailing separator; the manifest's text
    std::uint32_t input_;       // position of the manifest in the inputs of the diagnostics
    Limits limits_;
    std::size_t at_ = 0, line_ = 0;
    Entry entry_;  // of the current record
    std::vector<std::byte> content_;
};

}  // namespace hkpd
