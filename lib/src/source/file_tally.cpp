#include "source/file_tally.hpp"

#include <utility>

#include "base/path.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd {
namespace {

std::string extension_of(const std::string& path) { return path_text(path_of(path).extension()); }

void report_nothing_in(const std::string& path, Diagnostics& diagnostics) {
    diagnostics.add_input(path);
    diagnostics.add({Errc::no_data, 0, "", "", 0, 0});
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
    if (skipped_in_tree_ == 0) return;
    diagnostics.add_input(tree_);
    diagnostics.add({Errc::files_skipped, 0, "", "", 0, skipped_in_tree_});
}

void FileTally::begin(const std::string& path, bool has_manifest) {
    path_ = path;
    has_manifest_ = has_manifest;
    found_in_tree_ = found_in_tree_ || has_manifest;
    read_extensions_.clear();
}

void FileTally::add_read(const std::string& path) { read_extensions_.insert(extension_of(path)); }

void FileTally::end(Diagnostics& diagnostics) {
    for (const auto& [path, code] : std::exchange(skipped_, {})) {
        const bool expected = read_extensions_.contains(extension_of(path));
        if (in_tree_ && !expected) {
            ++skipped_in_tree_;
            continue;
        }
        diagnostics.add_input(path);
        const Severity otherwise = code == Errc::not_recognised ? Severity::note : Severity::warning;
        diagnostics.add(expected ? Severity::error : otherwise, {code, 0, "", "", 0, 0});
    }
    const bool found = !read_extensions_.empty() || has_manifest_;
    found_in_tree_ = found_in_tree_ || found;
    if (!found && !in_tree_) report_nothing_in(path_, diagnostics);
}

}  // namespace hkpd
