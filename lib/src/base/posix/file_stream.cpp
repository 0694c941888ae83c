#include "base/file_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/path.hpp"

namespace hkpd::system_file {

int standard_input() noexcept { return STDIN_FILENO; }

int open(const std::string& path) { return ::open(path_of(path).c_str(), O_RDONLY | O_CLOEXEC); }

void close(int file) noexcept { ::close(file); }

std::ptrdiff_t read(int file, std::span<char> space) noexcept {
    ssize_t size = 0;
    do size = ::read(file, space.data(), space.size());
    while (size < 0 && errno == EINTR);
    return size;
}

std::int64_t size(int file) noexcept {
    struct stat status{};
    return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

std::optional<std::int64_t> seek(int file, std::int64_t offset, int from) noexcept {
    static_assert(sizeof(off_t) == sizeof(std::int64_t), "compile with _FILE_OFFSET_BITS=64");
    const off_t position = ::lseek(file, offset, from);
    return position < 0 ? std::nullopt : std::optional<std::int64_t>(position);
}

}  // namespace hkpd::system_file
