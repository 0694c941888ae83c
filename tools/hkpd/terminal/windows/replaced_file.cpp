#include "terminal/replaced_file.hpp"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "base/path.hpp"

namespace hkpd::command {
namespace {

std::error_code error_of(DWORD status) noexcept { return {static_cast<int>(status), std::system_category()}; }

/// Returns the `errno` for a status of CreateFileW, as the C library does for its own functions.
int errno_of(DWORD status) noexcept {
    switch (status) {
        case ERROR_FILE_EXISTS:
        case ERROR_ALREADY_EXISTS:
            return EEXIST;
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND:
            return ENOENT;
        case ERROR_ACCESS_DENIED:
        case ERROR_SHARING_VIOLATION:
            return EACCES;
        case ERROR_DISK_FULL:
            return ENOSPC;
        case ERROR_INVALID_NAME:
            return EINVAL;
        default:
            return EIO;
    }
}

/// Returns the path to which `name` leads if it is a link, with all further links followed; otherwise returns `name`.
/// Fails for circular and dangling links.
std::expected<std::string, std::error_code> final_path(const std::string& name) {
    const std::filesystem::path path = path_of(name);
    const DWORD attributes = GetFileAttributesW(path.c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return name;
    constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    // Directories can be opened only with FILE_FLAG_BACKUP_SEMANTICS.
    const HANDLE file = CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, share_all, nullptr, OPEN_EXISTING,
                                    FILE_FLAG_BACKUP_SEMANTICS, nullptr);
    if (file == INVALID_HANDLE_VALUE) return std::unexpected(error_of(GetLastError()));
    std::wstring found(GetFinalPathNameByHandleW(file, nullptr, 0, 0), L'\0');
    if (!found.empty())
        found.resize(GetFinalPathNameByHandleW(file, found.data(), static_cast<DWORD>(found.size()), 0));
    const DWORD status = GetLastError();
    CloseHandle(file);
    if (found.empty()) return std::unexpected(error_of(status));
    return path_text(found);
}

}  // namespace

struct ReplacedFile::State {
    std::string target, temporary;
};

ReplacedFile::ReplacedFile(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
ReplacedFile::ReplacedFile(ReplacedFile&&) noexcept = default;
ReplacedFile& ReplacedFile::operator=(ReplacedFile&&) noexcept = default;
ReplacedFile::~ReplacedFile() = default;

// The owner of a link is not checked, because Windows allows only administrators, and users of a machine in developer
// mode, to create links.
std::expected<ReplacedFile, std::error_code> ReplacedFile::find(const std::string& path) {
    auto target = final_path(path);
    if (!target) return std::unexpected(target.error());
    return ReplacedFile(std::make_unique<State>(State{*std::move(target), {}}));
}

const std::string& ReplacedFile::target() const noexcept { return state_->target; }
const std::string& ReplacedFile::temporary() const noexcept { return state_->temporary; }

std::FILE* ReplacedFile::create(std::string_view ending, NewFileRights /*rights*/, NewFileSharing sharing) {
    state_->temporary = state_->target;
    state_->temporary += ending;
    // The C library would not share the right to delete the file, and `remove` could not be called while it is open:
    // when Ctrl-C ends the program.
    const DWORD others =
        sharing == NewFileSharing::locked ? FILE_SHARE_READ : FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE handle = CreateFileW(path_of(state_->temporary).c_str(), GENERIC_WRITE, others, nullptr, CREATE_NEW,
                                      FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        errno = errno_of(GetLastError());
        return nullptr;
    }
    const int file = _open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_BINARY);
    if (file < 0) CloseHandle(handle);
    return file < 0 ? nullptr : _fdopen(file, "wb");
}

bool ReplacedFile::is_in_place(std::FILE* file, std::uint64_t size) const noexcept {
    constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const auto open_file = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(file)));
    const HANDLE named = CreateFileW(path_of(state_->temporary).c_str(), FILE_READ_ATTRIBUTES, share_all, nullptr,
                                     OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
    if (named == INVALID_HANDLE_VALUE) return false;
    BY_HANDLE_FILE_INFORMATION of_open{}, of_named{};
    const bool known =
        GetFileInformationByHandle(open_file, &of_open) != 0 && GetFileInformationByHandle(named, &of_named) != 0;
    CloseHandle(named);
    const auto join = [](DWORD high, DWORD low) { return std::uint64_t{high} << 32U | low; };
    return known && of_open.dwVolumeSerialNumber == of_named.dwVolumeSerialNumber &&
           join(of_open.nFileIndexHigh, of_open.nFileIndexLow) ==
               join(of_named.nFileIndexHigh, of_named.nFileIndexLow) &&
           join(of_named.nFileSizeHigh, of_named.nFileSizeLow) == size;
}

// Makes several attempts, because the file usually cannot be replaced while another program reads it: most programs
// open files without FILE_SHARE_DELETE. Source: Microsoft Learn, "Creating and Opening Files".
std::error_code ReplacedFile::take_place() {
    constexpr int attempts = 50;
    constexpr DWORD pause = 10;  // milliseconds
    const auto from = path_of(state_->temporary), to = path_of(state_->target);
    DWORD status = ERROR_SUCCESS;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        if (attempt != 0) Sleep(pause);
        if (MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING) != 0) return {};
        status = GetLastError();
        if (status != ERROR_SHARING_VIOLATION && status != ERROR_ACCESS_DENIED) break;
    }
    return error_of(status);
}

void ReplacedFile::remove() noexcept { DeleteFileW(path_of(state_->temporary).c_str()); }

bool is_locked(const std::string& path) noexcept {
    constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE file =
        CreateFileW(path_of(path).c_str(), GENERIC_WRITE, share_all, nullptr, OPEN_EXISTING, 0, nullptr);
    if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
    return file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_SHARING_VIOLATION;
}

bool write_to_disk(std::FILE* file) noexcept { return std::fflush(file) == 0 && _commit(_fileno(file)) == 0; }

}  // namespace hkpd::command
