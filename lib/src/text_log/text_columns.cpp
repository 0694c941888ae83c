// The columns of a text log: each heading becomes an entry of a catalogue.
#include "text_log/text_columns.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_writer.hpp"
#include "base/text/encoding.hpp"
#include "blg/layout.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/select.hpp"
#include "text_log/text_log.hpp"

namespace hkpd {
namespace {

/// The object of columns whose heading is no counter path.
constexpr std::string_view object_of_names = "Other columns";

/// Returns the counter of a column that has a name of a person's own; none if the name is too long or empty.
std::optional<ColumnPath> column_of_name(std::string_view name, std::string machine) {
    const bool fits = name.find('\0') == std::string_view::npos && 2 * to_utf16(name).size() <= longest_name_text;
    if (!fits || name.empty()) return std::nullopt;
    return ColumnPath{std::move(machine), std::string(object_of_names), {}, std::string(name)};
}

/// Appends an entry of the catalogue: a raw counter of the type PERF_DOUBLE_RAW.
void append_entry(ByteBuffer& out, const ColumnPath& path) {
    const std::size_t begin = out.size();
    out.resize(begin + layout::catalogue_strings);
    const auto put = [&](std::size_t field, std::uint32_t value) { patch_u32(out, begin + field, value); };
    constexpr std::uint32_t absent = 0xFFFF'FFFF;
    const auto add = [&](std::size_t field, const std::optional<std::string>& text) {
        put(field, text ? u32(out.size() - begin - layout::catalogue_strings) : absent);
        if (text) append_utf16z(out, *text);
    };
    using Entry = layout::CATALOGUE_ENTRY;
    put(offsetof(Entry, CounterType), perf_double_raw);
    add(offsetof(Entry, Machine), path.machine);
    add(offsetof(Entry, Object), path.object);
    add(offsetof(Entry, Instance), path.instance);
    put(offsetof(Entry, Parent), absent);
    add(offsetof(Entry, Counter), path.counter);
    pad_to_8(out, begin);
    put(offsetof(Entry, Length), u32(out.size() - begin));
}

}  // namespace

std::optional<ColumnPath> parse_column(std::string_view text) {
    if (text.find('\0') != std::string_view::npos || !text.starts_with('\\')) return std::nullopt;
    const auto path = CounterPath::parse(text);
    if (!path) return std::nullopt;
    ColumnPath parts{path->machine, path->object, {}, path->counter};
    if (const auto open = path->object.find('('); open != std::string::npos && path->object.ends_with(')')) {
        parts.object = path->object.substr(0, open);
        parts.instance = path->object.substr(open + 1, path->object.size() - open - 2);
    }
    const auto fits = [](std::string_view part) { return 2 * to_utf16(part).size() <= longest_name_text; };
    const bool valid = !parts.object.empty() && fits(parts.machine) && fits(parts.object) && fits(parts.counter) &&
                       fits(parts.instance.value_or(""));
    return valid ? std::optional(std::move(parts)) : std::nullopt;
}

/// Adds a column for each heading.
void TextLogStream::add_columns(const std::vector<std::string>& headings, const FaultSink& faults) {
    last_counter_ = 0;
    std::vector<std::optional<ColumnPath>> paths;
    std::optional<std::string> machine;
    std::vector<bool> others(headings.size());
    for (std::size_t i = 0; i < headings.size(); ++i) {
        const std::optional<ColumnPath>& path = paths.emplace_back(parse_column(headings[i]));
        others[i] = !headings[i].starts_with('\\');
        if (!path) continue;
        const std::string& stated = path->machine;
        machine = machine.value_or(stated) == stated ? stated : std::string();
    }
    const std::vector<bool> numbers = columns_with_numbers(others);
    for (std::size_t i = 0; i < headings.size(); ++i) {
        places_.push_back(no_index);
        const auto column = i + 1 + time_form_.cells();  // as a spreadsheet counts
        const auto report = [&](Errc code, const char* field) {
            faults.add({code, offset_, text_log_structure, field, 0, column});
        };
        if (others[i] && !numbers[i]) {
            // PerfMon can add a comment. A last column that is empty comes from a separator at the end of the lines.
            places_.back() = comment_column;
            if (!headings[i].empty()) report(Errc::text_comment, "");
            continue;
        }
        last_counter_ = i + 1;
        std::optional<ColumnPath>& path = paths[i];
        if (others[i]) path = column_of_name(headings[i], machine.value_or(""));
        if (!path || entries_ == most_columns) {
            report(Errc::text_column, "");
            continue;
        }
        append_entry(catalogue_, *path);
        places_.back() = entries_++;
        if (others[i]) faults.add(Severity::note, {Errc::text_column, offset_, text_log_structure, "name", 0, column});
    }
}

/// Returns which of some columns have a number in one of the rows that follow, up to the next log.
std::vector<bool> TextLogStream::columns_with_numbers(const std::vector<bool>& wanted) {
    constexpr std::uint64_t first = std::uint64_t{64} << 10U, last = std::uint64_t{16} << 20U, step = 4;
    std::vector<bool> found(wanted.size());
    if (std::ranges::count(wanted, true) == 0) return found;
    for (std::uint64_t size = first; size <= last && found != wanted; size *= step) {
        const bool goes_on = lines_.look_ahead(size, [&](std::string_view line) {
            if (is_first_line(line)) return false;
            TextCells cells(line, separator_);
            take_row_time(cells, time_form_);
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const auto cell = cells.next();
                if (!cell) break;
                if (wanted[i] && !found[i]) found[i] = TextNumber::is_number(cell->text);
            }
            return true;
        });
        if (!goes_on) break;
    }
    return found;
}

}  // namespace hkpd
