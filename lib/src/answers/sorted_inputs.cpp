#include "answers/sorted_inputs.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <system_error>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/map.hpp"
#include "source/input_formats.hpp"
#include "source/manifest.hpp"
#include "source/whole_file.hpp"

namespace hkpd {
namespace {

/// Returns the kind of V2 data in a file, detected by content; none for other files.
std::optional<MapForm> v2_form(const std::string& path, const Limits& limits) {
    FileStream file(path);
    StreamWindow window(file);
    const InputKind kind = recognise(window, limits);
    if (kind == InputKind::v2) return MapForm::v2_data;
    if (kind != InputKind::unknown) return std::nullopt;
    // Identifiers and registrations have no signature: only the whole of a file shows what it is.
    std::string content;
    if (!read_whole(path, content).empty()) return std::nullopt;
    const auto form = map_form_of(Bytes(std::as_bytes(std::span(content))));
    return form == MapForm::v1 ? std::nullopt : form;
}

/// Moves the files with V2 data from the list `files` to the lists in `v2`.
void take_v2_files(std::vector<std::string>& files, V2Files& v2, const Limits& limits) {
    std::erase_if(files, [&](const std::string& path) {
        const auto form = v2_form(path, limits);
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
        take_v2_files(files, sorted.v2, limits);
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
