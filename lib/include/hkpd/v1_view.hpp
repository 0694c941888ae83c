// The V1 view of V2 countersets: what HKPD makes of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "hkpd/guid.hpp"
#include "hkpd/provider.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v1_writer.hpp"

namespace hkpd {

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
