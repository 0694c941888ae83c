// What is shown of the raw counters of performance logs, beside their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "hkpd/sample.hpp"

namespace hkpd {

/// SecondValue, which has a sign.
std::int64_t second_value(const Column& column, std::size_t row) noexcept;
/// Whether MultiCount says anything: the type is that of a multi timer, or it is not 1.
bool counts(const Column& column, std::size_t row) noexcept;
/// The PDH status of a value in hexadecimal, `0x800007d1`; `damaged`.
std::string status_number(ValueStatus status);
/// Likewise for people: `no_instance`; the number where there is no word.
std::string status_word(ValueStatus status);
/// When a value was taken, `2016-11-26T21:46:30.8740000Z`, where that is another millisecond than the sample's.
std::optional<std::string> taken_apart(const Sample& sample, const Column& column, std::size_t row);

}  // namespace hkpd
