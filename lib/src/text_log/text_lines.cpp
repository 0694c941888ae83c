#include "text_log/text_lines.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "base/text/encoding.hpp"

namespace hkpd {
namespace {

constexpr std::string_view little_mark = "\xFF\xFE", big_mark = "\xFE\xFF", utf8_mark = "\xEF\xBB\xBF";

std::uint8_t byte_at(const Bytes& bytes, std::uint64_t at) noexcept {
    return at < bytes.size() ? std::to_integer<std::uint8_t>(bytes.span()[static_cast<std::size_t>(at)])
                             : std::uint8_t{0};
}

bool is_ascii_character(std::uint8_t byte) noexcept { return byte != 0 && byte < 0x80; }

/// Returns whether a line in ASCII can begin with this byte: that of a header or row, or the end of an empty line.
bool begins_line(std::uint8_t byte) noexcept {
    return byte == '"' || byte == '(' || (byte >= '0' && byte <= '9') || byte == '\r' || byte == '\n';
}

/// Returns the number of bytes before the first one that can end a line: LF, CR or NUL. Clears `is_ascii` if one of
/// them is above 0x7F.
std::uint64_t plain_bytes(Bytes bytes, bool& is_ascii) noexcept {
    // Lines are long, so that sixteen bytes are compared at once: a compiler does not do so for a loop that ends early.
    using Chunk [[gnu::vector_size(16)]] = std::uint8_t;
    constexpr std::size_t size = sizeof(Chunk);
    const std::span all = bytes.span();
    std::size_t n = 0;
    bool is_high = false;
    for (; n + size <= all.size(); n += size) {
        Chunk chunk;
        std::memcpy(&chunk, all.data() + n, size);
        const auto found =
            std::bit_cast<std::array<std::uint64_t, 2>>((chunk == '\n') | (chunk == '\r') | (chunk == 0));
        if ((found[0] | found[1]) != 0) break;
        const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(chunk);
        is_high = is_high || ((words[0] | words[1]) & 0x8080'8080'8080'8080) != 0;
    }
    for (; n < all.size(); ++n) {
        const auto value = std::to_integer<std::uint8_t>(all[n]);
        if (value == '\n' || value == '\r' || value == 0) break;
        is_high = is_high || value >= 0x80;
    }
    is_ascii = is_ascii && !is_high;
    return n;
}

/// Returns whether the bytes around the line feed at `at` are the end and the beginning of lines in ASCII.
bool is_narrow_end(const Bytes& bytes, std::uint64_t at) noexcept {
    const std::uint8_t before = at == 0 ? std::uint8_t{0} : byte_at(bytes, at - 1), after = byte_at(bytes, at + 1);
    return byte_at(bytes, at) == '\n' && (before == '\r' || before == '"') &&
           (after == '"' || (before == '\r' && begins_line(after)));
}

/// Returns UTF-16 in the other byte order.
Encoding other_order(const Encoding& encoding) noexcept {
    return {page_utf16, encoding.order == ByteOrder::big ? ByteOrder::little : ByteOrder::big};
}

}  // namespace

TextLines::TextLines(StreamWindow& window, const Limits& limits, const TextEncoding& stated)
    : window_(window), limits_(limits), encoding_{page_utf8}, decoder_(stated) {
    const Bytes beginning = window_.peek(4);
    if (starts_with(beginning, little_mark) || stated.page() == page_utf16) encoding_ = {page_utf16, ByteOrder::little};
    if (starts_with(beginning, big_mark) || stated.page() == page_utf16_big) encoding_ = {page_utf16, ByteOrder::big};
    aligned_to_ = window_.offset();
}

/// Reads more of the line at the front of the window, of which `have` bytes are held. Returns false if the text ends.
bool TextLines::read_more(std::uint64_t have) {
    const bool grown = window_.peek(have + std::max(step_, have)).size() != have;
    step_ = std::min(2 * step_, most_step);
    return grown;
}

/// Returns bytes of the window, or fewer if the text ends. Reads them if they are not held.
Bytes TextLines::ahead(std::uint64_t at, std::uint64_t size) {
    const Bytes held = window_.held();
    return (held.size() >= at + size ? held : window_.peek(at + size)).clip(at, size);
}

/// Returns the encoding of a part that begins before or at a zero byte of narrow text, and sets `begin` to its
/// beginning; none if the zero byte stands for nothing.
std::optional<Encoding> TextLines::encoding_at_zero(std::uint64_t at, std::uint64_t& begin) {
    const std::uint64_t from = at - std::min<std::uint64_t>(at, 3);
    const Bytes bytes = ahead(from, at + 4 - from);
    const std::uint64_t zero = at - from;
    const auto is_character = [&](std::uint64_t place) { return is_ascii_character(byte_at(bytes, place)); };
    const bool is_pair = is_character(zero + 1) && zero + 2 < bytes.size() && byte_at(bytes, zero + 2) == 0;
    const bool is_marked = zero == 3 && (starts_with(bytes, little_mark) || starts_with(bytes, big_mark));
    // A quote that closes a cell belongs to the row before it.
    const bool closes =
        zero >= 2 && byte_at(bytes, zero - 1) == '"' && byte_at(bytes, zero - 2) != '"' && is_character(zero - 2);
    if (zero >= 1 && is_character(zero - 1) && !closes && (is_pair || (is_marked && starts_with(bytes, little_mark)))) {
        begin = is_marked ? from : at - 1;
        return Encoding{page_utf16, ByteOrder::little};
    }
    if (is_pair) {
        const bool has_mark = zero >= 2 && starts_with(bytes.from(zero - 2), big_mark);
        begin = has_mark ? at - 2 : at;
        return Encoding{page_utf16, ByteOrder::big};
    }
    return std::nullopt;
}

TextLines::End TextLines::find_end(std::uint64_t most) {
    if (encoding_.wide()) return find_wide_end(most);
    End end;
    for (std::uint64_t at = 0;;) {
        at += plain_bytes(window_.held().from(at), end.is_ascii);
        end.size = at;
        if (at > most) return end;
        if (at == window_.held().size()) {
            if (read_more(at)) continue;
            return end;
        }
        break;
    }
    end.found = true;
    const std::uint8_t last = byte_at(window_.held(), end.size);
    if (last == 0) {
        std::uint64_t begin = end.size;
        end.changed = encoding_at_zero(end.size, begin);
        end.is_padded = !end.changed;
        end.size = begin;
    } else if (last == '\r') {
        const std::uint8_t next = byte_at(ahead(end.size + 1, 1), 0);
        const Bytes after = next == '\r' || next == 0 ? ahead(end.size + 1, 3) : Bytes();
        end.gap = next == '\n' ? 2 : 1;
        if (next == '\r' && byte_at(after, 1) == '\n') end.gap = 3;
        if (after.size() == 3 && next == 0 && byte_at(after, 1) == '\n' && byte_at(after, 2) == 0) {
            end.gap = 0;
            end.changed = Encoding{page_utf16, ByteOrder::little};
        }
    } else {
        end.gap = 1;
    }
    if (!end.is_ascii) {
        const Bytes line = window_.held().clip(0, end.size);
        const std::string_view text(reinterpret_cast<const char*>(line.data()), line.size());
        const std::size_t mark = text.find(utf8_mark, 1);
        if (mark != std::string_view::npos && begins_line(byte_at(line, mark + utf8_mark.size()))) {
            const bool is_ascii = std::ranges::none_of(text.substr(0, mark), [](char c) { return (c & '\x80') != 0; });
            end = {.size = mark, .found = true, .is_ascii = is_ascii};
        }
    }
    return end;
}

TextLines::End TextLines::find_wide_end(std::uint64_t most) {
    End end;
    constexpr std::uint64_t width = 2, mark = 0xFEFF, other_mark = 0xFFFE, other_line_feed = 0x0A00;
    for (std::uint64_t at = 0;;) {
        const Bytes held = window_.held();
        for (; at + width <= held.size(); at += width) {
            const auto unit = load<std::uint16_t>(held.at(static_cast<std::size_t>(at)), encoding_.order);
            const std::uint8_t first = byte_at(held, at), second = byte_at(held, at + 1);
            if (unit == '\n' || unit == '\r' || unit == 0 || ((unit == mark || unit == other_mark) && at != 0)) break;
            if (unit == other_line_feed) {
                const auto is_other = [&](std::uint64_t place) {
                    const auto before = load<std::uint16_t>(held.at(static_cast<std::size_t>(place)), encoding_.order);
                    return before != 0 && before % 0x100 == 0;
                };
                end.size = at;
                while (end.size != 0 && is_other(end.size - width)) end.size -= width;
                end.found = true;
                end.changed = other_order(encoding_);
                return end;
            }
            const bool here = first == '\n' && is_narrow_end(held, at),
                       next = second == '\n' && is_narrow_end(held, at + 1);
            if (here || next) {
                std::uint64_t begin = at + (next ? 1 : 0);
                while (begin != 0 && byte_at(held, begin - 1) != 0) --begin;
                // What was found may be the low byte of the last unit.
                end.size = begin + begin % width;
                end.found = true;
                end.changed = Encoding{page_utf8};
                return end;
            }
        }
        end.size = at;
        if (at > most) return end;
        if (at + width <= held.size()) break;
        if (!read_more(held.size())) {
            const Bytes rest = window_.held();
            end.is_padded = end.found = at < rest.size() && byte_at(rest, at) == 0;  // the last of an odd number
            end.size = end.is_padded ? at : rest.size();
            return end;
        }
    }
    end.found = true;
    const auto unit_at = [&](std::uint64_t at) -> std::uint32_t {
        const Bytes unit = ahead(at, width);
        return unit.size() < width ? 0 : load<std::uint16_t>(unit.data(), encoding_.order);
    };
    const std::uint32_t last = unit_at(end.size);
    end.is_padded = last == 0;
    if (last == '\n') end.gap = width;
    if (last == '\r') {
        const std::uint32_t next = unit_at(end.size + width);
        end.gap = next == '\n' ? 2 * width : width;
        if (next == '\r' && unit_at(end.size + 2 * width) == '\n') end.gap = 3 * width;
    }
    return end;
}

void TextLines::take_encoding(const Encoding& encoding, const FaultSink& faults) {
    if (encoding.page == encoding_.page && encoding.order == encoding_.order) return;
    if (window_.offset() != aligned_to_) decoder_.change(encoding.page, {window_.offset(), number_}, faults);
    encoding_ = encoding;
    is_marked_ = false;
    aligned_to_ = window_.offset();
}

/// Skips zero bytes at the front of the window.
void TextLines::skip_zeros(const FaultSink& faults) {
    const std::uint64_t offset = window_.offset();
    for (bool goes_on = true; goes_on;) {
        const Bytes next = window_.peek(most_step);
        auto zeros = static_cast<std::uint64_t>(
            std::ranges::find_if(next.span(), [](std::byte byte) { return byte != std::byte{0}; }) -
            next.span().begin());
        goes_on = zeros != 0 && zeros == next.size();
        // The zero byte before a character of UTF-16 in this byte order belongs to it.
        if (zeros != next.size() && encoding_.wide() && encoding_.order == ByteOrder::big) zeros -= zeros % 2;
        window_.skip(zeros);
    }
    const std::uint64_t count = window_.offset() - offset;
    if (count % 2 != 0) aligned_to_ = window_.offset();
    faults.add({Errc::text_padding, offset, "text log", "", number_, count});
}

/// Skips what is between two lines, and finds out whether the encoding changes.
void TextLines::begin_line(const FaultSink& faults) {
    if (std::exchange(is_padded_, false)) skip_zeros(faults);
    if (const auto changed = std::exchange(changed_, std::nullopt)) take_encoding(*changed, faults);
    const Bytes next = window_.peek(8);
    if (starts_with(next, utf8_mark)) {
        take_encoding({page_utf8}, faults);
        window_.skip(utf8_mark.size());
        is_marked_ = true;
    } else if (encoding_.wide()) {
        const bool is_little = starts_with(next, little_mark), is_big = starts_with(next, big_mark);
        if (is_little || is_big) {
            take_encoding({page_utf16, is_little ? ByteOrder::little : ByteOrder::big}, faults);
            window_.skip(little_mark.size());
        } else if (const std::size_t zero = encoding_.order == ByteOrder::big ? 1 : 0;
                   next.size() >= 4 && byte_at(next, zero) == 0 && byte_at(next, 2 + zero) == 0 &&
                   begins_line(byte_at(next, 1 - zero)) && is_ascii_character(byte_at(next, 3 - zero))) {
            take_encoding(other_order(encoding_), faults);
        } else if (next.size() >= 4 && begins_line(byte_at(next, 0)) &&
                   std::ranges::all_of(next.span(), [](std::byte byte) {
                       const auto value = std::to_integer<std::uint8_t>(byte);
                       return (value >= ' ' && value < 0x7F) || value == '\t' || value == '\r' || value == '\n';
                   })) {
            // As UTF-16 these would be ideographs, where a line begins with a time or a quote.
            take_encoding({page_utf8}, faults);
        }
    }
}

std::optional<TextLines::Line> TextLines::next(const FaultSink& faults) {
    while (true) {
        window_.skip(std::exchange(given_, 0));
        if (ended_) return std::nullopt;
        begin_line(faults);
        const std::uint64_t most = limits_.bytes / 16, offset = window_.offset();
        const End end = find_end(most);
        if (end.size > most) {
            ended_ = true;
            faults.add({Errc::byte_limit, offset, "text log", "line", most, end.size});
            return std::nullopt;
        }
        ended_ = !end.found;
        if (!end.found && end.size == 0) return std::nullopt;
        changed_ = end.changed;
        is_padded_ = end.is_padded;
        given_ = end.size + end.gap;
        // Nothing is before a part in another encoding, or before zero bytes.
        if (given_ == 0) continue;
        const LinePlace place{offset, number_};
        if (number_ != 0) ++number_;
        return Line{
            offset, place.number,
            decoder_.decode(window_.held().clip(0, end.size),
                            {.encoding = encoding_, .is_ascii = end.is_ascii, .is_marked = is_marked_}, place, faults)};
    }
}

bool TextLines::look_ahead(std::uint64_t most, const std::function<bool(std::string_view)>& look) {
    const Bytes next = window_.peek(given_ + most).from(given_);
    const bool goes_on = next.size() == most;
    StreamWindow window(next.span());
    TextLines lines(window, *this);
    lines.changed_ = changed_;
    lines.is_padded_ = is_padded_;
    bool wants_more = true;
    while (wants_more) {
        const auto line = lines.next({});
        if (!line || (goes_on && lines.ended_)) break;  // no line, or one that may be incomplete
        wants_more = look(line->text);
    }
    decoder_.learn(lines.decoder_);
    return wants_more && goes_on;
}

bool TextLines::seek(std::uint64_t offset) {
    given_ = 0;
    number_ = 0;
    ended_ = is_padded_ = false;
    changed_.reset();
    step_ = least_step;
    const std::uint64_t from = std::min(offset, aligned_to_), width = encoding_.wide() ? 2 : 1;
    return window_.seek(offset - (offset - from) % width);
}

}  // namespace hkpd
