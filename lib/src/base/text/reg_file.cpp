// Sources of the format: Microsoft's "How to add, modify, or delete registry subkeys and values by using a .reg file"
// and regedit's behaviour. A value written as bytes has the form `"Name"=hex(7):31,00,...`. A backslash at the end of a
// line continues the value on the next line. Strings written as bytes are UTF-16LE in files of version 5.00. In
// REGEDIT4 files, they are in the ANSI code page of the machine that wrote the file.
#include "base/text/reg_file.hpp"

#include <algorithm>

#include "base/text/parse_number.hpp"

namespace hkpd {
namespace {

constexpr std::string_view ansi_signature = "REGEDIT4";
constexpr std::string_view unicode_signature = "Windows Registry Editor Version ";

/// Returns the position of the quote that ends the string at the front of `inside`; the end of `inside` if there is no
/// such quote.
std::size_t closing_quote(const RawText& text, Piece inside) noexcept {
    for (std::size_t at = inside.begin; at < inside.end; ++at) {
        if (text[at] == '"') return at;
        if (text[at] == '\\') ++at;
    }
    return inside.end;
}

/// Removes a prefix such as `hex:` or `hex(7):` from the front of the piece, and returns the type that the prefix
/// stands for; none if there is no such prefix.
std::optional<RegistryType> take_hex_type(const RawText& text, Piece& piece) noexcept {
    const std::size_t colon = text.find(piece, ':');
    if (colon == piece.end || !text.starts_with(piece, "hex")) return std::nullopt;
    const Piece number{piece.begin + 3, colon};
    piece.begin = colon + 1;
    if (number.empty()) return RegistryType::binary;
    const auto digit = number.size() == 3 ? hex_digit(text[number.begin + 1]) : std::nullopt;
    if (!digit || text[number.begin] != '(' || text[number.end - 1] != ')') return RegistryType::unknown;
    return static_cast<RegistryType>(*digit);
}

}  // namespace

bool is_registry_export(const RawText& text) noexcept {
    const Piece all{0, text.size()};
    return text.starts_with(all, unicode_signature) || text.starts_with(all, ansi_signature);
}

RegistryExport::RegistryExport(const RawText& text) noexcept
    : text_(&text), lines_(text, '\n'), ansi_(text.starts_with({0, text.size()}, ansi_signature)) {}

RegistryExport::Step RegistryExport::next() noexcept {
    while (const auto line = lines_.next()) {
        const Piece piece = text_->trimmed(*line);
        if (piece.empty()) continue;
        const std::uint32_t first = (*text_)[piece.begin];
        if (first == '[') {
            const bool valid = !text_->starts_with(piece, "[-") && (*text_)[piece.end - 1] == ']';
            key_ = valid ? Piece{piece.begin + 1, piece.end - 1} : Piece{piece.end, piece.end};
            return Step::key;
        }
        if (first != '"' && first != '@') continue;
        value_ = value_of(piece);
        return Step::value;
    }
    return Step::end;
}

RegistryValue RegistryExport::value_of(Piece line) const noexcept {
    const Piece inside{line.begin + 1, line.end};
    const bool named = (*text_)[line.begin] == '"';
    const std::size_t quote = named ? closing_quote(*text_, inside) : inside.begin;
    Piece rest = text_->trimmed({named && quote < line.end ? quote + 1 : quote, line.end});
    RegistryValue value{{inside.begin, quote}, rest.begin, RegistryType::unknown, false, rest};
    if (!text_->starts_with(rest, "=")) return value;

    rest = text_->trimmed({rest.begin + 1, rest.end});
    value.begin = rest.begin;
    value.data = rest;
    if (text_->starts_with(rest, "\"")) {
        value.type = RegistryType::string;
    } else if (text_->starts_with(rest, "dword:")) {
        value.type = RegistryType::dword;
        value.data.begin += std::string_view("dword:").size();
    } else if (const auto type = take_hex_type(*text_, value.data)) {
        value.type = *type;
        value.hexadecimal = *type != RegistryType::unknown;
    }
    return value;
}

std::string RegistryExport::lower(Piece piece) const {
    std::string decoded;
    text_->append(decoded, piece);
    return lower_case(decoded);
}

HexBytes RegistryExport::hex() {
    HexBytes hex;
    Piece line = value_.data;
    while (read_hex_line(line, hex)) {
        const auto next = continuation();
        if (!next) {
            hex.faults.push_back(text_->offset(line.end));
            break;
        }
        line = *next;
    }
    for (std::size_t at = 0; at < hex.bytes.size(); ++at) {
        if (!std::ranges::binary_search(hex.faults, hex.places[at])) continue;
        const std::size_t unit = ansi_ ? at : at / 2 * 2;
        hex.bytes[unit] = ansi_ ? std::byte{'?'} : std::byte{0xFD};
        if (!ansi_ && unit + 1 < hex.bytes.size()) hex.bytes[unit + 1] = std::byte{0xFF};
    }
    return hex;
}

/// Reads the bytes of one line. Returns true if the value continues on the next line.
bool RegistryExport::read_hex_line(Piece line, HexBytes& hex) const {
    line = text_->trimmed(line);
    const bool backslash = !line.empty() && (*text_)[line.end - 1] == '\\';
    if (backslash) line = text_->trimmed({line.begin, line.end - 1});
    bool comma = false;
    while (!line.empty()) {
        const std::size_t end = text_->find(line, ',');
        read_token(text_->trimmed({line.begin, end}), hex);
        comma = end != line.end;
        line = text_->trimmed({comma ? end + 1 : end, line.end});
    }
    if (comma && !backslash) hex.faults.push_back(text_->offset(line.end));
    return backslash || comma;
}

void RegistryExport::read_token(Piece token, HexBytes& hex) const {
    const auto high = token.size() == 2 ? hex_digit((*text_)[token.begin]) : std::nullopt;
    const auto low = token.size() == 2 ? hex_digit((*text_)[token.begin + 1]) : std::nullopt;
    const bool valid = high && low;
    if (!valid) hex.faults.push_back(text_->offset(token.begin));
    hex.bytes.push_back(valid ? static_cast<std::byte>(*high * 16 + *low) : std::byte{0});
    hex.places.push_back(text_->offset(token.begin));
}

/// Takes the next line and returns it without blanks at its ends. If the line is empty or begins a key or value, does
/// not take the line and returns none.
std::optional<Piece> RegistryExport::continuation() noexcept {
    Splitter ahead = lines_;
    const auto next = ahead.next();
    if (!next) return std::nullopt;
    const Piece line = text_->trimmed(*next);
    if (line.empty() || (*text_)[line.begin] == '[' || (*text_)[line.begin] == '"' || (*text_)[line.begin] == '@')
        return std::nullopt;
    lines_ = ahead;
    return line;
}

std::optional<std::uint32_t> RegistryExport::number() {
    if (value_.type != RegistryType::dword) return std::nullopt;
    if (!value_.hexadecimal) {
        const Piece digits = text_->trimmed(value_.data);
        return digits.size() <= 8 ? parse_number<std::uint32_t>(lower(digits), 16) : std::nullopt;
    }
    const HexBytes hex = this->hex();
    if (!hex.faults.empty() || hex.bytes.size() != 4) return std::nullopt;
    return load<std::uint32_t>(hex.bytes.data(), ByteOrder::little);
}

std::optional<std::string> RegistryExport::string() {
    if (value_.type != RegistryType::string && value_.type != RegistryType::expand_string) return std::nullopt;
    if (!value_.hexadecimal) return quoted_string();
    const HexBytes hex = this->hex();
    if (!hex.faults.empty()) return std::nullopt;
    const RawText text(Bytes(hex.bytes), Encoding{ansi_ ? 1252U : 1200U}, hex.places);
    std::string decoded;
    if (text.odd_byte() || !text.append(decoded, {0, text.find({0, text.size()}, '\0')})) return std::nullopt;
    return decoded;
}

/// Returns the string between the quotes, in which a backslash escapes the next character. Returns none if the closing
/// quote is missing or more text follows the quote, or if the text is invalid.
std::optional<std::string> RegistryExport::quoted_string() const {
    const Piece inside{value_.data.begin + 1, value_.data.end};
    const std::size_t quote = closing_quote(*text_, inside);
    std::string written;
    if (quote + 1 != inside.end || !text_->append(written, {inside.begin, quote})) return std::nullopt;
    std::string decoded;
    for (std::size_t at = 0; at < written.size(); ++at) {
        if (written[at] == '\\' && at + 1 < written.size()) ++at;
        decoded += written[at];
    }
    return decoded;
}

}  // namespace hkpd
