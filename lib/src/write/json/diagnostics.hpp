// What was found, in hkpd's JSON documents.
#pragma once

#include <string_view>

#include "hkpd/error.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {

class Diagnostics;

/// Writes the members of a diagnostic into the current object.
void write_diagnostic(JsonStream& json, const Diagnostics& diagnostics, const Diagnostic& diagnostic);

/// The key `diagnostics` and a list of all that was kept.
void write_diagnostics(JsonStream& json, const Diagnostics& diagnostics);

/// Names of files are any bytes; JSON is UTF-8.
void write_path(JsonStream& json, std::string_view name);

}  // namespace hkpd
