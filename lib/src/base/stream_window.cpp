#include "base/stream_window.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hkpd {
namespace {

constexpr std::uint64_t read_size = std::uint64_t{64} * 1024;
/// `skip` seeks only if it skips more bytes than this. It skips fewer bytes by reading, because seeking would discard
/// the stream's buffer.
constexpr std::uint64_t worth_seeking = 4096;
/// No object in memory is larger, on a 32-bit system in particular.
constexpr std::uint64_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max();

}  // namespace

StreamWindow::StreamWindow(std::istream& stream) : stream_(&stream), base_(stream.tellg()) {}

std::optional<std::uint64_t> StreamWindow::size() {
    if (stream_ == nullptr) return memory_.size();
    if (std::exchange(sized_, true) || base_ == std::istream::pos_type(-1)) return size_;
    stream_->clear();
    const auto here = stream_->tellg();
    if (stream_->seekg(0, std::ios::end)) {
        const std::streamoff length = stream_->tellg() - base_;
        if (length >= 0) size_ = static_cast<std::uint64_t>(length);
    }
    stream_->clear();
    stream_->seekg(here);
    return size_;
}

bool StreamWindow::seek(std::uint64_t offset) {
    if (offset > size().value_or(0)) return false;
    if (stream_ == nullptr) {
        begin_ = end_ = static_cast<std::size_t>(offset);
        offset_ = offset;
        return true;
    }
    stream_->clear();
    if (!stream_->seekg(base_ + static_cast<std::streamoff>(offset))) return false;
    begin_ = end_ = 0;
    offset_ = offset;
    return true;
}

bool StreamWindow::ended() {
    if (stream_ == nullptr) return end_ == memory_.size();
    return !may_read() || !*stream_ || stream_->peek() == std::istream::traits_type::eof();
}

/// Returns whether the budget allows to read on, and notes if it does not.
bool StreamWindow::may_read() noexcept {
    if (budget_ == nullptr || budget_->left() != 0) return true;
    budget_->set_exceeded(true);
    return false;
}

Bytes StreamWindow::peek(std::uint64_t want) {
    want = std::min(want, most_bytes);
    if (stream_ == nullptr) {
        const std::uint64_t left = memory_.size() - begin_;
        end_ = std::max(end_, begin_ + static_cast<std::size_t>(std::min(want, left)));
        return held().clip(0, want);
    }
    while (end_ - begin_ < want && *stream_ && may_read()) {
        // Reads all wanted bytes at once if the stream is known to have them. If not, reads in steps. Each step adds 64
        // KiB or, if more bytes are held, as many bytes as are held. Even if `want` comes from a wrong length in the
        // input, the buffer therefore grows to no more than about twice the size of the stream.
        const std::uint64_t have = end_ - begin_, twice = have + std::max(read_size, have);
        const std::uint64_t left = want > twice ? size().value_or(0) : 0;
        const auto most = static_cast<std::size_t>(std::min(want, std::max(twice, left - std::min(left, offset_))));
        reserve_amortized(most);
        auto space = buffer_.span().subspan(end_, begin_ + most - end_);
        if (budget_ != nullptr && space.size() > budget_->left())
            space = space.first(static_cast<std::size_t>(budget_->left()));
        stream_->read(reinterpret_cast<char*>(space.data()), static_cast<std::streamsize>(space.size()));
        end_ += static_cast<std::size_t>(stream_->gcount());
        if (budget_ != nullptr) budget_->spend(static_cast<std::uint64_t>(stream_->gcount()));
    }
    return held().clip(0, want);
}

/// Reserves space for `size` bytes from the window's beginning.
void StreamWindow::reserve_amortized(std::size_t size) {
    if (buffer_.size() - begin_ >= size) return;
    // Moves the held bytes to the front of the buffer only if at least as many bytes were skipped since the last move.
    // Moving therefore costs no more than reading.
    if (begin_ >= end_ - begin_) {
        std::ranges::copy(held().span(), buffer_.span().begin());
        end_ -= begin_;
        begin_ = 0;
    }
    buffer_.grow(begin_ + size);
}

std::uint64_t StreamWindow::skip(std::uint64_t count) {
    const std::uint64_t from = offset_;
    const std::uint64_t held = std::min<std::uint64_t>(count, end_ - begin_);
    begin_ += static_cast<std::size_t>(held);
    offset_ += held;
    const std::uint64_t end = count - held > worth_seeking ? size().value_or(0) : 0;
    if (end > offset_ && seek(offset_ + std::min(count - held, end - offset_))) return offset_ - from;
    while (offset_ - from < count) {
        const std::uint64_t passed = peek(std::min(read_size, count - (offset_ - from))).size();
        if (passed == 0) break;
        begin_ += static_cast<std::size_t>(passed);
        offset_ += passed;
    }
    return offset_ - from;
}

}  // namespace hkpd
