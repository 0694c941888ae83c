// What is wrong with inputs: performance data, title databases and the services of a machine, as `hkpd check` finds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/log_zones.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/source.hpp"
#include "hkpd/text_encoding.hpp"

namespace hkpd {

class Reader;

/// The amount of input that was checked.
struct CheckedInputs {
    std::uint64_t samples = 0, title_tables = 0, services = 0;  ///< number of samples, title tables and providers
};

/// Receives the samples of each input that is checked, for checks of their values.
class SampleChecks {
  public:
    virtual ~SampleChecks() = default;
    /// Begins an input whose reader has read no sample. `input`: name of the input; empty if there are several files.
    virtual void begin(const Reader& reader, const std::string& input) = 0;
    /// Receives the current sample of the reader.
    virtual void sample(Reader& reader) = 0;
    /// Ends the input.
    virtual void end(Diagnostics& diagnostics) = 0;
};

/// Options of a check.
struct CheckOptions {
    Limits limits{};
    LogZones log_zones{};                  ///< as in `ReaderOptions`
    TextEncoding encoding{};               ///< as in `ReaderOptions`
    std::vector<std::string> titles{};     ///< title databases that name samples, in place of those in the inputs
    std::vector<std::string> languages{};  ///< as in `ReaderOptions`
    bool english_names = false;            ///< as in `ReaderOptions`
    std::optional<SampleSource> only{};    ///< as in `ReaderOptions`
    Subdirectories subdirectories = Subdirectories::skipped;
    bool missing = false;  ///< also report objects that have a title, but are in no V1 sample of their machine
    /// Maximum number of faults that are kept for each severity. Further faults are only counted.
    std::size_t kept = 20'000;
    SampleChecks* samples = nullptr;  ///< further checks; may be null
    /// Wraps the source of each input in another source, for example to show progress. May be empty.
    std::function<std::unique_ptr<Source>(std::unique_ptr<Source>)> around{};
};

/// Checks inputs, one after another. Title databases of one directory or machine are checked against each other after
/// all inputs, by `finish`.
class InputCheck {
  public:
    explicit InputCheck(CheckOptions options);
    InputCheck(InputCheck&&) noexcept;
    InputCheck& operator=(InputCheck&&) noexcept;
    InputCheck(const InputCheck&) = delete;
    InputCheck& operator=(const InputCheck&) = delete;
    ~InputCheck();

    /// Reads the services of a machine from an export of the key Services, which name the provider of each object. To
    /// be called before anything is checked. Returns what is wrong with the file; empty on success.
    std::string read_services(const std::string& path);
    /// Checks files and directories: performance data in every form, and title databases, also in exports of the
    /// Perflib key. Each is checked by itself, because they can be from different machines and days.
    void check(const std::vector<std::string>& paths);
    /// Checks V2 blocks, with the registrations that name them.
    void check(const V2Files& v2);
    /// Checks the records of a source, such as a machine. `before_close`, if there is one, is called before the source
    /// is closed.
    void check(std::unique_ptr<Source> source, const std::function<void()>& before_close = {});
    /// Checks the title databases. Nothing can be checked afterwards. Further calls do nothing.
    void finish();

    /// Returns the findings so far: one for each fault in `Findings::diagnostics`.
    const Findings& findings() const noexcept;
    /// Returns the list of faults, for sources that add to it outside of `Source::next`.
    Diagnostics& diagnostics() noexcept;
    /// Returns the amount of input that was checked so far.
    CheckedInputs checked() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Returns the finished check of files and directories.
InputCheck check(const std::vector<std::string>& paths, CheckOptions options = {});

}  // namespace hkpd
