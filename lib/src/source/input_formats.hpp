// The formats of inputs, and the one function that recognises them. A format is a row of the table in
// `input_formats.cpp`, and a file that reads its records.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "hkpd/limits.hpp"
#include "hkpd/overview.hpp"
#include "source/record_stream.hpp"

namespace hkpd {

/// A kind of input.
struct InputFormat {
    std::string_view name;   ///< as `kind_name` returns it
    std::string_view words;  ///< as people read it
    /// Returns whether the input in a window is of this kind. The window is at the beginning, and stays there. Null for
    /// what has no content of its own: directories.
    bool (*recognise)(StreamWindow& window, const Limits& limits) = nullptr;
    bool needs_all = false;  ///< whether `recognise` may have to read the whole input
    /// Opens an input of this kind. Null for a kind that is more than one stream of records: archives and directories
    /// are read file by file, V2 blocks with the identifiers of their query (`open_v2_files`), titles before what they
    /// name.
    std::unique_ptr<RecordStream> (*open)(RecordInput input) = nullptr;
};

/// Returns the row of a kind.
const InputFormat& input_format(InputKind kind) noexcept;

/// Returns the kind of the input in a window, which is at the beginning and stays there. What is compressed is unknown
/// until it is unpacked, except for zip archives.
InputKind recognise(StreamWindow& window, const Limits& limits);
/// Does the same, but reads no more than the first bytes. V2 blocks and titles, which need more, are unknown.
InputKind recognise_beginning(StreamWindow& window, const Limits& limits);

}  // namespace hkpd
