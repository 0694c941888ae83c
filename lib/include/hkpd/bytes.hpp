// A view of untrusted bytes. The view has the library's only bounds check, and stores the offset at which its bytes
// begin in the input.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

/// Conventions of the whole library, unless a header states otherwise:
///
/// - **Errors.** Bad input never throws. Input that cannot be read at all gives an `Error` in a `std::expected`.
///   Functions that call or imitate functions of Windows return a Win32 status instead. A fault in input that can be
///   read in part is added to a `Diagnostics`, and reading continues. The only C++ exception thrown is
///   `std::bad_alloc`, when memory runs out.
/// - **Input.** No byte is trusted: lengths, counts and offsets are checked against the input before they are used.
/// - **Lifetime.** A view (`Bytes`, `std::span`, `std::string_view`, or a pointer) is valid until the object from which
///   it was taken is destroyed or refilled. An object that a constructor takes by reference must outlive the
///   constructed object.
/// - **Memory.** Functions that fill an object (`open`, `next`, `build`) reuse the memory it has already allocated.
/// - **Threads.** There is no global state. Different threads may use different objects; an object may be used by one
///   thread at a time.
/// - **Text** is UTF-8. **Offsets and sizes** are in bytes; offsets count from the start of the whole input or, for a
///   record of a capture or log, from the start of the record. **Times** are in nanoseconds since 1970 (UTC), or in
///   units of 100 ns since 1601 where Windows uses them. **Absent** values are `std::nullopt`, a null pointer or
///   `no_index`, never an ordinary value such as 0.
/// - **Output.** The library neither prints nor exits. Functions that produce text append the text to the caller's
///   string.
namespace hkpd {

/// Byte order of a block. Windows writes little endian. A block is big endian if its field `LittleEndian` is 0.
enum class ByteOrder : std::uint8_t { little, big };

/// A non-owning view of input bytes. The view stores the absolute offset of its first byte. Absolute offsets count from
/// the start of the whole input or, in a record, from the start of the record. In contrast, each parameter `off` counts
/// from the start of the view. A slice cannot reach outside the view that it was taken from. A slice stores its own
/// absolute offset, so that diagnostics can state absolute offsets. A view is valid as long as the input bytes exist.
class Bytes {
  public:
    Bytes() = default;
    /// Constructs a view of `bytes`; `offset` is the absolute offset of the first byte.
    explicit Bytes(std::span<const std::byte> bytes, std::uint64_t offset = 0) noexcept
        : data_(bytes.data()), size_(bytes.size()), offset_(offset) {}

    /// Returns a pointer to the first byte. The pointer of an empty view can be null.
    const std::byte* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    std::span<const std::byte> span() const noexcept { return {data_, size_}; }
    /// Returns the absolute offset of the first byte.
    std::uint64_t offset() const noexcept { return offset_; }
    /// Returns the absolute offset one past the last byte.
    std::uint64_t end() const noexcept { return offset_ + size_; }

    /// Returns whether the `len` bytes at `off` lie inside the view. Every read must be preceded by this bounds check.
    bool contains(std::uint64_t off, std::uint64_t len) const noexcept { return !(off > size_ || len > size_ - off); }

    /// Returns the `len` bytes at `off`. If any of these bytes lies outside this view, returns an empty view. The
    /// result of a call with `len` 0 is empty too, so only `contains` shows whether bytes lie outside.
    Bytes slice(std::uint64_t off, std::uint64_t len) const noexcept {
        if (!contains(off, len)) return Bytes({data_, std::size_t{0}}, offset_);
        return Bytes(span().subspan(static_cast<std::size_t>(off), static_cast<std::size_t>(len)), offset_ + off);
    }

    /// Returns a pointer to the byte at `off`, for functions such as `load`. Unlike `slice`, `clip` and `from`, this
    /// function has no bounds check. The caller must first check that all bytes to be read lie inside the view. If
    /// `off` exceeds `size`, the behaviour is undefined.
    const std::byte* at(std::uint64_t off) const noexcept {
        return span().subspan(static_cast<std::size_t>(off)).data();
    }

    /// Returns the `len` bytes at `off`, without the bytes that lie outside the view. The result can be empty.
    Bytes clip(std::uint64_t off, std::uint64_t len) const noexcept {
        if (off > size_) off = size_;
        return slice(off, len < size_ - off ? len : size_ - off);
    }

    /// Returns the bytes from `off` to the end of the view; an empty view if `off` exceeds `size`.
    Bytes from(std::uint64_t off) const noexcept { return clip(off, size_); }

  private:
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::uint64_t offset_ = 0;
};

/// Returns whether `order` is the host's byte order.
constexpr bool is_host_order(ByteOrder order) noexcept {
    return (order == ByteOrder::little) == (std::endian::native == std::endian::little);
}

/// Returns the unsigned integer of type `T` at `at`. It is stored in the host's byte order if `host` is true, and in
/// the opposite byte order if `host` is false. The caller must check the bounds first.
template <class T, bool host>
    requires std::is_unsigned_v<T>
T load(const std::byte* at) noexcept {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return host ? value : std::byteswap(value);
}

/// Returns the unsigned integer of type `T` at `at`, stored in byte order `order`. The caller must check the bounds
/// first. This function tests the byte order at each call. For loops over many numbers use `with_order`, which tests it
/// only once.
template <class T>
    requires std::is_unsigned_v<T>
T load(const std::byte* at, ByteOrder order) noexcept {
    return is_host_order(order) ? load<T, true>(at) : load<T, false>(at);
}

/// Calls `read` with `std::true_type` if `order` is the host's byte order, otherwise with `std::false_type`.
/// Returns the result of `read`.
template <class Read>
auto with_order(ByteOrder order, Read&& read) {
    return is_host_order(order) ? read(std::true_type{}) : read(std::false_type{});
}

/// Returns the unsigned integer at `at`. The integer has `size` bytes, 4 or 8. The caller must check the bounds first.
inline std::uint64_t load_number(const std::byte* at, std::size_t size, ByteOrder order) noexcept {
    return size == 4 ? load<std::uint32_t>(at, order) : load<std::uint64_t>(at, order);
}

/// A text in an input, in the encoding that the input uses, without the terminating NUL. The encoding is the Windows
/// code page `code_page` or, if `code_page` is 0, UTF-16 in byte order `order`.
struct EncodedText {
    Bytes bytes;
    std::uint32_t code_page = 0;
    ByteOrder order = ByteOrder::little;
};

}  // namespace hkpd
