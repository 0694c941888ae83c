// State that the sample builders keep from one sample to the next: memory for columns, names and objects, and the
// sources that these were built from.
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

/// Identifies the definitions that columns were built from. Objects with the same known description differ only in
/// their values.
struct Description {
    std::shared_ptr<const void> by;  ///< token of the builder; kept alive, so that no other builder has the same token
    std::uint64_t at = 0;            ///< `v1::Object::readings` of the object with these definitions
    std::uint64_t place = 0;         ///< position of the object in its sample

    bool known() const noexcept { return by != nullptr; }
    /// Returns whether both are known and equal.
    bool same_as(const Description& other) const noexcept { return known() && *this == other; }
    bool operator==(const Description&) const = default;
};

/// Allocates memory for numbers that are all assigned before they are read. `resize` leaves new elements as they are.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
    template <class Other>
    struct rebind {
        using other = UninitializedAllocator<Other>;
    };
    template <class Made, class... Arguments>
    void construct(Made* at, Arguments&&... arguments) {
        if constexpr (sizeof...(Arguments) == 0)
            ::new (static_cast<void*>(at)) Made;
        else
            std::construct_at(at, std::forward<Arguments>(arguments)...);
    }
};
using NumberMemory = std::vector<std::uint64_t, UninitializedAllocator<std::uint64_t>>;

struct Object::Memory {
    NumberMemory numbers;             ///< columns, one after the other
    std::vector<ValueStatus> status;  ///< statuses of the columns; only if any value is damaged
    /// `text`: text and byte values. `names`: the instances' names, one after the other.
    std::string text, names;
    /// Parents of all instances: the title index of the object that contains them (0: no instance has a parent), and
    /// the highest position of a parent in that object. `differ`: not all instances have the same parent object.
    struct Parents {
        std::uint32_t object = 0, last = 0;
        bool differ = false;
    };
    Parents parents;
    Description description;  ///< for V1 only
    /// V1 only: number of counters that have a companion in `numbers`, for text, bytes or an instance count.
    std::size_t companions = 0;
    /// The part of `numbers` that the columns show. If it is the same as in the previous sample, so are the columns.
    struct Shown {
        const std::uint64_t* numbers = nullptr;
        std::size_t capacity = 0, rows = 0;  ///< of a column

        bool operator==(const Shown&) const = default;
    };
    std::optional<Shown> shown;  ///< V1 only; none if any value is damaged or the columns are new
    Place place;                 ///< place of the block or row that the object was built from
    /// The source of the names. The names are looked up again only if this source has changed.
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
    std::vector<Object> objects;  ///< only the first `used` are in the sample; the others keep memory
    std::size_t used = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> positions;  ///< title index and position of objects, sorted
    std::vector<std::uint32_t> tables;                               ///< title tables that any name came from

    /// Returns the object at position `used`, creating it if necessary. To add this object, increment `used`.
    Object& next() {
        if (used == objects.size()) objects.emplace_back();
        return objects[used];
    }
    /// Sorts the positions once all objects have been added; no object can be found before that.
    void index_titles();
};

/// Resets a sample, keeping its memory. Fields that its builder does not set afterwards are as in a new sample.
void begin_sample(Sample& sample, SampleSource source, std::optional<std::string_view> machine,
                  const Sample::Origin& origin);

/// Sets the time of a sample to that of its block, in UTC. The sample already has the block's PerfTime100nSec. If
/// SystemTime is a local time, or differs from PerfTime100nSec in another way, reports `fault`. The location of `fault`
/// must be that of SystemTime.
void set_block_time(Sample& sample, const SystemTime& system_time, Error fault, const FaultSink& faults);

}  // namespace hkpd
