// Files and standard input as streams. With `std::ifstream` and `std::cin` of libc++, a failed read looks like the end
// of the file; with the C library of Windows, seeking in a pipe seems to succeed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <istream>
#include <optional>
#include <span>
#include <streambuf>
#include <string>

#include "hkpd/error.hpp"

namespace hkpd {

/// Returns the error of an input that cannot be read. `number`: the system's error number (`errno`).
inline Error read_error(int number) noexcept {
    return {Errc::cannot_read, 0, "", "", 0, static_cast<std::uint64_t>(number)};
}

/// The bytes of an open file, for a `std::istream`. If reading fails, the stream becomes bad, and `errno` states why.
/// If the file cannot seek, as a pipe or a terminal, `tellg` returns -1.
class FileBuffer final : public std::streambuf {
  public:
    /// Begins at the current position of a file, which is not closed by the buffer. -1: no file, hence no bytes.
    explicit FileBuffer(int file = -1) { attach(file); }

    /// Continues with another file, at its current position.
    void attach(int file);
    int file() const noexcept { return file_; }

  private:
    int_type underflow() override;
    std::streamsize xsgetn(char* text, std::streamsize size) override;
    pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode which) override;
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

    std::size_t read(std::span<char> space);
    off_type buffered() const noexcept { return egptr() - gptr(); }

    int file_ = -1;
    std::optional<std::int64_t> end_;  // position of the file, after the buffered bytes; none if it cannot seek
    std::array<char, 8192> bytes_{};
};

/// A file that is opened by its name, in UTF-8.
class FileStream final : public std::istream {
  public:
    FileStream() : std::istream(nullptr) { rdbuf(&buffer_); }
    /// Opens a file as `open` does.
    explicit FileStream(const std::string& path) : FileStream() { open(path); }
    FileStream(const FileStream&) = delete;
    FileStream& operator=(const FileStream&) = delete;
    ~FileStream() override { close(); }

    /// Opens a file instead of the current one, at its beginning. On failure the stream fails, and `errno` states why.
    void open(const std::string& path);
    void close() noexcept;
    bool is_open() const noexcept { return buffer_.file() != -1; }

  private:
    FileBuffer buffer_;
};

/// Returns standard input as a stream, the same one each time. It reads from the system, not through `std::cin`.
std::istream& standard_input();

namespace system_file {

/// Returns the number of standard input, whose bytes are then read unchanged.
int standard_input() noexcept;
/// Opens a file to read. Returns its number; -1 on failure, with `errno`.
int open(const std::string& path);
void close(int file) noexcept;
/// Reads at most as many bytes as fit. Returns their number; 0 at the end, -1 on failure, with `errno`.
std::ptrdiff_t read(int file, std::span<char> space) noexcept;
/// Moves to a position counted from the beginning, the current position or the end (SEEK_SET, SEEK_CUR, SEEK_END).
/// Returns the position from the beginning; none if the file cannot seek.
std::optional<std::int64_t> seek(int file, std::int64_t offset, int from) noexcept;

}  // namespace system_file
}  // namespace hkpd
