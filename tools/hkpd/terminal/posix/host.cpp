#include "terminal/host.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <span>

#include "terminal/posix/heap.hpp"

namespace hkpd::command {
namespace {

/// The flag that the signal handler sets. The flag is global, because it cannot be passed to a handler as an argument.
std::atomic<std::atomic<bool>*> to_stop = nullptr;
static_assert(std::atomic<std::atomic<bool>*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler may only use lock-free atomics");

/// The function of `on_early_end`; null if there is none.
std::atomic<void (*)() noexcept> to_clean = nullptr;
static_assert(std::atomic<void (*)() noexcept>::is_always_lock_free);

void clean() noexcept {
    if (void (*const function)() noexcept = to_clean.load()) function();
}

/// Requests the end of the program if it checks for such requests. Otherwise, and at the second signal, ends the
/// program as the signal does without a handler.
void interrupt(int signal) {
    std::atomic<bool>* const stop = to_stop.load();
    if (stop != nullptr && !stop->exchange(true)) return;
    clean();
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // the signal is blocked until the handler returns
}

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

/// Handles the signals that end the program. `ignored_too`: whether signals that are ignored are handled, too.
void handle_signals(bool ignored_too) noexcept {
    struct sigaction action{};
    action.sa_handler = interrupt;
    // SA_RESTART: a write that the signal interrupts is restarted, and does not fail. sa_mask: while the handler runs,
    // none of the three signals can interrupt the handler.
    action.sa_flags = SA_RESTART;
    for (const int signal : ending_signals) sigaddset(&action.sa_mask, signal);
    for (const int signal : ending_signals) {
        struct sigaction before{};
        sigaction(signal, nullptr, &before);
        if (ignored_too || before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

/// Opens those of the descriptors 0 to 2 that the caller of the program has closed. Otherwise the next file would get
/// such a number, and what is written to standard output or standard error would get into that file. Each is opened in
/// the direction in which it is not used, so that its use fails as if it were closed.
void hold_standard_streams() noexcept {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})  // `open` returns the lowest free number
        if (fcntl(number, F_GETFD) < 0)
            static_cast<void>(open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

/// The signals that were blocked before `HeldEvents` blocked more.
thread_local sigset_t blocked_before;

}  // namespace

std::vector<std::string> start(int argc, char** argv) {
    hold_standard_streams();
    std::signal(SIGXFSZ, SIG_IGN);  // a file that exceeds its limit (ulimit -f) cannot be written: `errno` is EFBIG
    place_heap_in_large_pages();
    std::setvbuf(stdout, nullptr, _IONBF, 0);  // whole texts are written; a buffer would make three writes of each
    const auto count = static_cast<std::size_t>(argc);
    const auto arguments = std::span(argv, count).subspan(std::min<std::size_t>(count, 1));
    return {arguments.begin(), arguments.end()};
}

bool output_is_terminal() noexcept { return isatty(STDOUT_FILENO) != 0; }
bool error_is_terminal() noexcept { return isatty(STDERR_FILENO) != 0; }

std::size_t terminal_columns() noexcept {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::size_t terminal_lines() noexcept {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

bool enable_colors() noexcept { return true; }

std::uint64_t processor_time() noexcept {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::uint64_t microseconds = 0;
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
        microseconds += static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
    return microseconds * 1000;
}

void on_interrupt(std::atomic<bool>& stop) noexcept {
    to_stop = &stop;
    handle_signals(true);
}

void on_early_end(void (*clean)() noexcept) noexcept {
    to_clean = clean;
    if (clean != nullptr) handle_signals(false);
}

HeldEvents::HeldEvents() noexcept {
    sigset_t signals{};
    sigemptyset(&signals);
    for (const int signal : ending_signals) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &blocked_before);
}

HeldEvents::~HeldEvents() { pthread_sigmask(SIG_SETMASK, &blocked_before, nullptr); }

bool is_closed_pipe(int error) noexcept { return error == EPIPE; }

void end_now(int exit_code) noexcept {
    clean();
    std::fflush(nullptr);
    _exit(exit_code);
}

std::string operating_system() {
    utsname system{};
    return uname(&system) == 0 ? std::string(std::data(system.sysname)) + ' ' + std::data(system.release)
                               : std::string();
}

std::uint64_t process_id() noexcept { return static_cast<std::uint64_t>(getpid()); }

bool is_standard_output(const std::string& path) noexcept {
    struct stat named{}, output{};
    return fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode) && stat(path.c_str(), &named) == 0 &&
           named.st_dev == output.st_dev && named.st_ino == output.st_ino;
}

std::FILE* open_device(const std::string& path) noexcept {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    struct stat found{};
    if (file < 0) return nullptr;
    if (fstat(file, &found) == 0 && !S_ISREG(found.st_mode)) return fdopen(file, "wb");
    close(file);
    errno = EEXIST;
    return nullptr;
}

}  // namespace hkpd::command
