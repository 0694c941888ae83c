#include "flags/shared_options.hpp"

#include <fmt/format.h>

#include "commands/command.hpp"

namespace hkpd::command {

void describe_recursive(po::options_description& shown, bool& recursive) {
    shown.add_options()("recursive,r", po::bool_switch(&recursive), "also read the directories below the inputs");
}

void describe_title_files(po::options_description& shown, Strings& paths) {
    shown.add_options()("titles", po::value(&paths)->value_name("FILE"),
                        "title database, capture, log or directory (repeatable; default: those of the input, and "
                        "built-in English)");
}

void describe_languages(po::options_description& shown, Strings& languages) {
    shown.add_options()("lang", po::value(&languages)->value_name("NNN"),
                        "preferred title language, such as 009 (repeatable)");
}

void describe_v2_files(po::options_description& shown, const V2Lists& files) {
    shown.add_options()("v2", po::value(files.blocks)->value_name("FILE")->multitoken(),
                        "V2 blocks, as PerfQueryCounterData returns them");
    describe_v2_names(shown, files);
}

void describe_v2_names(po::options_description& shown, const V2Lists& files) {
    auto add = shown.add_options();
    add("registration", po::value(files.registrations)->value_name("FILE")->multitoken(),
        "names for V2 (PerfQueryCounterSetRegistrationInfo)");
    add("identifiers", po::value(files.identifiers)->value_name("FILE")->multitoken(),
        "identifiers of V2 (PerfQueryCounterInfo): one file for all V2 files, or one for each");
}

void describe_value_limit(po::options_description& shown, std::optional<std::string>& number) {
    shown.add_options()("limit-values", text_option(number, "N"),
                        "maximum number of values of a sample or block (default: one million, or half its size in "
                        "bytes if larger)");
}

void describe_verbose(po::options_description& shown, bool& verbose) {
    shown.add_options()("verbose,v", po::bool_switch(&verbose), "also show notes: unusual but valid data");
}

void describe_all(po::options_description& shown, bool& all) {
    shown.add_options()("all", po::bool_switch(&all), "show everything on terminals without a filter, too");
}

void describe_color(po::options_description& shown, std::string& when) {
    shown.add_options()("color", choice(when, "auto always never"), "colours in text (default auto)");
}

bool is_language(std::string_view text) noexcept {
    constexpr std::string_view digits = "0123456789abcdefABCDEF";
    return !text.empty() && text.size() <= 3 && text.find_first_not_of(digits) == std::string_view::npos;
}

std::string not_a_language(std::string_view text) {
    return fmt::format("'{}' is not a Windows language id such as 009 or 007", text);
}

}  // namespace hkpd::command
