// The operating system as the command needs it, implemented in posix/ and windows/.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace hkpd::command {

/// Sets up standard input and output so that all bytes pass unchanged, and a console so that it shows UTF-8. Must be
/// called once, before all other functions. Returns the arguments after the program's name, as UTF-8.
std::vector<std::string> start(int argc, char** argv);

/// Returns whether standard output is a terminal.
bool output_is_terminal() noexcept;
/// Returns whether standard error is a terminal.
bool error_is_terminal() noexcept;

/// Returns the width of the terminal in columns; 0 if standard output is not a terminal.
std::size_t terminal_columns() noexcept;

/// Returns the user and kernel time of all threads of this process in nanoseconds. POSIX systems and Windows count in
/// steps of up to 16 ms.
std::uint64_t processor_time() noexcept;

/// Handles Ctrl-C, SIGTERM, SIGHUP and the closing of the console window. The first of these events only sets `stop`;
/// the next one ends the program as usual. `stop` must live as long as the program.
void on_interrupt(std::atomic<bool>& stop) noexcept;

/// Returns whether an error of writing to standard output means that its reader has closed the pipe.
bool is_closed_pipe(int error) noexcept;

/// Ends the program at once, without waiting for its threads and without destructors or exit handlers. Flushes the
/// standard streams.
[[noreturn]] void end_now(int exit_code) noexcept;

/// Returns the id of this process.
std::uint64_t process_id() noexcept;

/// Returns the name and version of the operating system for display: `Windows 10.0.19045`.
std::string operating_system();

/// Creates a file for binary writing, for its owner alone. Returns null and sets `errno` on failure, for example to
/// EEXIST if a file or link has this name. `path` is UTF-8.
std::FILE* create_new(const std::string& path) noexcept;

/// Opens a device or pipe for binary writing. Returns null and sets `errno` on failure. It is also a failure if the
/// name now leads to a regular file (not checked on Windows). `path` is UTF-8.
std::FILE* open_device(const std::string& path) noexcept;

}  // namespace hkpd::command
