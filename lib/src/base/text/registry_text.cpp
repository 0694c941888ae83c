// Sources: Microsoft, "reg query" and "lodctr", and their output.
#include "base/text/registry_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text/encoding.hpp"
#include "base/text/parse_number.hpp"
#include "base/text/trimmed.hpp"

namespace hkpd {
namespace {

/// A larger text is not converted: the title databases of a machine have a few MiB.
constexpr std::size_t most_units = std::size_t{32} << 20U;

/// Returns a number such as `0x1` or `0x00000CE6 (3302)`; none if it is none.
std::optional<std::uint32_t> registry_number(std::string_view text) {
    text = trimmed(text.substr(0, text.find('(')));
    constexpr int hexadecimal = 16;
    if (text.starts_with("0x")) return parse_number<std::uint32_t>(text.substr(2), hexadecimal);
    return parse_number<std::uint32_t>(text);
}

/// Returns whether the state of a provider, as lodctr shows it, is that of a disabled one, in a few languages.
bool is_disabled_state(std::string_view line) {
    const std::string state = lower_case(line.substr(std::min(line.rfind('('), line.size())));
    constexpr std::array<std::string_view, 6> words{"disabled",     "deaktiviert", "sactiv",
                                                    "deshabilitad", "disabilitat", "desativad"};
    return std::ranges::any_of(words, [&](std::string_view word) { return state.find(word) != std::string::npos; });
}

constexpr std::string_view services_key = R"([HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\)";

}  // namespace

RegistryForm registry_form(const RawText& text) {
    const Piece all{0, text.size()};
    if (text.starts_with(all, "Windows Registry Editor Version ") || text.starts_with(all, "REGEDIT4"))
        return RegistryForm::exported;
    Splitter lines(text, '\n');
    constexpr int first_lines = 8;
    for (int i = 0; i < first_lines; ++i) {
        const auto line = lines.next();
        if (!line || line->size() > 1024) break;
        if (text.starts_with(*line, "HKEY_LOCAL_MACHINE\\")) return RegistryForm::reg_query;
        std::string shown;
        text.append(shown, *line);
        if (shown.find("[PERFLIB]") != std::string::npos) return RegistryForm::lodctr;
    }
    return RegistryForm::none;
}

RegistryText::RegistryText(Bytes input) : file_(open_text(input)), form_(registry_form(file_.text)) {
    const bool is_converted = form_ == RegistryForm::reg_query || form_ == RegistryForm::lodctr;
    if (is_converted && file_.text.size() <= most_units) convert();
}

void RegistryText::convert() {
    put("Windows Registry Editor Version 5.00\n", 0);
    Splitter lines(file_.text, '\n');
    std::string line;
    while (const auto piece = lines.next()) {
        line.clear();
        file_.text.append(line, *piece);
        const std::uint64_t place = file_.text.offset(piece->begin);
        if (form_ == RegistryForm::reg_query)
            convert_query(line, place);
        else
            convert_lodctr(line, place);
    }
    made_text_.emplace(Bytes(std::as_bytes(std::span(made_))), Encoding{page_utf8}, places_);
}

void RegistryText::convert_query(const std::string& line, std::uint64_t place) {
    if (line.starts_with("HKEY_")) return put(fmt::format("[{}]\n", trimmed(line)), place);
    constexpr std::string_view before_type = "    REG_", gap = "    ";
    const std::string_view value = trimmed(line);
    const std::size_t type_at = value.find(before_type);
    if (type_at == std::string_view::npos) return;
    const std::string_view name = value.substr(0, type_at), rest = value.substr(type_at + gap.size());
    const std::string_view type = rest.substr(0, rest.find(gap));
    const std::string_view data = rest.substr(std::min(type.size() + gap.size(), rest.size()));
    if (type == "REG_SZ" || type == "REG_EXPAND_SZ") put_string(name, data, place);
    if (type == "REG_DWORD") put_number(name, data, place);
    if (type == "REG_MULTI_SZ") put_strings(name, data, place);
}

void RegistryText::convert_lodctr(const std::string& line, std::uint64_t place) {
    if (line.starts_with('[')) {
        const std::size_t end = std::min(line.find(']'), line.size());
        put(fmt::format("{}{}\\Performance]\n", services_key, std::string_view(line).substr(1, end - 1)), place);
        has_provider_ = true;
        if (is_disabled_state(line)) put_number("Disable Performance Counters", "0x1", place);
        return;
    }
    // The values of Perflib precede those of the first provider.
    if (!has_provider_) return;
    const std::string_view value = trimmed(line);
    const std::size_t colon = value.find(": ");
    if (colon == std::string_view::npos) return;
    const std::string_view name = value.substr(0, colon), data = value.substr(colon + 2);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> strings{{{"DLL Name", "Library"},
                                                                                    {"Open Procedure", "Open"},
                                                                                    {"Collect Procedure", "Collect"},
                                                                                    {"Close Procedure", "Close"}}};
    for (const auto& [shown, stored] : strings)
        if (name == shown) put_string(stored, data, place);
    constexpr std::string_view id = " ID";
    if (name.ends_with(id)) put_number(name.substr(0, name.size() - id.size()), data, place);
}

void RegistryText::put(std::string_view text, std::uint64_t place) {
    made_ += text;
    places_.resize(made_.size(), place);
}

void RegistryText::put_string(std::string_view name, std::string_view value, std::uint64_t place) {
    std::string escaped;
    for (const char c : value) {
        if (c == '\\' || c == '"') escaped += '\\';
        escaped += c;
    }
    put(fmt::format("\"{}\"=\"{}\"\n", name, escaped), place);
}

void RegistryText::put_number(std::string_view name, std::string_view value, std::uint64_t place) {
    const auto number = registry_number(value);
    put(number ? fmt::format("\"{}\"=dword:{:08x}\n", name, *number) : fmt::format("\"{}\"=dword:\n", name), place);
}

void RegistryText::put_strings(std::string_view name, std::string_view value, std::uint64_t place) {
    put(fmt::format("\"{}\"=hex(7):", name), place);
    constexpr std::string_view separator = "\\0";
    const auto put_text = [&](std::string_view text, std::uint64_t at) {
        std::string hex;
        for (const char16_t unit : to_utf16(text))
            hex +=
                fmt::format("{:02x},{:02x},", static_cast<unsigned>(unit) & 0xFFU, static_cast<unsigned>(unit) >> 8U);
        put(hex + "00,00,", at);
    };
    while (value.ends_with(separator)) value.remove_suffix(separator.size());
    for (bool more = true; more;) {
        const std::size_t end = value.find(separator);
        more = end != std::string_view::npos;
        put_text(value.substr(0, end), place);
        value.remove_prefix(more ? end + separator.size() : value.size());
    }
    put("00,00\n", place);
}

}  // namespace hkpd
