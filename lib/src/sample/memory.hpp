// What the builders of samples keep from one sample to the next: the memory that columns, names and objects lie in, and
// what they were made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
    Description description;  ///< of V1
    Place place;              ///< of the block or row that it was built from
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
    std::vector<std::pair<std::uint32_t, std::uint32_t>> positions;  ///< title index and position of each, sorted
    std::vector<std::uint32_t> tables;                               ///< of titles, that gave a name to anything

    /// Returns the object at position `used`, made where there was none so far. Raise `used` to add it.
    Object& next() {
        if (used == objects.size()) objects.emplace_back();
        return objects[used];
    }
    /// Sorts the positions once all objects are there; no object can be found before.
    void index_titles();
};

/// Empties a sample for the next moment, in the memory that it has: what its builder does not set is as in a new one.
void begin_sample(Sample& sample, SampleSource source, std::optional<std::string_view> machine,
                  const Sample::Origin& origin);

}  // namespace hkpd
