// The built-in names of objects and counters in other languages than English, and how names of an input in such a
// language are translated. The table is unpacked when the first name that may be in it is seen: English inputs never
// need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hkpd {

class TitleTable;
class Titles;

/// An object and its counters, by their names in an input, or by their English names; empty: unknown.
struct NamedObject {
    std::string_view name;
    std::vector<std::string_view> counters;
};

/// The names of an input in English.
struct Translation {
    std::string_view language;           ///< as people call it: `German`
    std::string_view language_id;        ///< as in Perflib: `007`
    std::vector<NamedObject> objects;    ///< those that were given, with English names that live as long as the program
    std::size_t names = 0, unknown = 0;  ///< number of different names, and of those without an English one
    std::string_view first_unknown;      ///< one of them, as in the input
};

/// Returns the English names of a machine's objects and counters; none if they are English already, or in no known
/// language. The language is the one that most of the names are in. A name that stands for several English ones is
/// that of its object; if the object has none of them, or several, it is unknown. Case, the form of apostrophes and
/// spaces, and the dots of Turkish letters do not matter.
std::optional<Translation> translate(std::span<const NamedObject> objects);

/// Returns the English titles of a table in another language, with its indices, as far as they are known; none if it is
/// English, or in no known language.
std::optional<TitleTable> translate(const TitleTable& table);

/// Adds the English titles of a table in another language to a list, after all others: an English table of the machine
/// that is in the list, or is added later, takes precedence.
void add_translation(Titles& titles, const TitleTable& table);

/// Returns whether a text is the name of an object or counter of Windows: a built-in title, in English or in another
/// language.
bool is_known_title(std::string_view text);

/// Returns the language that most texts of a table of titles are in, if it is not English: `German`; empty otherwise.
std::string_view local_language(const TitleTable& table);

// Generated, see tools/make_local_titles.py.
extern const std::size_t local_titles_size;                // of the unpacked table
std::span<const std::uint32_t> local_objects() noexcept;   // hashes of objects' names that are in no English title
std::span<const std::uint32_t> english_titles() noexcept;  // hashes of English titles

}  // namespace hkpd
