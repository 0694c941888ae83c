// The table of fault codes: all that is the same for every fault with a code. A new code is one row in fault_table.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "hkpd/error.hpp"

namespace hkpd {

/// The numbers of an `Error` that its message shows.
enum class NumberForm : std::uint8_t {
    none,
    found,           ///< `found`, the value in the input
    value,           ///< `found`, which completes the sentence: "duplicate index 5"
    expected_found,  ///< `expected` is the rule's value or the limit, `found` the input's
    signed_count,    ///< as `expected_found`, with both numbers shown as signed 32-bit numbers
    line,            ///< `found` in line `expected`, which is 0 if it is unknown
    range,           ///< from `expected` to `found`
    system,          ///< `found` is an error number of the system
    status,          ///< `found` is a Win32 status
    language,        ///< `found` is a language as Perflib numbers it, shown as `007`
};

/// A row of the table.
struct FaultRow {
    Errc code;
    std::string_view name;  ///< the code as output shows it, the same as in the enumeration
    Severity severity;      ///< the usual severity; the only one, except for codes in `varying_codes`
    NumberForm numbers;
    std::string_view sentence;  ///< what is wrong, for the message
    std::string_view rule{};    ///< the rule that the fault breaks; empty if the data is not wrong
    std::string_view
        repair{};  ///< how an administrator repairs the machine; empty if that is not necessary or possible
};

/// Returns all rows, in the order of the enumeration.
std::span<const FaultRow> fault_rows() noexcept;
/// Returns the row of a code.
const FaultRow& fault_row(Errc code) noexcept;

/// Returns the sentence for a fault. For some structures and fields it differs from the sentence in the code's row.
std::string_view sentence_for(const Error& error) noexcept;

/// Lists the codes whose faults have more than one severity. Each place that reports one of these codes states the
/// severity, which depends on what is lost.
inline constexpr auto varying_codes = std::to_array<Errc>({
    // An error if data is lost, otherwise a warning.
    Errc::block_length,
    Errc::header_length,
    Errc::machine_name,
    Errc::object_count,
    Errc::counter_count,
    Errc::instance_count,
    Errc::instance_name,
    Errc::result_length,
    Errc::result_count,
    Errc::value_size,
    Errc::title_last_index,
    Errc::capture_leftover,
    Errc::capture_foreign_channel,
    Errc::text_row,
    Errc::log_header,
    Errc::log_unknown,
    Errc::log_unfinished,
    // A warning, or a note if producers are known to write it, or nothing is lost by it.
    Errc::leftover_bytes,
    Errc::counter_size,
    Errc::length_uneven,
    Errc::result_status,
    Errc::counter_id_repeated,
    Errc::title_repeated,
    Errc::capture_unknown_record,
    // An error, or a note if the first events of a circular log have been overwritten.
    Errc::log_fragment,
    // A warning, or a note if none is stated.
    Errc::text_zone,
    // An error, or a note if nothing is lost by it; of the order of dates a warning if it is not certain.
    Errc::text_head,
    Errc::text_column,
    Errc::text_cell,
    Errc::text_time,
    // An error if bytes are lost, otherwise a note.
    Errc::text_encoding,
    // An error, a warning, or a note, depending on what was requested.
    Errc::query_failed,
    // An error if the file was named or is damaged, otherwise a note or a warning.
    Errc::packed_twice,
    Errc::v2_alone,
    Errc::not_recognised,
    Errc::foreign_file,
});

/// Returns whether faults with this code have more than one severity.
constexpr bool has_varying_severity(Errc code) noexcept {
    return std::ranges::find(varying_codes, code) != varying_codes.end();
}

/// The repair of a machine whose titles are damaged.
inline constexpr std::string_view rebuild_titles =
    "run `lodctr /R` as administrator in System32 and again in SysWOW64; it rebuilds the titles from the "
    "providers' .ini files";

}  // namespace hkpd
