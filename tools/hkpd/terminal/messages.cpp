#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/text/names.hpp"
#include "commands/command.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "terminal/host.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

bool is_written(const Diagnostic& diagnostic, Verbosity verbosity) {
    return verbosity == Verbosity::notes_too || diagnostic.severity != Severity::note;
}

}  // namespace

void complain(std::string_view subcommand, std::string_view message) {
    std::string shown;
    append_printable(shown, message);
    erase_progress();
    fmt::print(stderr, "hkpd{}{}: {}\n", subcommand.empty() ? "" : " ", subcommand, shown);
}

Exit usage_error(std::string_view subcommand, std::string_view message) {
    const std::string name = subcommand.empty() ? "hkpd" : fmt::format("hkpd {}", subcommand);
    complain(subcommand, fmt::format("{} (see {} --help)", message, name));
    return Exit::usage;
}

std::string did_you_mean(std::string_view name) {
    return name.empty() ? "" : fmt::format(": did you mean '{}'?", name);
}

std::string suggest(std::string_view wrong, const std::vector<std::string_view>& known) {
    Nearest nearest(wrong, LetterCase::matters);
    for (const std::string_view word : known) nearest.offer(word);
    return did_you_mean(nearest.name());
}

void write_out(std::string& buffer) {
    const bool written = std::fwrite(buffer.data(), 1, buffer.size(), stdout) == buffer.size();
    buffer.clear();
    if (written && std::fflush(stdout) == 0) return;
    if (!is_closed_pipe(errno))
        fmt::print(stderr, "hkpd: standard output: cannot be written: {}\n", std::strerror(errno));
    end_now(static_cast<int>(Exit::unreadable));  // does not wait for other threads
}

Exit report(const Diagnostics& diagnostics, Verbosity verbosity) {
    KindCounter kinds;
    bool unreadable = false;
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.kept()) {
        unreadable = unreadable || diagnostic.error.code == Errc::cannot_read;
        if (!is_written(diagnostic, verbosity)) continue;
        if (!kinds.is_among_first(diagnostic) && verbosity != Verbosity::notes_too) continue;
        append_diagnostic(text, diagnostics, diagnostic);
        text += '\n';
        if (verbosity == Verbosity::first_fault) break;
    }
    if (verbosity != Verbosity::notes_too) kinds.append_rest(text, diagnostics);
    erase_progress();
    std::fwrite(text.data(), 1, text.size(), stderr);
    if (unreadable) return Exit::unreadable;
    return diagnostics.count(Severity::error) != 0 ? Exit::damaged : Exit::good;
}

Exit report_nothing(const Diagnostics& diagnostics, Verbosity verbosity, bool live) {
    const Exit exit = report(diagnostics, verbosity);
    return live && exit == Exit::damaged ? Exit::unreadable : exit;
}

}  // namespace hkpd::command
