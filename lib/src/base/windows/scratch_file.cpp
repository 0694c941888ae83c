#include "base/scratch_file.hpp"

#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <share.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace hkpd {

/// `_O_TEMPORARY` deletes the file when it is closed. `std::tmpfile` would make it in the root folder of the drive,
/// which only administrators may write (learn.microsoft.com, "tmpfile").
std::FILE* open_scratch() noexcept {
    std::error_code unknown;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(unknown);
    if (unknown) return nullptr;
    constexpr int attempts = 1000;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const std::wstring name =
            folder.wstring() + L"hkpd-" + std::to_wstring(_getpid()) + L"-" + std::to_wstring(attempt) + L".tmp";
        int file = -1;
        constexpr int how = _O_CREAT | _O_EXCL | _O_RDWR | _O_BINARY | _O_TEMPORARY | _O_NOINHERIT;
        const errno_t error = _wsopen_s(&file, name.c_str(), how, _SH_DENYRW, _S_IREAD | _S_IWRITE);
        if (error == 0) return _fdopen(file, "w+b");
        if (error != EEXIST) return nullptr;
    }
    return nullptr;
}

bool ScratchFile::read(std::uint64_t offset, std::span<char> bytes) const noexcept {
    return file_ && _fseeki64(file_.get(), static_cast<__int64>(offset), SEEK_SET) == 0 &&
           std::fread(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size();
}

}  // namespace hkpd
