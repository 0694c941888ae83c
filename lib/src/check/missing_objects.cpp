// Reports objects that a title database names and that no sample contains.
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>

#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"

namespace hkpd {
namespace {

/// The title indices of Windows' own objects, such as Processor. A title database does not distinguish objects from
/// counters. This list therefore has the indices of the names that Microsoft documents as objects (learn.microsoft.com,
/// "Performance counters").
constexpr auto windows_objects =
    std::to_array<std::uint32_t>({2,   4,   86,  230, 232, 234, 236,  238,  260,  262,  330,  510,  546,
                                  582, 638, 658, 700, 740, 816, 1300, 1450, 1500, 1548, 1530, 1532, 1534});

}  // namespace

void check_missing(const std::set<std::uint32_t>& objects, std::string_view machine, const Titles& titles,
                   const Services* services, const FaultSink& faults) {
    std::set<std::uint32_t> expected(windows_objects.begin(), windows_objects.end());
    if (services != nullptr)
        for (const PerformanceService& service : services->all()) {
            if (service.disabled) continue;  // `read_services` has reported the service
            // A provider without an Object List is expected to have one object, named by the provider's first title.
            if (service.object_list.empty() && service.first_counter) expected.insert(*service.first_counter);
            expected.insert(service.object_list.begin(), service.object_list.end());
        }
    for (const std::uint32_t index : expected)
        if (!objects.contains(index) && titles.find(index, {false, machine}))
            faults.add({Errc::title_no_object, 0, "", "", 0, index}, index);
}

}  // namespace hkpd
