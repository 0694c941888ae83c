// Compressed inputs: gzip, zstd and zip, damaged ones, and those that expand too much.
#include "source/unpack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "support/log_samples.hpp"
#include "support/packed_bytes.hpp"

namespace hkpd_test {
namespace unpack_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::string text = std::string(R"x("(PDH-CSV 4.0) (UTC)(0)","\\PC\System\Threads")x") +
                         "\n\"05/14/2024 09:30:02.500\",\"7\"\n\"05/14/2024 09:30:03.500\",\"8\"\n";

std::string from_hex(std::string_view digits) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(16 * digit(digits[i]) + digit(digits[i + 1]));
    return bytes;
}

// Made with Python's gzip and zipfile. The archive has the files b/2.csv (with other days), a.csv and notesä.txt, and
// the directory b.
const std::string python_gzip = from_hex(
    "1f8b080000000000020353d20870f1d0750e0e5330d133d054d0080d71d6d430d054d2518a8909708e09ae2c2e49cd8d09c9284a4d4c2956e2"
    "523230d53734d1373230325130b0b43236b03230d233353000aa37c72a6b0c95b550e202001fad25146b000000");
const std::string python_zip = from_hex(
    "504b030414000000080000002158018ead93540000006b00000007000000622f322e63737653d20870f1d0750e0e5330d133d054d0080d71d6"
    "d4"
    "30d054d2518a8909708e09ae2c2e49cd8d09c9284a4d4c2956e2523230d53734d5373230325130b0b43236b03230d233353000aa37c72a6b0c"
    "95"
    "b550e20200504b0304140000000800000021581fad2514540000006b00000005000000612e63737653d20870f1d0750e0e5330d133d054d008"
    "0d"
    "71d6d430d054d2518a8909708e09ae2c2e49cd8d09c9284a4d4c2956e2523230d53734d1373230325130b0b43236b03230d233353000aa37c7"
    "2a"
    "6b0c95b550e20200504b03041400000000000000215800000000000000000000000002000000622f504b030414000008000000002158d78e29"
    "22"
    "07000000070000000b0000006e6f746573c3a42e7478746e6f7468696e67504b0102140314000000080000002158018ead93540000006b0000"
    "00"
    "070000000000000000000000800100000000622f322e637376504b01021403140000000800000021581fad2514540000006b00000005000000"
    "00"
    "00000000000000800179000000612e637376504b01021403140000000000000021580000000000000000000000000200000000000000000000"
    "0080"
    "01f0000000622f504b0102140314000008000000002158d78e292207000000070000000b00000000000000000000008001100100006e6f7465"
    "73"
    "c3a42e747874504b05060000000004000400d1000000400100000000");

std::string zstd(std::string_view content) {
    std::string out(ZSTD_compressBound(content.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3));
    return out;
}

/// Returns the content of packed data, or the faults.
std::string unpacked(std::string_view bytes, const hkpd::Limits& limits = {}) {
    const std::string copy(bytes);
    const hkpd::Bytes packed(std::as_bytes(std::span(copy)));
    hkpd::Diagnostics faults;
    const auto content = hkpd::unpack(hkpd::packing_of(packed), packed, limits, faults);
    if (!content) return std::string(code_name(content.error().code));
    return fault_codes(faults) + std::string(reinterpret_cast<const char*>(content->span().data()), content->size);
}

TEST(Unpack, Recognised) {
    const auto packing = [](std::string_view bytes) {
        return hkpd::packing_of(hkpd::Bytes(std::as_bytes(std::span(bytes))));
    };
    EXPECT_EQ(packing(python_gzip), hkpd::Packing::gzip);
    EXPECT_EQ(packing(python_zip), hkpd::Packing::zip);
    EXPECT_EQ(packing(packed::zip({})), hkpd::Packing::zip);
    EXPECT_EQ(packing(zstd(text)), hkpd::Packing::zstd);
    for (const std::string_view bytes : {"", "PK\3", "PK\3\5", "\x1F\x8B\x07\0", "\x28\xB5\x2F", "PERF"})
        EXPECT_EQ(packing(bytes), hkpd::Packing::none);
}

TEST(Unpack, OneAfterAnother) {
    EXPECT_EQ(unpacked(python_gzip), text);
    EXPECT_EQ(unpacked(packed::gzip(text)), text);
    EXPECT_EQ(unpacked(packed::gzip("")), "");
    EXPECT_EQ(unpacked(python_gzip + packed::gzip("more") + python_gzip), text + "more" + text);
    EXPECT_EQ(unpacked(zstd(text) + zstd("") + zstd("more")), text + "more");
    const std::string large(1'000'000, 'x');
    EXPECT_EQ(unpacked(packed::gzip("a") + packed::gzip(large) + packed::gzip("b")), "a" + large + "b");
    EXPECT_EQ(unpacked(zstd(large)), large);
    EXPECT_EQ(unpacked(python_gzip + std::string(8, '\0')), "leftover_bytes|" + text);
}

TEST(Unpack, Damage) {
    for (std::size_t size = hkpd::packing_bytes; size < python_gzip.size(); ++size)
        EXPECT_EQ(unpacked(std::string_view(python_gzip).substr(0, size)), "packed_damaged");
    for (const std::size_t at : {std::size_t{30}, python_gzip.size() - 8, python_gzip.size() - 1}) {
        std::string damaged = python_gzip;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        EXPECT_EQ(unpacked(damaged), "packed_damaged") << at;
    }
    EXPECT_EQ(unpacked(python_gzip + python_gzip.substr(0, 40)), "packed_damaged|" + text);
    // What precedes the damage of zstd data is returned.
    std::string large;
    std::minstd_rand random;
    while (large.size() < 400'000) large += static_cast<char>(random() >> 8U & 0xFFU);
    const std::string packed = zstd(large);
    const std::string part = unpacked(std::string_view(packed).substr(0, packed.size() / 2));
    ASSERT_TRUE(part.starts_with("packed_damaged|"));
    EXPECT_GT(part.size(), 100'000U);
    EXPECT_TRUE(large.starts_with(part.substr(15)));
    EXPECT_EQ(unpacked("\x28\xB5\x2F\xFDnothing"), "packed_damaged");
}

TEST(Unpack, WhatExpandsTooMuchIsRefused) {
    constexpr std::size_t repeats = 70'000;  // 18 MB from 114 KB
    const std::string zeros(1 + 258 * repeats, '\0'), data = packed::deflate_zeros(repeats);
    hkpd::Limits limits;
    EXPECT_EQ(unpacked(packed::gzip(zeros, data), limits), zeros);
    EXPECT_EQ(unpacked(zstd(zeros), limits), "unpacked_limit");
    limits.expansion = 1'000'000;
    EXPECT_EQ(unpacked(zstd(zeros), limits), zeros);
    limits.expansion = 100;
    EXPECT_EQ(unpacked(packed::gzip(zeros, data), limits), "unpacked_limit");
    EXPECT_EQ(unpacked(packed::gzip("small"), limits), "small");
    limits = {};
    limits.unpacked = zeros.size() - 1;
    EXPECT_EQ(unpacked(packed::gzip(zeros, data), limits), "unpacked_limit");
    EXPECT_EQ(hkpd::most_unpacked(~std::uint64_t{0}, {}), hkpd::Limits{}.unpacked);
}

/// Reads a file of these bytes; returns the times of its samples in seconds, then the faults.
std::string read(const std::string& bytes, const hkpd::Limits& limits = {}) {
    const TempFolder folder;
    const auto samples = read_log_samples({folder.write("input", bytes)}, limits);
    std::string found;
    for (const hkpd::Sample& sample : samples->all)
        found += std::to_string(unix_time(sample).value_or(0) / 1'000'000'000) + " ";
    return found + fault_codes(samples->diagnostics);
}

TEST(PackedInput, ReadThrough) {
    EXPECT_EQ(read(text), "1715679002 1715679003 text_log|");
    EXPECT_EQ(read(python_gzip), read(text));
    EXPECT_EQ(read(zstd(text)), read(text));
    EXPECT_EQ(read(python_gzip.substr(0, 50)), "packed_damaged|");
    EXPECT_EQ(read(packed::gzip("")), "foreign_file|");
    EXPECT_EQ(read(packed::gzip(python_gzip)).find("text_log"), std::string::npos);  // only once
}

TEST(PackedInput, AZipIsADirectory) {
    EXPECT_EQ(read(python_zip),
              "1715679002 1715679003 1715765402 1715765403 text_log|text_log|foreign_file|files_skipped|");
    EXPECT_EQ(read(packed::zip({{.name = "1.csv", .text = text}}, "a comment")), read(text));
    EXPECT_EQ(read(packed::zip({{.name = "1.csv", .text = text, .method = 93, .data = zstd(text)}})), read(text));
    EXPECT_EQ(read(packed::zip({{.name = "1.csv.gz", .text = python_gzip}})), read(text));
    EXPECT_EQ(read(packed::zip({})), "foreign_file|");
    EXPECT_EQ(read(packed::zip({{.name = "x.zip", .text = python_zip}})), "packed_twice|foreign_file|");  // only once
}

TEST(PackedInput, ADamagedFileCostsThatFile) {
    const auto archive = [](packed::ZipFile file) {
        return read(packed::zip({{.name = "1.csv", .text = text}, std::move(file), {.name = "3.csv", .text = text}}));
    };
    const std::string both = "1715679002 1715679003 1715679002 1715679003 text_log|";
    EXPECT_EQ(archive({.name = "2", .text = text, .checksum = 1}), both + "packed_damaged|text_log|");
    EXPECT_EQ(archive({.name = "2", .text = text, .method = 12}), both + "packed_method|text_log|");
    EXPECT_EQ(archive({.name = "2", .text = text, .flags = 1}), both + "packed_method|text_log|");
    EXPECT_EQ(archive({.name = "2", .text = text, .size = 5}), both + "packed_damaged|text_log|");
    EXPECT_EQ(archive({.name = "2", .text = text, .size = 0xFFFF'FFFF}), both + "unpacked_limit|text_log|");
    EXPECT_EQ(archive({.name = "2", .text = text, .method = 8}), both + "packed_damaged|text_log|");
    const std::string whole = packed::zip({{.name = "1.csv", .text = text}});
    for (std::size_t size = hkpd::packing_bytes; size < whole.size(); ++size)
        EXPECT_EQ(read(whole.substr(0, size)), "packed_damaged|") << size;
    std::string count = whole;
    count[count.size() - 12] = 2;  // the number of entries
    EXPECT_EQ(read(count), "1715679002 1715679003 packed_entry|text_log|");
    std::string offset = whole;
    offset[offset.size() - 3] = 1;  // of the directory
    EXPECT_EQ(read(offset), "packed_damaged|");
}

TEST(PackedInput, Zip64) {
    const std::vector<packed::ZipFile> files{{.name = "1.csv", .text = text},
                                             {.name = "2.csv", .text = text, .method = 93, .data = zstd(text)}};
    const std::string archive = packed::zip64(files);
    EXPECT_EQ(read(archive), read(packed::zip(files)));
    EXPECT_EQ(read(packed::zip64({})), "foreign_file|");
    for (std::size_t size = hkpd::packing_bytes; size < archive.size(); ++size)
        EXPECT_EQ(read(archive.substr(0, size)), "packed_damaged|") << size;
    // Without the locator or the record that it names, the end record has only ones.
    for (const std::string_view magic : {"PK\6\6", "PK\6\7"}) {
        std::string damaged = archive;
        damaged[damaged.rfind(magic)] = 'x';
        EXPECT_EQ(read(damaged), "packed_damaged|") << magic[3];
    }
    std::string outside = archive;
    outside.replace(outside.rfind("PK\6\7") + 8, 8, packed::little(~std::uint64_t{0}, 8));
    EXPECT_EQ(read(outside), "packed_damaged|");
}

TEST(PackedInput, NumbersOfZip64ThatAreWrong) {
    const std::string archive = packed::zip64({{.name = "1.csv", .text = text}});
    const std::size_t extra = archive.find("1.csv", archive.find("PK\1\2")) + 5 + 9;  // after the other extra field
    const auto with = [&](std::size_t at, std::uint64_t value, std::size_t width) {
        std::string changed = archive;
        changed.replace(extra + at, width, packed::little(value, width));
        return read(changed);
    };
    EXPECT_EQ(with(0, 1, 2), read(text));
    EXPECT_EQ(with(0, 2, 2), "packed_damaged|foreign_file|") << "no numbers";
    EXPECT_EQ(with(4, ~std::uint64_t{0}, 8), "unpacked_limit|foreign_file|") << "size";
    EXPECT_EQ(with(12, ~std::uint64_t{0}, 8), "packed_damaged|foreign_file|") << "size as stored";
    EXPECT_EQ(with(20, ~std::uint64_t{0}, 8), "packed_damaged|foreign_file|") << "offset";
    EXPECT_EQ(with(2, 8, 2), "packed_damaged|foreign_file|") << "the size alone";
    EXPECT_EQ(with(2, 0xFFFF, 2), read(text)) << "the length of the extra field";
}

TEST(PackedInput, FilesThatShareBytesAreBounded) {
    // Each of many files unpacks the same 114 KB to 18 MB.
    constexpr std::size_t repeats = 70'000;
    const std::string zeros(1 + 258 * repeats, '\0'), data = packed::deflate_zeros(repeats);
    std::vector<packed::ZipFile> files(20, {.name = "x", .text = zeros, .method = 8, .data = data});
    const std::string one = packed::zip({files.front()});
    const std::string local = one.substr(0, one.find("PK\1\2"));
    const std::string entry = one.substr(local.size(), one.find("PK\5\6") - local.size());
    std::string archive = local;
    for (int i = 0; i < 20; ++i) archive += entry;
    archive += "PK\5\6" + packed::little(0, 4) + packed::little(20, 2) + packed::little(20, 2) +
               packed::little(20 * entry.size(), 4) + packed::little(local.size(), 4) + packed::little(0, 2);
    hkpd::Limits limits;
    limits.expansion = 800;  // 23 MB
    const std::string found = read(archive, limits);
    EXPECT_THAT(found, testing::HasSubstr("unpacked_limit|unpacked_limit|"));
}

}  // namespace unpack_test
}  // namespace hkpd_test
