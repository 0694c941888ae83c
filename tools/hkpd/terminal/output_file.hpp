// `-o FILE`: the file that a subcommand writes its text to.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "flags/options.hpp"
#include "terminal/replaced_file.hpp"

namespace hkpd::command {

/// The amount of data that a run has written.
struct Written {
    std::uint64_t samples = 0, values = 0;
};

/// The text output of a subcommand: standard output or a file. The file is written next to the target, under the
/// target's name with the ending `.PROCESS-0.new`, and replaces the target when it is complete. If the run fails or
/// Ctrl-C ends it, the new file is removed, and the target is unchanged. A device or pipe is written directly, and so
/// is the file that is standard output: if it were replaced, other text on standard output would be lost with the old
/// file. At most one object of this class may exist at a time.
class OutputFile {
  public:
    /// `path`: standard output if empty or `-`. `subcommand`: name for messages.
    OutputFile(std::string_view subcommand, const std::string& path);
    /// Removes the new file if `finish` was not called.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Opens the output. If this fails, reports why and returns false.
    bool open();
    /// Takes all of the text and leaves it empty. If writing fails, reports why and ends the program with
    /// `Exit::unreadable`.
    void write(std::string& text);
    /// Ends the output. If `complete` is true, the new file replaces the target, and if standard error is a terminal, a
    /// line there states what was written. Otherwise, the new file is removed, which is reported. Returns `found`, or
    /// `Exit::unreadable` if the target could not be replaced.
    Exit finish(Exit found, bool complete, const Written& written = {});

    /// Returns whether the text goes to a terminal.
    bool to_terminal() const noexcept;
    /// Returns whether the text goes to standard output.
    bool to_standard_output() const noexcept { return file_ == stdout; }

  private:
    [[noreturn]] void fail(const std::string& why);
    bool cannot_write(std::string_view why) const;

    std::string_view subcommand_;
    std::string path_;
    std::FILE* file_ = stdout;
    std::optional<ReplacedFile> replaced_;  // none for standard output and devices
    std::uint64_t size_ = 0;
};

/// Adds `--output` to a subcommand's options.
void describe_output(po::options_description& shown, std::string& path);

/// Returns whether the text of a run is complete enough to replace a file. It is not if the arguments were wrong or no
/// filter matched, or if nothing could be read.
inline bool is_complete(Exit found, std::uint64_t samples) noexcept {
    return found == Exit::good || found == Exit::damaged || (found == Exit::unreadable && samples != 0);
}

/// Adds the rows of a text log to another one with the same header, and removes the first log. Returns the error
/// message; empty on success.
std::string append_rows(const std::string& from, const std::string& to);

/// Writes a text to a new file, on POSIX systems one that its owner alone can read. Returns the error message; empty on
/// success.
std::string write_private_file(const std::string& path, std::string_view text);

/// Writes a line to standard error, if that is a terminal, which states what was written to a file. The first function
/// takes the size of the file from the system.
void report_written(const std::string& path, const Written& written);
void report_written(const std::string& path, const Written& written, std::uint64_t bytes);

}  // namespace hkpd::command
