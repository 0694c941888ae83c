#include "terminal/cause.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>

#include "hkpd/diagnostics.hpp"
#include "hkpd/run.hpp"
#include "terminal/host.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

constexpr std::array cause_rows{
    CauseRow{Cause::success, Exit::good, "everything was read and written", ""},
    CauseRow{Cause::no_sample, Exit::usage, "the input has no sample", "no sample in the input"},
    CauseRow{Cause::damaged, Exit::damaged, "the input is damaged; its valid parts were written", ""},
    CauseRow{Cause::findings, Exit::damaged, "check: faults, or findings of --rules", ""},
    CauseRow{Cause::differences, Exit::damaged, "compare: the two interfaces differ", ""},
    CauseRow{Cause::nothing_compared, Exit::usage, "compare, report --baseline: there is nothing to compare", "{}"},
    CauseRow{Cause::wrong_usage, Exit::usage, "wrong arguments, or no input", "{} (see {} --help)"},
    CauseRow{Cause::nothing_checked, Exit::usage, "check: there is nothing to check",
             "nothing to check (see hkpd check --help)"},
    CauseRow{Cause::nothing_evaluated, Exit::usage, "check --rules: none of the thresholds was evaluated for an input",
             "{}: 0 of {} thresholds were evaluated, so nothing is known of it: expected counters that the rules name, "
             "found none of them; if its names are in another language: --titles; to accept this: --allow-none"},
    CauseRow{Cause::no_match, Exit::usage, "a filter that matches nothing", "no {} in any sample{}"},
    CauseRow{Cause::no_title, Exit::usage, "titles: nothing matches", "{}"},
    CauseRow{Cause::other_source, Exit::usage, "no sample of the interface of --source",
             "no sample from {} was selected (samples of all interfaces are counted)"},
    CauseRow{Cause::kept_output, Exit::usage, "relog, typeperf: the output exists, and is kept", "{}"},
    CauseRow{Cause::empty_range, Exit::usage, "no sample in the range of --from and --to", "no sample in the range"},
    CauseRow{Cause::unreadable, Exit::unreadable, "an input is missing, cannot be read, or is no performance data",
             "{}: cannot be read: {}"},
    CauseRow{Cause::silent_machine, Exit::unreadable, "a machine gave no sample", ""},
    CauseRow{Cause::unwritable, Exit::unreadable, "an output cannot be written", "{} cannot be written: {}"},
    CauseRow{Cause::failure, Exit::unreadable, "the system refused memory",
             "{}: free memory, raise a limit such as that of ulimit -v, or read less at once"},
};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < cause_rows.size(); ++i)
        if (cause_rows[i].cause != static_cast<Cause>(i)) return false;
    return cause_rows.size() == static_cast<std::size_t>(Cause::failure) + 1;
}
static_assert(is_in_order());

}  // namespace

std::span<const CauseRow> causes() noexcept { return cause_rows; }

Exit exit_of(Cause cause) noexcept { return cause_rows[static_cast<std::size_t>(cause)].exit; }

Cause cause_of(const Diagnostics& diagnostics) {
    const auto is_unreadable = [](const Diagnostic& found) {
        const Errc code = found.error.code;
        return code == Errc::cannot_read ||
               (found.severity == Severity::error &&
                (code == Errc::foreign_file || code == Errc::foreign_trace || code == Errc::not_a_capture));
    };
    if (std::ranges::any_of(diagnostics.kept(), is_unreadable)) return Cause::unreadable;
    return diagnostics.count(Severity::error) != 0 ? Cause::damaged : Cause::success;
}

Exit end_with_exception(const std::exception& error) noexcept {
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    std::string_view form = causes()[static_cast<std::size_t>(Cause::failure)].message;
    form.remove_prefix(form.find('}') + 1);
    erase_progress();
    for (const std::string_view part :
         {std::string_view("hkpd: "), is_memory ? memory_refused : error.what(), form, std::string_view("\n")})
        write_error(part);
    return exit_of(Cause::failure);
}

void end_at_once(Exit exit) noexcept { end_now(static_cast<int>(last_exit(exit))); }

void end_uncaught() noexcept {
    // Without an exception, memory may not have sufficed to make one.
    if (!std::current_exception()) end_at_once(end_with_exception(std::bad_alloc()));
    try {
        throw;
    } catch (const std::exception& error) {
        end_at_once(end_with_exception(error));
    } catch (...) {
        std::abort();
    }
}

}  // namespace hkpd::command
