#include "source/file_tally.hpp"

#include <utility>

#include "base/foreign_file.hpp"
#include "base/path.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd {
namespace {

std::string extension_of(const std::string& path) { return path_text(path_of(path).extension()); }

void report_nothing_in(const std::string& path, Diagnostics& diagnostics) {
    diagnostics.add_input(path);
    diagnostics.add(foreign_error(empty_directory));
}

void report_skipped(const std::string& path, std::uint64_t count, Diagnostics& diagnostics) {
    diagnostics.add_input(path);
    diagnostics.add({Errc::files_skipped, 0, "", "", 0, count});
}

}  // namespace

void FileTally::begin_tree(const std::string& path) {
    tree_ = path;
    in_tree_ = true;
    found_in_tree_ = false;
    skipped_in_tree_ = 0;
}

void FileTally::end_tree(Diagnostics& diagnostics) {
    in_tree_ = false;
    if (!found_in_tree_) report_nothing_in(tree_, diagnostics);
    if (skipped_in_tree_ != 0) report_skipped(tree_, skipped_in_tree_, diagnostics);
}

void FileTally::begin(const std::string& path, bool has_manifest) {
    path_ = path;
    has_manifest_ = has_manifest;
    found_in_tree_ = found_in_tree_ || has_manifest;
    read_extensions_.clear();
}

void FileTally::add_read(const std::string& path) { read_extensions_.insert(extension_of(path)); }

void FileTally::end(Diagnostics& diagnostics) {
    std::uint64_t counted = 0;
    for (auto& [path, why] : std::exchange(skipped_, {})) {
        const bool expected = read_extensions_.contains(extension_of(path));
        const bool foreign = why.code == Errc::foreign_file || why.code == Errc::not_recognised;
        if (in_tree_ && !expected) {
            ++skipped_in_tree_;
            if (!foreign) continue;
        } else if (foreign && !expected) {
            ++counted;
        }
        // A file among others of its kind must be damaged, whatever its bytes look like.
        if (foreign && expected) why.code = Errc::not_recognised;
        diagnostics.add_input(path);
        diagnostics.add(expected ? Severity::error : foreign ? Severity::note : Severity::warning, why);
    }
    const bool found = !read_extensions_.empty() || has_manifest_;
    found_in_tree_ = found_in_tree_ || found;
    if (found && counted != 0) report_skipped(path_, counted, diagnostics);
    if (!found && !in_tree_) report_nothing_in(path_, diagnostics);
}

}  // namespace hkpd
