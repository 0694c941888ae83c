#include "terminal/keys.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace hkpd::command {
namespace {

termios mode_before{};                 // valid while `is_changed` is set
std::atomic<bool> is_changed = false;  // read by a handler of a signal

}  // namespace

Keys::Keys() {
    if (isatty(STDIN_FILENO) == 0 || tcgetattr(STDIN_FILENO, &mode_before) != 0) return;
    termios mode = mode_before;
    mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // Ctrl-C still ends the program
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    mode.c_cc[VSUSP] = _POSIX_VDISABLE;  // a stopped program would leave the shell without echo
    is_changed = true;
    is_open_ = tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0;
}

Keys::~Keys() { restore(); }

void Keys::restore() noexcept {
    if (is_changed.exchange(false)) tcsetattr(STDIN_FILENO, TCSANOW, &mode_before);
}

std::optional<char> Keys::wait(std::chrono::milliseconds time) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    char key = 0;
    if (!is_open_) {
        std::this_thread::sleep_for(time);
        return std::nullopt;
    }
    if (::poll(&input, 1, static_cast<int>(time.count())) <= 0) return std::nullopt;
    if (::read(STDIN_FILENO, &key, 1) != 1) {
        is_open_ = false;  // the terminal was closed
        return std::nullopt;
    }
    return static_cast<unsigned char>(key) < 0x80 ? std::optional(key) : std::nullopt;
}

}  // namespace hkpd::command
