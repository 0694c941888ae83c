#include "titles_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "text.hpp"

namespace hkpd {
namespace {

std::uint32_t lower_unit(std::uint32_t unit) noexcept { return unit >= 'A' && unit <= 'Z' ? unit + 0x20 : unit; }

std::uint32_t unit_of(char c) noexcept { return static_cast<unsigned char>(c); }

}  // namespace

std::uint32_t RawText::operator[](std::size_t unit) const noexcept {
    if (encoding_.wide()) return load<std::uint16_t>(bytes_.data() + 2 * unit, encoding_.order);
    return std::to_integer<std::uint32_t>(bytes_.data()[unit]);
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

std::string normal_language(std::string_view language) {
    std::string normal = lower_case(language);
    if (!normal.empty() && normal.size() < 3) normal.insert(0, 3 - normal.size(), '0');
    std::uint32_t number = 0;
    const char* end = normal.data() + normal.size();
    const auto parsed = std::from_chars(normal.data(), end, number, 16);
    if (normal.size() != 3 || parsed.ec != std::errc{} || parsed.ptr != end) return normal;
    // Perflib keeps the primary language (the low 10 bits), but Chinese and Portuguese twice.
    constexpr std::array<std::uint32_t, 4> whole{0x404, 0x804, 0x416, 0x816};
    if (std::ranges::find(whole, number) != whole.end()) return normal;
    constexpr std::string_view digits = "0123456789abcdef";
    return {digits[number >> 8 & 3], digits[number >> 4 & 15], digits[number & 15]};
}

}  // namespace hkpd
