#include "base/path.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace hkpd {

namespace fs = std::filesystem;

namespace {

fs::file_status status_of(const std::string& name) {
    std::error_code error;
    return fs::status(name, error);
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
    for (auto entry = fs::directory_iterator(directory, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored)) files.push_back(entry->path());
    }
    std::ranges::sort(files);
    return files;
}

std::vector<std::string> directories_below(const std::string& directory, std::error_code& error) {
    std::vector<std::string> directories;
    for (auto entry = fs::recursive_directory_iterator(directory, error);
         !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        if (entry->symlink_status(ignored).type() == fs::file_type::directory) directories.push_back(entry->path());
    }
    std::ranges::sort(directories);
    return directories;
}

bool is_empty(const std::string& directory) {
    std::error_code error;
    return fs::is_empty(directory, error) && !error;
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
