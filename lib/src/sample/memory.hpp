// State that the sample builders keep from one sample to the next: the memory of columns, names and objects, and a
// key of the definitions and title tables from which they were built. With this key, a builder detects
// what it need not build again.
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

class RunInstances;

/// Identifies the definitions that an object's columns were built from. The columns of two objects with equal known
/// keys differ only in their values.
struct DefinitionsKey {
    /// Token of the builder; null: unknown. Kept alive, so that no other builder gets the same token.
    std::shared_ptr<const void> builder;
    std::uint64_t revision = 0;  ///< `v1::Object::revision` of the object with these definitions
    std::uint64_t position = 0;  ///< position of the object in its sample

    bool known() const noexcept { return builder != nullptr; }
    /// Returns whether both keys are known and equal.
    bool same_as(const DefinitionsKey& other) const noexcept { return known() && *this == other; }
    bool operator==(const DefinitionsKey&) const = default;
};

/// An allocator that leaves the new elements of `resize` uninitialized. For numbers that are all assigned before they
/// are read, this saves setting them to 0.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
    template <class Made, class... Arguments>
    void construct(Made* at, Arguments&&... arguments) {
        if constexpr (sizeof...(Arguments) == 0)
            ::new (static_cast<void*>(at)) Made;
        else
            std::construct_at(at, std::forward<Arguments>(arguments)...);
    }
};
using NumberMemory = std::vector<std::uint64_t, UninitializedAllocator<std::uint64_t>>;

/// The names of an object and its counters in a second language: English ones of an object whose names are not, or the
/// names of the input if English ones are shown. Empty: unknown, or the same.
struct OtherNames {
    bool shows_english = false;  ///< whether the object's own names are the English ones
    std::string_view object;
    std::vector<std::string_view> columns;
};

struct Object::Memory {
    NumberMemory numbers;             ///< columns, one after the other
    std::vector<ValueStatus> status;  ///< statuses of the columns' values; empty if none is damaged
    /// `text`: text and byte values. `names`: the instances' names, one after the other.
    std::string text, names;
    /// The parents of all instances. `object`: title index of the object that contains the parents; 0: no instance has
    /// a parent. `last`: the highest position of a parent in that object. `differ`: whether instances have parents in
    /// different objects, or only some have a parent. If so, `object` is the title index that the first instance states
    /// (0 if the first instance has no parent).
    struct Parents {
        std::uint32_t object = 0, last = 0;
        bool differ = false;
    };
    Parents parents;
    DefinitionsKey definitions;  ///< for V1 only
    bool has_places = false;     ///< whether names of instances end in `#n` if they are not the first of their name
    /// V1 only: number of counters that have a companion. A companion is an array in `numbers`, after all columns, that
    /// has a second number for each value: the length of a text or of bytes, or the number of instances that follows
    /// the value of a multi timer in the counter block.
    std::size_t companions = 0;
    /// The part of `numbers` to which the columns refer. If it is the same part as for the previous sample, the columns
    /// need not be set again.
    struct Shown {
        const std::uint64_t* numbers = nullptr;
        std::size_t capacity = 0, rows = 0;  ///< reserved and used rows of each column

        bool operator==(const Shown&) const = default;
    };
    std::optional<Shown> shown;  ///< V1 only; none if any value is damaged or the columns are new
    /// V1 only: the title tables that contain the names of the columns, as positions in `Titles::tables()`. Each table
    /// is listed once.
    std::vector<std::uint32_t> tables;
    Place place;  ///< place of the block or row that the object was built from
    /// The source of the names. The names are looked up again only if this source has changed.
    struct NamedBy {
        const Titles* titles = nullptr;
        std::size_t tables = 0;
        bool own_titles = false;
        std::string machine;

        bool operator==(const NamedBy&) const = default;
    };
    NamedBy named_by;
    std::shared_ptr<const OtherNames> other_names;  ///< null: none
};

struct Sample::Memory {
    std::vector<Object> objects;  ///< only the first `used` are in the sample; the others are kept for their memory
    std::size_t used = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> positions;  ///< title index and position of objects, sorted
    std::vector<std::uint32_t> tables;  ///< positions of the title tables with the sample's names
    /// The identities of the run to which the sample belongs; null until the sample's reader or first user sets it.
    std::shared_ptr<RunInstances> run;
    std::uint64_t generation = 0;  ///< how many samples were built into this memory

    /// Returns the object at position `used`, creating it if necessary. To add this object, increment `used`.
    Object& next() {
        if (used == objects.size()) objects.emplace_back();
        return objects[used];
    }
    /// Fills and sorts `positions`. The builder calls this function after adding all objects. Before that call,
    /// `Sample::find` finds no object.
    void index_titles();
};

/// Resets a sample, keeping its memory. Fields that its builder does not set afterwards are as in a new sample.
void begin_sample(Sample& sample, SampleSource source, std::optional<std::string_view> machine,
                  const Sample::Origin& origin);

/// Sets the time of a sample to the time of its block, in UTC. `sample.perf_time_100ns` must already be the block's
/// PerfTime100nSec; `system_time` is the block's SystemTime. Reports `fault` if SystemTime is a local time, or differs
/// from PerfTime100nSec in another way. The caller sets the location in `fault` to that of SystemTime.
void set_block_time(Sample& sample, const SystemTime& system_time, Error fault, const FaultSink& faults);

}  // namespace hkpd
