#include "answers/sorted_inputs.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <system_error>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/map.hpp"
#include "source/manifest.hpp"
#include "source/whole_file.hpp"

namespace hkpd {
namespace {

/// Returns the kind of V2 data in a file, detected by content; none for other files.
std::optional<MapForm> v2_form(const std::string& path) {
    // Captures and logs are the largest inputs and can be recognised without reading them into memory.
    FileStream file(path);
    if (CaptureReader::is_capture(file) || is_log(file)) return std::nullopt;
    std::string content;
    if (!read_whole(path, content).empty()) return std::nullopt;
    const auto form = map_form_of(Bytes(std::as_bytes(std::span(content))));
    return form == MapForm::v1 ? std::nullopt : form;
}

/// Moves the files with V2 data from the list `files` to the lists in `v2`.
void take_v2_files(std::vector<std::string>& files, V2Files& v2) {
    std::erase_if(files, [&v2](const std::string& path) {
        const auto form = v2_form(path);
        if (!form) return false;
        if (form == MapForm::v2_data)
            v2.blocks.push_back(path);
        else
            (form == MapForm::identifiers ? v2.identifiers : v2.registrations).push_back(path);
        return true;
    });
}

}  // namespace

bool is_perflib_export(const std::string& path) {
    if (!path.ends_with(".reg")) return false;
    std::string content;
    if (!read_whole(path, content).empty()) return false;
    const PerflibValues values = read_perflib_values(Bytes(std::as_bytes(std::span(content))), {});
    return values.last_counter || values.last_help || values.base_index;
}

SortedInputs sort_inputs(const std::vector<std::string>& inputs, const Limits& limits, bool recursive) {
    SortedInputs sorted;
    for (const std::string& input : inputs) {
        if (input == "-" || (recursive && is_directory(input))) {
            sorted.samples.push_back(input);
            continue;
        }
        std::error_code error;
        std::vector<std::string> files = is_directory(input) ? files_in(input, error) : std::vector<std::string>{input};
        if (std::ranges::any_of(files, is_manifest)) {  // the directory is read like the capture it was exported from
            sorted.samples.push_back(input);
            continue;
        }
        std::vector<std::string> titles = take_title_files(files, limits);
        const auto exports = std::ranges::stable_partition(files, std::not_fn(is_perflib_export));
        titles.insert(titles.end(), exports.begin(), exports.end());
        files.erase(exports.begin(), exports.end());
        take_v2_files(files, sorted.v2);
        const bool all_taken = files.empty() && !error && (!titles.empty() || !sorted.v2.blocks.empty());
        if (all_taken)
            sorted.titles.insert(sorted.titles.end(), titles.begin(), titles.end());
        else
            sorted.samples.push_back(input);
    }
    // There must be one file of identifiers for all blocks, or one for each block. Otherwise it is unknown to which
    // block each file belongs, and no file of identifiers is used. The number of files can be wrong because identifiers
    // have no signature, so `v2_form` can take another file for identifiers by mistake.
    if (sorted.v2.identifiers.size() > 1 && sorted.v2.identifiers.size() != sorted.v2.blocks.size())
        sorted.v2.identifiers.clear();
    return sorted;
}

}  // namespace hkpd
