#include "answers/sorted_inputs.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <system_error>

#include "base/file_stream.hpp"
#include "base/foreign_file.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "base/text/located_text.hpp"
#include "base/text/registry_text.hpp"
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

/// Returns the position of the letter by which perfcNNN.dat and perfhNNN.dat differ; `npos` for other names.
std::size_t system_title_letter(const std::string& path) {
    const std::string name = lower_case(path_text(path_of(path).filename()));
    constexpr std::string_view form = "perfc009.dat";
    constexpr std::size_t letter = 4;
    const bool fits = name.size() == form.size() && name.starts_with("perf") && name.ends_with(".dat") &&
                      (name[letter] == 'c' || name[letter] == 'h');
    return fits ? path.size() - form.size() + letter : std::string::npos;
}

/// Returns whether a file lists services with performance counters: a registry export, or the output of reg query or
/// lodctr /q.
bool is_services_file(const std::string& path) {
    FileStream file(path);
    StreamWindow window(file);
    if (registry_form(open_text(window.peek(foreign_beginning)).text) == RegistryForm::none) return false;
    std::string content;
    if (!read_whole(path, content).empty()) return false;
    const auto services = read_services(Bytes(std::as_bytes(std::span(content))), {});
    return services && !services->all().empty();
}

}  // namespace

bool is_lost_title_file(const std::string& path) {
    if (system_title_letter(path) == std::string::npos) return false;
    std::string content;
    return read_whole(path, content).empty() && content.find_first_not_of('\0') == std::string::npos;
}

std::string_view missing_partner(const std::string& path) {
    const std::size_t letter = system_title_letter(path);
    if (letter == std::string::npos) return {};
    const bool is_names = path[letter] == 'c' || path[letter] == 'C';
    for (const char other : is_names ? std::string_view("hH") : std::string_view("cC")) {
        std::string partner = path;
        partner[letter] = other;
        if (is_regular_file(partner)) return {};
    }
    return is_names ? "perfh" : "perfc";
}

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
        // One file can have both: the whole registry, or several commands' output.
        std::ranges::copy_if(titles, std::back_inserter(sorted.services), is_services_file);
        const auto take = [&files](auto is_taken) {
            const auto found = std::ranges::stable_partition(files, std::not_fn(is_taken));
            std::vector<std::string> taken(found.begin(), found.end());
            files.erase(found.begin(), found.end());
            return taken;
        };
        std::ranges::move(take(is_perflib_export), std::back_inserter(titles));
        const std::vector<std::string> lost_titles = take(is_lost_title_file), lists = take(is_services_file);
        take_v2_files(files, sorted.v2, limits);
        const bool is_any_taken =
            !titles.empty() || !lost_titles.empty() || !lists.empty() || !sorted.v2.blocks.empty();
        const bool all_taken = files.empty() && !error && is_any_taken;
        sorted.services.insert(sorted.services.end(), lists.begin(), lists.end());
        sorted.titles.insert(sorted.titles.end(), lost_titles.begin(), lost_titles.end());
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
