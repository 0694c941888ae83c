#include "base/file_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <system_error>

namespace hkpd {

void FileBuffer::attach(int file) {
    file_ = file;
    failure_ = 0;
    first_size_ = file == -1 ? 0 : system_file::size(file);
    end_ = file == -1 ? std::nullopt : system_file::seek(file, 0, SEEK_CUR);
    step_ = bytes_.size();
    setg(nullptr, nullptr, nullptr);
}

/// Reads from the file; returns 0 only at its end. A stream that calls this catches the exception and becomes bad.
std::size_t FileBuffer::read(std::span<char> space) {
    if (file_ == -1) return 0;
    const std::ptrdiff_t size = system_file::read(file_, space);
    if (size < 0) fail(errno);
    if (size == 0 && !space.empty() && end_ && *end_ < first_size_) fail(file_became_shorter);
    if (end_) *end_ += size;
    return static_cast<std::size_t>(size);
}

void FileBuffer::fail(int number) {
    if (failure_ == 0) failure_ = number;
    errno = number;
    throw std::system_error(number, std::generic_category());
}

FileBuffer::int_type FileBuffer::underflow() {
    const std::size_t size = read(std::span(bytes_).first(step_));
    step_ = std::min(2 * step_, bytes_.size());
    setg(bytes_.data(), bytes_.data(), std::next(bytes_.data(), static_cast<std::ptrdiff_t>(size)));
    return size == 0 ? traits_type::eof() : traits_type::to_int_type(bytes_.front());
}

/// Takes what is buffered, and reads all else directly to where it is wanted, unless it is less than a buffer.
std::streamsize FileBuffer::xsgetn(char* text, std::streamsize size) {
    const std::span<char> all(text, static_cast<std::size_t>(size));
    std::size_t done = 0;
    while (done < all.size()) {
        const std::span<char> rest = all.subspan(done);
        if (gptr() != egptr()) {
            const std::size_t part = std::min(rest.size(), static_cast<std::size_t>(buffered()));
            std::memcpy(rest.data(), gptr(), part);
            gbump(static_cast<int>(part));
            done += part;
        } else if (rest.size() >= step_) {
            const std::size_t part = read(rest);
            if (part == 0) break;
            done += part;
        } else if (underflow() == traits_type::eof()) {
            break;
        }
    }
    return static_cast<std::streamsize>(done);
}

FileBuffer::pos_type FileBuffer::seekoff(off_type offset, std::ios_base::seekdir from,
                                         std::ios_base::openmode /*which*/) {
    if (!end_) return off_type(-1);
    const off_type here = *end_ - buffered();
    if (from == std::ios_base::cur) offset += here;
    if (from != std::ios_base::end && offset == here) return here;
    const bool to_end = from == std::ios_base::end;
    const auto position = system_file::seek(file_, offset, to_end ? SEEK_END : SEEK_SET);
    if (!position) return off_type(-1);
    if (to_end && *position - offset < first_size_) fail(file_became_shorter);
    end_ = position;
    step_ = least_step;
    setg(nullptr, nullptr, nullptr);
    return off_type(*position);
}

FileBuffer::pos_type FileBuffer::seekpos(pos_type position, std::ios_base::openmode which) {
    return seekoff(off_type(position), std::ios_base::beg, which);
}

void FileStream::open(const std::string& path) {
    close();
    clear();
    buffer_.attach(system_file::open(path));
    if (!is_open()) setstate(failbit);
}

void FileStream::close() noexcept {
    if (is_open()) system_file::close(buffer_.file());
    buffer_.attach(-1);
}

std::string read_message(int number) {
    if (number == file_became_shorter) return "the file became shorter while it was read";
    if (number == input_changed) return "it changed while it was read, and is not the same a second time";
    return std::generic_category().message(number);
}

std::optional<Error> read_failure(const std::istream& stream) {
    const auto* const file = dynamic_cast<const FileBuffer*>(stream.rdbuf());
    if (file != nullptr && file->failure() != 0) return read_error(file->failure());
    return stream.bad() ? std::optional(read_error(errno)) : std::nullopt;
}

std::istream& standard_input() {
    static FileBuffer buffer(system_file::standard_input());
    static std::istream stream(&buffer);
    return stream;
}

}  // namespace hkpd
