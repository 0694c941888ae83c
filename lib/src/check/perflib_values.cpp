#include <optional>
#include <string_view>

#include "base/text/located_text.hpp"
#include "base/text/reg_file.hpp"
#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd {
namespace {

struct Known {
    std::string_view name;
    std::optional<PerflibValues::Number> PerflibValues::* member;
};

constexpr Known known_values[] = {{"Last Counter", &PerflibValues::last_counter},
                                  {"Last Help", &PerflibValues::last_help},
                                  {"Base Index", &PerflibValues::base_index}};

void read_value(RegistryExport& input, PerflibValues& values, const FaultSink& faults) {
    const RawText& text = input.text();
    const Piece name = input.value().name;
    const std::uint64_t offset = text.offset(input.value().begin);
    for (const auto& [known, member] : known_values) {
        if (name.size() != known.size() || !text.starts_with(name, known) || values.*member) continue;
        if (const auto number = input.number())
            values.*member = {*number, offset};
        else
            faults.add(Severity::error, {Errc::title_registry_value, offset, "title table", known, 0, 0});
    }
}

}  // namespace

PerflibValues read_perflib_values(Bytes input, const FaultSink& faults) {
    PerflibValues values;
    const FileText file = open_text(input);
    if (!is_registry_export(file.text)) return values;
    using enum RegistryExport::Step;
    RegistryExport entries(file.text);
    bool is_perflib = false;
    for (auto step = entries.next(); step != end; step = entries.next()) {
        if (step == key)
            is_perflib = entries.lower(entries.key()).ends_with("\\perflib");
        else if (is_perflib)
            read_value(entries, values, faults);
    }
    return values;
}

}  // namespace hkpd
