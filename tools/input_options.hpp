// What subcommands that read samples have in common: inputs, titles, and what is wanted of them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/reader.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "live_input.hpp"
#include "options.hpp"

namespace hkpd {
class Diagnostics;
}

namespace hkpd::command {

struct InputOptions {
    Strings inputs, titles, languages, objects, instances, counters, paths;
    V2Files v2;
    LiveOptions live;
    std::string limit_values;
    std::optional<std::string> jobs;   ///< each input by itself, so many at a time: see jobs_option.hpp
    std::optional<SampleSource> only;  ///< samples that came through this door
    bool strict = false, verbose = false;
};

/// Adds them to a subcommand's options: where samples come from, and what of them is wanted.
void describe_inputs(po::options_description& shown, InputOptions& options);
/// Likewise without what chooses objects, instances and counters.
void describe_sources(po::options_description& shown, InputOptions& options);

/// What is wrong with the identifiers of the V2 blocks that an option gives; else nothing.
std::string check_identifiers(const V2Files& v2, std::string_view option);

/// What is wrong with the options; else nothing, and `limits` are filled. `live_count` is how many samples a machine is
/// asked for where nothing is said of it (0: no end).
std::string check_inputs(InputOptions& options, std::uint64_t live_count, Limits& limits);

/// Fills a filter with what the options ask for, or says what is wrong with them.
std::string make_filter(const InputOptions& options, Filter& filter);

/// All that is read for samples: files, directories, `-`.
Strings all_inputs(const InputOptions& options);

/// A source of the files, and behind them the V2 blocks. `wanted` is as for `open_files`.
std::unique_ptr<Source> open_inputs(const Strings& files, const V2Files& v2, const Limits& limits, const Range& wanted);

/// Reading the inputs once, with the titles that go with them: those that were asked for, else those that the inputs
/// bring along, and Windows' own. Likewise with registrations of countersets: those that were given count first.
class Input {
  public:
    Input(const InputOptions& options, ReaderOptions how, Diagnostics& diagnostics);
    /// As above, with a source around that of the inputs, and titles that are added to those.
    using Around = std::function<std::unique_ptr<Source>(std::unique_ptr<Source>)>;
    Input(const InputOptions& options, ReaderOptions how, Diagnostics& diagnostics, const Around& around,
          const std::vector<TitleTable>& more_titles);

    Reader& reader() noexcept { return reader_; }
    /// Null where the inputs are files.
    const LiveInput* live() const noexcept { return live_; }

  private:
    Reader open(const InputOptions& options, ReaderOptions how, Diagnostics& diagnostics, const Around& around,
                const std::vector<TitleTable>& more_titles);

    LiveInput* live_ = nullptr;  // set by `open`
    Reader reader_;
};

/// Reports what was found in inputs of which so many samples were shown, and says which exit code that calls for.
Exit report_found(const InputOptions& options, const Diagnostics& diagnostics, std::uint32_t samples);

/// Reports what was wanted of so many samples and never met (as `Filter::unmatched` has it), and says which exit code
/// that calls for.
Exit report_unmatched(std::string_view subcommand, const InputOptions& options, std::uint32_t samples,
                      const std::vector<Unmatched>& unmatched);

/// Both, the second where the first found nothing.
Exit conclude(std::string_view subcommand, const InputOptions& options, const Diagnostics& diagnostics,
              std::uint32_t samples, const Filter& filter);

}  // namespace hkpd::command
