// Writes V1 blocks as a producer does. Writer and reader share no layout code, so that a mistake in one is not hidden
// by the same mistake in the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "hkpd/guid.hpp"
#include "hkpd/provider.hpp"
#include "hkpd/time.hpp"

namespace hkpd {

/// Builds one PERF_DATA_BLOCK: little-endian, with all padding zero. Layout: winperf.h.
class V1BlockWriter {
  public:
    /// Begins a block with the times of `moment` and the machine name `machine` (UTF-8).
    V1BlockWriter(const Moment& moment, std::string_view machine);

    /// The members of PERF_OBJECT_TYPE, except for the lengths, which are computed.
    struct Object {
        std::uint32_t title_index = 0, help_index = 0, detail_level = 100;
        std::int32_t default_counter = -1;
        bool is_list = false;  ///< whether the object has instances; false: PERF_NO_INSTANCES
        std::int64_t perf_time = 0, perf_frequency = 0;
    };
    /// The members of PERF_COUNTER_DEFINITION.
    struct Counter {
        std::uint32_t title_index = 0, help_index = 0;
        std::int32_t scale = 0;
        std::uint32_t detail_level = 100, type = 0, size = 8;
        std::uint32_t offset = 0;  ///< offset in the counter block; bytes 0 to 3 are the block's length
    };
    const Moment& moment() const noexcept { return moment_; }

    /// Begins an object. Each counter block of the object has `block_size` bytes (rounded up to a multiple of 8),
    /// including ByteLength.
    void begin_object(const Object& object, std::span<const Counter> counters, std::uint32_t block_size);
    /// Adds an instance to the current object, with zero values. Returns the position of the instance in the object.
    /// `name` is UTF-8.
    std::uint32_t add_instance(std::string_view name, std::int32_t unique_id = -1, std::uint32_t parent_object = 0,
                               std::uint32_t parent_instance = 0);
    /// Begins the only counter block of an object without instances.
    void add_block();
    /// Sets a value of 4 or 8 bytes at `offset` in the current counter block. Does nothing if the value would lie
    /// outside the block.
    void set(std::uint32_t offset, std::uint32_t size, std::uint64_t value);
    /// Ends the current object.
    void end_object();

    /// Returns the complete block. Nothing can be added afterwards.
    std::vector<std::byte> finish();

  private:
    Moment moment_;
    std::vector<std::byte> out_;
    std::size_t object_ = 0, block_ = 0;
    std::uint32_t block_size_ = 0, instances_ = 0, objects_ = 0;
    bool is_list_ = false;
};

class TitleTable;

/// The title indices of countersets in the V1 view, where hkpd writes each counterset as a V1 object. Each counterset
/// and each counter has two indices: an even index for the name, and the odd index after it for the help text. Indices
/// are assigned in the order of registration, from `first` on; `first` must be even.
class V1Numbering {
  public:
    /// Assigns indices to `countersets`. Countersets that are registered later have no index.
    V1Numbering(std::uint32_t first, const CountersetList& countersets);
    /// Returns the title index of the object for a counterset; 0 if the counterset has no index.
    std::uint32_t object(const Guid& counterset) const noexcept;
    /// Returns the title index of a counter; 0 if the counter has no index.
    std::uint32_t counter(const Guid& counterset, std::uint32_t id) const noexcept;
    /// Returns the first index after those that were assigned.
    std::uint32_t end() const noexcept { return end_; }

  private:
    std::map<Guid, std::map<std::uint32_t, std::uint32_t>> counters_;
    std::map<Guid, std::uint32_t> objects_;
    std::uint32_t end_;
};

/// Adds the texts of the countersets and counters that have title indices: names to `names`, help texts to `help`.
void append_titles(TitleTable& names, TitleTable& help, const CountersetList& countersets,
                   const V1Numbering& numbering);

/// Appends countersets to a V1 block as V1 objects (the V1 view). A base immediately follows each counter that uses it,
/// because V1 pairs counters with bases by adjacency. Instances have no UniqueID, and `_Total` of an aggregate
/// counterset is the last instance. `objects` lists the title indices of the objects to append; if `objects` is empty,
/// all objects are appended.
void append_v1_view(V1BlockWriter& block, const CountersetList& countersets, const V1Numbering& numbering,
                    std::span<const std::uint32_t> objects);

}  // namespace hkpd
