// Registry exports value by value: every type of value, in every encoding, damaged.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text/reg_file.hpp"
#include "support/registry_text.hpp"

namespace hkpd {
namespace registry_export_test {

using namespace std::string_literals;
using namespace std::string_view_literals;

using hkpd_test::ExactBytes;
using hkpd_test::hex;
using hkpd_test::wide;
using Step = RegistryExport::Step;

constexpr std::string_view signature = "Windows Registry Editor Version 5.00\r\n\r\n";

/// Lists the content of an export: `[key]`, `name=number 5`, `name="text"`; `name=? 12`, with its offset, for any other
/// value.
std::string listed(std::string_view bytes, std::uint64_t base = 0) {
    const ExactBytes exact(bytes);
    const FileText file = open_text(exact.at(base));
    EXPECT_TRUE(is_registry_export(file.text));
    RegistryExport entries(file.text);
    std::string all;
    for (auto step = entries.next(); step != Step::end; step = entries.next()) {
        if (step == Step::key) {
            all += "[" + entries.lower(entries.key()) + "]";
            continue;
        }
        const RegistryValue value = entries.value();
        all += entries.lower(value.name) + "=";
        if (const auto number = entries.number())
            all += "number " + std::to_string(*number);
        else if (const auto text = entries.string())
            all += "\"" + *text + "\"";
        else
            all += "? " + std::to_string(file.text.offset(value.begin));
        all += "|";
    }
    return all;
}

/// Lists the only value of an export, written after the prefix; `?` if it is neither number nor text.
std::string value(std::string_view written, std::string_view start = signature) {
    const std::string prefix = std::string(start) + "\"v\"=";
    std::string all = listed(prefix + std::string(written) + "\r\n\"next\"=dword:00000001\r\n");
    const std::string after = "|next=number 1|";
    EXPECT_TRUE(all.starts_with("v=") && all.ends_with(after)) << all;
    all = all.substr(2, all.size() - 2 - after.size());
    return all == "? " + std::to_string(prefix.size()) ? "?" : all;
}

TEST(RegistryExport, Numbers) {
    EXPECT_EQ(value("dword:00000737"), "number 1847");
    EXPECT_EQ(value("DWORD:FFffFFff"), "number 4294967295");
    EXPECT_EQ(value(" dword: 10 "), "number 16");
}

TEST(RegistryExport, NumbersInHexadecimal) {
    EXPECT_EQ(value("hex(4):37,07,00,00"), "number 1847");
    EXPECT_EQ(value("hex(4):37,\\\r\n  07,00,00"), "number 1847");
    for (const std::string_view wrong :
         {"dword:", "dword:123456789", "dword:0x12", "dword:-1", "hex(4):37,07,00", "hex(4):37,07,00,00,00",
          "hex(4):37,07,00,0g", "hex:37,07,00,00", "hex(b):37,07,00,00,00,00,00,00", "hex(4:37,07,00,00",
          "hex(44):37,07,00,00", "hex(5):00,00,07,37", "1847", "", "dword", "hex(7):31,00,00,00"})
        EXPECT_EQ(value(wrong), "?") << wrong;
}

TEST(RegistryExport, Strings) {
    EXPECT_EQ(value("\"1847\""), "\"1847\"");
    EXPECT_EQ(value("\"\""), "\"\"");
    EXPECT_EQ(value("\"C:\\\\Windows\\\\a \\\"b\\\".dll\""), "\"C:\\Windows\\a \"b\".dll\"");
    EXPECT_EQ(value("\"ends with a backslash\\\\\""), "\"ends with a backslash\\\"");
    EXPECT_EQ(value("hex(2):" + hex(wide("%SystemRoot%\\System32\\perfos.dll\0"sv))),
              "\"%SystemRoot%\\System32\\perfos.dll\"");
    EXPECT_EQ(value("hex(1):" + hex(wide("no NUL at its end"))), "\"no NUL at its end\"");
    EXPECT_EQ(value("hex(2):" + hex("ANSI\0"sv), "REGEDIT4\r\n"), "\"ANSI\"");
    EXPECT_EQ(value("hex(2):"), "\"\"");
    for (const std::string_view wrong :
         {"\"open", "\"", "\"closed\\\"", "\"after\" it", "hex(2):zz,00", "hex(2):41", "hex(2):00,d8,00,00"})
        EXPECT_EQ(value(wrong), "?") << wrong;
}

const std::string everything = std::string(signature) +
                               "\"before\"=dword:00000001\r\n"
                               "[HKEY_LOCAL_MACHINE\\A]\r\n"
                               "@=\"default\"\r\n"
                               "; \"comment\"=dword:00000002\r\n"
                               "\"Name \\\"x\\\"\" = \"text\"\r\n"
                               "stray line\r\n"
                               "\"bytes\"=hex:01,02,\\\r\n"
                               "  03\r\n"
                               "\"no value\"\r\n"
                               "[-HKEY_LOCAL_MACHINE\\B]\r\n"
                               "\"gone\"=-\r\n"
                               "[HKEY_LOCAL_MACHINE\\C";

TEST(RegistryExport, KeysAndValuesInEveryEncoding) {
    const auto place = [](std::string_view of) { return everything.find(of) + of.size(); };
    const auto expected = [&](std::size_t width, std::size_t mark) {
        const auto offset = [&](std::string_view of) { return std::to_string(mark + width * place(of)); };
        return "before=number 1|[hkey_local_machine\\a]=\"default\"|name \\\"x\\\"=\"text\"|bytes=? " +
               offset("\"bytes\"=") + "|no value=? " + offset("\"no value\"") + "|[]gone=? " + offset("\"gone\"=") +
               "|[]";
    };
    EXPECT_EQ(listed(everything, 100), expected(1, 100));
    EXPECT_EQ(listed("\xEF\xBB\xBF" + everything), expected(1, 3));
    EXPECT_EQ(listed("\xFF\xFE" + wide(everything)), expected(2, 2));
    EXPECT_EQ(listed("\xFE\xFF" + wide(everything, ByteOrder::big)), expected(2, 2));
}

TEST(RegistryExport, BytesKeepTheirOffsets) {
    const std::string start = std::string(signature) + "\"v\"=hex(7):";
    const ExactBytes exact(start + "31,zz,\\\r\n  32,");
    const FileText file = open_text(exact.at(1000));
    RegistryExport entries(file.text);
    ASSERT_EQ(entries.next(), Step::value);
    EXPECT_EQ(entries.value().type, RegistryType::multi_string);
    EXPECT_TRUE(entries.value().hexadecimal);
    const HexBytes bytes = entries.hex();
    const std::uint64_t at = 1000 + start.size();
    EXPECT_EQ(bytes.places, (std::vector<std::uint64_t>{at, at + 3, at + 11}));
    EXPECT_EQ(bytes.faults, (std::vector<std::uint64_t>{at + 3, at + 14, at + 14}));
    EXPECT_EQ(bytes.bytes, (std::vector<std::byte>{std::byte{0xFD}, std::byte{0xFF}, std::byte{'2'}}));
    EXPECT_EQ(entries.next(), Step::end);
}

TEST(RegistryExport, DamagedBytesKeepTheOffsetsOfTheOthers) {
    const auto bytes = [](std::string_view start, std::string_view written) {
        const std::string all = std::string(start) + "\"v\"=hex(7):" + std::string(written);
        const ExactBytes exact(all);
        const FileText file = open_text(exact.at(0));
        RegistryExport entries(file.text);
        EXPECT_EQ(entries.next(), Step::value);
        const std::vector<std::byte> read = entries.hex().bytes;
        return std::string(reinterpret_cast<const char*>(read.data()), read.size());
    };
    EXPECT_EQ(bytes("REGEDIT4\r\n\r\n", "31,zz,32,,33"), "1?2?3");
    EXPECT_EQ(bytes(signature, "31,41,zz,42,32,43"),
              "1A\xFD\xFF"
              "2C");
    EXPECT_EQ(bytes(signature, "31,41,42,zz,32,43,z"),
              "1A\xFD\xFF"
              "2C\xFD");
    EXPECT_EQ(bytes(signature, "31,41,zz,\r\n 42,32,43"),
              "1A\xFD\xFF"
              "2C");
}

TEST(RegistryExport, ReadsDamagedExportsToTheEnd) {
    for (const std::string& good : {everything, "\xFF\xFE" + wide(everything)}) {
        for (std::size_t size = signature.size() * 2 + 2; size <= good.size(); ++size) listed(good.substr(0, size));
        for (std::size_t at = signature.size() * 2 + 2; at < good.size(); ++at) {
            for (const int byte : {0, 10, 32, 34, 44, 64, 91, 92, 93, 0x80, 0xD8, 0xFF}) {
                std::string bytes = good;
                bytes[at] = static_cast<char>(byte);
                listed(bytes);
            }
        }
    }
}

}  // namespace registry_export_test
}  // namespace hkpd
