// The input as a file that has a name, for code that opens files. Linux only, and in memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>

#include "entry.hpp"

namespace hkpd_fuzz {

/// Holds one input at a time; each open starts at its beginning.
class InputFile {
  public:
    InputFile() : file_(memfd_create("input", MFD_CLOEXEC)) { require(file_ >= 0); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile() { close(file_); }

    void hold(std::span<const std::byte> input) const {
        require(ftruncate(file_, 0) == 0);
        require(pwrite(file_, input.data(), input.size(), 0) == static_cast<ssize_t>(input.size()));
    }
    std::string name() const { return "/proc/self/fd/" + std::to_string(file_); }

  private:
    int file_;
};

}  // namespace hkpd_fuzz
