// The operating system as the command needs it, implemented in posix/ and windows/.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

namespace hkpd::command {

/// Sets up standard input and output for unchanged bytes and a console for UTF-8. Must be called once before anything
/// else. Returns the arguments after the program's name, as UTF-8.
std::vector<std::string> start(int argc, char** argv);

/// Returns whether standard output is a terminal.
bool output_is_terminal() noexcept;
/// Returns whether standard error is a terminal.
bool error_is_terminal() noexcept;

/// Returns the width of the terminal in columns; 0 if standard output is not a terminal.
std::size_t terminal_columns() noexcept;

/// Returns the user and kernel time of all threads of this process in nanoseconds. Both systems count in steps of up to
/// 16 ms.
std::uint64_t processor_time() noexcept;

/// Makes the first Ctrl-C (or SIGTERM, SIGHUP, or closing of the console window) only set `stop`; the next one ends the
/// program as usual. `stop` must live as long as the program.
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

/// Creates or truncates a file for binary writing. Returns null and sets `errno` on failure. `path` is UTF-8.
std::FILE* open_output(const std::string& path) noexcept;
/// Creates a file for binary writing; fails if a file or link of that name exists. Returns null and sets `errno` on
/// failure.
std::FILE* open_new(const std::string& path) noexcept;

/// Gives `file` the permissions of the file `of`. Does nothing if `of` does not exist. Does nothing on Windows, where
/// files inherit the permissions of their directory.
void take_rights(const std::string& file, const std::string& of);

/// Atomically renames `from` to `to`, which is in the same directory. An existing file `to` is replaced.
std::error_code replace_file(const std::string& from, const std::string& to);

}  // namespace hkpd::command
