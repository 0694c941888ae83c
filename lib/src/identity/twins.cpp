#include "identity/twins.hpp"

#include <algorithm>
#include <array>

#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "hkpd/identity.hpp"

namespace hkpd {
namespace {

struct Twin {
    std::string_view object, original;  // original: empty if there is none
    NameForm form;
};

// The one table of such objects. Sources: Microsoft's pages on the countersets Process V2 and GPU Engine, and on
// ProcessNameFormat of .NET Framework; names of instances in public reports.
constexpr std::array twins{Twin{"process v2", "Process", NameForm::with_id},
                           Twin{"processor information", "Processor", NameForm::node},
                           Twin{"gpu engine", "", NameForm::gpu}, Twin{"gpu process memory", "", NameForm::gpu}};

const Twin* find_twin(std::string_view object) {
    const auto found =
        std::ranges::find_if(twins, [object](const Twin& twin) { return compare_names(object, twin.object) == 0; });
    return found == twins.end() ? nullptr : &*found;
}

bool begins_with(std::string_view text, std::string_view prefix) {
    return text.size() >= prefix.size() && compare_names(text.substr(0, prefix.size()), prefix) == 0;
}

/// Returns the process id at the beginning of a text, and the position after its digits.
std::optional<std::uint32_t> number_before(std::string_view text, char end, std::size_t& after) {
    after = std::min(text.find(end), text.size());
    return parse_number<std::uint32_t>(text.substr(0, after));
}

NameParts split_gpu(std::string_view name) {
    constexpr std::string_view prefix = "pid_";
    if (!begins_with(name, prefix)) return {name, {}};
    const std::string_view rest = name.substr(prefix.size());
    std::size_t after = 0;
    const auto pid = number_before(rest, '_', after);
    if (!pid || after == rest.size()) return {name, pid};
    return {rest.substr(after + 1), pid};
}

/// Splits `name_p580_r5` and `name_p580_r5_ad2`.
NameParts split_clr(std::string_view name) {
    for (auto at = name.rfind("_p"); at != std::string_view::npos && at != 0; at = name.rfind("_p", at - 1)) {
        const std::string_view rest = name.substr(at + 2);
        std::size_t after = 0;
        const auto pid = number_before(rest, '_', after);
        if (pid && (after == rest.size() || rest.substr(after).starts_with("_r"))) return {name.substr(0, at), pid};
    }
    return {name, {}};
}

}  // namespace

NameForm name_form(std::string_view object) {
    if (const Twin* const twin = find_twin(object)) return twin->form;
    return begins_with(object, ".net clr ") ? NameForm::clr : NameForm::plain;
}

std::string_view original_of(std::string_view object) {
    const Twin* const twin = find_twin(object);
    return twin == nullptr ? std::string_view() : twin->original;
}

bool has_twin(std::string_view object) {
    return std::ranges::any_of(twins, [object](const Twin& twin) {
        return !twin.original.empty() && compare_names(object, twin.original) == 0;
    });
}

NameParts split_name(NameForm form, std::string_view name) {
    switch (form) {
        case NameForm::with_id: {
            const auto colon = name.rfind(':');
            if (colon == std::string_view::npos || colon == 0) return {name, {}};
            const auto pid = parse_number<std::uint32_t>(name.substr(colon + 1));
            return pid ? NameParts{name.substr(0, colon), pid} : NameParts{name, {}};
        }
        case NameForm::gpu:
            return split_gpu(name);
        case NameForm::clr:
            return split_clr(name);
        case NameForm::plain:
        case NameForm::node:
            break;
    }
    return {name, {}};
}

std::string_view without_pid(std::string_view name, std::optional<std::uint32_t> pid) {
    const auto at = name.rfind('_');
    if (!pid || at == std::string_view::npos || at == 0) return name;
    return parse_number<std::uint32_t>(name.substr(at + 1)) == pid ? name.substr(0, at) : name;
}

std::optional<std::string_view> original_name(NameForm form, std::string_view name) {
    if (form != NameForm::node || is_grand_total(name)) return split_name(form, name).name;
    if (is_total(name)) return std::nullopt;
    constexpr std::string_view first_node = "0,";
    return name.starts_with(first_node) ? name.substr(first_node.size()) : name;
}

}  // namespace hkpd
