#include <charconv>
#include <cstdlib>
#include <string_view>

#include "command.hpp"
#include "host.hpp"

namespace hkpd::command {

std::size_t output_width(std::size_t elsewhere) {
    constexpr std::size_t least = 40;
    std::size_t width = elsewhere;
    if (const char* columns = std::getenv("COLUMNS")) {
        const std::string_view text = columns;
        std::from_chars(text.data(), text.data() + text.size(), width);
    } else if (const std::size_t seen = terminal_columns(); seen != 0) {
        width = seen;
    }
    return width < least ? least : width;
}

}  // namespace hkpd::command
