// What the builders of samples keep from one sample to the next: the memory that columns, names and objects lie in, and
// what they were made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

/// Which definitions columns were made from. Objects with the same known description differ in their values only.
struct Description {
    std::shared_ptr<const void> by;  ///< the builder, as long as that is there
    std::uint64_t at = 0;            ///< how often it had read their definitions
    std::uint64_t place = 0;         ///< the object's in its sample

    bool known() const noexcept { return by != nullptr; }
    bool operator==(const Description&) const = default;
};

struct Object::Memory {
    std::vector<std::uint64_t> numbers;  ///< the columns, one after the other
    std::vector<ValueStatus> status;     ///< their statuses, where any value is damaged
    /// Text and byte values; the instances' names, one after the other. No strings, whose short texts move with them.
    std::vector<char> text, names;
    /// Of all instances: the object of their parents and the last place there, or that not all have the same object.
    struct Parents {
        std::uint32_t object = 0, last = 0;
        bool differ = false;
    };
    Parents parents;
    bool unnamed = false;      ///< whether the instances were last built without names
    bool shown_sound = false;  ///< whether the columns were last shown without any status
    Description description;
    std::vector<std::uint32_t> tables;  ///< of titles, that gave names to columns
    Place place;                        ///< of the block or row that it was built from
    /// What gave the names: they are looked up again only where that has changed.
    struct NamedBy {
        const Titles* titles = nullptr;
        std::size_t tables = 0;
        bool own_titles = false;
        std::string machine;

        bool operator==(const NamedBy&) const = default;
    };
    NamedBy named_by;
};

struct Sample::Memory {
    std::vector<Object> objects;  ///< the first `used` of them count, the others are kept for their memory
    std::size_t used = 0;
    /// Title index → position of the first object with it. What earlier samples left points elsewhere, and is known by
    /// that.
    std::map<std::uint32_t, std::size_t> positions;
    std::vector<std::uint32_t> titles;  ///< of the objects, behind them those of the sample before
    bool in_order = false;              ///< whether all so far are those of the sample before
    std::vector<std::uint32_t> tables;  ///< of titles, that gave a name to anything

    /// Empties the sample for the next one.
    void clear() noexcept {
        used = 0;
        tables.clear();
    }
    /// Returns the object at position `used`, made where there was none so far. Raise `used` to add it.
    Object& next() {
        if (used == objects.size()) objects.emplace_back();
        return objects[used];
    }
    /// Remembers where an object is that has just been added. Of objects that come in the same order as in the sample
    /// before it is known.
    void note_title(std::size_t position);
    /// Returns the position of the first object with a title index.
    std::optional<std::size_t> find(std::uint32_t title_index) const noexcept;
};

}  // namespace hkpd
