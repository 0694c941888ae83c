// Maps of files and of the records of captures (hkpd/map.hpp), written as text. What an input states about the names of
// its later contents, such as titles and registrations, names the entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/run.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"

namespace hkpd {

/// The inputs of which maps are made, the entries that are shown, and the form in which they are shown.
struct MapRun {
    /// Files, directories and `-` (standard input). The form of a file is recognised by its content. Each record of a
    /// capture is an input of its own.
    std::vector<std::string> inputs{};
    V2Files v2{};  ///< files of a known form; a registration file that is not recognised is one string
    std::vector<std::string> titles{};      ///< title databases that name V1, in place of those in the inputs
    std::vector<std::string> languages{};   ///< as in `ReaderOptions`
    std::optional<std::uint64_t> at{};      ///< shows only entries that contain the byte at this offset in the input
    std::optional<std::uint32_t> record{};  ///< shows only this record of each capture, counted from 0
    std::optional<Pattern> object{};        ///< shows only entries of the objects that match
    /// Writes the entries. May be null if `at` has a value: the text is then that of `append_map_place` for each entry,
    /// and the faults in these entries.
    std::unique_ptr<MapWriter> writer{};
    Limits limits{};
};

/// The reason that inputs were not mapped, or not completely, although they can be read: `MapRun` does not fit them.
struct MapMismatch {
    /// Names what does not fit.
    enum class Kind : std::uint8_t {
        log,                    ///< `file` is a performance log, which has no blocks of its own
        titles,                 ///< `file` is a title database
        not_a_capture,          ///< `file` is not a capture, and `MapRun::record` has a value
        offset_in_capture,      ///< `file` is a capture, and `MapRun::at` has a value, but `MapRun::record` has none
        no_record,              ///< `file` has no record `MapRun::record`
        record_without_blocks,  ///< the record `MapRun::record` is of the kind `record`
        beyond_end,             ///< `MapRun::at` is not below `size`
        no_object,              ///< no entry of an object that matches `MapRun::object`
    };
    Kind kind{};
    std::string file{};  ///< as in `MapRun`, or the name of a file in a directory there
    Record::Kind record{};
    std::uint64_t size = 0;  ///< size of the input in bytes
    std::string nearest{};   ///< the name of an object that is most similar to the pattern; empty if none is similar
};

/// The result of `write_map`.
struct MapResult {
    std::size_t inputs = 0;   ///< number of inputs and records whose form is known
    bool is_damaged = false;  ///< without a writer: whether an input has errors, also those that are in the text alone
    std::optional<MapMismatch> mismatch{};  ///< the last one
};

/// Maps inputs one after another, and writes the text to `sink`, piece by piece. Adds the faults of the inputs to
/// `diagnostics`, and `name_limit` if names were left out (`Limits::names`). Each file is read into memory, up to
/// `Limits::bytes`; captures are read record by record.
MapResult write_map(const MapRun& run, const Sink& sink, Diagnostics& diagnostics);

}  // namespace hkpd
