// Writers of records in which names are replaced. Each reads a structure with the readers that also build samples, and
// writes it anew from what they return: a byte that they do not know to be a number or a name is never copied.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/byte_writer.hpp"
#include "base/text/encoding.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/record.hpp"
#include "hkpd/redact.hpp"

namespace hkpd {

/// Returns the name that replaces a name of an input.
std::string replaced_name(Pseudonyms& names, NameKind kind, const EncodedText& name);

// `values_left`: the number of values that may still be read, because those of hostile inputs overlap. Each value that
// is read is subtracted from it.

/// Reports the faults that were found in a block and were not found again in the new one, which readers see.
void report_missing(const Diagnostics& found, const Diagnostics& again, const FaultSink& faults);

/// Appends a V1 block. Returns false and appends nothing if its header cannot be read.
bool append_redacted_v1(ByteBuffer& out, Bytes input, std::uint64_t& values_left, Pseudonyms& names,
                        const FaultSink& faults);

/// Appends a V2 block. Returns false and appends nothing if its header cannot be read.
bool append_redacted_v2(ByteBuffer& out, Bytes input, std::uint64_t& values_left, Pseudonyms& names,
                        const FaultSink& faults);
/// Appends the identifiers of a query.
void append_redacted_identifiers(ByteBuffer& out, Bytes input, Pseudonyms& names, const FaultSink& faults);
/// Appends the result of a request for registration info. Returns false and appends nothing if it is left out: help
/// texts, and what cannot be read.
bool append_redacted_registration(ByteBuffer& out, const Record& record, Pseudonyms& names, const FaultSink& faults);

/// Append the contents of events of a performance log. They return false and append nothing if an event cannot be read.
/// @{
bool append_redacted_log_header(ByteBuffer& out, Bytes event, const FaultSink& faults);
bool append_redacted_catalogue(ByteBuffer& out, Bytes event, Pseudonyms& names, const FaultSink& faults);
bool append_redacted_row(ByteBuffer& out, Bytes event, std::uint64_t& values_left, Pseudonyms& names,
                         const FaultSink& faults);
bool append_redacted_trailer(ByteBuffer& out, Bytes event, const FaultSink& faults);
/// @}

/// A table of titles as REG_MULTI_SZ.
struct RedactedTitles {
    ByteBuffer bytes;
    std::string language;  ///< as three digits; empty if unknown
};
/// Returns the tables of a title database that have names.
std::vector<RedactedTitles> redacted_titles(const Record& record, Pseudonyms& names, const FaultSink& faults);

}  // namespace hkpd
