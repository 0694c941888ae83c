// The file that a capture is written to.
#pragma once

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

namespace hkpd::command {

/// What it is given is with the system when `write` returns.
class CaptureOutput {
  public:
    /// `-` is standard output.
    explicit CaptureOutput(const std::string& path);
    ~CaptureOutput();
    CaptureOutput(const CaptureOutput&) = delete;
    CaptureOutput& operator=(const CaptureOutput&) = delete;

    bool opened() const noexcept { return file_ != nullptr; }
    bool write(std::span<const std::byte> bytes);
    bool close();
    int error() const noexcept { return error_; }
    std::uint64_t size() const noexcept { return size_; }

  private:
    std::FILE* file_;
    int error_ = 0;
    std::uint64_t size_ = 0;
};

/// Says why the output must not be written: it is the input, or among the files of an input that is a directory.
std::string check_output(const std::string& input, const std::string& output);

}  // namespace hkpd::command
