// The raw counters of a log's row as objects of a sample.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blg/blg.hpp"
#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"
#include "sample/build/log_instances.hpp"
#include "sample/build/log_objects.hpp"
#include "sample/build/log_schema.hpp"

namespace hkpd {

/// Fills one object after the other. Keeps memory between rows.
class LogObjects {
  public:
    /// From now on objects are of this row, which has to stay as it is, and have together at most so many values.
    /// `fits`: whether the row has the records that the catalogue says; else its values are damaged. `bias`: UTC -
    /// local of the row, in 100 ns.
    void begin(const blg::Row& row, bool fits, std::int64_t bias, std::uint64_t most_values);
    /// `by`: what the description of the group's columns is known by.
    void fill(Object& object, const LogGroup& group, const Object::Description& by, Diagnostics& diagnostics);

  private:
    bool fits_limit(std::uint64_t columns, std::uint64_t rows, Diagnostics& diagnostics);
    void fill_fixed(Object& object, const LogGroup& group, LogObjectFiller& values, Diagnostics& diagnostics);
    void fill_listed(Object& object, const LogGroup& group, LogObjectFiller& values, Diagnostics& diagnostics);
    void open_lists(const LogGroup& group, Diagnostics& diagnostics);
    ValueStatus status_of_list(std::size_t list) const noexcept;
    void fill_names(Object& object, const LogGroup& group, std::size_t rows, Diagnostics& diagnostics);

    const blg::Row* row_ = nullptr;
    bool fits_ = false;
    std::int64_t bias_ = 0;
    std::uint64_t values_left_ = 0;
    std::uint64_t names_left_ = 0;  // bytes: the same ones may not be the names of many
    // For their memory.
    std::string text_;
    std::vector<blg::RawInstances> lists_;
    std::vector<bool> read_;  // of each list, whether it could be
    std::vector<bool> met_;   // of each row, whether the column at hand has a value
    LogInstances instances_;
};

}  // namespace hkpd
