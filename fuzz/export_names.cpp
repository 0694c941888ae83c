// Names that an exported capture gets from a capture, which may be any text: those of title databases and
// registrations, and the lines of the manifest.
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/text/encoding.hpp"
#include "choices.hpp"
#include "hkpd/source.hpp"
#include "output.hpp"
#include "properties.hpp"
#include "registration_name.hpp"
#include "source/exported_name.hpp"
#include "source/manifest.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

/// Requires that a name is one on every system, without a meaning of its own and without a directory.
void require_exported(std::string_view text) {
    static constexpr std::array<std::string_view, 8> extensions{".txt", ".reg",  ".dat",     ".ini",
                                                                ".csv", ".json", ".multisz", ".titles"};
    const std::string name = exported_name(text);
    require(name.size() <= 120 && name.starts_with("titles-") && std::ranges::count(name, '.') == 1);
    require(std::ranges::find(extensions, std::string_view(name).substr(name.find('.'))) != extensions.end());
    require(std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    }));
    for (const std::string_view folder : {"../", "C:\\", "a/b\\", "C:"})
        require(exported_name(std::string(folder).append(text)) == name);
    require(!subject_of_name(name));
}

bool is_utf8(std::string_view text) { return valid_utf8(std::as_bytes(std::span(text))) == text.size(); }

/// Requires that a line is one object of JSON; its text is in UTF-8 only if that of the record is.
void require_line(std::string_view line, bool utf8) {
    require(line.ends_with('\n') && std::ranges::count(line, '\n') == 1);
    require_json(line.substr(0, line.size() - 1), utf8);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Budget budget(size, 0, 64);
    Choices choices({data, size});
    Record record;
    record.kind = static_cast<Record::Kind>(choices.below(10));
    for (std::byte& byte : record.counterset.bytes) byte = static_cast<std::byte>(choices.number(1));
    record.request = static_cast<std::uint32_t>(choices.number(4));
    const std::uint32_t parts = choices.below(16);
    if ((parts & 1U) != 0) record.title_index = static_cast<std::uint32_t>(choices.number(4));
    if ((parts & 2U) != 0) record.time = choices.number(8);
    if ((parts & 4U) != 0) record.log.bytes[0] = std::byte{1};
    const auto language = choices.bytes(choices.below(8)), text = choices.bytes(size);
    record.language = {reinterpret_cast<const char*>(language.data()), language.size()};
    record.name = record.machine = {reinterpret_cast<const char*>(text.data()), text.size()};
    const std::map<std::string, std::string> entries{{std::string(record.name), std::string(record.language)}};
    if ((parts & 8U) != 0) record.entries = &entries;
    require_exported(record.name);
    require_registration_name(record);
    const bool utf8 = is_utf8(record.name) && is_utf8(record.language);
    require_line(manifest_line(record, exported_name(record.name)), utf8);
    require_line(manifest_line(record, ""), utf8);
    require_line(manifest_line_of_copy(record.name), utf8);
    return 0;
}
