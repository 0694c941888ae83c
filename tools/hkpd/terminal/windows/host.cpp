#include "terminal/host.hpp"

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>
// windows.h must come before shellapi.h, which uses its types.
#include <fmt/format.h>
#include <shellapi.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/path.hpp"

namespace hkpd::command {
namespace {

bool is_console(DWORD standard_handle) noexcept {
    DWORD mode = 0;  // only a console has a mode
    return GetConsoleMode(GetStdHandle(standard_handle), &mode) != 0;
}

std::string utf8(const wchar_t* text) {
    std::string bytes(static_cast<std::size_t>(WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr)),
                      '\0');
    WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes.data(), static_cast<int>(bytes.size()), nullptr, nullptr);
    if (!bytes.empty()) bytes.pop_back();  // the NUL
    return bytes;
}

/// Output code page of the console before `show_utf8` changed it; 0 if there is no console. This code page is restored
/// when the program exits, because the console is shared with the shell and outlives the program.
UINT code_page_before = 0;
/// Mode of the console before `enable_colors` changed it; none if it was not changed.
std::optional<DWORD> mode_before;
void restore_console() {
    if (code_page_before != 0) SetConsoleOutputCP(code_page_before);
    if (mode_before) SetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), *mode_before);
}

void show_utf8() {
    code_page_before = GetConsoleOutputCP();
    if (code_page_before == 0 || code_page_before == CP_UTF8 || SetConsoleOutputCP(CP_UTF8) == 0) return;
    std::atexit(restore_console);
}

/// The flag that the console handler sets. The flag is global, because it cannot be passed to a handler as an argument.
std::atomic<std::atomic<bool>*> to_stop = nullptr;

/// The function of `on_early_end`; null if there is none.
std::atomic<void (*)() noexcept> to_clean = nullptr;

/// Locked by `HeldEvents`, and by the console handler before it cleans.
SRWLOCK held = SRWLOCK_INIT;

void clean() noexcept {
    if (void (*const function)() noexcept = to_clean.load()) function();
}

/// Handles console events. Windows calls this function in a separate thread. Source: Microsoft Learn, "HandlerRoutine
/// callback function".
BOOL WINAPI interrupt(DWORD event) {
    std::atomic<bool>* const stop = to_stop.load();
    const bool ends = stop == nullptr || stop->exchange(true);
    if (ends) {
        AcquireSRWLockExclusive(&held);  // not released: nothing that needs cleaning begins before the program ends
        clean();
        restore_console();
        return FALSE;
    }
    if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) return TRUE;
    // The window is closed, or the user logs off. Windows ends the program when this function returns, or after some
    // seconds, so the function waits until the main thread has ended the program.
    Sleep(INFINITE);
    return TRUE;
}

std::uint64_t ticks(const FILETIME& time) noexcept {
    return static_cast<std::uint64_t>(time.dwHighDateTime) << 32U | time.dwLowDateTime;
}

}  // namespace

std::vector<std::string> start(int /*argc*/, char** /*argv*/) {
    // A DLL that is loaded by its name alone must be in System32. By default, Windows would also search the directory
    // of the program and the current directory, where another user could place a DLL.
    SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_SYSTEM32);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
    if (output_is_terminal() || error_is_terminal()) show_utf8();
    // The arguments of `main` are in the ANSI code page, which does not have all characters. The arguments are
    // therefore taken from the command line in UTF-16.
    int count = 0;
    wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
    std::vector<std::string> arguments;
    for (int i = 1; i < count; ++i) arguments.push_back(utf8(words[i]));
    LocalFree(words);
    return arguments;
}

bool output_is_terminal() noexcept { return is_console(STD_OUTPUT_HANDLE); }
bool error_is_terminal() noexcept { return is_console(STD_ERROR_HANDLE); }

std::size_t terminal_columns() noexcept {
    CONSOLE_SCREEN_BUFFER_INFO info{};
    if (GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info) == 0) return 0;
    return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

std::size_t terminal_lines() noexcept {
    CONSOLE_SCREEN_BUFFER_INFO info{};
    if (GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info) == 0) return 0;
    return static_cast<std::size_t>(info.srWindow.Bottom - info.srWindow.Top + 1);
}

// Source: Microsoft Learn, "Console Virtual Terminal Sequences".
bool enable_colors() noexcept {
    constexpr DWORD interpret_escapes = 0x0004;  // ENABLE_VIRTUAL_TERMINAL_PROCESSING
    const HANDLE console = GetStdHandle(STD_OUTPUT_HANDLE);
    DWORD mode = 0;
    if (GetConsoleMode(console, &mode) == 0) return false;
    if ((mode & interpret_escapes) != 0) return true;
    if (SetConsoleMode(console, mode | interpret_escapes) == 0) return false;
    mode_before = mode;
    std::atexit(restore_console);
    return true;
}

std::uint64_t processor_time() noexcept {
    constexpr std::uint64_t nanoseconds_per_tick = 100;
    FILETIME begun{}, ended{}, kernel{}, user{};
    GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user);
    return (ticks(kernel) + ticks(user)) * nanoseconds_per_tick;
}

void on_interrupt(std::atomic<bool>& stop) noexcept {
    to_stop = &stop;
    SetConsoleCtrlHandler(interrupt, TRUE);
}

void on_early_end(void (*clean)() noexcept) noexcept {
    to_clean = clean;
    if (clean != nullptr) SetConsoleCtrlHandler(interrupt, TRUE);
}

HeldEvents::HeldEvents() noexcept { AcquireSRWLockExclusive(&held); }
HeldEvents::~HeldEvents() { ReleaseSRWLockExclusive(&held); }

// If the program at the other end of the pipe has closed the pipe, the C library reports EINVAL instead of EPIPE.
bool is_closed_pipe(int error) noexcept { return error == EPIPE || error == EINVAL; }

void end_now(int exit_code) noexcept {
    clean();
    std::fflush(nullptr);
    restore_console();
    // A normal exit would call into the libraries in which threads of the program are blocked, and could wait forever.
    TerminateProcess(GetCurrentProcess(), static_cast<UINT>(exit_code));
    std::abort();
}

// RtlGetVersion is used, because GetVersionEx reports an older Windows to a program without a manifest.
std::string operating_system() {
    LONG(WINAPI * get_version)(OSVERSIONINFOW*) = nullptr;
    const FARPROC address = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "RtlGetVersion");
    std::memcpy(&get_version, &address, sizeof address);
    OSVERSIONINFOW version{};
    version.dwOSVersionInfoSize = sizeof version;
    if (get_version == nullptr || get_version(&version) != 0) return "Windows";
    return fmt::format("Windows {}.{}.{}", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber);
}

std::uint64_t process_id() noexcept { return GetCurrentProcessId(); }

bool is_standard_output(const std::string& /*path*/) noexcept { return false; }

std::FILE* open_device(const std::string& path) noexcept { return _wfopen(path_of(path).c_str(), L"wb"); }

}  // namespace hkpd::command
