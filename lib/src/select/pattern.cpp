#include <algorithm>
#include <utility>

#include "base/text/located_text.hpp"
#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "hkpd/select.hpp"

namespace hkpd {

Pattern::Pattern(std::string_view text)
    : text_(text), folded_(fold_case(text)), index_(parse_number<std::uint32_t>(text)) {}

bool Pattern::matches(std::string_view name) const {
    if (folded_ == "*") return true;
    return matches_wildcard(folded_, fold_case(name));
}

bool Pattern::matches(std::uint32_t index, const std::optional<Titles::Answer>& name) const {
    if (index_ == index || folded_ == "*") return true;
    return name && matches(name->text);
}

std::vector<std::string> read_path_list(Bytes file) {
    const FileText content = open_text(file);
    Splitter lines(content.text, '\n');
    std::vector<std::string> paths;
    while (const auto line = lines.next()) {
        std::string path;
        content.text.append(path, content.text.trimmed(*line));
        // Windows' tools quote paths in their configuration files.
        if (path.size() >= 2 && path.front() == '"' && path.back() == '"') path = path.substr(1, path.size() - 2);
        if (!path.empty()) paths.push_back(std::move(path));
    }
    return paths;
}

}  // namespace hkpd
