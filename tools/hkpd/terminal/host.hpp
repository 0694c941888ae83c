// Functions that depend on the operating system. posix/ and windows/ implement them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace hkpd::command {

/// Sets up standard input and output so that all bytes pass unchanged, and a console so that it shows UTF-8. If
/// standard streams are closed, no file that is opened later takes their place. Must be called once, before all other
/// functions. Returns the arguments after the program's name, as UTF-8.
std::vector<std::string> start(int argc, char** argv);

/// Returns whether standard output is a terminal.
bool output_is_terminal() noexcept;
/// Returns whether standard error is a terminal.
bool error_is_terminal() noexcept;

/// Returns the width of the terminal in columns; 0 if standard output is not a terminal.
std::size_t terminal_columns() noexcept;
/// Returns the height of the terminal in lines; 0 if standard output is not a terminal.
std::size_t terminal_lines() noexcept;
/// Lets the terminal interpret escape sequences for colours. Returns whether it does. Standard output must be a
/// terminal.
bool enable_colors() noexcept;

/// Returns the user and kernel time of all threads of this process in nanoseconds. POSIX systems and Windows count in
/// steps of up to 16 ms.
std::uint64_t processor_time() noexcept;

/// Handles Ctrl-C, SIGTERM, SIGHUP and the closing of the console window. The first of these events sets `stop`, and
/// the program continues until it checks `stop`. The next event ends the program as usual. But after the console window
/// is closed, Windows ends the program within some seconds anyway. `stop` must live as long as the program.
void on_interrupt(std::atomic<bool>& stop) noexcept;

/// Calls `clean` before one of these events or `end_now` ends the program; null cancels this. An event that
/// `on_interrupt` handles does not end the program, but the next one does. `clean` may use only functions that a signal
/// handler may call, and data that is valid until the program ends or `on_early_end` is called again. Events that the
/// process ignores since its start, as with nohup, stay ignored.
void on_early_end(void (*clean)() noexcept) noexcept;

/// Holds back these events for as long as it exists, so that no event comes between a change, such as a new file, and
/// the note of it that `clean` reads. On POSIX systems, only the thread that created the object is not interrupted. A
/// thread has one at a time.
class HeldEvents {
  public:
    HeldEvents() noexcept;
    HeldEvents(const HeldEvents&) = delete;
    HeldEvents& operator=(const HeldEvents&) = delete;
    ~HeldEvents();
};

/// Returns whether `error`, the `errno` of a failed write to standard output, means that the program at the other end
/// of the pipe has closed the pipe.
bool is_closed_pipe(int error) noexcept;

/// Ends the program at once, without waiting for its threads and without destructors or exit handlers. Flushes the
/// standard streams. Calls the function that was passed to `on_early_end`.
[[noreturn]] void end_now(int exit_code) noexcept;

/// Returns the id of this process.
std::uint64_t process_id() noexcept;

/// Returns the name and version of the operating system for display: `Windows 10.0.19045`.
std::string operating_system();

/// Returns whether a path leads to the regular file that standard output is redirected to: `-o /dev/stdout > FILE`. On
/// Windows, always returns false.
bool is_standard_output(const std::string& path) noexcept;

/// Opens a device or pipe for binary writing. `path` is UTF-8. Returns null and sets `errno` on failure. On POSIX
/// systems, a regular file is refused (EEXIST), because it would be overwritten: another program can have replaced the
/// device by a file after the caller's check. The implementation for Windows does not refuse regular files.
std::FILE* open_device(const std::string& path) noexcept;

}  // namespace hkpd::command
