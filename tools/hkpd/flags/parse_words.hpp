// Parses arguments by Boost.Program_options, in time that is proportional to their number.
#pragma once

#include "flags/options.hpp"

namespace hkpd::command {

/// The settings of `parse_words`.
struct WordStyle {
    int style = 0;                               ///< of Boost's command line
    po::ext_parser parser{};                     ///< for a word that Boost shall not parse itself
    po::positional_options_description words{};  ///< the option that words which belong to none are values of
};

/// Returns the options in `arguments` and their values. Boost's parser alone moves all following arguments for each one
/// that it takes, so that a file with 100,000 of them would take seconds.
po::parsed_options parse_words(const Strings& arguments, const po::options_description& options,
                               const WordStyle& style);

}  // namespace hkpd::command
