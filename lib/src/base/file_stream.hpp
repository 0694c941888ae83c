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

/// The error number of a file that became shorter while it was read: what it had when it was opened is not all there.
/// It is none of the system's.
inline constexpr int file_became_shorter = 0x10000;
/// The error number of an input that was read twice, and had another number of samples the second time.
inline constexpr int input_changed = 0x10001;

/// Returns the text of an error number of the system, or of one of these.
std::string read_message(int number);

/// Returns the error of an input that cannot be read. `number`: the system's error number (`errno`), or one
/// of these.
inline Error read_error(int number) noexcept {
    return {Errc::cannot_read, 0, "", "", 0, static_cast<std::uint64_t>(number)};
}

/// The bytes of an open file, for a `std::istream`. If reading fails, the stream becomes bad, and `failure` states why.
/// Reading also fails at the end of a file that is shorter than it was when it was opened: another program has cut it,
/// and bytes are missing. A file may grow meanwhile, as a log does. If the file cannot seek, as a pipe or a terminal,
/// `tellg` returns -1.
class FileBuffer final : public std::streambuf {
  public:
    /// Begins at the current position of a file, which is not closed by the buffer. -1: no file, hence no bytes.
    explicit FileBuffer(int file = -1) { attach(file); }

    /// Continues with another file, at its current position.
    void attach(int file);
    int file() const noexcept { return file_; }
    /// Returns the error number of the first read that failed, also after the stream was cleared; 0 if none has.
    int failure() const noexcept { return failure_; }

  private:
    int_type underflow() override;
    std::streamsize xsgetn(char* text, std::streamsize size) override;
    pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode which) override;
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

    std::size_t read(std::span<char> space);
    [[noreturn]] void fail(int number);
    off_type buffered() const noexcept { return egptr() - gptr(); }

    int file_ = -1, failure_ = 0;
    std::int64_t first_size_ = 0;      // size of the file when it was attached; 0 if it has none
    std::optional<std::int64_t> end_;  // position of the file, after the buffered bytes; none if it cannot seek
    std::array<char, 8192> bytes_{};
    /// Bytes to read at once: few after the position was moved, because often only a header is wanted there.
    static constexpr std::size_t least_step = 128;
    std::size_t step_ = bytes_.size();
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

/// Returns why reading a stream has failed; none if it has not. A failure of a `FileBuffer` is known also after the
/// stream was cleared, as for seeking.
std::optional<Error> read_failure(const std::istream& stream);

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
/// Returns the size of a regular file in bytes; 0 of everything else, and if it is unknown.
std::int64_t size(int file) noexcept;
/// Moves to a position counted from the beginning, the current position or the end (SEEK_SET, SEEK_CUR, SEEK_END).
/// Returns the position from the beginning; none if the file cannot seek.
std::optional<std::int64_t> seek(int file, std::int64_t offset, int from) noexcept;

}  // namespace system_file
}  // namespace hkpd
