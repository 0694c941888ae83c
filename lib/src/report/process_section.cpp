// The processes that used most, as a table of a page: the columns of `hkpd top`.
#include <string>
#include <string_view>
#include <vector>

#include "report/answer_sections.hpp"
#include "report/html.hpp"
#include "write/text/process_table.hpp"

namespace hkpd {

void append_processes_section(std::string& out, const Top& top) {
    if (top.processes.empty()) return;
    const WriteOptions options;
    const ProcessTable table(options, top);
    const std::vector<Grid::Column> columns = table.columns(top.processes);
    out += "<section id=\"processes\">\n<h2>Processes that used most</h2>\n<p>";
    append_html(out, table.title(top.processes.size(), top.all_processes));
    out +=
        "</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Processes that used "
        "most\"><table>\n<thead><tr><th scope=\"col\">Process</th>";
    for (const Grid::Column& column : columns) {
        out += R"(<th scope="col" class="number">)";
        append_html(out, column.head);
        out += "</th>";
    }
    out += "</tr></thead>\n<tbody>\n";
    for (std::size_t row = 0; row < top.processes.size(); ++row) {
        constexpr std::size_t longest_name = 1024;
        out += "<tr><th scope=\"row\">";
        append_html(out, table.name_of(top.processes[row]), longest_name);
        out += "</th>";
        for (const Grid::Column& column : columns) {
            out += "<td class=\"number\">";
            append_html(out, column.cells[row]);
            out += "</td>";
        }
        out += "</tr>\n";
    }
    out += "</tbody>\n</table></div>\n</section>\n";
}

}  // namespace hkpd
