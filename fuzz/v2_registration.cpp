// Registration info and identifiers: every reader of them is given the whole input, and a `Countersets` takes it as the
// answer to every request.
#include <utility>

#include "hkpd/names.hpp"
#include "properties.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

void read_all(Bytes input, Diagnostics& diagnostics) {
    v2::RegistrationInfo info;
    if (info.open(input, diagnostics)) require(info.counters().size() * 48 + 32 <= input.size());
    if (v2::is_registration(input)) require(info.open(input, diagnostics).has_value());
    v2::StringBuffer strings;
    if (strings.open(input, diagnostics))
        for (const v2::StringBuffer::Entry& entry : strings.entries())
            if (entry.text) require(entry.text->bytes.end() <= input.end());
    if (v2::is_string_buffer(input)) require(strings.open(input, diagnostics).has_value());
    static_cast<void>(v2::read_counter_registration(input, diagnostics));
    require(v2::read_string(input, diagnostics).bytes.end() <= input.end());
    v2::Identifiers identifiers;
    identifiers.open(input, diagnostics);
    for (const v2::Identifier& identifier : identifiers.all()) require(identifier.bytes.end() <= input.end());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Effort effort(data, size);
    const ExactCopy copy(std::as_bytes(std::span(data, size)));
    const Bytes input = copy.bytes();
    const Budget budget(size, 0, 64);
    Diagnostics diagnostics;
    read_all(input, diagnostics);
    Countersets countersets;
    for (std::uint32_t request = 1; request <= std::to_underlying(v2::RegistrationRequest::counter_names_english);
         ++request)
        for (int times = effort.thorough() ? 2 : 1; times != 0; --times)
            countersets.add({Guid{}, static_cast<v2::RegistrationRequest>(request), "M", "009", {}, input}, {},
                            diagnostics);
    for (const Counterset& set : countersets.all())
        for (std::size_t i = 1; i < set.counters.size(); ++i)
            require(set.counters[i - 1].info.CounterId < set.counters[i].info.CounterId);
    require_places(diagnostics, input.end());
    return 0;
}
