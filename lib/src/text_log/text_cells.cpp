// The cells of a line of a text log.
#include <algorithm>

#include "base/text/trimmed.hpp"
#include "text_log/text_lines.hpp"

namespace hkpd {

TextCells::Cell TextCells::quoted() {
    unquoted_.clear();
    std::size_t begin = 1;  // of the part that is not yet in `unquoted_`
    bool copied = false;
    for (std::size_t quote = rest_.find('"', 1);; quote = rest_.find('"', quote)) {
        if (quote == std::string_view::npos) {
            const std::string_view part = rest_.substr(begin);
            rest_ = {};
            done_ = true;
            return {copied ? std::string_view(unquoted_.append(part)) : part, false};
        }
        const std::size_t after = quote + 1;
        if (after == rest_.size() || rest_[after] == separator_) {
            const std::string_view part = rest_.substr(begin, quote - begin);
            done_ = after == rest_.size();
            rest_.remove_prefix(std::min(after + 1, rest_.size()));
            return {copied ? std::string_view(unquoted_.append(part)) : part};
        }
        if (rest_[after] == '"') {
            unquoted_.append(rest_.substr(begin, after - begin));
            copied = true;
            begin = quote = after + 1;
        } else {
            quote = after;
        }
    }
}

std::optional<TextCells::Cell> TextCells::next() & {
    if (done_) return std::nullopt;
    if (rest_.starts_with('"')) return quoted();
    const std::size_t end = rest_.find(separator_);
    const Cell cell{trimmed(rest_.substr(0, end))};
    done_ = end == std::string_view::npos;
    rest_.remove_prefix(done_ ? rest_.size() : end + 1);
    return cell;
}

}  // namespace hkpd
