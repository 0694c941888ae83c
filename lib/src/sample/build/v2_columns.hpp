// What the columns of a counterset's object are: by its registration, once all results have brought their counters.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

class FaultSink;

/// Names the columns of objects and resolves the ids by which they refer to each other, never by where they stand.
class CountersetColumns {
  public:
    /// `offset` is that of the data block. Keeps references.
    CountersetColumns(std::vector<std::uint64_t>& by_id, std::uint64_t offset, const FaultSink& faults) noexcept
        : by_id_(by_id), offset_(offset), faults_(faults) {}

    /// Columns have an id, the size of their first value (0: none) and the place of their result. `set` is null where
    /// nothing is known of the counterset.
    void describe(Object& object, const Counterset* set);

  private:
    void sort_by_id(const Object& object);
    bool drop_repeated(Object& object);
    void relate(Column& column, const v2::CounterRegInfo& info) const noexcept;
    std::int32_t position_of(std::uint32_t id, std::int32_t missing) const noexcept;
    void check(const Object& object, Column& column, bool& told);
    void report(Severity severity, const Object& object, const Column& column, Errc code, std::string_view field,
                std::uint64_t need, std::uint64_t have);

    std::vector<std::uint64_t>& by_id_;  // id and position of each column in the upper and the lower half
    std::uint64_t offset_;
    FaultSink faults_;
};

}  // namespace hkpd
