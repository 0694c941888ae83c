#include "base/scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace hkpd {

std::FILE* open_scratch() noexcept {
    const char* const folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    std::string name = std::string(folder == nullptr || *folder == '\0' ? "/tmp" : folder) + "/hkpd-XXXXXX";
    const int file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) return nullptr;
    ::unlink(name.c_str());
    std::FILE* const opened = ::fdopen(file, "w+b");
    if (opened == nullptr) ::close(file);
    return opened;
}

bool ScratchFile::read(std::uint64_t offset, std::span<char> bytes) const noexcept {
    return file_ && ::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) == 0 &&
           std::fread(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size();
}

}  // namespace hkpd
