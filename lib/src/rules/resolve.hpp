// Resolves the names in threshold files: of collections, questions and variables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rules/data.hpp"
#include "rules/threshold_file.hpp"

namespace hkpd::pal {

/// Returns the rules of files, of which inherited ones come first. An analysis replaces an earlier one with the same
/// ID, a question one with the same name.
std::shared_ptr<const Rules::Data> resolve(std::vector<ThresholdFile> files, std::vector<std::string> missing);

}  // namespace hkpd::pal
