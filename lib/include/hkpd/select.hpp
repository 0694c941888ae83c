// Selects objects, instances and counters of a sample by index, name, wildcard or counter path. V2 objects are selected
// by name or by the GUID of their counterset, with or without braces; their counters by name or id.
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

/// A name with wildcards, compared ignoring case: `*` matches any characters, `?` matches one. There is no escape, as
/// in Windows' counter paths.
class Pattern {
  public:
    /// Takes the text of the pattern. If it is a number, the pattern also matches that index.
    explicit Pattern(std::string_view text);

    /// Returns whether the pattern matches the whole name.
    bool matches(std::string_view name) const;
    /// Returns whether the pattern is this index, or matches the name that belongs to the index.
    bool matches(std::uint32_t index, const std::optional<Titles::Answer>& name) const;
    const std::string& text() const noexcept { return text_; }
    /// Returns the index if the text is a number.
    std::optional<std::uint32_t> index() const noexcept { return index_; }

  private:
    std::string text_, folded_;
    std::optional<std::uint32_t> index_;
};

/// A counter path: `[\\machine]\object[([parent/]instance[#index])]\counter`. Real names contain parentheses, slashes
/// and `#`, and there is no escape, so the part before the last backslash is taken apart only against the objects of a
/// sample.
struct CounterPath {
    std::string text;                      ///< the path as it was given
    std::string machine, object, counter;  ///< its parts; `object` includes the instance and its parentheses

    /// Parses a path; none if the text is not a counter path.
    static std::optional<CounterPath> parse(std::string_view text);
};

/// Reads the lines of a file of counter paths, as `typeperf -q` writes it and `-cf` reads it: UTF-8 or UTF-16
/// (PowerShell's `>`). Blank lines are dropped, and so are quotes around a path.
std::vector<std::string> read_path_list(Bytes file);

/// The selected instances and counters of one object, as positions.
struct Selected {
    std::size_t object;                        ///< position in `Sample::objects()`
    std::vector<std::uint32_t> rows, columns;  ///< positions in its instances and columns, ascending
};

/// A request that matched nothing, such as object 'Procesor', and the name that was probably meant, empty if no name is
/// similar. For a path that does not state which instances of Process it means, that name is `Process(*)`.
struct Unmatched {
    std::string request, nearest;
};

/// The selection that a user requested. An empty filter selects everything.
///
/// Patterns of one kind (object, instance, counter) are alternatives; patterns of different kinds narrow each other.
/// Paths add to what the patterns select.
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

    /// Selects the requested parts of a sample, in the order of the sample. If paths request different counters of
    /// different instances of an object, the object appears more than once and each of its instances once.
    void select(const Sample& sample, std::vector<Selected>& selected);

    /// Returns the requests that have matched nothing in any sample so far.
    std::vector<Unmatched> unmatched() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
