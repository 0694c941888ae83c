#include "rules/description.hpp"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/parse_number.hpp"
#include "rules/tokens.hpp"

namespace hkpd::pal {
namespace {

constexpr bool is_white(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The elements that are kept. The order of `element_names` is that of `Element`.
enum class Element : std::uint8_t { b, strong, i, em, code, br, p, ul, ol, li, pre };
constexpr auto element_names =
    std::to_array<std::string_view>({"b", "strong", "i", "em", "code", "br", "p", "ul", "ol", "li", "pre"});
constexpr bool is_list(Element e) noexcept { return e == Element::ul || e == Element::ol; }
std::string_view name_of(Element e) noexcept { return element_names[static_cast<std::size_t>(e)]; }

/// Elements whose content is not shown as text, or is markup of another language.
constexpr auto opaque =
    std::to_array<std::string_view>({"script", "style", "iframe", "object", "svg", "math", "template", "title",
                                     "textarea", "noscript", "noembed", "noframes", "xmp", "select"});

void append_code_point(std::string& out, std::uint32_t code) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const bool is_valid = code != 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(is_valid ? code : 0xFFFD), bytes.data());
    out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

/// Returns the code of a character reference without `&` and `;`; none if it is unknown.
std::optional<std::uint32_t> code_of(std::string_view reference) {
    static constexpr auto known = std::to_array<std::pair<std::string_view, std::uint32_t>>(
        {{"amp", '&'},      {"lt", '<'},       {"gt", '>'},       {"quot", '"'},      {"apos", '\''},
         {"nbsp", ' '},     {"copy", 0xA9},    {"reg", 0xAE},     {"deg", 0xB0},      {"micro", 0xB5},
         {"times", 0xD7},   {"ndash", 0x2013}, {"mdash", 0x2014}, {"lsquo", 0x2018},  {"rsquo", 0x2019},
         {"ldquo", 0x201C}, {"rdquo", 0x201D}, {"bull", 0x2022},  {"hellip", 0x2026}, {"trade", 0x2122},
         {"le", 0x2264},    {"ge", 0x2265}});
    if (!reference.starts_with('#')) {
        const auto* const found =
            std::ranges::find(known, reference, &std::pair<std::string_view, std::uint32_t>::first);
        return found == known.end() ? std::nullopt : std::optional(found->second);
    }
    reference.remove_prefix(1);
    const bool is_hexadecimal = reference.starts_with('x') || reference.starts_with('X');
    return is_hexadecimal ? parse_number<std::uint32_t>(reference.substr(1), 16)
                          : parse_number<std::uint32_t>(reference);
}

/// Returns text with its character references replaced. Unknown references, and `&` alone, remain.
std::string decoded(std::string_view text) {
    constexpr std::size_t longest_reference = 12;
    std::string out;
    while (!text.empty()) {
        const std::size_t at = text.find('&');
        out += text.substr(0, at);
        if (at == std::string_view::npos) break;
        text.remove_prefix(at);
        const std::size_t end = text.substr(0, longest_reference).find(';');
        const auto code = end == std::string_view::npos ? std::nullopt : code_of(text.substr(1, end - 1));
        if (code)
            append_code_point(out, *code);
        else
            out += '&';
        text.remove_prefix(code ? end + 1 : 1);
    }
    return out;
}

struct Tag {
    std::string_view name;
    bool closes = false;
    std::string_view attributes;
};

/// Returns the value of an attribute; empty if it is missing.
std::string attribute_of(std::string_view attributes, std::string_view name) {
    std::size_t at = 0;
    const auto skip = [&](const auto& condition) {
        while (at < attributes.size() && condition(attributes[at])) ++at;
    };
    while (at < attributes.size()) {
        skip([](char c) { return is_white(c) || c == '/'; });
        const std::size_t begin = at;
        skip([](char c) { return !is_white(c) && c != '=' && c != '/'; });
        const std::string_view found = attributes.substr(begin, at - begin);
        skip(is_white);
        std::string_view value;
        if (at < attributes.size() && attributes[at] == '=') {
            ++at;
            skip(is_white);
            const char quote = at < attributes.size() ? attributes[at] : '\0';
            const bool is_quoted = quote == '"' || quote == '\'';
            const std::size_t from = at += is_quoted ? 1 : 0;
            skip([&](char c) { return is_quoted ? c != quote : !is_white(c); });
            value = attributes.substr(from, at - from);
            at += is_quoted ? 1 : 0;
        } else if (found.empty()) {
            ++at;
        }
        if (same_name(found, name)) return decoded(value);
    }
    return {};
}

/// Writes both forms of a description. Every element that is opened is on a stack until it is closed.
class HtmlWriter {
  public:
    void open(Element element) {
        if (element == Element::br) return line_break();
        if (is_inline(element)) return open_inline(element);
        close_inline();
        if (element == Element::li) {
            if (top() == Element::li) close_top();
            if (!is_in_list()) push(Element::ul);
            push(Element::li);
            return;
        }
        if (is_in_list()) push(Element::li);
        push(element);
    }

    void close(Element element) {
        if (element == Element::br) return line_break();
        // An end tag closes nothing outside the element that contains it.
        const auto contains = [element](Element e) {
            return is_inline(element) ? !is_inline(e) : !is_list(element) && (is_list(e) || e == Element::li);
        };
        std::size_t count = 1;  // of elements to be closed
        while (count <= stack_.size() && stack_[stack_.size() - count] != element) {
            if (contains(stack_[stack_.size() - count])) return;
            ++count;
        }
        if (count > stack_.size()) return;
        for (; count != 0; --count) close_top();
    }

    void text(std::string_view text) {
        const bool is_preformatted = std::ranges::find(stack_, Element::pre) != stack_.end();
        std::string_view rest = text;
        while (!rest.empty()) {
            const auto* const end = std::ranges::find_if(rest, is_white);
            const auto size = static_cast<std::size_t>(end - rest.begin());
            if (size != 0) word(rest.substr(0, size));
            rest.remove_prefix(size);
            if (rest.empty()) break;
            if (is_preformatted && rest.front() == '\n')
                new_line_in_pre();
            else if (is_preformatted && rest.front() != '\r')
                word(" ");
            else if (!is_preformatted)
                space_ = true;
            rest.remove_prefix(1);
        }
    }

    Description finish() {
        while (!stack_.empty()) close_top();
        while (out_.text.ends_with('\n')) out_.text.pop_back();
        return std::move(out_);
    }

  private:
    static bool is_inline(Element e) noexcept { return e <= Element::code; }
    std::optional<Element> top() const noexcept { return stack_.empty() ? std::nullopt : std::optional(stack_.back()); }
    bool is_in_list() const noexcept { return !stack_.empty() && is_list(stack_.back()); }

    /// A list contains only items: other content begins one.
    void begin_content() {
        if (is_in_list()) push(Element::li);
    }

    void open_inline(Element element) {
        begin_content();
        flush_space();
        push(element);
    }

    void push(Element element) {
        constexpr std::size_t deepest = 24;
        if (stack_.size() + (is_list(element) ? 1 : 0) >= deepest) return;  // a list can contain an item
        if (!is_inline(element)) {
            space_ = false;
            new_line();
            if (element == Element::li) out_.text += "- ";
        }
        stack_.push_back(element);
        out_.html += fmt::format("<{}>", name_of(element));
        at_start_ = !is_inline(element) || at_start_;
    }

    void close_top() {
        const Element element = stack_.back();
        stack_.pop_back();
        out_.html += fmt::format("</{}>", name_of(element));
        if (is_inline(element)) return;
        space_ = false;
        at_start_ = true;
        new_line();
    }

    /// Closes elements up to the one in which a paragraph or a list may begin: an item or a list.
    void close_inline() {
        while (!stack_.empty() && stack_.back() != Element::li && !is_list(stack_.back())) close_top();
    }

    void line_break() {
        if (is_in_list()) return;
        space_ = false;
        new_line();
        out_.html += "<br>";
        at_start_ = true;
    }

    void new_line() {
        if (!out_.text.empty() && !out_.text.ends_with('\n') && !out_.text.ends_with("\n- ") && out_.text != "- ")
            out_.text += '\n';
    }

    void new_line_in_pre() {
        out_.html += '\n';
        new_line();
    }

    void flush_space() {
        if (space_ && !at_start_) {
            out_.html += ' ';
            out_.text += ' ';
        }
        space_ = false;
    }

    void word(std::string_view word) {
        begin_content();
        flush_space();
        at_start_ = false;
        std::string visible;
        append_visible(visible, word);
        out_.text += visible;
        for (const char c : visible) {
            switch (c) {
                case '&':
                    out_.html += "&amp;";
                    break;
                case '<':
                    out_.html += "&lt;";
                    break;
                case '>':
                    out_.html += "&gt;";
                    break;
                case '"':
                    out_.html += "&quot;";
                    break;
                case '\'':
                    out_.html += "&#39;";
                    break;
                default:
                    out_.html += c;
            }
        }
    }

    Description out_;
    std::vector<Element> stack_;
    bool space_ = false;    // white space that is written in front of the next word
    bool at_start_ = true;  // nothing was written since the begin of the line
};

/// Splits HTML into tags and text.
class HtmlReader {
  public:
    explicit HtmlReader(std::string_view html) : html_(html) {}

    Description read() {
        while (position_ < html_.size()) {
            const std::size_t begin = std::min(html_.find('<', position_), html_.size());
            writer_.text(decoded(html_.substr(position_, begin - position_)));
            position_ = begin;
            if (begin == html_.size()) break;
            read_markup();
        }
        end_link();
        return writer_.finish();
    }

  private:
    /// Reads what begins with `<`, which is text unless it is a tag or a comment.
    void read_markup() {
        const std::string_view rest = html_.substr(position_);
        const char next = rest.size() > 1 ? rest[1] : '\0', after = rest.size() > 2 ? rest[2] : '\0';
        if (rest.starts_with("<!--")) {
            const std::size_t end = html_.find("-->", position_ + 4);
            position_ = end == std::string_view::npos ? html_.size() : end + 3;
        } else if (next == '!' || next == '?') {
            const std::size_t end = html_.find('>', position_);
            position_ = end == std::string_view::npos ? html_.size() : end + 1;
        } else if (is_letter(next) || (next == '/' && is_letter(after))) {
            read_tag();
        } else {
            writer_.text("<");
            ++position_;
        }
    }

    void read_tag() {
        const std::size_t end = end_of_tag();
        if (end == std::string_view::npos) {
            writer_.text("<");
            ++position_;
            return;
        }
        Tag tag;
        tag.closes = html_[position_ + 1] == '/';
        const std::size_t begin = position_ + (tag.closes ? 2 : 1);
        std::size_t name_end = begin;
        while (name_end < end && !is_white(html_[name_end]) && html_[name_end] != '/') ++name_end;
        tag.name = html_.substr(begin, name_end - begin);
        tag.attributes = html_.substr(name_end, end - name_end);
        position_ = end + 1;
        apply(tag);
    }

    /// Returns the position of the `>` of the tag at the current position: the first one outside of quoted values of
    /// attributes, or the first of all if a quote is not closed. None if there is no `>`.
    std::size_t end_of_tag() {
        constexpr std::size_t longest_tag = 4096;  // what follows is not searched for each tag again
        if (position_ >= no_tag_from_) return std::string_view::npos;
        const std::size_t first = html_.find('>', position_);
        if (first == std::string_view::npos) {
            no_tag_from_ = position_;
            return first;
        }
        char quote = '\0', before = '\0';  // `before`: the last character that is no white space
        const std::size_t limit = std::min(html_.size(), position_ + longest_tag);
        for (std::size_t at = position_; at < limit; ++at) {
            const char c = html_[at];
            if (quote != '\0') {
                if (c == quote) quote = '\0';
            } else if (c == '>') {
                return at;
            } else if ((c == '"' || c == '\'') && before == '=') {
                quote = c;
            }
            if (!is_white(c)) before = c;
        }
        return first;
    }

    void apply(const Tag& tag) {
        const auto is_it = [&tag](std::string_view name) { return same_name(name, tag.name); };
        if (std::ranges::any_of(opaque, is_it)) {
            if (!tag.closes) skip_content(tag.name);
            return;
        }
        if (is_it("a")) {
            end_link();
            if (!tag.closes) begin_link(attribute_of(tag.attributes, "href"));
            return;
        }
        const auto* const found = std::ranges::find_if(element_names, is_it);
        if (found == element_names.end()) return;
        const auto element = static_cast<Element>(found - element_names.begin());
        if (tag.closes)
            writer_.close(element);
        else
            writer_.open(element);
    }

    /// Skips everything up to the end tag of an element, or to the end.
    void skip_content(std::string_view name) {
        while (position_ < html_.size()) {
            const std::size_t begin = html_.find("</", position_);
            if (begin == std::string_view::npos) {
                position_ = html_.size();
                return;
            }
            position_ = begin + 2;
            const std::string_view after = html_.substr(position_, name.size() + 1);
            const bool ends = same_name(after.substr(0, name.size()), name) && after.size() > name.size() &&
                              (is_white(after.back()) || after.back() == '>' || after.back() == '/');
            if (!ends) continue;
            const std::size_t end = html_.find('>', position_);
            position_ = end == std::string_view::npos ? html_.size() : end + 1;
            return;
        }
    }

    void begin_link(std::string address) {
        constexpr std::size_t longest_address = 2048;
        const auto begins = [&address](std::string_view with) {
            return same_name(std::string_view(address).substr(0, with.size()), with);
        };
        // Other addresses are of no use outside of a browser, or are scripts.
        const bool is_shown = begins("https://") || begins("http://") || begins("mailto:");
        std::erase_if(address, is_white);
        if (is_shown && address.size() <= longest_address) address_ = std::move(address);
    }

    void end_link() {
        if (address_.empty()) return;
        writer_.text(fmt::format(" ({})", std::exchange(address_, {})));
    }

    std::string_view html_;
    std::size_t position_ = 0;
    std::size_t no_tag_from_ = std::string_view::npos;  // there is no `>` from here on
    std::string address_;                               // of the link that is open
    HtmlWriter writer_;
};

bool is_visible(utf8proc_int32_t code) noexcept {
    switch (utf8proc_category(code)) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return false;
        default:
            return true;
    }
}

}  // namespace

void append_visible(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const auto* const end = std::ranges::find_if(text, [](char c) { return c < ' ' || c > '~'; });
        const auto plain = static_cast<std::size_t>(end - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) return;
        utf8proc_int32_t code = -1;
        const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                           static_cast<utf8proc_ssize_t>(text.size()), &code);
        const std::size_t used = size > 0 ? static_cast<std::size_t>(size) : 1;
        if (size <= 0)
            out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text.front()));
        else if (is_visible(code))
            out += text.substr(0, used);
        else
            out += code < 0x100 ? fmt::format("\\x{:02X}", code) : fmt::format("\\u{:04X}", code);
        text.remove_prefix(used);
    }
}

std::string one_line(std::string_view text, std::size_t most) {
    std::string out;
    bool is_cut = false;
    for (const char c : text) {
        if (is_white(c)) {
            if (!out.empty() && out.back() != ' ') out += ' ';
            continue;
        }
        out += c;
        is_cut = out.size() > most;
        if (is_cut) break;
    }
    if (is_cut) {
        out.resize(most);
        while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) out.pop_back();
        if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0U) out.pop_back();
        out += "…";
    }
    while (out.ends_with(' ')) out.pop_back();
    return out;
}

Description read_description(std::string_view html) {
    std::size_t size = std::min(html.size(), longest_description);
    while (size != 0 && size < html.size() && (static_cast<unsigned char>(html[size]) & 0xC0U) == 0x80U) --size;
    return HtmlReader(html.substr(0, size)).read();
}

}  // namespace hkpd::pal
