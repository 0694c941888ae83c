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

/// A name with wildcards, compared ignoring case: `*` matches any characters, `?` matches one. As in Windows' counter
/// paths, wildcards cannot be escaped.
class Pattern {
  public:
    /// Creates a pattern from its text. If the text is a number, the pattern also matches the title index or counter id
    /// with this number.
    explicit Pattern(std::string_view text);

    /// Returns whether the pattern matches the whole name.
    bool matches(std::string_view name) const;
    /// Returns whether the pattern matches `index` or `name`, the name that belongs to the index.
    bool matches(std::uint32_t index, const std::optional<Titles::Answer>& name) const;
    const std::string& text() const noexcept { return text_; }
    /// Returns the text with folded case, for comparison with names that are folded in the same way.
    const std::string& folded() const noexcept { return folded_; }
    /// Returns whether the pattern has no wildcards.
    bool is_plain() const noexcept { return plain_; }
    /// Returns the index if the text is a number.
    std::optional<std::uint32_t> index() const noexcept { return index_; }

  private:
    std::string text_, folded_;
    std::optional<std::uint32_t> index_;
    bool plain_;
};

/// A counter path: `[\\machine]\object[([parent/]instance[#index])]\counter`. Names of real objects and instances
/// contain parentheses, slashes and `#`, and a path has no escapes for them. Therefore, object and instance are kept
/// together until the objects of a sample are known, and only then separated.
struct CounterPath {
    std::string text;                      ///< the path as it was given
    std::string machine, object, counter;  ///< parts; `object` includes the instance in parentheses

    /// Maximum length of a path in characters of UTF-16, as PDH allows (PDH_MAX_COUNTER_PATH, pdh.h).
    static constexpr std::size_t longest = 2048;
    static bool is_too_long(std::string_view text) noexcept;

    /// Parses a path; none if the text is not a counter path, or too long.
    static std::optional<CounterPath> parse(std::string_view text);
};

/// Reads the lines of a file of counter paths, as `typeperf -q` writes it and `typeperf -cf` reads it. The file is in
/// UTF-8 or in UTF-16 (as PowerShell's `>` writes it). Blank lines, and quotes around a path, are removed.
std::vector<std::string> read_path_list(Bytes file);

/// The positions of the selected instances and counters of one object.
struct Selected {
    std::size_t object;                        ///< position in `Sample::objects()`
    std::vector<std::uint32_t> rows, columns;  ///< positions in the object's instances and columns, ascending
};

/// A request that matched nothing, such as object 'Procesor', and the name that was probably meant (`nearest`).
/// `nearest` is empty if no name is similar. If the request is a path that names an object such as Process but no
/// instance, `nearest` is `Process(*)`.
struct Unmatched {
    std::string request, nearest;
};

/// The selection that a user requested. An empty filter selects everything.
///
/// There are three kinds of patterns: for objects, instances and counters. For each kind that has patterns, at least
/// one pattern must match. Whatever a path selects is selected in addition.
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

    /// Selects the requested parts of a sample, in the order of the sample. If paths request different counters for
    /// different instances of an object, `selected` contains the object more than once, but each instance of the
    /// object only once.
    void select(const Sample& sample, std::vector<Selected>& selected);

    /// Returns the requests that have matched nothing in any sample so far.
    std::vector<Unmatched> unmatched() const;

    /// Maximum number of comparisons of objects and instances with patterns in one sample: about half a second.
    static constexpr std::uint64_t most_comparisons = 10'000'000;
    /// Returns whether any sample needed more comparisons, so that parts of it were not selected.
    bool gave_up() const noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
