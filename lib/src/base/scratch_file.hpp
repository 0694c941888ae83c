// A file for what does not fit into memory. It has no name, or one in the system's folder for temporary files, and is
// gone when it is closed or the program ends.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string_view>

namespace hkpd {

/// Opens a new scratch file for reading and writing; null if the system cannot.
std::FILE* open_scratch() noexcept;

class ScratchFile {
  public:
    /// Appends bytes. The first call opens the file. Returns false if the file cannot be opened or written.
    bool append(std::string_view bytes) {
        if (!file_) file_.reset(open_scratch());
        if (!file_ || std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) return false;
        size_ += bytes.size();
        return true;
    }
    /// Returns the number of bytes that were appended.
    std::uint64_t size() const noexcept { return size_; }
    /// Reads bytes from an offset. Nothing must be appended afterwards. Returns false if they cannot all be read.
    bool read(std::uint64_t offset, std::span<char> bytes) const noexcept;

  private:
    struct Close {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Close> file_;
    std::uint64_t size_ = 0;
};

}  // namespace hkpd
