// What is wrong with the title databases of a machine: the corruption behind "performance counters are missing".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

/// What Perflib records about its title databases, in the key above those of the languages.
struct PerflibValues {
    /// A value of the registry.
    struct Number {
        std::uint32_t value;
        std::uint64_t offset;  ///< where it stands in the input
    };
    std::optional<Number> last_counter;  ///< `Last Counter`: the highest index of a name
    std::optional<Number> last_help;     ///< `Last Help`: the highest index of a help text
    std::optional<Number> base_index;    ///< `Base Index`: the highest index of the system's own titles
};

/// The values that an export (`reg export`, regedit) of the Perflib key has; none of any other input. Where a value is
/// there more than once the first counts (`WOW6432Node` has copies). Adds `title_registry_value` for one that is no
/// number.
PerflibValues read_perflib_values(Bytes input, Diagnostics& diagnostics);

/// One input with title tables, as `parse_titles` gives them.
struct TitleInput {
    std::span<const TitleTable> tables;
    PerflibValues values{};
    std::uint32_t input = no_index;   ///< position in `Diagnostics::inputs()`
    std::uint32_t record = no_index;  ///< of a capture, as in `Diagnostic`
};

/// Checks all title databases of one machine, language by language and against each other. What `parse_titles` tells
/// (`title_index`, `title_index_empty`, `title_unpaired`, `title_repeated`, ...) is not told again. Adds:
///
/// - `title_last_index`: the highest index is not Last Counter or Last Help; an error where titles are missing, a
///   warning where there are too many, or where index 1 does not say Base Index. At the last title.
/// - `title_no_help` (note): names without help, where the language has any; need and have are the first and last
///   index of a run of them. At the first name.
/// - `title_languages` (warning): names that other languages have, need and have as above. At the name before them.
/// - `title_overwritten` (error): the system's own titles in 009 are not the English ones. At the first that is not.
///   A producer with a numbering of its own (Samba) or without the system's titles (Wine) is not meant.
///
/// Takes time in proportion to the titles (and a logarithm).
void check_titles(std::span<const TitleInput> inputs, Diagnostics& diagnostics);

/// Adds `title_unnamed` (warning) for objects and counters of a block that no table names, once for each index and
/// object, where they stand in the block. Bases and index 0 ask for no name. The built-in table is not asked: it would
/// hide what the machine's own has lost.
void check_named(const v1::Block& block, const Titles& titles, Diagnostics& diagnostics);

/// What repairs a machine that has this fault, in a sentence for its administrator; empty for codes that are not about
/// title databases and providers, and where there is nothing to repair.
std::string_view repair_of(Errc code) noexcept;

}  // namespace hkpd
