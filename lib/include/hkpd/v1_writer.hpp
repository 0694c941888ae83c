// Writes V1 blocks, as a producer does. Shares no layout with the reader, so that neither hides the other's mistakes.
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

/// Builds one PERF_DATA_BLOCK, little endian, with all paddings zero. Layout: winperf.h.
class V1BlockWriter {
  public:
    /// Begins a block of a machine's name (UTF-8) and a moment.
    V1BlockWriter(const Moment& moment, std::string_view machine);

    /// What PERF_OBJECT_TYPE says; the lengths are worked out.
    struct Object {
        std::uint32_t title_index = 0, help_index = 0, detail_level = 100;
        std::int32_t default_counter = -1;
        bool is_list = false;  ///< false: PERF_NO_INSTANCES
        std::int64_t perf_time = 0, perf_frequency = 0;
    };
    /// What PERF_COUNTER_DEFINITION says.
    struct Counter {
        std::uint32_t title_index = 0, help_index = 0;
        std::int32_t scale = 0;
        std::uint32_t detail_level = 100, type = 0, size = 8;
        std::uint32_t offset = 0;  ///< in the counter block, whose first 4 bytes are its length
    };
    const Moment& moment() const noexcept { return moment_; }

    /// Begins an object, whose counter blocks all are `block_size` bytes (rounded up to 8), ByteLength counted.
    void begin_object(const Object& object, std::span<const Counter> counters, std::uint32_t block_size);
    /// An instance of the object at hand, with zero values; its place in the list is returned. `name` is UTF-8.
    std::uint32_t add_instance(std::string_view name, std::int32_t unique_id = -1, std::uint32_t parent_object = 0,
                               std::uint32_t parent_instance = 0);
    /// Begins the lone counter block of an object that is no list.
    void add_block();
    /// Sets bytes of the counter block at hand: 4 or 8 of them at the counter's offset; none where they lie outside.
    void set(std::uint32_t offset, std::uint32_t size, std::uint64_t value);
    /// The object at hand is complete.
    void end_object();

    /// The block, complete. Nothing can be added behind it.
    std::vector<std::byte> finish();

  private:
    Moment moment_;
    std::vector<std::byte> out_;
    std::size_t object_ = 0, block_ = 0;
    std::uint32_t block_size_ = 0, instances_ = 0, objects_ = 0;
    bool is_list_ = false;
};

class TitleTable;

/// How HKPD numbers the countersets in its V1 view: each set and each of its counters takes an even index for its name
/// and the odd one behind it for its help, in the order of registration from `first` on, which is even.
class V1Numbering {
  public:
    /// Numbers these sets. Those that are registered later have no index.
    V1Numbering(std::uint32_t first, const CountersetList& countersets);
    /// The object's index; 0 where the set is not numbered.
    std::uint32_t object(const Guid& counterset) const noexcept;
    /// The counter's; 0 where it is not numbered.
    std::uint32_t counter(const Guid& counterset, std::uint32_t id) const noexcept;
    /// The index behind the last.
    std::uint32_t end() const noexcept { return end_; }

  private:
    std::map<Guid, std::map<std::uint32_t, std::uint32_t>> counters_;
    std::map<Guid, std::uint32_t> objects_;
    std::uint32_t end_;
};

/// Adds the texts of the numbered sets: names to `names`, help to `help`.
void append_titles(TitleTable& names, TitleTable& help, const CountersetList& countersets,
                   const V1Numbering& numbering);

/// Appends the same countersets to a V1 block, as HKPD shows them: a base stands right behind each counter that names
/// it (V1 pairs by adjacency), instances have no UniqueID, `_Total` of aggregate sets comes last. `objects` are the
/// title indices that are wanted; empty: all.
void append_v1_view(V1BlockWriter& block, const CountersetList& countersets, const V1Numbering& numbering,
                    std::span<const std::uint32_t> objects);

}  // namespace hkpd
