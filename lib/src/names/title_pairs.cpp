#include "names/title_pairs.hpp"

#include <limits>
#include <optional>
#include <string>

#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"

namespace hkpd {
namespace {

std::optional<std::uint32_t> number_in(const RawText& text, Piece piece) noexcept {
    piece = text.trimmed(piece);
    if (piece.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
        const std::uint32_t unit = text[i];
        if (unit < '0' || unit > '9') return std::nullopt;
        value = value * 10 + (unit - '0');
        if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    }
    return static_cast<std::uint32_t>(value);
}

/// Whether an empty string where a title should be is a title, and not the end of the list: an index follows, or the
/// empty string that really ends it.
bool blank_title(const RawText& text, Splitter behind) noexcept {
    const auto next = behind.next();
    return next && (next->empty() || number_in(text, *next));
}

/// Whether an empty string where an index should be is one that was lost, and not the end of the list: behind the
/// string that follows it, or in it, the indices go on. What an older, longer list has left in a buffer does not.
bool lost_index(const RawText& text, Splitter behind, std::uint32_t last) noexcept {
    for (int strings = 0; strings < 2; ++strings) {
        const auto next = behind.next();
        if (!next || next->empty()) return false;
        if (const auto index = number_in(text, *next); index && *index > last) return true;
    }
    return false;
}

// The walks tell a visitor what they find: pair(index, its piece, title's piece), stray(piece),
// unpaired(index, its piece), behind_end(first unit behind the list).

template <class Visitor>
void walk_strings(const RawText& text, Visitor& visit) {
    Splitter strings(text, '\0');
    std::optional<std::uint32_t> last;
    while (const auto key = strings.next()) {
        if (key->empty() && !(last && lost_index(text, strings, *last))) break;
        const auto index = number_in(text, *key);
        if (!index) {
            // One string alone, so that a string too many does not shift all that follow it.
            visit.stray(*key);
            continue;
        }
        const auto title = strings.next();
        if (!title || (title->empty() && !blank_title(text, strings))) {
            visit.unpaired(*index, *key);
            break;
        }
        visit.pair(*index, *key, *title);
        last = index;
    }
    visit.behind_end(strings.position());
}

template <class Visitor>
void walk_lines(const RawText& text, Visitor& visit) {
    Splitter lines(text, '\n');
    std::optional<Piece> blank;  // PowerShell and editors leave empty lines at the end, which mean nothing
    while (const auto key = lines.next()) {
        if (text.trimmed(*key).empty()) {
            if (!blank) blank = key;
            continue;
        }
        if (blank) visit.stray(*blank);
        blank.reset();
        const auto index = number_in(text, *key);
        if (!index) {
            visit.stray(*key);
            continue;
        }
        if (const auto title = lines.next())
            visit.pair(*index, *key, *title);
        else
            visit.unpaired(*index, *key);
    }
}

template <class Visitor>
void walk_tabbed(const RawText& text, Visitor& visit) {
    Splitter lines(text, '\n');
    while (const auto line = lines.next()) {
        if (text.trimmed(*line).empty()) continue;
        const std::size_t tab = text.find(*line, '\t');
        const Piece key{line->begin, tab};
        const auto index = number_in(text, key);
        if (!index)
            visit.stray(key);
        else if (tab == line->end)
            visit.unpaired(*index, key);
        else
            visit.pair(*index, key, Piece{tab + 1, line->end});
    }
}

template <class Visitor>
void walk(const RawText& text, TitleForm form, Visitor& visit) {
    if (form == TitleForm::strings) walk_strings(text, visit);
    if (form == TitleForm::lines) walk_lines(text, visit);
    if (form == TitleForm::tabbed) walk_tabbed(text, visit);
}

struct Counting : PairCount {
    void pair(std::uint32_t, Piece, Piece) noexcept { ++pairs; }
    void stray(Piece) noexcept { ++strays; }
    void unpaired(std::uint32_t, Piece) noexcept {}
    void behind_end(std::size_t) noexcept {}
};

class Filling {
  public:
    Filling(const RawText& text, TitleTable& table, const FaultSink& faults)
        : text_(text), table_(table), faults_(faults) {}

    void pair(std::uint32_t index, Piece key, Piece title) {
        if (full_) return;
        title_.clear();
        if (!text_.append(title_, title)) tell(Severity::warning, Errc::bad_text, title.begin, "title");
        if (const auto former = table_.find(index)) {
            const Severity severity = *former == title_ ? Severity::note : Severity::warning;
            tell(severity, Errc::title_repeated, key.begin, "index", index);
        }
        full_ = !table_.add(index, title_, text_.offset(key.begin));
        if (full_)
            faults_.add(Severity::error, {Errc::byte_limit, text_.offset(key.begin), "title table", "",
                                          table_.bytes() + title_.size(), Limits{}.title_bytes});
    }
    void stray(Piece key) {
        const bool empty = text_.trimmed(key).empty();
        tell(Severity::warning, empty ? Errc::title_index_empty : Errc::title_index, key.begin, "index");
    }
    void unpaired(std::uint32_t index, Piece key) {
        tell(Severity::warning, Errc::title_unpaired, key.begin, "index", index);
    }
    void behind_end(std::size_t first) {
        // Readers hand over whole buffers, so zeros behind the list mean nothing.
        while (first < text_.size() && text_[first] == 0) ++first;
        if (first == text_.size()) return;
        tell(Severity::warning, Errc::title_after_end, first, "", (text_.size() - first) * text_.width());
    }

  private:
    void tell(Severity severity, Errc code, std::size_t unit, std::string_view field, std::uint64_t have = 0) {
        faults_.add(severity, {code, text_.offset(unit), "title table", field, 0, have});
    }

    const RawText& text_;
    TitleTable& table_;
    FaultSink faults_;
    std::string title_;
    bool full_ = false;
};

}  // namespace

TitleForm title_form(const RawText& text) noexcept {
    // The registry keeps strings as UTF-16, so a file of 8-bit text is one of lines.
    const Piece all{0, text.size()};
    if (text.encoding().wide() && text.find(all, '\0') < text.find(all, '\n')) return TitleForm::strings;
    Splitter lines(text, '\n');
    while (const auto line = lines.next()) {
        if (number_in(text, *line)) return TitleForm::lines;
        const std::size_t tab = text.find(*line, '\t');
        if (tab != line->end && number_in(text, {line->begin, tab})) return TitleForm::tabbed;
    }
    return TitleForm::none;
}

PairCount count_pairs(const RawText& text, TitleForm form) {
    Counting counting;
    walk(text, form, counting);
    return counting;
}

void read_pairs(const RawText& text, TitleForm form, TitleTable& table, const FaultSink& faults) {
    Filling filling(text, table, faults);
    walk(text, form, filling);
    if (text.odd_byte())
        faults.add(Severity::warning, {Errc::title_odd_byte, text.offset(text.size()), "title table", "", 0, 1});
}

}  // namespace hkpd
