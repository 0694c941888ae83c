// Runs the hkpd command, and reads its output.
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/process.hpp"

namespace hkpd_test {

inline Result run(std::vector<std::string> arguments) { return run(Run{.arguments = std::move(arguments)}); }

/// Runs `hkpd dump` with these arguments.
inline Result dump(std::vector<std::string> arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "dump");
    return run({.arguments = std::move(arguments), .input = std::move(input)});
}

/// Runs `hkpd titles` with these arguments.
inline Result titles(std::vector<std::string> arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "titles");
    return run({.arguments = std::move(arguments), .input = std::move(input)});
}

inline rapidjson::Document parse_json(const std::string& text) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
    EXPECT_FALSE(document.HasParseError()) << GetParseError_En(document.GetParseError()) << " at "
                                           << document.GetErrorOffset() << ": " << text.substr(0, 300);
    return document;
}

inline std::vector<std::string> lines(std::string_view text) {
    std::vector<std::string> all;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        all.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return all;
}

}  // namespace hkpd_test
