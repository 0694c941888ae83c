// Builds compressed data byte by byte: gzip members and zip archives with stored data, and data that expands much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hkpd_test::packed {

inline std::string little(std::uint64_t value, std::size_t width) {
    std::string bytes;
    for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
    return bytes;
}

/// Returns the CRC-32 of gzip and zip, bit by bit.
inline std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t crc = 0xFFFF'FFFF;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xEDB8'8320 : 0U);
    }
    return ~crc;
}

/// Returns deflate data that stores the text in blocks of up to 65,535 bytes (RFC 1951).
inline std::string deflate_stored(std::string_view text) {
    constexpr std::size_t most = 0xFFFF;
    std::string out;
    do {
        const std::string_view part = text.substr(0, most);
        text.remove_prefix(part.size());
        out += text.empty() ? '\1' : '\0';
        out += little(part.size(), 2) + little(~part.size(), 2);
        out += part;
    } while (!text.empty());
    return out;
}

/// Returns deflate data of a block with fixed codes: a zero, and `repeats` times 258 more zeros in 13 bits each.
inline std::string deflate_zeros(std::size_t repeats) {
    std::string out;
    std::uint64_t bits = 0;
    unsigned count = 0;
    const auto add = [&](std::uint32_t value, unsigned width) {
        bits |= std::uint64_t{value} << count;
        for (count += width; count >= 8; count -= 8, bits >>= 8U) out += static_cast<char>(bits & 0xFF);
    };
    const auto add_code = [&](std::uint32_t code, unsigned width) {  // codes are stored from their highest bit on
        for (unsigned i = width; i > 0; --i) add(code >> (i - 1) & 1U, 1);
    };
    add(1, 1);  // the last block
    add(1, 2);  // fixed codes
    add_code(0x30, 8);
    for (std::size_t i = 0; i < repeats; ++i) {
        add_code(0xC5, 8);  // 258 bytes
        add_code(0, 5);     // from 1 byte before
    }
    add_code(0, 7);
    add(0, 7);
    return out;
}

/// Returns a gzip member (RFC 1952). `data`: the deflate data of `text`.
inline std::string gzip(std::string_view text, std::string_view data) {
    return std::string("\x1F\x8B\x08\0\0\0\0\0\0\3", 10) + std::string(data) + little(crc32(text), 4) +
           little(text.size(), 4);
}
inline std::string gzip(std::string_view text) { return gzip(text, deflate_stored(text)); }

struct ZipFile {
    std::string name, text;
    std::uint16_t method = 0, flags = 0x800;
    std::string data = text;  // as stored
    std::uint32_t checksum = crc32(text);
    std::uint32_t size = static_cast<std::uint32_t>(text.size());
};

/// Returns an archive (PKWARE, APPNOTE.TXT).
inline std::string zip(const std::vector<ZipFile>& files, std::string_view comment = {}) {
    std::string out, directory;
    for (const ZipFile& file : files) {
        const std::string shared = little(20, 2) + little(file.flags, 2) + little(file.method, 2) + little(0, 4) +
                                   little(file.checksum, 4) + little(file.data.size(), 4) + little(file.size, 4) +
                                   little(file.name.size(), 2) + little(0, 2);
        directory += "PK\1\2" + little(20, 2) + shared + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) +
                     little(out.size(), 4) + file.name;
        out += "PK\3\4" + shared + file.name + file.data;
    }
    const std::size_t begin = out.size();
    out += directory + "PK\5\6" + little(0, 4) + little(files.size(), 2) + little(files.size(), 2) +
           little(directory.size(), 4) + little(begin, 4) + little(comment.size(), 2);
    return out.append(comment);
}

/// Returns an archive in the form of zip64 (APPNOTE.TXT 4.3.14 to 4.3.16, 4.5.3): every number that can be in 64 bits
/// is, and its usual field has only ones. Another extra field precedes that of zip64.
inline std::string zip64(const std::vector<ZipFile>& files) {
    const std::string ones = little(0xFFFF'FFFF, 4), other = little(0x5455, 2) + little(5, 2) + little(1, 5);
    std::string out, directory;
    for (const ZipFile& file : files) {
        const std::string sizes = little(file.size, 8) + little(file.data.size(), 8);
        const auto fields = [&](const std::string& numbers) {
            const std::string extra = other + little(1, 2) + little(numbers.size(), 2) + numbers;
            return std::pair(little(45, 2) + little(file.flags, 2) + little(file.method, 2) + little(0, 4) +
                                 little(file.checksum, 4) + ones + ones + little(file.name.size(), 2) +
                                 little(extra.size(), 2),
                             extra);
        };
        const auto [entry, entry_extra] = fields(sizes + little(out.size(), 8));
        directory += "PK\1\2" + little(45, 2) + entry + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) +
                     ones + file.name + entry_extra;
        const auto [local, local_extra] = fields(sizes);
        out += "PK\3\4" + local + file.name + local_extra + file.data;
    }
    const std::size_t begin = out.size(), end = begin + directory.size();
    out += directory + "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
           little(files.size(), 8) + little(files.size(), 8) + little(directory.size(), 8) + little(begin, 8);
    out += "PK\6\7" + little(0, 4) + little(end, 8) + little(1, 4);
    return out + "PK\5\6" + little(0, 4) + little(0xFFFF, 2) + little(0xFFFF, 2) + ones + ones + little(0, 2);
}

}  // namespace hkpd_test::packed
