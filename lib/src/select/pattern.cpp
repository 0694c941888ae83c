#include <algorithm>

#include "hkpd/select.hpp"
#include "base/text/located_text.hpp"

namespace hkpd {

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
