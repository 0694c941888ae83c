// Writes the strings of title databases and registry exports as Windows does.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/bytes.hpp"

namespace hkpd_test {

using Strings = std::vector<std::string_view>;

/// Returns ASCII text as UTF-16.
inline std::string wide(std::string_view text, hkpd::ByteOrder order = hkpd::ByteOrder::little) {
    std::string bytes;
    for (const char c : text) {
        if (order == hkpd::ByteOrder::big) bytes += '\0';
        bytes += c;
        if (order == hkpd::ByteOrder::little) bytes += '\0';
    }
    return bytes;
}

/// Returns the strings, each followed by the separator.
inline std::string joined(const Strings& strings, std::string_view separator) {
    std::string text;
    for (const std::string_view string : strings) text.append(string).append(separator);
    return text;
}

/// Returns REG_MULTI_SZ without the NUL that ends the list.
inline std::string multi_sz(const Strings& strings, hkpd::ByteOrder order = hkpd::ByteOrder::little) {
    return wide(joined(strings, std::string_view("\0", 1)), order);
}

/// Returns `31,00,...` as written by regedit, with lines of at most 25 bytes.
inline std::string hex(std::string_view bytes, std::string_view newline = "\r\n") {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        if (i != 0) text += ',';
        if (i != 0 && i % 25 == 0) text.append("\\").append(newline).append("  ");
        text += digits[byte / 16];
        text += digits[byte % 16];
    }
    return text;
}

/// A copy in a buffer of exactly its size, so that a sanitizer notices a read past the end.
class ExactBytes {
  public:
    explicit ExactBytes(std::string_view bytes) : bytes_(new std::byte[bytes.size()]), size_(bytes.size()) {
        if (!bytes.empty()) std::memcpy(bytes_.get(), bytes.data(), bytes.size());
    }
    hkpd::Bytes at(std::uint64_t offset = 0) const { return hkpd::Bytes({bytes_.get(), size_}, offset); }

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t size_;
};

}  // namespace hkpd_test
