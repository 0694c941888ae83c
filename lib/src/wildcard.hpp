// Names as Windows compares them.
#pragma once

#include <string>
#include <string_view>

namespace hkpd {

/// Every letter in lower case, one character for one, as Windows compares names: no letter becomes two.
std::string fold_case(std::string_view text);

/// Whether a folded text matches a folded pattern: `*` stands for any characters, `?` for one. At most the product of
/// the lengths.
bool matches_wildcard(std::string_view pattern, std::string_view text) noexcept;

}  // namespace hkpd
