// Several files as one input: read by the target `files`, written by its seeds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hkpd_fuzz {

/// Names that have a meaning for a reader, and some that resemble them. `missing` never exists, `folder` is no file.
inline constexpr std::string_view part_names[] = {"000001.bin",
                                                  "000002.bin",
                                                  "000003.bin",
                                                  "other.bin",
                                                  "plain",
                                                  "counter-009.txt",
                                                  "perfc007.dat",
                                                  "perflib.reg",
                                                  "capture.mcap",
                                                  "again.mcap",
                                                  "x.v2",
                                                  "y.v2",
                                                  "x.v2-query",
                                                  "y.v2-query",
                                                  "1.v2-registration",
                                                  "2.v2-registration",
                                                  "3.v2-registration",
                                                  "4.v2-registration",
                                                  "5.v2-registration",
                                                  "6.v2-registration",
                                                  "0a1b2c3d-4e5f-6071-8293-010203040506-01.v2-registration",
                                                  "0a1b2c3d-4e5f-6071-8293-010203040506-05-009.v2-registration",
                                                  "0a1b2c3d-4e5f-6071-8293-010203040506-12-407-title6.v2-registration",
                                                  "0a1b2c3d-4e5f-6071-8293-010203040506-02-title4.v2-registration",
                                                  "0a1b2c3d-4e5f-6071-8293-010203040506.v2-registration",
                                                  "0a1b2c3d-4e5f-6071-8293-010203040506-one.v2-registration",
                                                  "0a1b2c3d-4e5f-6071-8293-010203040506-02-title.v2-registration",
                                                  "0a1b2c3d-4e5f-6071-8293-010203040506-02-009-x.v2-registration",
                                                  "folder",
                                                  "folder/000001.bin",
                                                  "missing",
                                                  "first.blg",
                                                  "second.blg"};
inline constexpr std::size_t most_parts = 8;

struct Part {
    std::string_view name;
    std::string_view content;
};

/// Writes for each part the number of its name, the length of its content in two bytes, and the content.
inline std::string join(const std::vector<std::pair<std::string_view, std::string>>& parts) {
    std::string input;
    for (const auto& [name, content] : parts) {
        input += static_cast<char>(std::ranges::find(part_names, name) - std::begin(part_names));
        input += static_cast<char>(content.size() & 0xFFU);
        input += static_cast<char>(content.size() >> 8U);
        input += content;
    }
    return input;
}

/// The inverse of `join` for any bytes; the last part is cut where they end.
inline std::vector<Part> split(std::string_view input) {
    constexpr std::size_t head = 3;
    std::vector<Part> parts;
    while (input.size() >= head && parts.size() < most_parts) {
        const auto byte = [input](std::size_t at) { return static_cast<std::uint8_t>(input[at]); };
        const std::string_view name = part_names[byte(0) % std::size(part_names)];
        const std::size_t length = byte(1) + std::size_t{256} * byte(2);
        input.remove_prefix(head);
        parts.push_back({name, input.substr(0, length)});
        input.remove_prefix(parts.back().content.size());
    }
    return parts;
}

}  // namespace hkpd_fuzz
