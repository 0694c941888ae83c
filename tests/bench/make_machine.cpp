// make_machine VALUES SAMPLES FILE: writes samples of a generated machine, end to end.
#include <charconv>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>

#include "machine.hpp"

namespace {

std::optional<std::size_t> number(std::string_view text) {
    std::size_t value = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return value;
}

}  // namespace

int main(int count, char** words) {
    const std::span arguments(words, static_cast<std::size_t>(count));
    const auto values = count == 4 ? number(arguments[1]) : std::nullopt;
    const auto samples = count == 4 ? number(arguments[2]) : std::nullopt;
    if (!values || !samples) {
        std::cerr << "usage: make_machine VALUES SAMPLES FILE\n";
        return 2;
    }
    std::ofstream file(arguments[3], std::ios::binary);
    bench::Blob block = bench::machine(*values);
    for (std::size_t s = 0; s < *samples; ++s, bench::advance(block)) {
        const std::span<const std::byte> bytes = block;
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    if (!file.flush()) std::cerr << "make_machine: cannot write " << arguments[3] << '\n';
    return file ? 0 : 1;
}
