// The title databases of a directory or of a zip archive: which of the files they are, and when their titles are due.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/v1.hpp"
#include "source/unpack.hpp"

namespace hkpd {

class Diagnostics;

/// An input of a source: a file, `-` for standard input, or a file of a zip archive. The latter has the path
/// `archive.zip/name`.
struct NamedInput {
    std::string path;
    std::shared_ptr<ZipArchive> archive{};  ///< null for a file that is in no archive
    std::size_t entry = 0;                  ///< position in `ZipArchive::entries`
};

/// Returns whether an input is a title database, which is recognised by its content.
bool is_title_file(const NamedInput& input, const Limits& limits);

/// Removes the title databases from a list of files and returns them.
std::vector<NamedInput> take_titles(std::vector<NamedInput>& files, const Limits& limits);

/// The title databases of a directory, returned as records. The titles are returned before the directory's first V1
/// block, and apply only to the machine of that block. So they do not apply to the blocks of other machines, which may
/// come from other directories. If the directory also has a block of a second machine, the titles are returned once
/// more, before this block, and then apply to any machine. They are not returned again for each further machine,
/// because these copies could need unlimited memory.
class DirectoryTitles {
  public:
    /// Keeps a reference to the limits.
    explicit DirectoryTitles(const Limits& limits) : limits_(limits) {}

    /// Begins a directory with these title files. With an empty list, ends the directory.
    void enter(std::vector<NamedInput> files);
    /// Returns whether the titles must precede this record. If so, the next calls of `next` return the titles.
    bool due_before(const Record& record) { return !files_.empty() && are_due(record); }
    /// Returns the next title database that is due; none if all were returned. Valid until the next call.
    std::optional<Record> next(Diagnostics& diagnostics);

  private:
    bool are_due(const Record& record);
    std::optional<Record> read(const NamedInput& titles, Diagnostics& diagnostics);
    bool read_file(const std::string& path, Diagnostics& diagnostics);
    bool read_packed(const NamedInput& titles, Diagnostics& diagnostics);

    const Limits& limits_;
    std::vector<NamedInput> files_;
    std::size_t returned_ = 0;  // number of files read since the titles were last due
    bool due_once_ = false;
    std::string machine_;  // the machine that the records state; empty: any machine
    std::string name_;
    std::vector<std::byte> content_;
    v1::Block block_;
};

}  // namespace hkpd
