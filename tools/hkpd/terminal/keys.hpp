// Keys that a user presses while a subcommand shows something. posix/ and windows/ implement it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

namespace hkpd::command {

/// Reads single keys from the terminal of standard input, without waiting for the end of a line and without showing
/// them. At most one object of this class may exist at a time.
class Keys {
  public:
    /// Changes the terminal. If standard input is no terminal, no key is ever pressed.
    Keys();
    /// Sets the terminal as it was.
    ~Keys();
    Keys(const Keys&) = delete;
    Keys& operator=(const Keys&) = delete;

    /// Returns the next key; none if none is pressed within the time. Keys other than ASCII characters are left out.
    std::optional<char> wait(std::chrono::milliseconds time);
    /// Does what the destructor does. May be called by a handler of a signal.
    static void restore() noexcept;

  private:
    bool is_open_ = false;
};

}  // namespace hkpd::command
