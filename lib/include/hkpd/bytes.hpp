// A run of untrusted bytes that knows where it stands in the input, and the one bounds check.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

/// What holds in all of the library, where a header does not say otherwise:
///
/// - **Errors.** Bad input is never an exception. What cannot be read at all is an `Error` in a `std::expected`, or a
///   Win32 status where Windows has one; what is wrong beside that is added to a `Diagnostics`, and reading goes on.
///   Only memory that runs out throws (`std::bad_alloc`).
/// - **Input.** No byte is trusted: lengths, counts and offsets are compared with what is there before they are used.
/// - **Lifetime.** A view (`Bytes`, `std::span`, `std::string_view`, or a pointer) lives as long as what it was taken
///   from, and no longer than the next call that fills that object again. What a constructor takes by reference must
///   outlive the object.
/// - **Memory.** Objects that fill others (`open`, `next`, `build`) keep what they have allocated for the next time.
/// - **Threads.** There is no global state. Different objects may be used by different threads, one object by one
///   thread at a time.
/// - **Text** is UTF-8. **Offsets and sizes** are in bytes, offsets from the start of the whole input. **Times** are
///   nanoseconds since 1970 (UTC), or 100 ns since 1601 where Windows counts them so. **Absent** is `std::nullopt`, a
///   null pointer or `no_index`, never a value that could be one.
/// - **Output.** Nothing prints or exits. What makes text appends it to a string of the caller's.
namespace hkpd {

/// Byte order of a block: Windows writes little endian; `LittleEndian = 0` announces the other.
enum class ByteOrder : std::uint8_t { little, big };

/// A view of input bytes and the absolute offset of the first of them. Slices are taken from slices, so none can
/// reach outside its parent, and every offset that a diagnostic shows counts from the start of the whole input.
/// Does not own: valid as long as the input is.
class Bytes {
  public:
    Bytes() = default;
    /// Views these bytes; `offset` is where the first of them stands in the whole input.
    explicit Bytes(std::span<const std::byte> bytes, std::uint64_t offset = 0) noexcept
        : data_(bytes.data()), size_(bytes.size()), offset_(offset) {}

    /// The bytes themselves. May be null where there are none.
    const std::byte* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    std::span<const std::byte> span() const noexcept { return {data_, size_}; }
    /// Absolute offset of the first byte, and of the first behind the last.
    std::uint64_t offset() const noexcept { return offset_; }
    std::uint64_t end() const noexcept { return offset_ + size_; }

    /// Whether `len` bytes at `off` lie inside: the bounds check that all reading goes through.
    bool contains(std::uint64_t off, std::uint64_t len) const noexcept { return !(off > size_ || len > size_ - off); }

    /// The `len` bytes at `off`; nothing of them if they do not all lie inside (ask `contains` first).
    Bytes slice(std::uint64_t off, std::uint64_t len) const noexcept {
        if (!contains(off, len)) return Bytes({data_, std::size_t{0}}, offset_);
        return Bytes(span().subspan(static_cast<std::size_t>(off), static_cast<std::size_t>(len)), offset_ + off);
    }

    /// Where the byte at `off` lies, for `load` and its like to read as many as the caller has checked. Beyond `size`
    /// the behaviour is undefined: the one place that does not check.
    const std::byte* at(std::uint64_t off) const noexcept {
        return span().subspan(static_cast<std::size_t>(off)).data();
    }

    /// As many of the `len` bytes at `off` as there are.
    Bytes clip(std::uint64_t off, std::uint64_t len) const noexcept {
        if (off > size_) off = size_;
        return slice(off, len < size_ - off ? len : size_ - off);
    }

    /// All bytes from `off` on.
    Bytes from(std::uint64_t off) const noexcept { return clip(off, size_); }

  private:
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::uint64_t offset_ = 0;
};

/// Whether numbers in this order stand as they do in memory here.
constexpr bool is_host_order(ByteOrder order) noexcept {
    return (order == ByteOrder::little) == (std::endian::native == std::endian::little);
}

/// The unsigned integer of `T`'s width at `at`, which the caller has checked, in the host's order or in the other.
template <class T, bool host>
    requires std::is_unsigned_v<T>
T load(const std::byte* at) noexcept {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return host ? value : std::byteswap(value);
}

/// Likewise in the given order. Loops over many numbers ask for the order once: see `with_order`.
template <class T>
    requires std::is_unsigned_v<T>
T load(const std::byte* at, ByteOrder order) noexcept {
    return is_host_order(order) ? load<T, true>(at) : load<T, false>(at);
}

/// Calls `read` with whether the order is the host's, as a constant.
template <class Read>
auto with_order(ByteOrder order, Read&& read) {
    return is_host_order(order) ? read(std::true_type{}) : read(std::false_type{});
}

/// The unsigned integer of `size` bytes, 4 or 8, at `at`, which the caller has checked.
inline std::uint64_t load_number(const std::byte* at, std::size_t size, ByteOrder order) noexcept {
    return size == 4 ? load<std::uint32_t>(at, order) : load<std::uint64_t>(at, order);
}

/// Characters of an input in their own encoding, without the NUL that ends them. Code page 0 is UTF-16 in this order.
struct EncodedText {
    Bytes bytes;
    std::uint32_t code_page = 0;
    ByteOrder order = ByteOrder::little;
};

}  // namespace hkpd
