// make_text_log COLUMNS BYTES FILE: writes a generated text log (PDH-CSV) of at least that size.
#include <charconv>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <span>
#include <string_view>

#include "text_logs.hpp"

int main(int count, char** words) {
    const std::span arguments(words, static_cast<std::size_t>(count));
    const auto number = [&](std::size_t i) {
        const std::string_view text = count == 4 ? arguments[i] : "";
        std::size_t found = 0;
        std::from_chars(text.data(), text.data() + text.size(), found);
        return found;
    };
    if (number(1) == 0 || number(2) == 0) {
        std::cerr << "usage: make_text_log COLUMNS BYTES FILE\n";
        return 2;
    }
    std::ofstream file(arguments[3], std::ios::binary);
    bench::write_text_log(file, number(1), number(2));
    if (!file.flush()) std::cerr << "make_text_log: cannot write " << arguments[3] << '\n';
    return file ? 0 : 1;
}
