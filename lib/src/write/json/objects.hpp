// Objects of samples in hkpd's JSON document.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/select.hpp"
#include "sample/display_name.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {

/// Writes the objects of one sample. What V1, V2 or a log does not have is not there.
///
/// What is known by its name alone has an index of null. Raw counters of a log have `time_base`, and beside the
/// `values` of an instance arrays of the same length: `second`; `multi_count`, a number where the type is that of a
/// multi timer or it is not 1; `status`, the PDH status of what has no value; `taken`, where that is another time than
/// the sample's. One of the last three that would hold nothing but null is not there.
class JsonObjects {
  public:
    /// Keeps references. `cooker` may be null: then there are raw values alone.
    JsonObjects(JsonStream& json, const Sample& sample, Cooker* cooker, bool help_text) noexcept
        : json_(json), sample_(sample), cooker_(cooker), help_text_(help_text) {}

    void write(const Selected& part);

  private:
    bool is_v1() const noexcept { return known_ == KnownBy::title; }
    bool is_v2() const noexcept { return known_ == KnownBy::counterset; }
    void write_identity(const Object& object);
    void write_help(const std::optional<Titles::Answer>& help);
    void write_counter(const Column& column, const Selected& part);
    void write_serving(const Column& column, const Selected& part);
    void write_type(std::uint32_t type);
    void write_attributes(std::uint64_t attributes);
    void write_reference(std::string_view key, std::int32_t column, const Selected& part);
    void cook(const Selected& part, std::span<const std::uint32_t> tile);
    void write_instance(const Object& object, std::uint32_t row, const Selected& part, std::size_t place);
    void write_ids(const Instance& instance);
    void write_logged(const Object& object, std::uint32_t row, const Selected& part);
    void write_cooked(std::size_t place);
    void write_parent(const Instance& instance);
    void close_parents(std::size_t levels);

    JsonStream& json_;
    const Sample& sample_;
    Cooker* cooker_;
    bool help_text_;
    KnownBy known_ = KnownBy::title;    // the object at hand
    std::vector<CookedColumn> cooked_;  // of the tile at hand, by place in `Selected::columns`
};

}  // namespace hkpd
