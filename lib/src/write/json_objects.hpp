// Objects of samples in hkpd's JSON document.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/select.hpp"
#include "json_stream.hpp"

namespace hkpd {

/// Writes the objects of one sample. What V1 or V2 does not have is not there.
class JsonObjects {
  public:
    /// Keeps references. `cooker` may be null: then there are raw values alone.
    JsonObjects(JsonStream& json, const Sample& sample, Cooker* cooker, bool help_text) noexcept
        : json_(json), sample_(sample), cooker_(cooker), help_text_(help_text) {}

    void write(const Selected& part);

  private:
    bool is_v1() const noexcept { return sample_.source == SampleSource::v1; }
    void write_identity(const Object& object);
    void write_help(const std::optional<Titles::Answer>& help);
    void write_counter(const Column& column, const Selected& part);
    void write_type(std::uint32_t type);
    void write_attributes(std::uint64_t attributes);
    void write_reference(std::string_view key, std::int32_t column, const Selected& part);
    void cook(const Selected& part, std::span<const std::uint32_t> tile);
    void write_instance(const Object& object, std::uint32_t row, const Selected& part, std::size_t place);
    void write_cooked(std::size_t place);
    void write_parent(const Instance& instance);
    void close_parents(std::size_t levels);

    JsonStream& json_;
    const Sample& sample_;
    Cooker* cooker_;
    bool help_text_;
    std::vector<CookedColumn> cooked_;  // of the tile at hand, by place in `Selected::columns`
};

}  // namespace hkpd
