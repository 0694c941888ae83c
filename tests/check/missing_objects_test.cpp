// Objects of the title database that no sample has.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd_test {
namespace missing_objects_test {

using namespace hkpd;

std::string missing(const std::set<std::uint32_t>& objects, const Titles& titles, const Services* services) {
    Diagnostics diagnostics;
    check_missing(objects, "M", titles, services, diagnostics);
    std::string text;
    for (const Diagnostic& found : diagnostics.kept()) {
        EXPECT_EQ(found.error.code, Errc::title_no_object);
        EXPECT_EQ(found.severity, Severity::warning);
        EXPECT_EQ(found.error.found, found.object);
        text += std::to_string(found.object) + ' ';
    }
    return text;
}

PerformanceService service(std::uint32_t first, std::vector<std::uint32_t> objects, bool disabled = false) {
    PerformanceService made;
    made.first_counter = first;
    made.last_counter = first + 2;
    made.object_list = std::move(objects);
    made.disabled = disabled;
    return made;
}

TEST(MissingObjects, AreThoseThatTheDatabaseNames) {
    Titles titles;
    titles.add(builtin_titles());
    EXPECT_EQ(missing({}, titles, nullptr), "") << "the built-in titles are those of no machine";
    TitleTable own("009", "own");
    for (const std::uint32_t index : {2U, 6U, 230U, 238U, 5000U, 5002U, 6000U, 7000U}) own.add(index, "named");
    titles.add(own);
    EXPECT_EQ(missing({2}, titles, nullptr), "230 238 ") << "6 is a counter, 5000 of a provider";
    const Services services({service(5000, {5002}), service(6000, {}), service(7000, {}, true), service(8000, {})});
    EXPECT_EQ(missing({2, 230, 238}, titles, &services), "5002 6000 ");
    EXPECT_EQ(missing({2, 230, 238, 5002, 6000}, titles, &services), "");
}

}  // namespace missing_objects_test
}  // namespace hkpd_test
