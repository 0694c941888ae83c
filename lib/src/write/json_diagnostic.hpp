// A diagnostic in hkpd's JSON documents.
#pragma once

#include "hkpd/error.hpp"
#include "json_stream.hpp"

namespace hkpd {

/// Writes the members of a diagnostic into the object at hand.
void write_diagnostic(JsonStream& json, const Diagnostics& diagnostics, const Diagnostic& diagnostic);

/// Paths may hold any bytes, JSON only UTF-8.
void write_path(JsonStream& json, std::string_view path);

}  // namespace hkpd
