// File names: UTF-8 everywhere in hkpd, converted to the system's paths where a file is opened.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace hkpd {

/// Returns the path that a text names. On Windows the path may be longer than 260 characters, because a long path gets
/// the prefix `\\?\`; invalid UTF-8 is replaced by U+FFFD there.
std::filesystem::path path_of(std::string_view text);

/// Returns the text of a path, without the prefix that `path_of` adds.
std::string path_text(const std::filesystem::path& path);

/// Returns the absolute form of a name, or the name unchanged if that cannot be determined.
std::string absolute_name(const std::string& name);

/// Returns whether a file, a directory or anything else with that name exists. This and the other predicates return
/// false on errors.
bool is_there(const std::string& name);
/// Returns whether a directory has that name.
bool is_directory(const std::string& name);
/// Returns whether a regular file has that name.
bool is_regular_file(const std::string& name);

/// Returns the error that creating a file in a directory would give, as far as this is known without creating one; no
/// error if none is known.
std::error_code why_no_file_in(const std::string& directory);

/// Returns a directory's regular files, sorted by name. On an error, returns those listed so far and sets `error`.
std::vector<std::string> files_in(const std::string& directory, std::error_code& error);

/// Returns whether a directory contains neither files nor directories; false on errors.
bool is_empty(const std::string& directory);

/// Creates a directory and its missing parents. Returns no error if it exists already.
std::error_code make_directory(const std::string& name);

}  // namespace hkpd
