#include "commands/overview_instead.hpp"

#include <fmt/format.h>

#include <string>

#include "commands/example_commands.hpp"
#include "commands/info.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"

namespace hkpd::command {

bool shows_everything(const InputOptions& options) {
    return !options.live.any() && options.v2.blocks.empty() && !options.inputs.empty() && !options.jobs &&
           !selects_any(options);
}

Exit overview_instead(std::string_view subcommand, const InputOptions& options) {
    const Verbosity verbosity = options.verbose ? Verbosity::notes_too : Verbosity::faults;
    OverviewOptions how{.subdirectories = subdirectories_of(options.recursive), .languages = options.languages};
    if (const std::string wrong = read_expansion(options.limit_expansion, how.limits); !wrong.empty())
        return usage_error(subcommand, wrong);
    Exit exit = Exit::good;
    if (!options.titles.empty()) {
        Diagnostics diagnostics;
        how.titles = load_titles(options.titles, options.languages, diagnostics);
        exit = report(diagnostics, verbosity);
    }
    exit = std::max(exit, show_overviews(options.inputs, how, false, verbosity));
    if (exit > Exit::damaged) return exit;
    std::string out =
        fmt::format("\nEverything: {}\n", command_for_all(subcommand, options.inputs, how.subdirectories));
    write_out(out);
    return exit;
}

}  // namespace hkpd::command
