#include "write/text/series_labels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_set>

#include "write/cells.hpp"
#include "write/text/grid.hpp"

namespace hkpd {
namespace {

/// The parts of a path. A set of parts is a combination of these bits.
struct LabelPart {
    static constexpr unsigned counter = 1, instance = 2, object = 4, machine = 8, source = 16;
};

/// The sets of parts that labels can consist of; the shortest first.
constexpr auto label_choices = [] {
    using Part = LabelPart;
    constexpr unsigned path = Part::object | Part::instance | Part::counter;
    return std::array{+Part::counter,
                      +Part::instance,
                      +Part::object,
                      +Part::machine,
                      +Part::source,
                      Part::instance | Part::counter,
                      Part::object | Part::counter,
                      Part::object | Part::instance,
                      Part::machine | Part::counter,
                      Part::source | Part::counter,
                      path,
                      Part::machine | path,
                      Part::source | Part::machine | path};
}();
/// Maximum number of series for which the shortest labels are searched. The search takes time for each series and
/// choice, and a line with more columns than this is not for people.
constexpr std::size_t most_compared = 1000;

/// Returns the part of a path that all series have in common; `*` if the part differs.
template <class Part>
std::string common_part(std::span<const SeriesPath> series, Part part) {
    const std::string_view first = series.front().*part;
    const bool equal = std::ranges::all_of(series, [&](const SeriesPath& path) { return path.*part == first; });
    return equal ? printable(first) : "*";
}

std::string common_path(std::span<const SeriesPath> series) {
    std::string path;
    if (const std::string name = common_part(series, &SeriesPath::machine); !name.empty())
        path.append("\\\\").append(name);
    path.append("\\").append(common_part(series, &SeriesPath::object));
    const bool lists = std::ranges::none_of(series, [](const SeriesPath& one) { return one.instance.empty(); });
    if (lists) path.append("(").append(common_part(series, &SeriesPath::instance)).append(")");
    return path.append("\\").append(common_part(series, &SeriesPath::counter));
}

/// Returns the label that consists of some parts of a path.
std::string label_from(const SeriesPath& path, unsigned parts) {
    std::string label;
    const auto add = [&](unsigned part, std::string_view text) {
        if ((parts & part) == 0 || text.empty()) return;
        if (!label.empty()) label += ' ';
        label += text;
    };
    add(LabelPart::source, path.source);
    add(LabelPart::machine, path.machine);
    add(LabelPart::object, path.object);
    add(LabelPart::instance, path.instance);
    add(LabelPart::counter, path.counter);
    return label;
}

bool continues_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Returns a label as printable text of at most `Grid::widest` columns; `~` replaces the end of a longer label.
std::string cut_label(std::string_view label) {
    constexpr std::size_t longest = 4 * Grid::widest;  // in bytes, because a character has at most 4
    std::size_t size = std::min(label.size(), longest);
    while (size < label.size() && size != 0 && continues_character(label[size])) --size;
    std::string text = printable(label.substr(0, size));
    std::size_t width = display_width(text);
    if (size == label.size() && width <= Grid::widest) return text;
    while (width >= Grid::widest) {
        std::size_t last = text.size() - 1;
        while (last != 0 && continues_character(text[last])) --last;
        width -= display_width(std::string_view(text).substr(last));
        text.resize(last);
    }
    return text + '~';
}

/// Returns the labels of these parts; none if two labels are equal or a label is empty.
std::vector<std::string> distinct_labels(std::span<const SeriesPath> series, unsigned parts) {
    std::vector<std::string> labels;
    std::unordered_set<std::string> seen;
    for (const SeriesPath& path : series) {
        labels.push_back(cut_label(label_from(path, parts)));
        if (labels.back().empty() || !seen.insert(labels.back()).second) return {};
    }
    return labels;
}

}  // namespace

SeriesLabels label_series(std::span<const SeriesPath> series) {
    SeriesLabels found;
    if (series.empty()) return found;
    found.common = common_path(series);
    if (series.size() <= most_compared)
        for (auto parts = label_choices.begin(); parts != label_choices.end() && found.labels.empty(); ++parts)
            found.labels = distinct_labels(series, *parts);
    if (found.labels.empty())
        for (const SeriesPath& path : series)
            found.labels.push_back(
                cut_label(label_from(path, LabelPart::object | LabelPart::instance | LabelPart::counter)));
    return found;
}

}  // namespace hkpd
