#include "terminal/keys.hpp"

#include <windows.h>

#include <atomic>
#include <thread>

namespace hkpd::command {
namespace {

DWORD mode_before = 0;                 // valid while `is_changed` is set
std::atomic<bool> is_changed = false;  // read by the handler of Ctrl-C, which is another thread

}  // namespace

Keys::Keys() {
    const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    if (GetConsoleMode(input, &mode_before) == 0) return;
    constexpr DWORD lines = ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT | ENABLE_QUICK_EDIT_MODE;
    is_changed = true;
    is_open_ = SetConsoleMode(input, (mode_before & ~lines) | ENABLE_EXTENDED_FLAGS) != 0;
}

Keys::~Keys() { restore(); }

void Keys::restore() noexcept {
    if (is_changed.exchange(false)) SetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), mode_before);
}

std::optional<char> Keys::wait(std::chrono::milliseconds time) {
    const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    if (!is_open_) {
        std::this_thread::sleep_for(time);
        return std::nullopt;
    }
    if (WaitForSingleObject(input, static_cast<DWORD>(time.count())) != WAIT_OBJECT_0) return std::nullopt;
    INPUT_RECORD event{};
    DWORD count = 0;
    if (ReadConsoleInputW(input, &event, 1, &count) == 0 || count == 0) {
        is_open_ = false;
        return std::nullopt;
    }
    constexpr wchar_t last_ascii = 0x7F;
    const wchar_t key = event.Event.KeyEvent.uChar.UnicodeChar;
    const bool is_key = event.EventType == KEY_EVENT && event.Event.KeyEvent.bKeyDown != 0 && key != 0;
    return is_key && key <= last_ascii ? std::optional(static_cast<char>(key)) : std::nullopt;
}

}  // namespace hkpd::command
