// Title tables: as text for people, as lines that can be read again, and as JSON.
#include <fmt/core.h>

#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "hkpd/names.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "write/cells.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {
namespace {

using TitleTables = std::span<const TitleTable* const>;

/// Appends a title on one line, with spaces in place of line breaks and tabs.
void append_title(std::string& out, const TitleTable::Title& title) {
    fmt::format_to(std::back_inserter(out), "{:>6}  ", title.index);
    std::string text(title.text);
    for (char& c : text)
        if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    append_printable(out, text);
}

/// Calls `visit` with each title of a table that matches the pattern; all match if it is null. The entry with index 1
/// matches no pattern: its text is not a title but the highest index.
template <class Visit>
void each_title(const TitleTable& table, const Pattern* pattern, const Visit& visit) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        const TitleTable::Title title = table[i];
        if (pattern == nullptr || (title.index != 1 && pattern->matches(title.index, Titles::Answer{title.text, 0})))
            visit(title);
    }
}

}  // namespace

void append_titles(std::string& out, TitleTables tables) {
    const std::size_t begin = out.size();
    for (const TitleTable* table : tables) {
        if (tables.size() > 1) {
            if (out.size() != begin) out += '\n';
            append_table_name(out, *table);
            out += '\n';
        }
        each_title(*table, nullptr, [&](const TitleTable::Title& title) {
            append_title(out, title);
            out += '\n';
        });
    }
}

void append_matching_titles(std::string& out, TitleTables tables, const Pattern& pattern) {
    for (const TitleTable* table : tables)
        each_title(*table, &pattern, [&](const TitleTable::Title& title) {
            append_title(out, title);
            if (tables.size() > 1) {
                out += "  [";
                append_table_name(out, *table);
                out += ']';
            }
            out += '\n';
        });
}

void append_title_lines(std::string& out, TitleTables tables) {
    for (const TitleTable* table : tables)
        each_title(*table, nullptr, [&](const TitleTable::Title& title) {
            fmt::format_to(std::back_inserter(out), "{}\t", title.index);
            append_one_line(out, title.text);
            out += '\n';
        });
}

std::size_t append_titles_json(std::string& out, TitleTables tables, const Pattern* pattern) {
    std::size_t count = 0;
    JsonStream json(out);
    json.object([&] {
        json.objects("tables", tables, [&](const TitleTable* table) {
            json.text_or_null("language", table->language());
            json.member("source", table->origin());
            json.key("titles");
            json.StartArray();
            each_title(*table, pattern, [&](const TitleTable::Title& title) {
                ++count;
                json.object([&] {
                    json.member("index", title.index);
                    json.member("text", title.text);
                });
            });
            json.EndArray();
        });
    });
    out += '\n';
    return count;
}

}  // namespace hkpd
