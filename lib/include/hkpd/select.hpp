// Selects objects, instances and counters of a sample by index, name, wildcard or counter path. V2 objects are selected
// by name or by the GUID of their counterset, with or without braces. V2 counters are selected by name or id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/names.hpp"

namespace hkpd {

class Sample;

/// A name with wildcards, compared ignoring case: `*` matches any number of characters, `?` matches one character. As
/// in Windows' counter paths, no escape exists for a literal `*` or `?`.
class Pattern {
  public:
    /// Creates a pattern from its text. If the text is a number, the pattern also matches this number as a title index
    /// or counter id.
    explicit Pattern(std::string_view text);

    /// Returns whether the pattern matches the whole name.
    bool matches(std::string_view name) const;
    /// Returns whether the pattern matches `index` (a title index or counter id), or the name that belongs to the
    /// index.
    bool matches(std::uint32_t index, const std::optional<Titles::Answer>& name) const;
    const std::string& text() const noexcept { return text_; }
    /// Returns the text in a form that is equal for all texts that differ only in case.
    const std::string& folded() const noexcept { return folded_; }
    /// Returns whether the pattern has no wildcards.
    bool is_plain() const noexcept { return plain_; }
    /// Returns the title index or counter id that the pattern matches; none if the text is not a number.
    std::optional<std::uint32_t> index() const noexcept { return index_; }

  private:
    std::string text_, folded_;
    std::optional<std::uint32_t> index_;
    bool plain_;
};

/// A counter path: `[\\machine]\object[([parent/]instance[#index])]\counter`. Without a machine, the first `\` may be
/// missing: `Processor(_Total)\% Processor Time`. Names of real objects and instances contain parentheses, slashes and
/// `#`, and a path has no escapes for these characters. A path alone therefore does not show where the object ends and
/// the instance begins. `Filter::select` separates them, because it knows the objects of the sample.
struct CounterPath {
    std::string text;                      ///< the complete path
    std::string machine, object, counter;  ///< parts of the path; `object` includes the instance in parentheses

    /// Maximum length of a path in characters of UTF-16, as in PDH (PDH_MAX_COUNTER_PATH, pdh.h).
    static constexpr std::size_t longest = 2048;
    static bool is_too_long(std::string_view text) noexcept;

    /// Parses a path. Returns none if the text is not a counter path, or is too long.
    static std::optional<CounterPath> parse(std::string_view text);
};

/// Reads the lines of a file of counter paths. Windows' `typeperf -q` writes such files, and `typeperf -cf` reads them.
/// The file is in UTF-8 or in UTF-16 (as PowerShell's `>` writes it). `file` is its content. Returns the paths without
/// the quotes around them, and without blank lines.
std::vector<std::string> read_path_list(Bytes file);

/// An object of a sample, and the instances and counters of the object that are selected.
struct Selected {
    std::size_t object;                        ///< position in `Sample::objects()`
    std::vector<std::uint32_t> rows, columns;  ///< positions of instances and of columns in the object, ascending
};

/// A pattern or path that matched nothing. `request` states its kind and text, such as `object 'Procesor'`. `nearest`
/// is the name that the user probably meant, such as `Processor`; empty if no similar name was found. If a path names
/// no instance, but its object has a list of instances, `nearest` is the object with a wildcard for the instance, such
/// as `Process(*)`.
struct Unmatched {
    std::string request, nearest;
};

/// The objects, instances and counters that a user requests, as patterns and paths. A filter without patterns and paths
/// selects everything.
///
/// There are three kinds of patterns: for objects, for instances and for counters. A value is selected if, in each kind
/// that has patterns, at least one pattern matches. The values that a path matches are selected in addition.
class Filter {
  public:
    Filter();
    Filter(const Filter& other);
    Filter& operator=(const Filter& other);
    Filter(Filter&&) noexcept;
    Filter& operator=(Filter&&) noexcept;
    ~Filter();

    /// Adds a pattern for objects.
    void add_object(std::string_view pattern);
    /// Adds a pattern for instances.
    void add_instance(std::string_view pattern);
    /// Adds a pattern for counters.
    void add_counter(std::string_view pattern);
    /// Adds a counter path.
    void add_path(CounterPath path);

    /// Makes paths match English names too, through the title indices in `titles`, as PdhAddEnglishCounter does. The
    /// names of the sample take precedence: English names are tried only for a path that matches nothing in the sample.
    /// `titles` are those of the reader of the samples, and must outlive the calls of `select`.
    void use_english(const Titles& titles);
    /// Returns the paths that have matched English names in place of the names of a sample.
    std::vector<std::string> matched_in_english() const;

    /// Fills `selected` with the requested parts of a sample, in the order of the sample's objects. If paths request
    /// different counters for different instances of an object, `selected` contains the object more than once, but each
    /// instance of the object only once.
    void select(const Sample& sample, std::vector<Selected>& selected);

    /// Returns the patterns and paths that have matched nothing in any sample so far.
    std::vector<Unmatched> unmatched() const;

    /// Maximum number of comparisons of names with patterns in one sample. They take about half a second.
    static constexpr std::uint64_t most_comparisons = 10'000'000;
    /// Returns whether any sample needed more than `most_comparisons` comparisons. In such a sample, requested parts
    /// may not have been selected.
    bool gave_up() const noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
