// Source: Microsoft Learn, "Maximum Path Length Limitation" and "Naming Files, Paths, and Namespaces". This file does
// not use the queries of std::filesystem, such as `exists`. In MinGW, these queries call functions of the C library.
// Those functions accept no `?` in a name (as in the prefix `\\?\`), and no directory name of more than 260 characters.
#include "base/path.hpp"

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <span>

#include "base/windows/wide.hpp"

namespace hkpd {
namespace {

constexpr std::wstring_view verbatim = LR"(\\?\)", verbatim_share = LR"(\\?\UNC\)", share = LR"(\\)";
/// Length in characters of the longest name that every function accepts without the prefix `\\?\`. The limit for names
/// of files is higher, but the name of a directory must leave space for the name of a file in the directory.
constexpr std::size_t longest_plain = 247;

/// Returns the path from `GetFullPathNameW`, which resolves the current directory, `/` and `..`; empty on failure.
std::wstring full_path(const std::wstring& path) {
    std::wstring full(GetFullPathNameW(path.c_str(), 0, nullptr, nullptr), L'\0');
    full.resize(GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr));
    return full;
}

/// Returns whether the attributes are those of a regular file. Returns false for INVALID_FILE_ATTRIBUTES, which has
/// all bits set.
bool is_regular(DWORD attributes) { return (attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE)) == 0; }

/// Returns the prefix of the paths of a directory's entries: the directory's name with a separator.
std::string front_of(const std::string& directory) {
    const bool ended = directory.empty() || directory.find_last_of("/\\:") == directory.size() - 1;
    return ended ? directory : directory + '\\';
}

/// Returns the last Windows error as the corresponding `errno` value, because diagnostics show `errno` values. If no
/// value corresponds, returns `errc::io_error`.
std::error_code last_error() {
    const std::error_condition condition =
        std::system_category().default_error_condition(static_cast<int>(GetLastError()));
    return condition.category() == std::generic_category() ? std::error_code(condition.value(), condition.category())
                                                           : std::make_error_code(std::errc::io_error);
}

/// Calls `each` with every entry of a directory, including `.` and `..`. `front` is the result of `front_of` for the
/// directory. Returns the error that ended the listing, if any.
template <class Each>
std::error_code for_each_entry(const std::string& front, const Each& each) {
    WIN32_FIND_DATAW entry{};
    const HANDLE search = FindFirstFileW(path_of(front + '*').c_str(), &entry);
    if (search == INVALID_HANDLE_VALUE) return last_error();
    do each(entry);
    while (FindNextFileW(search, &entry) != 0);
    const std::error_code error = GetLastError() == ERROR_NO_MORE_FILES ? std::error_code() : last_error();
    FindClose(search);
    return error;
}

}  // namespace

std::filesystem::path path_of(std::string_view text) {
    std::wstring path = to_wide(text);
    // A name that begins with `\\.\` is the name of a device, and one that begins with `\\?\` already has the prefix.
    if (path.starts_with(LR"(\\.\)") || path.starts_with(verbatim)) return path;
    const std::wstring full = full_path(path);
    if (full.size() <= longest_plain) return path;
    if (full.starts_with(share)) return std::wstring(verbatim_share) + full.substr(share.size());
    return std::wstring(verbatim) + full;
}

std::string path_text(const std::filesystem::path& path) {
    std::wstring_view wide = path.native();
    std::string text;
    if (wide.starts_with(verbatim_share)) {
        text = R"(\\)";
        wide.remove_prefix(verbatim_share.size());
    } else if (wide.starts_with(verbatim)) {
        wide.remove_prefix(verbatim.size());
    }
    append_utf16(text, std::as_bytes(std::span(wide)), ByteOrder::little);
    return text;
}

std::string absolute_name(const std::string& name) {
    const std::wstring full = full_path(path_of(name).native());
    return full.empty() ? name : path_text(full);
}

bool is_there(const std::string& name) { return GetFileAttributesW(path_of(name).c_str()) != INVALID_FILE_ATTRIBUTES; }

bool is_directory(const std::string& name) {
    const DWORD attributes = GetFileAttributesW(path_of(name).c_str());
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

bool is_regular_file(const std::string& name) { return is_regular(GetFileAttributesW(path_of(name).c_str())); }

/// Predicts the error that creating a file in a directory would cause, but does not check access rights. They are in
/// access control lists, which Windows evaluates only when a file is actually created.
std::error_code why_no_file_in(const std::string& directory) {
    if (is_directory(directory)) return {};
    return std::make_error_code(is_there(directory) ? std::errc::not_a_directory
                                                    : std::errc::no_such_file_or_directory);
}

std::vector<std::string> files_in(const std::string& directory, std::error_code& error) {
    const std::string front = front_of(directory);
    std::vector<std::string> files;
    error = for_each_entry(front, [&](const WIN32_FIND_DATAW& entry) {
        if (is_regular(entry.dwFileAttributes)) files.push_back(front + path_text(&entry.cFileName[0]));
    });
    std::ranges::sort(files);
    return files;
}

std::vector<std::string> entries_in(const std::string& directory, std::error_code& error) {
    const std::string front = front_of(directory);
    std::vector<std::string> entries;
    error = for_each_entry(front, [&](const WIN32_FIND_DATAW& entry) {
        const std::wstring_view name = &entry.cFileName[0];
        if ((entry.dwFileAttributes & FILE_ATTRIBUTE_DEVICE) == 0 && name != L"." && name != L"..")
            entries.push_back(front + path_text(&entry.cFileName[0]));
    });
    std::ranges::sort(entries);
    return entries;
}

std::optional<FileIdentity> identity_of_file(const std::string& name) {
    if (!is_directory(name) && !is_regular_file(name)) return std::nullopt;
    constexpr DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE file = CreateFileW(path_of(name).c_str(), 0, shared, nullptr, OPEN_EXISTING,
                                    FILE_FLAG_BACKUP_SEMANTICS, nullptr);  // the flag opens directories, too
    if (file == INVALID_HANDLE_VALUE) return std::nullopt;
    BY_HANDLE_FILE_INFORMATION found{};
    const bool is_known = GetFileInformationByHandle(file, &found) != 0;
    CloseHandle(file);
    if (!is_known) return std::nullopt;
    return FileIdentity{found.dwVolumeSerialNumber,
                        (std::uint64_t{found.nFileIndexHigh} << 32U) | std::uint64_t{found.nFileIndexLow}};
}

std::vector<std::string> directories_below(const std::string& directory, std::error_code& error) {
    std::vector<std::string> directories{directory};
    for (std::size_t i = 0; i < directories.size(); ++i) {
        const std::string front = front_of(directories[i]);
        const std::error_code failed = for_each_entry(front, [&](const WIN32_FIND_DATAW& entry) {
            constexpr DWORD kinds = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;  // the latter: links
            const std::wstring_view name = &entry.cFileName[0];
            if ((entry.dwFileAttributes & kinds) == FILE_ATTRIBUTE_DIRECTORY && name != L"." && name != L"..")
                directories.push_back(front + path_text(&entry.cFileName[0]));
        });
        if (!error) error = failed;
    }
    directories.erase(directories.begin());
    std::ranges::sort(directories);
    return directories;
}

bool is_empty(const std::string& directory) {
    bool any = false;
    const std::error_code error = for_each_entry(front_of(directory), [&any](const WIN32_FIND_DATAW& entry) {
        const std::wstring_view name = &entry.cFileName[0];
        any = any || (name != L"." && name != L"..");
    });
    return !error && !any;
}

std::error_code make_directory(const std::string& name) {
    const auto made = [&name] { return is_directory(name) || CreateDirectoryW(path_of(name).c_str(), nullptr) != 0; };
    if (made()) return {};
    const std::error_code error = last_error();
    const std::filesystem::path full = full_path(to_wide(name)), above = full.parent_path();
    if (error != std::errc::no_such_file_or_directory || above == full || is_there(path_text(above))) return error;
    if (const std::error_code none_above = make_directory(path_text(above))) return none_above;
    return made() ? std::error_code() : last_error();
}

std::FILE* create_new(const std::string& path) noexcept {
    // `fopen` of msvcrt does not support the mode `x`, which fails if the file exists.
    const int file = _wopen(path_of(path).c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE);
    return file < 0 ? nullptr : _fdopen(file, "wb");
}

}  // namespace hkpd
