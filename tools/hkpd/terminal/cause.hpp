// Why a subcommand ends as it does: a table of causes, each with its exit code, its meaning for the manual, and its
// message.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "commands/command.hpp"

namespace hkpd::command {

enum class Cause : std::uint8_t {
    success,
    no_sample,          ///< there are inputs, and no samples in them
    damaged,            ///< error in the input
    findings,           ///< faults or findings of rules, of which check lists all
    differences,        ///< compare found some
    nothing_compared,   ///< compare found no two samples or counters to compare
    wrong_usage,        ///< wrong arguments
    nothing_checked,    ///< check found nothing that it checks
    nothing_evaluated,  ///< check --rules: no threshold applied to an input
    no_match,           ///< a filter that selected nothing
    no_title,           ///< titles: no table or title was selected
    other_source,       ///< the samples are of another interface than the requested one
    kept_output,        ///< relog, typeperf: an output that exists and was not overwritten or extended
    empty_range,        ///< no sample in the range of --from and --to
    unreadable,         ///< an input that is missing, or that the system did not read
    silent_machine,     ///< a machine that gave no sample
    unwritable,         ///< an output that the system did not write
    failure,            ///< an exception, most likely because memory was refused
};

/// A row of the table of causes.
struct CauseRow {
    Cause cause;
    Exit exit;
    std::string_view meaning;  ///< for the manual
    std::string_view message;  ///< form of the message, for {fmt}; empty if faults or the output state it
};

/// Returns the table of causes, in the order of the enumeration.
std::span<const CauseRow> causes() noexcept;

/// Returns the exit code of a cause.
Exit exit_of(Cause cause) noexcept;

/// Returns the cause that the faults of the inputs are.
Cause cause_of(const Diagnostics& diagnostics);

/// Writes the message of a cause to standard error, after `hkpd SUBCOMMAND: ` (`hkpd: ` if the name is empty), and
/// returns the exit code. `arguments` are the parts of the message.
template <class... Arguments>
Exit end_with(std::string_view subcommand, Cause cause, const Arguments&... arguments) {
    complain(subcommand, fmt::format(fmt::runtime(causes()[static_cast<std::size_t>(cause)].message), arguments...));
    return exit_of(cause);
}

/// Writes the message of `Cause::failure` to standard error and returns its exit code. Needs no memory.
Exit end_with_exception(const std::exception& error) noexcept;

/// Returns the exit code of a program that would end with `found`: that of `Cause::unwritable` if a message could not
/// be written to standard error.
Exit last_exit(Exit found) noexcept;

/// Ends the program at once with `last_exit`, without waiting for other threads, which may never end.
[[noreturn]] void end_at_once(Exit exit) noexcept;

/// Ends the program as `main` does after an exception that nothing could catch: one in a thread, or in a function that
/// must not throw. Any other fault of the program aborts it. For `std::set_terminate`.
[[noreturn]] void end_uncaught() noexcept;

}  // namespace hkpd::command
