// Functions for file names. A name is UTF-8 text; it is converted to a path of the system only where a file is
// accessed.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace hkpd {

/// Returns the path for a name in UTF-8. On Windows, U+FFFD replaces invalid UTF-8, and a long path gets the prefix
/// `\\?\`, because paths without the prefix are limited to 260 characters.
std::filesystem::path path_of(std::string_view text);

/// Returns the text of a path, without the prefix that `path_of` adds.
std::string path_text(const std::filesystem::path& path);

/// Returns the absolute form of a name, or the name unchanged if the absolute form cannot be determined.
std::string absolute_name(const std::string& name);

/// Returns whether a file, a directory or anything else with that name exists. Like `is_directory` and
/// `is_regular_file`, returns false on errors.
bool is_there(const std::string& name);
/// Returns whether a directory has that name.
bool is_directory(const std::string& name);
/// Returns whether a regular file has that name.
bool is_regular_file(const std::string& name);

/// Returns the size of a file in bytes; 0 if it is unknown.
inline std::uint64_t size_of_file(const std::string& name) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path_of(name), error);
    return error ? 0 : size;
}

/// Predicts the error that creating a file in a directory would cause, but creates no file. Returns no error if the
/// function finds no obstacle.
std::error_code why_no_file_in(const std::string& directory);

/// Returns the names of a directory's regular files in sorted order. Each name begins with the name of the directory.
/// On an error, sets `error` and returns the files that were listed before the error.
std::vector<std::string> files_in(const std::string& directory, std::error_code& error);

/// Returns the names of a directory's regular files and directories in sorted order, as `files_in` does. Symbolic links
/// count as what they refer to.
std::vector<std::string> entries_in(const std::string& directory, std::error_code& error);

/// The file or directory that a name refers to: equal for all names of one file, through links too.
struct FileIdentity {
    std::uint64_t volume = 0, number = 0;

    auto operator<=>(const FileIdentity&) const = default;
};
/// Returns the identity of a regular file or directory; none for anything else, and on errors.
std::optional<FileIdentity> identity_of_file(const std::string& name);

/// Returns the names of all directories below a directory in sorted order. Each name begins with the name of the
/// directory. Symbolic links are not followed, so that a loop of links does no harm. On an error, sets `error` and
/// returns the directories that were found before the error.
std::vector<std::string> directories_below(const std::string& directory, std::error_code& error);

/// Returns whether a directory contains neither files nor directories. Returns false on errors.
bool is_empty(const std::string& directory);

/// Creates a directory and its missing parents. Returns no error if the directory exists already.
std::error_code make_directory(const std::string& name);

/// Creates a file for binary writing. On POSIX systems, only the owner of the file can read and write it. Returns null
/// and sets `errno` on failure, for example to EEXIST if a file or link has this name. `path` is UTF-8.
std::FILE* create_new(const std::string& path) noexcept;

}  // namespace hkpd
