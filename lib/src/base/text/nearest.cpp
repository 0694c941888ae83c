#include "base/text/nearest.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/names.hpp"

namespace hkpd {

Nearest::Nearest(std::string_view wanted, LetterCase letter_case) : size_(wanted.size()) {
    constexpr std::size_t for_each_slip = 3, most_slips = 3;
    if (size_ > longest || wanted.find_first_of("*?") != std::string_view::npos) return;
    if (size_ < for_each_slip && letter_case == LetterCase::ignored) return;
    wanted_ = fold_case(wanted);
    if (letter_case == LetterCase::matters) exact_ = wanted;
    limit_ = std::min(size_ / for_each_slip, most_slips);
    open_ = true;
}

void Nearest::offer(std::string_view name) {
    if (!open_ || name.size() > longest) return;
    // Before anything is done with it: most names are of another length.
    if (std::max(name.size(), size_) - std::min(name.size(), size_) > limit_) return;
    const std::size_t slips = distance(fold_case(name));
    if (slips > limit_) return;
    if (slips != 0) {
        limit_ = slips - 1;  // only what is nearer replaces it
        name_ = name;
    } else if (exact_.empty() || name == exact_) {
        open_ = false;
        name_.clear();
    } else if (fold_case(name_) != wanted_) {
        limit_ = 0;  // nothing is nearer but the wanted name itself
        name_ = name;
    }
}

// Damerau and Levenshtein's, of which each place is changed once at most ("optimal string alignment").
std::size_t Nearest::distance(std::string_view name) const noexcept {
    using Row = std::array<std::size_t, 2 * longest + 1>;
    const std::size_t width = std::min(name.size(), 2 * longest);
    Row before_last{}, last{}, row{};
    for (std::size_t i = 0; i <= width; ++i) last[i] = i;
    for (std::size_t j = 1; j <= wanted_.size(); ++j) {
        row[0] = j;
        for (std::size_t i = 1; i <= width; ++i) {
            const bool same = wanted_[j - 1] == name[i - 1];
            row[i] = std::min({last[i] + 1, row[i - 1] + 1, last[i - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && wanted_[j - 1] == name[i - 2] && wanted_[j - 2] == name[i - 1])
                row[i] = std::min(row[i], before_last[i - 2] + 1);
        }
        before_last = std::exchange(last, row);
    }
    return last[width];
}

}  // namespace hkpd
