// What subcommands that read samples have in common: inputs, titles, and what is wanted of them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "options.hpp"

namespace hkpd::command {

struct InputOptions {
    Strings inputs, titles, languages, objects, instances, counters, paths;
    std::string limit_values;
    bool strict = false, verbose = false;
};

/// Adds them to a subcommand's options.
void describe_inputs(po::options_description& shown, InputOptions& options);

/// What is wrong with the options; else nothing, and `limits` are filled.
std::string check_inputs(const InputOptions& options, Limits& limits);

/// Fills a filter with what the options ask for, or says what is wrong with them.
std::string make_filter(const InputOptions& options, Filter& filter);

/// Reading the inputs once, with the titles that go with them: those that were asked for, else those that the inputs
/// bring along, and Windows' own.
class Input {
  public:
    Input(const InputOptions& options, const Limits& limits, const Range& wanted, Diagnostics& diagnostics);

    const Titles& titles() const noexcept { return *titles_; }
    SampleReader& reader() noexcept { return *reader_; }

  private:
    std::unique_ptr<Titles> titles_;
    std::unique_ptr<Source> source_;
    std::unique_ptr<SampleReader> reader_;
};

/// Reports what was found and what was wanted and never met, and says which exit code that calls for.
Exit conclude(std::string_view subcommand, const InputOptions& options, const Diagnostics& diagnostics,
              std::uint32_t samples, const Filter& filter);

}  // namespace hkpd::command
