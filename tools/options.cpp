#include "options.hpp"

#include <sstream>

namespace hkpd::command {

po::options_description new_options() {
    constexpr unsigned width = 100;
    return {"options", width};
}

std::optional<Exit> parse_options(std::string_view subcommand, const Strings& arguments,
                                  po::options_description options, Strings& words, const HelpText& help) {
    bool help_wanted = false;
    options.add_options()("help,h", po::bool_switch(&help_wanted), "this text");
    try {
        po::options_description all;
        all.add(options).add_options()("word", po::value(&words));
        po::positional_options_description positional;
        positional.add("word", -1);
        // An abbreviation that works today would be ambiguous tomorrow.
        const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
        po::variables_map map;
        po::store(po::command_line_parser(arguments).options(all).positional(positional).style(style).run(), map);
        po::notify(map);
    } catch (const po::error& error) {
        return usage_error(subcommand, error.what());
    }
    if (!help_wanted) return std::nullopt;
    std::ostringstream text;
    text << help.before << options << help.after;
    std::string out = text.str();
    write_out(out);
    return Exit::good;
}

}  // namespace hkpd::command
