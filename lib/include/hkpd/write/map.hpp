// A map of an input as text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hkpd/error.hpp"
#include "hkpd/map.hpp"

namespace hkpd {

/// One input that a map is drawn of: a file, or a record of a capture.
struct MapInput {
    std::string_view file;            ///< its name, or `-`
    std::uint32_t record = no_index;  ///< of a capture; `no_index`: the whole file
    MapForm form{};
    std::uint64_t size = 0;
};

/// One form of output. `begin`; for each input `begin_input`, its entries, `end_input`; then `end`. All is appended to
/// a buffer of the caller's.
class MapWriter {
  public:
    virtual ~MapWriter() = default;

    /// Each appends what there is to say so far. `totals` are those that `draw_map` has returned.
    virtual void begin(std::string& out);
    virtual void begin_input(const MapInput& input, std::string& out) = 0;
    virtual void entry(const MapEntry& entry, std::string& out) = 0;
    virtual void end_input(const MapTotals& totals, std::string& out) = 0;
    virtual void end(const Diagnostics& diagnostics, std::string& out);
};

/// For people: a line for each field with its bytes, and the totals. `all`: also all bytes of long runs.
std::unique_ptr<MapWriter> make_map_listing(bool all);
/// One JSON document.
std::unique_ptr<MapWriter> make_map_json();

/// What an entry is that has the byte at `offset`, with all that it is part of, in a few lines.
void append_map_place(std::string& out, MapForm form, const MapEntry& entry, std::uint64_t offset);

}  // namespace hkpd
