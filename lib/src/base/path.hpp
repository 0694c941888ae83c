// The names of files: UTF-8 texts everywhere in hkpd, turned into the system's paths where a file is opened.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace hkpd {

/// The path that a text names. On Windows it may be longer than 260 characters, for it is made one that begins with
/// `\\?\` then; U+FFFD stands for what is not UTF-8.
std::filesystem::path path_of(std::string_view text);

/// The text of a path, without what `path_of` put in front.
std::string path_text(const std::filesystem::path& path);

/// The same name as seen from the root of the file system; as it is where that cannot be told.
std::string absolute_name(const std::string& name);

/// The name that this one leads to through links, itself where it is none. Empty where that cannot be told, and why: of
/// links in a circle, on Windows also of one that leads nowhere.
std::string final_name(const std::string& name, std::error_code& error);

/// Whether there is anything of that name; false, here and below, where that cannot be told.
bool is_there(const std::string& name);
/// Whether there is a directory of that name.
bool is_directory(const std::string& name);
/// Whether there is a regular file of that name.
bool is_regular_file(const std::string& name);

/// Why no file can be made in a directory, as far as that can be told without making one; else no error.
std::error_code why_no_file_in(const std::string& directory);

/// The regular files of a directory, in the order of their names: all that could be listed, and why not more.
std::vector<std::string> files_in(const std::string& directory, std::error_code& error);

/// Whether nothing is in a directory, no other directory either; false too where that cannot be told.
bool is_empty(const std::string& directory);

/// Makes a directory, and those above it that are missing. No error where it is there already.
std::error_code make_directory(const std::string& name);

}  // namespace hkpd
