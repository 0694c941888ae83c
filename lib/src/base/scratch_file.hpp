// A file for what does not fit into memory. It has no name, or one in the system's folder for temporary files, and is
// gone when it is closed or the program ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hkpd {

/// Opens a new scratch file for reading and writing; null if the system cannot.
std::FILE* open_scratch() noexcept;

class ScratchFile {
  public:
    /// Appends bytes. The first call opens the file. Returns false if the file cannot be opened or written; nothing can
    /// be appended then.
    bool append(std::string_view bytes) {
        if (has_failed_) return false;
        if (!file_) file_.reset(open_scratch());
        has_failed_ = !file_ || std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size();
        if (!has_failed_) size_ += bytes.size();
        return !has_failed_;
    }
    bool has_failed() const noexcept { return has_failed_; }
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
    bool has_failed_ = false;
};

/// Reads parts of a scratch file whose offsets ascend, several at once.
class ScratchReader {
  public:
    /// `end`: the end of the last part. `at_once`: number of bytes that are read at once, unless a part is larger.
    ScratchReader(std::uint64_t end, std::size_t at_once) : end_(end), at_once_(at_once) {}

    /// Returns a part, until the next call; none if it cannot be read.
    std::optional<std::string_view> read(const ScratchFile& file, std::uint64_t offset, std::size_t size) {
        if (offset < begin_ || offset + size > begin_ + bytes_.size()) {
            bytes_.resize(std::max(size, static_cast<std::size_t>(std::min<std::uint64_t>(at_once_, end_ - offset))));
            begin_ = offset;
            if (!file.read(offset, bytes_)) {
                bytes_.clear();
                return std::nullopt;
            }
        }
        return std::string_view(bytes_).substr(static_cast<std::size_t>(offset - begin_), size);
    }

  private:
    std::uint64_t end_, begin_ = 0;
    std::size_t at_once_;
    std::string bytes_;
};

}  // namespace hkpd
