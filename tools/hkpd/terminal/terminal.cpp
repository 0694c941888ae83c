#include <charconv>
#include <cstdlib>
#include <string_view>

#include "commands/command.hpp"
#include "terminal/host.hpp"

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

std::size_t output_height() {
    std::size_t height = terminal_lines();
    if (const char* lines = std::getenv("LINES"); lines != nullptr && height != 0) {
        const std::string_view text = lines;
        std::from_chars(text.data(), text.data() + text.size(), height);
    }
    return height;
}

bool use_color(std::string_view when, bool terminal) {
    const auto variable = [](const char* name) {
        const char* const text = std::getenv(name);
        return std::string_view(text != nullptr ? text : "");
    };
    if (when == "never" || (when != "always" && !terminal)) return false;
    if (when == "always") return !output_is_terminal() || enable_colors();
    return variable("NO_COLOR").empty() && variable("TERM") != "dumb" && enable_colors();
}

}  // namespace hkpd::command
