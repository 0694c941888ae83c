#include "base/path.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <utility>

namespace hkpd {

namespace fs = std::filesystem;

namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const noexcept { closedir(directory); }
};

fs::file_status status_of(const std::string& name) {
    std::error_code error;
    return fs::status(name, error);
}

/// Returns whether a directory has that name. Does not follow a symbolic link.
bool is_directory_itself(const std::string& name) {
    std::error_code error;
    return fs::symlink_status(name, error).type() == fs::file_type::directory;
}

/// Calls `take` with each entry of a directory and its path, until `take` returns false. The iterators of the standard
/// library are no alternative: libstdc++ 12 ends the program if memory is refused to them (`_Dir::advance`, which is
/// noexcept and makes a path).
template <class Take>
std::error_code each_entry(const std::string& directory, const Take& take) {
    const auto last_error = [] { return std::error_code(errno, std::generic_category()); };
    const std::unique_ptr<DIR, CloseDirectory> opened(opendir(directory.c_str()));
    if (!opened) return last_error();
    while (true) {
        errno = 0;
        const dirent* const entry = readdir(opened.get());
        if (entry == nullptr) return errno == 0 ? std::error_code() : last_error();
        const std::string_view name = std::data(entry->d_name);
        if (name == "." || name == "..") continue;
        std::string path = directory;
        if (!path.ends_with('/')) path += '/';
        path += name;
        if (!take(*entry, std::move(path))) return {};
    }
}

}  // namespace

fs::path path_of(std::string_view text) { return text; }

std::string path_text(const fs::path& path) { return path.native(); }

std::string absolute_name(const std::string& name) {
    std::error_code error;
    const fs::path path = fs::absolute(name, error);
    return error ? name : path.native();
}

bool is_there(const std::string& name) { return fs::exists(status_of(name)); }

bool is_directory(const std::string& name) { return fs::is_directory(status_of(name)); }

bool is_regular_file(const std::string& name) { return fs::is_regular_file(status_of(name)); }

std::error_code why_no_file_in(const std::string& directory) {
    if (access(directory.c_str(), W_OK | X_OK) != 0) return {errno, std::generic_category()};
    return is_directory(directory) ? std::error_code() : std::make_error_code(std::errc::not_a_directory);
}

std::vector<std::string> files_in(const std::string& directory, std::error_code& error) {
    std::vector<std::string> files;
    const auto add = [&](const dirent& entry, std::string path) {
        if (entry.d_type == DT_REG || (entry.d_type != DT_DIR && is_regular_file(path)))
            files.push_back(std::move(path));
        return true;
    };
    error = each_entry(directory, add);
    std::ranges::sort(files);
    return files;
}

std::vector<std::string> entries_in(const std::string& directory, std::error_code& error) {
    std::vector<std::string> entries;
    const auto add = [&](const dirent& entry, std::string path) {
        if (entry.d_type == DT_REG || entry.d_type == DT_DIR || is_regular_file(path) || is_directory(path))
            entries.push_back(std::move(path));
        return true;
    };
    error = each_entry(directory, add);
    std::ranges::sort(entries);
    return entries;
}

std::optional<FileIdentity> identity_of_file(const std::string& name) {
    struct stat found{};
    if (stat(name.c_str(), &found) != 0 || (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))) return std::nullopt;
    return FileIdentity{static_cast<std::uint64_t>(found.st_dev), static_cast<std::uint64_t>(found.st_ino)};
}

std::vector<std::string> directories_below(const std::string& directory, std::error_code& error) {
    std::vector<std::string> directories;
    const auto add = [&](const dirent& entry, std::string path) {
        if (entry.d_type == DT_DIR || (entry.d_type == DT_UNKNOWN && is_directory_itself(path)))
            directories.push_back(std::move(path));
        return true;
    };
    error = each_entry(directory, add);
    for (std::size_t i = 0; i < directories.size() && !error; ++i)
        error = each_entry(std::string(directories[i]), add);  // a copy, because the list grows
    std::ranges::sort(directories);
    return directories;
}

bool is_empty(const std::string& directory) {
    bool empty = true;
    const std::error_code error =
        each_entry(directory, [&empty](const dirent&, const std::string&) { return empty = false; });
    return empty && !error;
}

std::error_code make_directory(const std::string& name) {
    std::error_code error;
    fs::create_directories(name, error);
    return error;
}

std::FILE* create_new(const std::string& path) noexcept {
    const int file =
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, S_IRUSR | S_IWUSR);
    return file < 0 ? nullptr : fdopen(file, "wb");
}

}  // namespace hkpd
