// The files that options name, and standard input, as far as the command reads them itself. Names are UTF-8.
#pragma once

#include <expected>
#include <istream>
#include <string>

namespace hkpd::command {

/// Returns whether a file, a directory or anything else has this name.
bool exists(const std::string& path);
/// Returns whether a regular file has this name.
bool is_file(const std::string& path);
/// Returns whether two names are of the same file.
bool are_same_file(const std::string& path, const std::string& other);
/// Returns whether all of an input is there when it is opened: a file or a folder, no pipe, device or standard input.
bool is_stored(const std::string& path);
/// Returns the last part of a path: `log.blg` for `run/log.blg`.
std::string file_name(const std::string& path);

/// Returns the content of a file, or the error message.
std::expected<std::string, std::string> read_file(const std::string& path);

/// Returns the next line of standard input.
std::string read_answer();

/// The place where standard input begins, so that the library can read it as the input `-` more than once.
class InputStart {
  public:
    InputStart();
    /// Goes back to the place. Does nothing if standard input cannot seek, as a pipe.
    void go_back() const;

  private:
    std::istream::pos_type place_;
};

}  // namespace hkpd::command
