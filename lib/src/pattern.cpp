#include "hkpd/select.hpp"
#include "base/text/parse_number.hpp"
#include "wildcard.hpp"

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

}  // namespace hkpd
