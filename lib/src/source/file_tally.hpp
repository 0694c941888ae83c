// The files of a directory that were read, and those that were skipped: what a source reports of them at the end.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/error.hpp"

namespace hkpd {

class Diagnostics;

/// Tallies the files of one directory, archive or tree of directories after another.
class FileTally {
  public:
    /// Begins a directory whose subdirectories are read too. Files that were skipped are then counted for all of them
    /// together, and those that must be damaged are errors.
    void begin_tree(const std::string& path);
    /// Ends it, and reports how many files were skipped, or that nothing was found.
    void end_tree(Diagnostics& diagnostics);
    bool in_tree() const noexcept { return in_tree_; }

    /// Begins a directory or archive; `has_manifest`: with records of a manifest.
    void begin(const std::string& path, bool has_manifest);
    void add_read(const std::string& path);
    /// Adds a file that was skipped for the reason that `why` states.
    void add_skipped(const std::string& path, const Error& why) { skipped_.emplace_back(path, why); }
    /// Ends the directory and reports the files that were skipped. A skipped file is an error if a file with the same
    /// extension was read, because the skipped file must then be damaged. In all other cases, a skipped file is only a
    /// warning or a note, or one of those that `end_tree` counts. Notes are counted, too.
    void end(Diagnostics& diagnostics);

  private:
    std::string path_, tree_;
    bool has_manifest_ = false;
    std::set<std::string> read_extensions_;
    std::vector<std::pair<std::string, Error>> skipped_;
    bool in_tree_ = false, found_in_tree_ = false;  // the latter: whether any performance data was found
    std::uint64_t skipped_in_tree_ = 0;
};

}  // namespace hkpd
