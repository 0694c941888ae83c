// The inputs of a check, sorted by kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/source.hpp"

namespace hkpd {

/// The inputs by kind.
struct SortedInputs {
    std::vector<std::string> samples, titles, services;
    V2Files v2;
};

/// Sorts the inputs by kind. A directory is one input with samples, unless it has only title databases and V2 data. In
/// that case, and unless its subdirectories are read too, each of its files is sorted separately.
SortedInputs sort_inputs(const std::vector<std::string>& inputs, const Limits& limits, bool recursive);

/// Returns whether a file has the name of a title database that Windows installs, such as perfc009.dat, and is empty or
/// consists of zeroes.
bool is_lost_title_file(const std::string& path);

/// Returns the beginning of the name of the file that Windows has next to a title database, `perfh` for perfc009.dat,
/// if it is missing; empty otherwise.
std::string_view missing_partner(const std::string& path);

/// Returns whether a file is an export of the Perflib key, possibly without any titles.
bool is_perflib_export(const std::string& path);

}  // namespace hkpd
