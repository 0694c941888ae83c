#include "write/text/grid.hpp"

#include <algorithm>
#include <span>

#include "write/cells.hpp"

namespace hkpd {
namespace {

struct Laid {
    const Grid::Column* column;
    std::vector<std::string> head;  // lines of the heading
    std::size_t width;
};

Laid lay_out(const Grid::Column& column) {
    std::size_t width = std::max(column.least_width, display_width(column.unit));
    for (const std::string& cell : column.cells) width = std::max(width, display_width(cell));
    Laid laid{&column, break_lines(column.head, std::max(width, heading_width)), width};
    for (const std::string& line : laid.head) laid.width = std::max(laid.width, display_width(line));
    laid.width = std::min(laid.width, Grid::widest);
    return laid;
}

void end_line(std::string& out) {
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
}

}  // namespace

std::vector<std::string> break_lines(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
        if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width)
            lines.back().append(" ").append(word);
        else
            lines.emplace_back(word);
    }
    return lines;
}

void color_from(std::string& out, std::size_t from, Mark mark) {
    if (mark == Mark::none) return;
    out.insert(from, mark == Mark::damaged ? "\x1B[31m" : "\x1B[33m");  // red or yellow
    out += "\x1B[0m";
}

void append_padded(std::string& out, std::string_view text, std::size_t width, Grid::Align align) {
    const std::size_t used = display_width(text);
    const std::size_t blanks = width > used ? width - used : 0;
    if (align == Grid::Align::right) out.append(blanks, ' ');
    out += text;
    if (align == Grid::Align::left) out.append(blanks, ' ');
}

void Grid::append(std::string& out, std::size_t width, std::string_view continued,
                  const std::function<void(std::string&)>& drain) const {
    std::size_t width_of_labels = least_label_width;
    for (const std::string& label : labels) width_of_labels = std::max(width_of_labels, display_width(label));
    width_of_labels = std::min(width_of_labels, widest);
    std::vector<Laid> laid;
    laid.reserve(columns.size());
    for (const Column& column : columns) laid.push_back(lay_out(column));

    const auto band = [&](std::span<const Laid> part) {
        std::size_t height = 0;
        bool units = false;
        for (const Laid& column : part) {
            height = std::max(height, column.head.size());
            units = units || !column.column->unit.empty();
        }
        constexpr auto no_row = static_cast<std::size_t>(-1);  // a line of the heading
        const auto line = [&](std::string_view label, std::size_t row, const auto& text_of) {
            append_padded(out, label, width_of_labels, Align::left);
            for (const Laid& column : part) {
                out.append(gap, ' ');
                const std::size_t begin = out.size();
                append_padded(out, text_of(column), column.width, column.column->align);
                if (row < column.column->marks.size()) color_from(out, begin, column.column->marks[row]);
            }
            end_line(out);
            if (drain != nullptr) drain(out);
        };
        for (std::size_t i = 0; i < height && has_heading; ++i)
            line("", no_row, [&](const Laid& column) -> std::string_view {
                const std::size_t blank = height - column.head.size();  // headings are aligned to the bottom
                return i < blank ? std::string_view{} : std::string_view(column.head[i - blank]);
            });
        if (units && has_heading)
            line("", no_row, [](const Laid& column) -> std::string_view { return column.column->unit; });
        for (std::size_t row = 0; row < labels.size(); ++row)
            line(labels[row], row, [row](const Laid& column) -> std::string_view { return column.column->cells[row]; });
    };

    for (std::size_t begin = 0; begin < laid.size();) {
        std::size_t end = begin, used = width_of_labels;
        while (end < laid.size() && (end == begin || used + gap + laid[end].width <= width))
            used += gap + laid[end++].width;
        if (begin != 0) out.append("\n").append(continued).append(continued.empty() ? "" : "\n");
        band(std::span(laid).subspan(begin, end - begin));
        begin = end;
    }
}

}  // namespace hkpd
