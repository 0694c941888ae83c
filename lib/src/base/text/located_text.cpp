#include "base/text/located_text.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/text/encoding.hpp"
#include "base/text/parse_number.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t page_western = 1252;

/// Guesses the byte order of UTF-16 without a byte order mark. Returns none if the text does not look like UTF-16. A
/// list of titles begins with a digit. Other text is mostly ASCII, so that one of the two bytes of most UTF-16 units is
/// zero.
std::optional<ByteOrder> zero_bytes_order(Bytes input) noexcept {
    const std::span<const std::byte> start = input.clip(0, 64).span();
    const auto is_digit = [&](std::size_t i) { return start[i] >= std::byte{'0'} && start[i] <= std::byte{'9'}; };
    if (start.size() >= 2 && is_digit(0) && start[1] == std::byte{0}) return ByteOrder::little;
    if (start.size() >= 2 && start[0] == std::byte{0} && is_digit(1)) return ByteOrder::big;
    std::array<std::size_t, 2> zeros{};
    for (std::size_t i = 0; i < start.size(); ++i)
        if (start[i] == std::byte{0}) ++zeros[i % 2];
    if (zeros[0] == 0 && zeros[1] == 0) return std::nullopt;
    return zeros[0] > zeros[1] ? ByteOrder::big : ByteOrder::little;
}

std::uint32_t lower_unit(std::uint32_t unit) noexcept { return unit >= 'A' && unit <= 'Z' ? unit + 0x20 : unit; }

std::uint32_t unit_of(char c) noexcept { return static_cast<unsigned char>(c); }

}  // namespace

bool starts_with(Bytes input, std::string_view start) noexcept {
    return std::ranges::equal(input.clip(0, start.size()).span(), std::as_bytes(std::span(start)));
}

FileText open_text(Bytes input) noexcept {
    if (starts_with(input, "\xFF\xFE")) return {{input.from(2), {page_utf16, ByteOrder::little}}, {}};
    if (starts_with(input, "\xFE\xFF")) return {{input.from(2), {page_utf16, ByteOrder::big}}, {}};
    if (starts_with(input, "\xEF\xBB\xBF")) return {{input.from(3), {page_utf8}}, {}};
    if (const auto order = zero_bytes_order(input)) return {{input, {page_utf16, *order}}, {}};
    // Text that is not valid UTF-8 is read as Windows-1252. PowerShell 5.1's Set-Content writes the ANSI code page of
    // the machine, which is mostly Windows-1252. If the machine used another code page, only the characters that are
    // not ASCII are wrong.
    const std::size_t valid = valid_utf8(input.span());
    if (valid == input.size()) return {{input, {page_utf8}}, {}};
    return {{input, {page_western}}, input.offset() + valid};
}

std::uint32_t RawText::operator[](std::size_t unit) const noexcept {
    if (encoding_.wide()) return load<std::uint16_t>(bytes_.at(2 * unit), encoding_.order);
    return std::to_integer<std::uint32_t>(bytes_.span()[unit]);
}

std::uint64_t RawText::offset(std::size_t unit) const noexcept {
    const std::size_t byte = unit * width();
    if (places_.empty()) return bytes_.offset() + byte;
    return byte < places_.size() ? places_[byte] : places_.back() + 1;
}

Piece RawText::trimmed(Piece piece) const noexcept {
    const auto blank = [this](std::size_t unit) { return (*this)[unit] == ' ' || (*this)[unit] == '\t'; };
    while (!piece.empty() && blank(piece.begin)) ++piece.begin;
    while (!piece.empty() && blank(piece.end - 1)) --piece.end;
    return piece;
}

std::size_t RawText::find(Piece piece, char unit) const noexcept {
    while (!piece.empty() && (*this)[piece.begin] != unit_of(unit)) ++piece.begin;
    return piece.begin;
}

bool RawText::starts_with(Piece piece, std::string_view ascii) const noexcept {
    if (piece.size() < ascii.size()) return false;
    for (std::size_t i = 0; i < ascii.size(); ++i)
        if (lower_unit((*this)[piece.begin + i]) != lower_unit(unit_of(ascii[i]))) return false;
    return true;
}

bool RawText::append(std::string& out, Piece piece) const {
    const Bytes part = bytes_.slice(piece.begin * width(), piece.size() * width());
    return append_code_page(out, part.span(), encoding_.page, encoding_.order);
}

std::optional<Piece> Splitter::next() noexcept {
    if (position_ == text_->size()) return std::nullopt;
    Piece piece{position_, text_->find({position_, text_->size()}, separator_)};
    position_ = piece.end == text_->size() ? piece.end : piece.end + 1;
    if (separator_ == '\n' && !piece.empty() && (*text_)[piece.end - 1] == '\r') --piece.end;
    return piece;
}

std::optional<std::uint8_t> hex_digit(std::uint32_t unit) noexcept {
    const std::uint32_t lower = lower_unit(unit);
    if (lower >= '0' && lower <= '9') return static_cast<std::uint8_t>(lower - '0');
    if (lower >= 'a' && lower <= 'f') return static_cast<std::uint8_t>(lower - 'a' + 10);
    return std::nullopt;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
    return lower;
}

}  // namespace hkpd
