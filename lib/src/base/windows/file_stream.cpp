#include "base/file_stream.hpp"

#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

#include "base/path.hpp"

namespace hkpd::system_file {

int standard_input() noexcept {
    const int file = _fileno(stdin);
    _setmode(file, _O_BINARY);
    return file;
}

int open(const std::string& path) {
    int file = -1;
    const errno_t error = _wsopen_s(&file, path_of(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT, _SH_DENYNO, 0);
    return error == 0 ? file : -1;
}

void close(int file) noexcept { _close(file); }

std::ptrdiff_t read(int file, std::span<char> space) noexcept {
    constexpr std::size_t most = std::size_t{1} << 30U;  // the size is an int
    return _read(file, space.data(), static_cast<unsigned>(std::min(space.size(), most)));
}

namespace {

/// Returns whether a file is a regular one, and its status.
bool is_regular(int file, struct _stat64& status) noexcept {
    return _fstat64(file, &status) == 0 && (status.st_mode & _S_IFMT) == _S_IFREG;
}

}  // namespace

std::int64_t size(int file) noexcept {
    struct _stat64 status{};
    return is_regular(file, status) ? status.st_size : 0;
}

std::optional<std::int64_t> seek(int file, std::int64_t offset, int from) noexcept {
    // Seeking in a pipe or a console has no effect, but no error either.
    struct _stat64 status{};
    if (!is_regular(file, status)) return std::nullopt;
    const std::int64_t position = _lseeki64(file, offset, from);
    return position < 0 ? std::nullopt : std::optional(position);
}

}  // namespace hkpd::system_file
