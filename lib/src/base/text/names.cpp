#include "base/text/names.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace hkpd {
namespace {

/// Returns the length of the UTF-8 character that begins with this byte.
std::size_t character_length(char first) noexcept {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// Returns the upper case of a character that is not ASCII. Returns the character itself if its upper case is ASCII (as
/// for `ı` and `ſ`), or if the character or its upper case takes two UTF-16 units.
utf8proc_int32_t upper_case(utf8proc_int32_t c) noexcept {
    constexpr utf8proc_int32_t first_beyond_ascii = 0x80, last_of_one_unit = 0xFFFF;
    const utf8proc_int32_t upper = utf8proc_toupper(c);
    return upper >= first_beyond_ascii && c <= last_of_one_unit && upper <= last_of_one_unit ? upper : c;
}

/// The bytes of one folded character.
class Folded {
  public:
    Folded() = default;
    explicit Folded(char byte) noexcept : bytes_{static_cast<unsigned char>(byte)}, size_(1) {}
    /// Encodes a character as UTF-8.
    explicit Folded(utf8proc_int32_t character) noexcept
        : size_(static_cast<std::size_t>(utf8proc_encode_char(character, bytes_.data()))) {}

    bool empty() const noexcept { return begin_ == size_; }
    /// Removes the first byte and returns it.
    unsigned char take() noexcept { return bytes_[begin_++]; }
    std::string_view view() const noexcept { return {reinterpret_cast<const char*>(bytes_.data()), size_}; }

  private:
    std::array<utf8proc_uint8_t, 4> bytes_{};
    std::size_t begin_ = 0, size_ = 0;
};

/// Removes the first character from a text that is not empty, and returns the folded character. A byte that is not
/// valid UTF-8 is its own folded form.
Folded take_folded(std::string_view& text) noexcept {
    const char first = text.front();
    utf8proc_int32_t character = 0;
    const utf8proc_ssize_t length = static_cast<unsigned char>(first) < 0x80
                                        ? 0
                                        : utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                           static_cast<utf8proc_ssize_t>(text.size()), &character);
    text.remove_prefix(static_cast<std::size_t>(std::max<utf8proc_ssize_t>(length, 1)));
    return length > 0 ? Folded(upper_case(character)) : Folded(lower_ascii(first));
}

}  // namespace

std::string fold_case(std::string_view text) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    const auto ascii = static_cast<std::size_t>(std::ranges::find_if_not(text, is_ascii) - text.begin());
    std::string folded(text.substr(0, ascii));
    std::ranges::transform(folded, folded.begin(), lower_ascii);
    text.remove_prefix(ascii);
    folded.reserve(ascii + text.size());
    while (!text.empty()) folded += take_folded(text).view();
    return folded;
}

int compare_folded(std::string_view a, std::string_view b) {
    // Equal bytes at the beginning of both texts are skipped, because their folded forms are equal too. If the first
    // difference is inside a character, the comparison begins at the first byte of this character.
    constexpr std::size_t longest_character = 4;
    auto equal = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    for (std::size_t back = 1; back < longest_character && back <= equal; ++back)
        if (static_cast<unsigned char>(a[equal - back]) >= 0xC0) equal -= std::exchange(back, longest_character);
    a.remove_prefix(equal);
    b.remove_prefix(equal);
    Folded x, y;
    while (true) {
        if (x.empty() && !a.empty()) x = take_folded(a);
        if (y.empty() && !b.empty()) y = take_folded(b);
        if (x.empty() || y.empty()) return static_cast<int>(y.empty()) - static_cast<int>(x.empty());
        const unsigned char first = x.take(), second = y.take();
        if (first != second) return first < second ? -1 : 1;
    }
}

// The search is greedy. When a character does not match, the search returns to the last `*` that it has passed, and
// that `*` matches one more character. The search never returns to an earlier `*`, because the last `*` can match the
// additional characters just as well.
bool matches_wildcard(std::string_view pattern, std::string_view text) noexcept {
    constexpr std::size_t none = std::string_view::npos;
    std::size_t p = 0, t = 0, star = none, star_text = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            star_text = t;
        } else if (p < pattern.size() && pattern[p] == '?') {
            ++p;
            t = std::min(text.size(), t + character_length(text[t]));
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != none) {
            p = star + 1;
            star_text = std::min(text.size(), star_text + character_length(text[star_text]));
            t = star_text;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

Nearest::Nearest(std::string_view wanted, LetterCase letter_case) : size_(wanted.size()) {
    constexpr std::size_t bytes_per_error = 3, most_errors = 3;
    if (size_ > longest || wanted.find_first_of("*?") != std::string_view::npos) return;
    if (size_ < bytes_per_error && letter_case == LetterCase::ignored) return;
    wanted_ = fold_case(wanted);
    if (letter_case == LetterCase::matters) exact_ = wanted;
    limit_ = std::min(size_ / bytes_per_error, most_errors);
    open_ = true;
}

void Nearest::offer(std::string_view name) {
    if (!open_ || name.size() > longest) return;
    // The lengths are compared first, because this rejects most names without computing `distance`.
    if (std::max(name.size(), size_) - std::min(name.size(), size_) > limit_) return;
    const std::size_t errors = distance(fold_case(name));
    if (errors > limit_) return;
    if (errors != 0) {
        limit_ = errors - 1;  // from now on, only a nearer name replaces this one
        name_ = name;
    } else if (exact_.empty() || name == exact_) {
        open_ = false;
        name_.clear();
    } else if (fold_case(name_) != wanted_) {
        // The name differs from the wanted name only in case. Only the wanted name itself would be nearer.
        limit_ = 0;
        name_ = name;
    }
}

// Returns the smallest number of typing errors (see `Nearest`) that change the wanted name into `name`, if no character
// is changed by more than one error. This is the "optimal string alignment" variant of the Damerau-Levenshtein
// distance. If the number is greater than `limit_`, returns any number greater than `limit_`.
std::size_t Nearest::distance(std::string_view name) const noexcept {
    using Row = std::array<std::uint8_t, 2 * longest + 1>;
    const std::size_t width = std::min(name.size(), 2 * longest);
    const auto beyond = static_cast<std::uint8_t>(limit_ + 1);
    Row before_last{}, last{}, row{};
    for (std::size_t i = 0; i <= width; ++i) last[i] = static_cast<std::uint8_t>(std::min(i, limit_ + 1));
    for (std::size_t j = 1; j <= wanted_.size(); ++j) {
        // Cells farther than `limit_` from the diagonal stand for more than `limit_` errors. They are not computed.
        const std::size_t first = j > limit_ ? j - limit_ : 1, end = std::min(width, j + limit_);
        row.fill(beyond);
        if (j <= limit_) row[0] = static_cast<std::uint8_t>(j);
        std::uint8_t least = row[0];
        for (std::size_t i = first; i <= end; ++i) {
            const bool same = wanted_[j - 1] == name[i - 1];
            int errors = std::min({last[i] + 1, row[i - 1] + 1, last[i - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && wanted_[j - 1] == name[i - 2] && wanted_[j - 2] == name[i - 1])
                errors = std::min(errors, before_last[i - 2] + 1);
            row[i] = static_cast<std::uint8_t>(std::min<int>(errors, beyond));
            least = std::min(least, row[i]);
        }
        if (least == beyond) return beyond;
        before_last = std::exchange(last, row);
    }
    return last[width];
}

}  // namespace hkpd
