// Rules of the encodings: The Unicode Standard ch. 3 (UTF-8, UTF-16); Microsoft's code page tables (1252, 932, 1258).
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/text/encoding.hpp"
#include "base/text/names.hpp"

namespace hkpd {
namespace text_test {

const std::string bad = "\xEF\xBF\xBD";

/// Copies bytes into a buffer of exactly their size, so that a sanitizer detects a read of one byte more.
struct Exact {
    explicit Exact(std::string_view bytes) : size(bytes.size()), data(std::make_unique<std::byte[]>(size)) {
        std::memcpy(data.get(), bytes.data(), size);
    }
    std::span<const std::byte> span() const { return {data.get(), size}; }
    std::size_t size;
    std::unique_ptr<std::byte[]> data;
};

std::string units(const std::u16string& text, ByteOrder order) {
    std::string bytes;
    for (const char16_t unit : text) {
        const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
        bytes += order == ByteOrder::little ? low : high;
        bytes += order == ByteOrder::little ? high : low;
    }
    return bytes;
}

struct Decoded {
    std::string text;
    bool valid;
    bool operator==(const Decoded&) const = default;
};

void PrintTo(const Decoded& decoded, std::ostream* os) { *os << (decoded.valid ? "" : "!") << decoded.text; }

Decoded utf16(const std::u16string& text, ByteOrder order = ByteOrder::little) {
    Decoded decoded;
    decoded.valid = append_utf16(decoded.text, Exact(units(text, order)).span(), order);
    return decoded;
}

Decoded utf8(std::string_view bytes) {
    Decoded decoded;
    decoded.valid = append_utf8(decoded.text, Exact(bytes).span());
    return decoded;
}

Decoded page(std::string_view bytes, std::uint32_t number, ByteOrder order = ByteOrder::little) {
    Decoded decoded;
    decoded.valid = append_code_page(decoded.text, Exact(bytes).span(), number, order);
    return decoded;
}

/// Encodes UTF-8 by its definition (table 3-6), independently of the code under test.
std::string encoded(std::uint32_t c) {
    const auto trail = [c](unsigned shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) return {static_cast<char>(c)};
    if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), trail(0)};
    if (c < 0x10000) return {static_cast<char>(0xE0 | (c >> 12)), trail(6), trail(0)};
    return {static_cast<char>(0xF0 | (c >> 18)), trail(12), trail(6), trail(0)};
}

TEST(Utf16, EveryCharacter) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        std::u16string text;
        std::string expected;
        for (std::uint32_t c = 0; c <= 0x10FFFF; ++c) {
            if (c >= 0xD800 && c <= 0xDFFF) continue;
            if (c < 0x10000) {
                text += static_cast<char16_t>(c);
            } else {
                text += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
                text += static_cast<char16_t>(0xDC00 + ((c - 0x10000) & 0x3FF));
            }
            expected += encoded(c);
        }
        EXPECT_TRUE(utf16(text, order) == (Decoded{expected, true}));
    }
}

TEST(Utf16, AsciiOfEveryLengthAroundOneOtherCharacter) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        for (std::size_t before = 0; before < 12; ++before) {
            for (std::size_t after = 0; after < 12; ++after) {
                const std::u16string text = std::u16string(before, u'a') + u'\u00E9' + std::u16string(after, u'\x7F');
                const std::string expected = std::string(before, 'a') + "\u00E9" + std::string(after, '\x7F');
                EXPECT_EQ(utf16(text, order), (Decoded{expected, true}));
            }
        }
    }
}

TEST(Utf16, UnpairedSurrogatesAreReplacedOneByOne) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        EXPECT_EQ(utf16({u'a', 0xD83D, u'b'}, order), (Decoded{"a" + bad + "b", false}));
        EXPECT_EQ(utf16({0xD83D, 0x00E9}, order), (Decoded{bad + "\u00E9", false}));
        EXPECT_EQ(utf16({0xD83D, 0xD83D, 0xDE00}, order), (Decoded{bad + "\U0001F600", false}));
        EXPECT_EQ(utf16({0xDE00, 0xD83D}, order), (Decoded{bad + bad, false}));
        EXPECT_EQ(utf16({u'a', 0xD83D}, order), (Decoded{"a" + bad, false}));
    }
}

TEST(Utf16, OddLastByte) {
    Decoded decoded;
    decoded.valid = append_utf16(decoded.text, Exact(std::string_view("a\0b\0c", 5)).span(), ByteOrder::little);
    EXPECT_EQ(decoded, (Decoded{"ab" + bad, false}));
}

TEST(Utf16, AppendsAndConsumesNothing) {
    std::string out = "x";
    EXPECT_TRUE(append_utf16(out, {}, ByteOrder::little));
    EXPECT_TRUE(append_utf8(out, {}));
    EXPECT_TRUE(append_code_page(out, {}, 1252, ByteOrder::little));
    EXPECT_EQ(out, "x");
    EXPECT_TRUE(append_utf16(out, Exact(std::string_view("y\0", 2)).span(), ByteOrder::little));
    EXPECT_EQ(out, "xy");
}

TEST(Utf8, ValidTextIsUnchanged) {
    const std::string text = "a\u00E9\u30C6\U0001F600\U0010FFFF and twenty ASCII ones";
    EXPECT_EQ(utf8(text), (Decoded{text, true}));
    EXPECT_EQ(valid_utf8(Exact(text).span()), text.size());
    EXPECT_EQ(valid_utf8({}), 0U);
}

TEST(Utf8, EachStrayByteIsReplaced) {
    EXPECT_EQ(utf8("a\x80z"), (Decoded{"a" + bad + "z", false}));
    EXPECT_EQ(utf8("\xC0\x80"), (Decoded{bad + bad, false}));            // overlong
    EXPECT_EQ(utf8("\xED\xA0\x80"), (Decoded{bad + bad + bad, false}));  // a surrogate
    EXPECT_EQ(utf8("\xF4\x90\x80\x80"), (Decoded{bad + bad + bad + bad, false}));
    EXPECT_EQ(utf8("\xE3\x83z"), (Decoded{bad + bad + "z", false}));  // cut short by another character
    EXPECT_EQ(utf8("\xE3\xC3\xA9"), (Decoded{bad + "\u00E9", false}));
    EXPECT_EQ(utf8("ab\xE3\x83"), (Decoded{"ab" + bad + bad, false}));  // cut short by the end
    EXPECT_EQ(utf8("\xFF"), (Decoded{bad, false}));
    EXPECT_EQ(valid_utf8(Exact("0123456789\xE3\x83").span()), 10U);
}

TEST(Names, AreComparedOrdinallyIgnoringCase) {
    const std::pair<const char*, const char*> same[] = {{"abc", "ABC"}, {"größe", "GRÖßE"},   {"Ÿ", "ÿ"},
                                                        {"ς", "σ"},     {"привет", "ПРИВЕТ"}, {"\u2C65", "\u023A"}};
    for (const auto& [one, other] : same) {
        EXPECT_EQ(hkpd::fold_case(one), hkpd::fold_case(other)) << one;
        EXPECT_EQ(hkpd::compare_names(one, other), 0) << one;
    }
    // Letters whose other case is ASCII or several letters, and letters of two UTF-16 units.
    const std::pair<const char*, const char*> different[] = {
        {"ß", "SS"},     {"\u0131", "I"}, {"\u0130", "i"},  {"\u017F", "S"},
        {"\u212A", "k"}, {"ä", "a"},      {"\uFB01", "FI"}, {"\U00010428", "\U00010400"}};
    for (const auto& [one, other] : different) {
        EXPECT_NE(hkpd::fold_case(one), hkpd::fold_case(other)) << one;
        EXPECT_NE(hkpd::compare_names(one, other), 0) << one;
        EXPECT_EQ(hkpd::compare_names(one, other) < 0, hkpd::compare_names(other, one) > 0) << one;
    }
}

TEST(Names, AreComparedLikeTheirFoldedForms) {
    const std::vector<std::string> parts{
        "a",    "A",        "z",    "\u00E9", "\u00C9",       "\u00EA",     "\u2C65", "\u023A", "\xC3",
        "\xA9", "\xE2\xB1", "\xF0", "\xBF",   "\xEF\xBF\xBD", "\U00010428", "\x80",   " ",      "\xC3\xA9\xA9"};
    std::mt19937 random(20);
    const auto text = [&] {
        std::string made;
        for (std::size_t i = random() % 6; i-- != 0;) made += parts[random() % parts.size()];
        return made;
    };
    const auto sign = [](int number) { return (number > 0) - (number < 0); };
    for (int i = 0; i < 200'000; ++i) {
        const std::string common = text(), one = common + text(), other = common + text();
        ASSERT_EQ(sign(hkpd::compare_names(one, other)), sign(hkpd::fold_case(one).compare(hkpd::fold_case(other))))
            << one << "\n"
            << other;
    }
}

TEST(CodePage, NumbersThatAreUnicode) {
    const std::string little = units(u"t\u00E9", ByteOrder::little), big = units(u"t\u00E9", ByteOrder::big);
    EXPECT_EQ(page(little, 0), (Decoded{"t\u00E9", true}));
    EXPECT_EQ(page(little, 1200), (Decoded{"t\u00E9", true}));
    EXPECT_EQ(page(big, 0, ByteOrder::big), (Decoded{"t\u00E9", true}));
    EXPECT_EQ(page("t\u00E9\xFF", 65001), (Decoded{"t\u00E9" + bad, false}));
}

TEST(CodePage, Windows1252) {
    EXPECT_EQ(page("caf\xE9 \x80", 1252), (Decoded{"caf\u00E9 \u20AC", true}));
    EXPECT_EQ(page("a\x81z", 1252), (Decoded{"a" + bad + "z", false}));  // unassigned
}

TEST(CodePage, ShiftJis) {
    EXPECT_EQ(page("\x83\x65\x83\x58\x83\x67 1", 932), (Decoded{"\u30C6\u30B9\u30C8 1", true}));
    EXPECT_EQ(page("\x83", 932), (Decoded{bad, false}));              // first half alone
    EXPECT_EQ(page("\x83\x20z", 932), (Decoded{bad + " z", false}));  // the byte after it is kept
}

TEST(CodePage, OnlyThoseOfWindowsAreLoaded) {
    unsigned known = 0;
    for (std::uint32_t page = 3; page < 0x10000; ++page) known += hkpd::knows_code_page(page) ? 1U : 0U;
    EXPECT_LE(known, 34U);  // 32 pages, UTF-16 and UTF-8
    EXPECT_EQ(page("a\xC1", 37), (Decoded{"a" + bad, false})) << "EBCDIC";
}

TEST(CodePage, HeldBackCharactersAreWritten) {
    // The converters of 1255 and 1258 wait for combining marks.
    EXPECT_EQ(page("\xE0", 1255), (Decoded{"\u05D0", true}));
    EXPECT_EQ(page("a", 1258), (Decoded{"a", true}));
    EXPECT_EQ(page("a\xEC", 1258).text, "\u00E1");
}

TEST(CodePage, TextLongerThanAnyBuffer) {
    std::string bytes, expected;
    for (int i = 0; i < 5000; ++i) {
        bytes += i % 7 == 6 ? "\x81" : "\x80";
        expected += i % 7 == 6 ? bad : "\u20AC";
    }
    EXPECT_EQ(page(bytes, 1252), (Decoded{expected, false}));
}

TEST(CodePage, UnknownKeepsAscii) {
    for (const std::uint32_t number : {1U, 64000U, 65535U, 65536U, 0xFFFF'FFFFU}) {
        EXPECT_EQ(page("a\xE9z", number), (Decoded{"a" + bad + "z", false})) << number;
        EXPECT_EQ(page("a", number), (Decoded{"a", true})) << number;  // every ANSI page begins with ASCII
    }
}

TEST(CodePage, EveryThreadHasItsOwn) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([] {
            for (int n = 0; n < 100; ++n) EXPECT_EQ(page("\x83\x65", n % 2 ? 932 : 1252).valid, true);
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace text_test
}  // namespace hkpd
