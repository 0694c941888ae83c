#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/text/names.hpp"
#include "commands/command.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "terminal/cause.hpp"
#include "terminal/host.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

/// Returns whether a fault is written. Files that are not read are no fault, but are stated.
bool is_written(const Diagnostic& diagnostic, Verbosity verbosity) {
    const Errc code = diagnostic.error.code;
    return verbosity == Verbosity::notes_too || diagnostic.severity != Severity::note ||
           ((code == Errc::files_skipped || code == Errc::read_before) && verbosity == Verbosity::faults);
}

/// States that a text for standard error could not be written. A thread that reads a machine writes, too.
std::atomic<bool> message_lost = false;

}  // namespace

void write_error(std::string_view text) noexcept {
    if (std::fwrite(text.data(), 1, text.size(), stderr) != text.size() || std::fflush(stderr) != 0)
        message_lost = true;
}

Exit last_exit(Exit found) noexcept { return message_lost ? exit_of(Cause::unwritable) : found; }

void complain(std::string_view subcommand, std::string_view message) {
    std::string shown;
    append_printable(shown, message);
    erase_progress();
    write_error(fmt::format("hkpd{}{}: {}\n", subcommand.empty() ? "" : " ", subcommand, shown));
}

Exit usage_error(std::string_view subcommand, std::string_view message) {
    const std::string name = subcommand.empty() ? "hkpd" : fmt::format("hkpd {}", subcommand);
    return end_with(subcommand, Cause::wrong_usage, message, name);
}

std::string did_you_mean(std::string_view name) {
    return name.empty() ? "" : fmt::format(": did you mean '{}'?", name);
}

std::string nearest_word(std::string_view wrong, const std::vector<std::string_view>& known) {
    Nearest nearest(wrong, LetterCase::matters);
    for (const std::string_view word : known) nearest.offer(word);
    return nearest.name();
}

std::string suggest(std::string_view wrong, const std::vector<std::string_view>& known) {
    return did_you_mean(nearest_word(wrong, known));
}

void write_out(std::string& buffer) {
    const bool written = std::fwrite(buffer.data(), 1, buffer.size(), stdout) == buffer.size();
    buffer.clear();
    if (written && std::fflush(stdout) == 0) return;
    if (!is_closed_pipe(errno))
        write_error(fmt::format("hkpd: standard output: cannot be written: {}\n", std::strerror(errno)));
    end_at_once(exit_of(Cause::unwritable));
}

Exit report(const Diagnostics& diagnostics, Verbosity verbosity) {
    KindCounter kinds;
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.kept()) {
        if (!is_written(diagnostic, verbosity)) continue;
        if (!kinds.is_among_first(diagnostic) && verbosity != Verbosity::notes_too) continue;
        append_diagnostic(text, diagnostics, diagnostic);
        text += '\n';
        if (verbosity == Verbosity::first_fault) break;
    }
    if (verbosity != Verbosity::notes_too) kinds.append_rest(text, diagnostics);
    erase_progress();
    write_error(text);
    return exit_of(cause_of(diagnostics));
}

}  // namespace hkpd::command
