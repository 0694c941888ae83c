// What the command needs of the system that it runs on: implemented in posix/ and windows/.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

namespace hkpd::command {

/// To be called once, first of all. Makes standard input and output carry bytes as they are and a console show UTF-8,
/// where the system does not do so by itself. The program's arguments behind its name, as UTF-8.
std::vector<std::string> start(int argc, char** argv);

/// Whether somebody sees what is written there.
bool output_is_terminal() noexcept;
bool error_is_terminal() noexcept;

/// Columns of the terminal that standard output is; 0 where it is none.
std::size_t terminal_columns() noexcept;

/// Nanoseconds of processor time that this process has used, in all its threads, its own and the kernel's for it. Both
/// systems count in steps, which may be as long as 16 ms.
std::uint64_t processor_time() noexcept;

/// From now on the first Ctrl-C (or SIGTERM, SIGHUP, or a console window that is closed) sets `stop` and does nothing
/// else; the next ends the program as if this had never been called. `stop` has to live as long as the program.
void on_interrupt(std::atomic<bool>& stop) noexcept;

/// Whether what standard output could not be written for means that nobody reads it any more.
bool is_closed_pipe(int error) noexcept;

/// Ends the program at once, without waiting for its threads and without what happens at an orderly end. What was
/// written to the standard streams is flushed.
[[noreturn]] void end_now(int exit_code) noexcept;

/// The number of this process.
std::uint64_t process_id() noexcept;

/// What runs here, for people: `Windows 10.0.19045`.
std::string operating_system();

/// Makes a file, or empties it, for bytes to be written; null and `errno` where that fails. `path` is UTF-8.
std::FILE* open_output(const std::string& path) noexcept;
/// The same for a file that must not be there yet, nor a link of that name.
std::FILE* open_new(const std::string& path) noexcept;

/// Who may read and write a file of this program's making: from now on those who may do so with another one. Nothing
/// happens where that is not there, and on Windows, where both have it from their directory.
void take_rights(const std::string& file, const std::string& of);

/// A file takes the name of another one, which is gone then, in one step. Both lie in one directory.
std::error_code replace_file(const std::string& from, const std::string& to);

}  // namespace hkpd::command
