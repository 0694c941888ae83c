// What tests need of the machine that runs them, and not every machine has: programs, devices, rights. A test asks
// first:
//
//   if (is_skipped(missing_program("sqlite3"))) return;
//
// It is then skipped with the reason, or fails if the environment has CI, whose machines have everything. Scripts do
// the same by tests/missing.sh, and those in Python by tests/missing.py.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "support/temp_folder.hpp"

#ifndef _WIN32
#include <fcntl.h>
#include <unistd.h>
#endif

namespace hkpd_test {

/// "this machine has no …"; none if it has what was asked for.
using Missing = std::optional<std::string>;

/// Returns the reason for a thing that is missing. `error`: what the system reports.
inline Missing missing(std::string_view what, std::string_view error = {}) {
    return "this machine has no " + std::string(what) + std::string(error.empty() ? "" : ": ") + std::string(error);
}

/// Ends the test as skipped, or as failed in CI, if something is missing. Returns whether it is: the caller
/// then returns.
inline bool is_skipped(const Missing& reason) {
    if (!reason) return false;
#ifndef _WIN32  // MinGW's library has less than the systems of CI
    if (std::getenv("CI") != nullptr) {
        [&] { FAIL() << *reason << ", and the environment has CI"; }();
        return true;
    }
#endif
    [&] { GTEST_SKIP() << *reason; }();
    return true;
}

/// Tries to make a symbolic link, which MinGW's library cannot.
inline Missing missing_links() {
    const TempFolder folder;
    std::error_code error;
    std::filesystem::create_symlink("target", hkpd::path_of(folder.path("link")), error);
    return error ? missing("symbolic links", error.message()) : std::nullopt;
}

/// Looks for the rules of time zones, Debian's package tzdata.
inline Missing missing_zones() {
#ifdef _WIN32
    return missing("rules of time zones");
#else
    const char* const folder = std::getenv("TZDIR");
    const std::filesystem::path zones = folder != nullptr && *folder != '\0' ? folder : "/usr/share/zoneinfo";
    return std::filesystem::exists(zones / "America/New_York") ? std::nullopt : missing("rules of time zones");
#endif
}

/// Looks for the device that is always full, which the helpers of tests have on Windows, too.
inline Missing missing_full_device() {
#ifndef _WIN32
    std::error_code ignored;
    if (!std::filesystem::is_character_file("/dev/full", ignored)) return missing("/dev/full");
#endif
    return std::nullopt;
}

#ifndef _WIN32
/// Looks for a program in the PATH.
inline Missing missing_program(const std::string& name) {
    const bool found = std::system(("command -v '" + name + "' >/dev/null 2>&1").c_str()) == 0;
    return found ? std::nullopt : missing(name);
}

/// Asks whether the tests run as root.
inline Missing missing_root() { return geteuid() == 0 ? std::nullopt : missing("root for its tests"); }

/// Looks for the system's description of processes.
inline Missing missing_proc() {
    std::error_code ignored;
    return std::filesystem::exists("/proc/self/stat", ignored) ? std::nullopt : missing("/proc");
}

/// Opens both ends of a pseudo-terminal. Some containers and most chroots cannot.
inline Missing missing_terminals() {
    const auto no_terminals = [] { return missing("pseudo-terminals", std::generic_category().message(errno)); };
    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0) return no_terminals();
    Missing found;
    char path[128] = "";
    if (grantpt(master) != 0 || unlockpt(master) != 0 || (errno = ptsname_r(master, path, sizeof path)) != 0) {
        found = no_terminals();
    } else if (const int slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC); slave < 0) {
        found = no_terminals();
    } else {
        close(slave);
    }
    close(master);
    return found;
}
#endif

}  // namespace hkpd_test
