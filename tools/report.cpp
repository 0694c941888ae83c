#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>

#include "command.hpp"
#include "hkpd/write/writer.hpp"
#include "host.hpp"

namespace hkpd::command {
namespace {

/// More of one kind in one object are counted, not shown: a damaged list says the same of each instance.
constexpr std::uint64_t most_of_a_kind = 5;

using What = std::tuple<Severity, Errc, std::string_view, std::uint32_t>;

What kind_of(const Diagnostic& diagnostic) {
    return {diagnostic.severity, diagnostic.error.code, diagnostic.error.field, diagnostic.object};
}

bool is_shown(const Diagnostic& diagnostic, Verbosity verbosity) {
    return verbosity == Verbosity::notes_too || diagnostic.severity != Severity::note;
}

}  // namespace

void complain(std::string_view subcommand, std::string_view message) {
    std::string shown;
    append_printable(shown, message);
    fmt::print(stderr, "hkpd{}{}: {}\n", subcommand.empty() ? "" : " ", subcommand, shown);
}

Exit usage_error(std::string_view subcommand, std::string_view message) {
    const std::string name = subcommand.empty() ? "hkpd" : fmt::format("hkpd {}", subcommand);
    complain(subcommand, fmt::format("{} (see {} --help)", message, name));
    return Exit::usage;
}

void write_out(std::string& buffer) {
    const bool written = std::fwrite(buffer.data(), 1, buffer.size(), stdout) == buffer.size();
    buffer.clear();
    if (written && std::fflush(stdout) == 0) return;
    if (!is_closed_pipe(errno))
        fmt::print(stderr, "hkpd: standard output: cannot be written: {}\n", std::strerror(errno));
    std::exit(static_cast<int>(Exit::unreadable));
}

Exit report(const Diagnostics& diagnostics, Verbosity verbosity) {
    std::map<What, std::uint64_t> counts;
    bool unreadable = false;
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.kept()) {
        unreadable = unreadable || diagnostic.error.code == Errc::cannot_read;
        if (!is_shown(diagnostic, verbosity)) continue;
        if (++counts[kind_of(diagnostic)] > most_of_a_kind && verbosity != Verbosity::notes_too) continue;
        append_diagnostic(text, diagnostics, diagnostic);
        text += '\n';
        if (verbosity == Verbosity::first_fault) break;
    }
    if (verbosity != Verbosity::notes_too) {
        for (const auto& [what, count] : counts) {
            if (count <= most_of_a_kind) continue;
            const auto& [severity, code, field, object] = what;
            std::string where;
            if (object != no_index) append_object_place(where = " in ", diagnostics, object);
            text += fmt::format("{} more of {} {}{} (--verbose shows them)\n", count - most_of_a_kind,
                                severity_name(severity), code_name(code), where);
        }
    }
    std::fwrite(text.data(), 1, text.size(), stderr);
    if (unreadable) return Exit::unreadable;
    return diagnostics.count(Severity::error) != 0 ? Exit::damaged : Exit::good;
}

Exit report_nothing(const Diagnostics& diagnostics, Verbosity verbosity, bool live) {
    const Exit exit = report(diagnostics, verbosity);
    return live && exit == Exit::damaged ? Exit::unreadable : exit;
}

}  // namespace hkpd::command
