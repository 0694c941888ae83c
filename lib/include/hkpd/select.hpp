// Which objects, instances and counters of a sample are wanted: by index, name, wildcard or counter path. Objects of V2
// go by name or by the GUID of their counterset, with or without braces; their counters by name or id.
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

/// A name with wildcards, compared without regard to case: `*` stands for any characters,
/// `?` for one. No escape exists, as in Windows' counter paths.
class Pattern {
  public:
    /// A number is an index too.
    explicit Pattern(std::string_view text);

    /// Whether it matches the whole name.
    bool matches(std::string_view name) const;
    /// Whether it is this index, or matches the name that the index has.
    bool matches(std::uint32_t index, const std::optional<Titles::Answer>& name) const;
    const std::string& text() const noexcept { return text_; }
    /// The index, where it is one.
    std::optional<std::uint32_t> index() const noexcept { return index_; }

  private:
    std::string text_, folded_;
    std::optional<std::uint32_t> index_;
};

/// `[\\machine]\object[([parent/]instance[#index])]\counter`. Real names hold parentheses, slashes and `#`, and no
/// escaping exists, so what stands before the last backslash is only taken apart against the objects of a sample.
struct CounterPath {
    std::string text;                      ///< as it was given
    std::string machine, object, counter;  ///< its parts; `object` with the instance, in parentheses, as it stands

    /// None where the text is no counter path.
    static std::optional<CounterPath> parse(std::string_view text);
};

/// The lines of a file of counter paths, as `typeperf -q` writes it and `-cf` reads it: UTF-8 or UTF-16 (PowerShell's
/// `>`), without blank lines and without quotes around a path.
std::vector<std::string> read_path_list(Bytes file);

/// Instances and counters of one object that are to be shown, as positions.
struct Selected {
    std::size_t object;                        ///< in `Sample::objects()`
    std::vector<std::uint32_t> rows, columns;  ///< in its instances and columns, ascending
};

/// A wish that nothing was there for, such as object 'Procesor', and the name that may have been meant; empty where
/// none is like it. `Process(*)` stands for a path that leaves out which instances of Process it is about.
struct Unmatched {
    std::string request, nearest;
};

/// What a user asked for. Without any wish, everything is selected.
class Filter {
  public:
    Filter();
    Filter(const Filter& other);
    Filter& operator=(const Filter& other);
    Filter(Filter&&) noexcept;
    Filter& operator=(Filter&&) noexcept;
    ~Filter();

    /// Wishes of one kind add up; those of different kinds narrow each other. Paths stand beside them.
    void add_object(std::string_view pattern);
    void add_instance(std::string_view pattern);
    void add_counter(std::string_view pattern);
    void add_path(CounterPath path);

    /// What of the sample is wanted, in the order of the sample. An object of which paths ask for different counters
    /// of different instances is there more than once, each of its instances once.
    void select(const Sample& sample, std::vector<Selected>& selected);

    /// Wishes that no sample so far had anything for.
    std::vector<Unmatched> unmatched() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
