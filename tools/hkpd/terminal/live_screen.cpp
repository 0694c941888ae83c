#include "terminal/live_screen.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "commands/command.hpp"
#include "terminal/host.hpp"

namespace hkpd::command {
namespace {

// Control sequences of ECMA-48 and xterm.
constexpr std::string_view other_screen = "\x1B[?1049h\x1B[?25l", first_screen = "\x1B[?25h\x1B[?1049l",
                           top_left = "\x1B[H", rest_of_line = "\x1B[K", rest_of_screen = "\x1B[J",
                           reversed = "\x1B[7m", plain = "\x1B[0m";

/// Writes a text to the terminal. A text that cannot be written is not missed: the next one follows.
void write_screen(std::string_view text) noexcept {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void restore() noexcept {
    Keys::restore();
    write_screen(first_screen);
}

}  // namespace

LiveScreen::LiveScreen(char first, std::function<void()> end) : shown_(first), end_(std::move(end)) {
    enable_colors();
    on_early_end(restore);
    write_screen(other_screen);
    reader_ = std::thread([this] { read_keys(); });
}

LiveScreen::~LiveScreen() {
    {
        const std::scoped_lock lock(mutex_);
        ends_ = true;
    }
    reader_.join();
    on_early_end(nullptr);
    restore();
}

void LiveScreen::show(std::vector<LiveView> views) {
    const std::scoped_lock lock(mutex_);
    views_ = std::move(views);
    draw();
}

/// Draws the view over the one before, line by line, so that nothing flickers.
void LiveScreen::draw() {
    const auto view = std::ranges::find(views_, shown_, &LiveView::key);
    if (view == views_.end()) return;
    std::string screen(top_left);
    constexpr std::size_t below = 1;  // the line of keys
    const std::size_t height = output_height(), most = std::max<std::size_t>(height, below + 1) - below;
    std::size_t lines = 0;
    for (std::string_view rest = view->text; !rest.empty() && lines < most; ++lines) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        screen.append(rest.substr(0, end)).append(rest_of_line).append("\n");
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    screen += rest_of_screen;
    std::size_t used = 0;
    const auto add_key = [&](std::string_view key, std::string_view name, bool is_shown) {
        used += key.size() + name.size() + 3;
        if (used > output_width()) return;
        screen.append(is_shown ? reversed : "").append(key).append(" ").append(name).append(is_shown ? plain : "");
        screen += "  ";
    };
    for (const LiveView& each : views_) add_key(std::string_view(&each.key, 1), each.name, each.key == shown_);
    add_key("q", "quit", false);
    write_screen(screen);
}

void LiveScreen::read_keys() {
    constexpr std::chrono::milliseconds longest_wait{50};
    while (true) {
        const auto key = keys_.wait(longest_wait);
        const std::scoped_lock lock(mutex_);
        if (ends_) return;
        if (!key) continue;
        if (*key == 'q' || *key == 'Q') {
            ends_ = true;
            end_();
            return;
        }
        if (std::ranges::find(views_, *key, &LiveView::key) == views_.end()) continue;
        shown_ = *key;
        draw();
    }
}

}  // namespace hkpd::command
