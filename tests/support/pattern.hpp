// Matchers for regular expressions of the standard library. Those of GoogleTest know no brackets on Windows.
#pragma once

#include <gmock/gmock.h>

#include <regex>
#include <string>

namespace hkpd {

MATCHER_P(MatchesPattern, pattern, "matches the pattern " + std::string(pattern)) {
    return std::regex_match(std::string(arg), std::regex(pattern));
}
MATCHER_P(ContainsPattern, pattern, "contains the pattern " + std::string(pattern)) {
    return std::regex_search(std::string(arg), std::regex(pattern));
}

}  // namespace hkpd
