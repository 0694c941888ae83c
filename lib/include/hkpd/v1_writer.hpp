// Writes V1 blocks in the form in which Windows returns them. The writer uses none of the reader's code for the layout
// of structures. If both used the same code, tests that read written blocks would not find a mistake in that code.
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

/// Builds one PERF_DATA_BLOCK in little endian, with zeros as padding. Layout: winperf.h.
class V1BlockWriter {
  public:
    /// Begins a block with the times of `moment` and the machine name `machine` (UTF-8).
    V1BlockWriter(const Moment& moment, std::string_view machine);

    /// The members of PERF_OBJECT_TYPE that the caller determines. The writer computes the lengths, NumCounters and
    /// NumInstances.
    struct Object {
        std::uint32_t title_index = 0, help_index = 0, detail_level = 100;
        std::int32_t default_counter = -1;
        bool is_list = false;  ///< true: the object has a list of instances; false: PERF_NO_INSTANCES
        std::int64_t perf_time = 0, perf_frequency = 0;
    };
    /// The members of PERF_COUNTER_DEFINITION.
    struct Counter {
        std::uint32_t title_index = 0, help_index = 0;
        std::int32_t scale = 0;
        std::uint32_t detail_level = 100, type = 0, size = 8;
        std::uint32_t offset = 0;  ///< offset of the value in the counter block, at least 4 (after ByteLength)
    };
    const Moment& moment() const noexcept { return moment_; }

    /// Begins an object. Each counter block of the object has `block_size` bytes, rounded up to a multiple of 8. This
    /// size includes the 4 bytes of ByteLength.
    void begin_object(const Object& object, std::span<const Counter> counters, std::uint32_t block_size);
    /// Adds an instance to the current object, and begins the instance's counter block, in which all values are 0.
    /// Returns the position of the instance in the object. `name` is UTF-8.
    std::uint32_t add_instance(std::string_view name, std::int32_t unique_id = -1, std::uint32_t parent_object = 0,
                               std::uint32_t parent_instance = 0);
    /// Begins the only counter block of an object without a list of instances. All values in the block are 0.
    void add_block();
    /// Sets a value of 4 or 8 bytes at `offset` in the current counter block. Does nothing if the value would lie
    /// outside the block.
    void set(std::uint32_t offset, std::uint32_t size, std::uint64_t value);
    /// Ends the current object.
    void end_object();

    /// Returns the complete block. No other function may be called afterwards.
    std::vector<std::byte> finish();

  private:
    Moment moment_;
    std::vector<std::byte> out_;
    std::size_t object_ = 0, block_ = 0;
    std::uint32_t block_size_ = 0, instances_ = 0, objects_ = 0;
    bool is_list_ = false;
};

class TitleTable;

/// The title indices of V2 countersets and their counters when hkpd writes them to a V1 block (`append_v1_view`). Each
/// counterset and each counter has two indices: an even index for the name, and the next odd index for the help text.
class V1Numbering {
  public:
    /// Assigns indices to `countersets` and their counters, in the order of the list. The first index is `first`, which
    /// must be even. Countersets that are registered later have no index.
    V1Numbering(std::uint32_t first, const CountersetList& countersets);
    /// Returns the title index of a counterset, which is an object in V1; 0 if the counterset has no index.
    std::uint32_t object(const Guid& counterset) const noexcept;
    /// Returns the title index of a counter; 0 if the counter has no index.
    std::uint32_t counter(const Guid& counterset, std::uint32_t id) const noexcept;
    /// Returns the first index that is not assigned: the last assigned index plus 1.
    std::uint32_t end() const noexcept { return end_; }

  private:
    std::map<Guid, std::map<std::uint32_t, std::uint32_t>> counters_;
    std::map<Guid, std::uint32_t> objects_;
    std::uint32_t end_;
};

/// Adds the texts of all countersets and counters that have title indices. Names are added to `names`, and help texts
/// to `help`. Empty texts are not added.
void append_titles(TitleTable& names, TitleTable& help, const CountersetList& countersets,
                   const V1Numbering& numbering);

/// Appends V2 countersets to a V1 block as V1 objects. `objects` has the title indices of the objects to append; if
/// `objects` is empty, all countersets with a title index are appended. A counterset is left out if its callback adds
/// no instance and returns an error. A counterset without instance names is also left out if it has no instance. The
/// definition of a counter is directly followed by the definitions of its base (BaseCounterId) and of the counter with
/// its number of instances (MultiId), because in V1 only this order shows that they belong to the counter. Instances
/// have no UniqueID. `_Total` of an aggregate counterset is the last instance.
void append_v1_view(V1BlockWriter& block, const CountersetList& countersets, const V1Numbering& numbering,
                    std::span<const std::uint32_t> objects);

}  // namespace hkpd
