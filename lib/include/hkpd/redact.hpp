// Pseudonyms in place of the names that identify the owner of a machine, so that a log can be given to others. The
// records of a source are rewritten before anything else sees them: every output, and every message, then has
// pseudonyms only. Numbers, times and types are unchanged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"

namespace hkpd {

class Source;

/// The kind of a name, on which depends what of it is kept.
enum class NameKind : std::uint8_t {
    machine,
    instance,  ///< of an object: a process, user, disk, network adapter, printer, database, ...
    title,     ///< of an object or counter
    file,      ///< an input
    text,      ///< anything else, such as a note on the origin of a capture
};
/// Number of values of `NameKind`.
inline constexpr std::size_t name_kinds = 5;

/// Options of `Pseudonyms`: the key, and what is kept.
struct RedactOptions {
    /// Names have the same pseudonyms in all runs with the same key. Empty: a random key, which is
    /// lost with the run.
    std::string key{};
    std::vector<std::string> keep{};  ///< names that match one of these wildcards are kept, except those of machines
    bool keep_counters = false;       ///< keep all names of objects and counters
};

/// The pseudonyms of a run. A pseudonym is a word for the kind of the name, a hyphen and 10 letters or digits: 50 bits
/// of a keyed hash (SipHash-2-4) of the name, whatever its case. If two names of a run would have the same, the later
/// one has 13. One name has the same letters as a machine, instance or file. Several threads may use one object.
///
/// Of an instance, these parts are kept: numbers of up to 10 digits (alone, or before, after or between the punctuation
/// by which Windows adds them: `#1`, `:4711`, `0,1`, `4711_pool`, `_p4711_r5`, `pid_4711_luid_0x0_0x1_phys_0`), letters
/// of drives (`C:`), the extension `.exe`, the stroke between parent and instance, and the names that every Windows
/// has:
/// `_Total`, `Idle`, `System` and a few more (`append_kept_names`). Objects and counters keep the names that Windows
/// and .NET have in any language, as far as hkpd knows them.
class Pseudonyms {
  public:
    explicit Pseudonyms(RedactOptions options);
    ~Pseudonyms();
    Pseudonyms(const Pseudonyms&) = delete;
    Pseudonyms& operator=(const Pseudonyms&) = delete;

    /// Returns the name by which a name is replaced: itself if it is kept. Empty names stay empty.
    std::string replace(NameKind kind, std::string_view name);

    /// A name and its pseudonym, without the parts of an instance's name that are kept.
    struct Pair {
        NameKind kind{};
        std::string pseudonym, name;
    };
    /// Returns the names that were replaced so far, each once, by kind and pseudonym. Of names of more than 256 MiB in
    /// a run, those that came first.
    std::vector<Pair> replaced() const;
    /// Returns the number of these names of each kind.
    std::array<std::size_t, name_kinds> counts() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

/// Returns the word for names of a kind, for messages: `machine` for one, `machines` for other numbers.
std::string_view name_kind_text(NameKind kind, std::size_t count = 1) noexcept;

/// Appends the names that instances keep: `_Total, Idle, ...`.
void append_kept_names(std::string& out);

/// States what the inputs of a source are.
enum class InputNames : std::uint8_t { files, machines };

/// Returns a source that returns the records of another one with pseudonyms in place of names. Only what is known to be
/// a number, a type, a time or a name is copied; padding, help texts and values that are texts are left out. A record,
/// object or result in which names cannot be located is left out and reported. The names of the inputs in
/// `Diagnostics::inputs`, and those in messages about logs, are replaced, too.
std::unique_ptr<Source> redact(std::unique_ptr<Source> source, std::shared_ptr<Pseudonyms> names, const Limits& limits,
                               InputNames inputs = InputNames::files);

/// Replaces the names of the inputs of a list that were added after the first `inputs`, and the names and texts in the
/// places of the faults that were kept since a mark, as `redact` does for those of its source.
void redact_diagnostics(Diagnostics& diagnostics, const Diagnostics::Mark& mark, std::size_t inputs, Pseudonyms& names,
                        InputNames form = InputNames::files);

/// Returns titles in which names are replaced. Their help texts are left out, and their origin is `built-in` or empty.
Titles redact(const Titles& titles, const std::vector<std::string>& languages, Pseudonyms& names);
/// Returns a table in which names are replaced.
TitleTable redact(const TitleTable& table, Pseudonyms& names);

}  // namespace hkpd
