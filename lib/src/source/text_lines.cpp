#include "source/text_lines.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "base/text/encoding.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t page_western = 1252;

}  // namespace

std::string_view trimmed_cell(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

Encoding TextLines::encoding_of(Bytes beginning, std::size_t& mark) noexcept {
    constexpr std::string_view little = "\xFF\xFE", big = "\xFE\xFF", utf8 = "\xEF\xBB\xBF";
    mark = starts_with(beginning, utf8) ? utf8.size() : 0;
    if (starts_with(beginning, little) || starts_with(beginning, big)) mark = little.size();
    if (starts_with(beginning, little) || starts_with(beginning, {"\"\0", 2})) return {page_utf16, ByteOrder::little};
    if (starts_with(beginning, big) || starts_with(beginning, {"\0\"", 2})) return {page_utf16, ByteOrder::big};
    return {page_utf8};
}

TextLines::TextLines(StreamWindow& window, const Limits& limits) : window_(window), limits_(limits) {
    std::size_t mark = 0;
    encoding_ = encoding_of(window_.peek(4), mark);
    window_.skip(mark);
}

std::uint64_t TextLines::find_end(bool& ended, std::uint64_t most) {
    const std::size_t width = encoding_.wide() ? 2 : 1;
    ended = false;
    for (std::uint64_t searched = 0;;) {
        const Bytes held = window_.held();
        while (searched + width <= held.size()) {
            const Bytes rest = held.from(searched);
            const void* const found = std::memchr(rest.data(), '\n', rest.size());
            if (found == nullptr) {
                searched += rest.size() / width * width;
                break;
            }
            const auto at = searched + static_cast<std::uint64_t>(static_cast<const std::byte*>(found) - rest.data());
            const std::uint64_t unit = at / width * width;
            if (!held.contains(unit, width)) break;  // half of a unit; the rest has not been read yet
            if (width == 1 || load<std::uint16_t>(held.at(unit), encoding_.order) == '\n') {
                ended = true;
                return unit;
            }
            searched = unit + width;
        }
        if (held.size() > most) return held.size();
        const std::uint64_t have = held.size();
        if (window_.peek(have + std::max(step_, have)).size() == have) return have;
        step_ = std::min(2 * step_, most_step);
    }
}

std::optional<TextLines::Line> TextLines::next(const FaultSink& faults) {
    window_.skip(std::exchange(given_, 0));
    if (ended_) return std::nullopt;
    const std::uint64_t most = limits_.bytes / 16;
    bool ended = false;
    const std::uint64_t size = find_end(ended, most);
    const std::uint64_t offset = window_.offset();
    ended_ = !ended;
    if (size > most) {
        ended_ = true;
        faults.add({Errc::byte_limit, offset, "text log", "line", most, size});
        return std::nullopt;
    }
    if (!ended && size == 0) return std::nullopt;
    const std::size_t width = encoding_.wide() ? 2 : 1;
    given_ = size + (ended ? width : 0);
    const Bytes bytes = window_.held().clip(0, size);
    Line line{offset, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
    if (encoding_.wide()) {
        text_.clear();
        append_utf16(text_, bytes.span(), encoding_.order);
        line.text = text_;
    }
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    return line;
}

bool TextLines::look_ahead(std::uint64_t most, const std::function<bool(std::string_view)>& look) {
    const Bytes next = window_.peek(given_ + most).from(given_);
    const bool goes_on = next.size() == most;
    StreamWindow window(next.span());
    TextLines lines(window, limits_, encoding_);
    while (const auto line = lines.next({})) {
        if (goes_on && lines.ended_) break;  // the line may be incomplete
        if (!look(line->text)) return false;
    }
    return goes_on;
}

bool TextLines::seek(std::uint64_t offset) {
    given_ = 0;
    ended_ = false;
    step_ = least_step;
    const std::uint64_t width = encoding_.wide() ? 2 : 1;
    return window_.seek(offset / width * width);
}

std::string_view TextLines::decoded(const Line& line) {
    const auto bytes = std::as_bytes(std::span(line.text));
    if (encoding_.wide() || valid_utf8(bytes) == bytes.size()) return line.text;
    decoded_.clear();
    append_code_page(decoded_, bytes, page_western, ByteOrder::little);
    return decoded_;
}

TextCells::Cell TextCells::quoted() {
    unquoted_.clear();
    std::size_t begin = 1;  // of the part that is not yet in `unquoted_`
    bool copied = false;
    for (std::size_t quote = rest_.find('"', 1);; quote = rest_.find('"', quote)) {
        if (quote == std::string_view::npos) {
            const std::string_view part = rest_.substr(begin);
            rest_ = {};
            done_ = true;
            return {copied ? std::string_view(unquoted_.append(part)) : part, false};
        }
        const std::size_t after = quote + 1;
        if (after == rest_.size() || rest_[after] == separator_) {
            const std::string_view part = rest_.substr(begin, quote - begin);
            done_ = after == rest_.size();
            rest_.remove_prefix(std::min(after + 1, rest_.size()));
            return {copied ? std::string_view(unquoted_.append(part)) : part};
        }
        if (rest_[after] == '"') {
            unquoted_.append(rest_.substr(begin, after - begin));
            copied = true;
            begin = quote = after + 1;
        } else {
            quote = after;
        }
    }
}

std::optional<TextCells::Cell> TextCells::next() {
    if (done_) return std::nullopt;
    if (rest_.starts_with('"')) return quoted();
    const std::size_t end = rest_.find(separator_);
    const Cell cell{trimmed_cell(rest_.substr(0, end))};
    done_ = end == std::string_view::npos;
    rest_.remove_prefix(done_ ? rest_.size() : end + 1);
    return cell;
}

}  // namespace hkpd
