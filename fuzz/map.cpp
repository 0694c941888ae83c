// The map of any bytes, in each form in turn, or in the one that they have and one other: every byte is accounted for
// once, in order.
#include "hkpd/map.hpp"

#include <algorithm>
#include <string>

#include "hkpd/names.hpp"
#include "hkpd/write.hpp"
#include "properties.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

constexpr MapForm forms[] = {MapForm::v1,      MapForm::v2_data, MapForm::identifiers, MapForm::registration,
                             MapForm::strings, MapForm::counter, MapForm::text,        MapForm::guid};

/// Writes all entries in all forms, or the first ones in one form.
void draw(Bytes input, MapForm form, const MapOptions& options, const Effort& effort) {
    constexpr std::size_t forms_of_text = 3, first_entries = 64;
    const auto json = make_map_json(), listing = make_map_listing(false);
    const MapInput about{"fuzz", no_index, form, input.size()};
    std::string out;
    json->begin(out);
    json->begin_input(about, out);
    listing->begin_input(about, out);
    Diagnostics diagnostics;
    std::uint64_t at = 0, values = 0, entries = 0;
    const MapTotals totals = visit_map(
        input, form, options,
        [&](const MapEntry& entry) {
            require(entry.bytes.offset() == at && entry.bytes.end() <= input.size());
            require(entry.whole.end() <= input.size() && entry.bytes.size() <= entry.whole.size());
            require(entry.overlaps.empty() == (entry.shared_bytes() == 0));
            at = entry.bytes.end();
            values += entry.kind == MapKind::value ? 1 : 0;
            if (++entries > first_entries && !effort.thorough()) return;
            if (effort.takes(0, forms_of_text)) json->entry(entry, out);
            if (effort.takes(1, forms_of_text)) listing->entry(entry, out);
            if (effort.takes(2, forms_of_text)) append_map_place(out, form, entry, entry.whole.offset());
            out.clear();
        },
        diagnostics);
    require_places(diagnostics, input.size());
    require(at == input.size() && totals.sum() == input.size());
    // Each block has its own limit, and takes at least a header.
    require(values <= options.limits.values * (totals.blocks + 1));
    json->end_input(totals, out);
    listing->end_input(totals, out);
    json->end(diagnostics, out);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Titles titles = [] {
        Titles made;
        made.add(builtin_titles());
        return made;
    }();
    const Effort effort(data, size);
    const ExactCopy copy(std::as_bytes(std::span(data, size)), size % 2);
    const Bytes input = copy.bytes();
    MapOptions options{&titles, {}};
    options.limits.values = std::min<std::uint64_t>(effort.limits().values, 2000);
    const auto recognised = map_form_of(input);
    for (std::size_t i = 0; i < std::size(forms); ++i) {
        if (forms[i] != recognised && !effort.takes(i, std::size(forms))) continue;
        // Every value is written three times, with names of up to a few dozen characters.
        const Budget budget(size, options.limits.values, 32);
        draw(input, forms[i], options, effort);
    }
    return 0;
}
