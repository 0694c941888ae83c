// make_log FORM ROWS FILE: writes a generated performance log with one form of records: blocks, raw, instances.
#include <charconv>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <span>
#include <string>

#include "logs.hpp"

int main(int count, char** words) {
    const std::span arguments(words, static_cast<std::size_t>(count));
    const auto form = count == 4 ? bench::log_form(arguments[1]) : std::nullopt;
    const std::string text = count == 4 ? arguments[2] : "";
    std::size_t rows = 0;
    std::from_chars(text.data(), text.data() + text.size(), rows);
    if (!form || rows == 0) {
        std::cerr << "usage: make_log blocks|raw|instances ROWS FILE\n";
        return 2;
    }
    std::ofstream file(arguments[3], std::ios::binary);
    file << bench::log_bytes(*form, rows);
    if (!file.flush()) std::cerr << "make_log: cannot write " << arguments[3] << '\n';
    return file ? 0 : 1;
}
