// Objects of the title database that no sample has.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

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
        EXPECT_EQ(found.error.have, found.object);
        text += std::to_string(found.object) + ' ';
    }
    return text;
}

TEST(MissingObjects, AreThoseThatTheDatabaseNames) {
    Titles titles;
    titles.add(builtin_titles());
    EXPECT_EQ(missing({}, titles, nullptr), "") << "the built-in titles are those of no machine";
    TitleTable own("009", "own");
    for (const std::uint32_t index : {2U, 6U, 230U, 238U, 5000U, 5002U, 6000U, 7000U}) own.add(index, "named");
    titles.add(own);
    EXPECT_EQ(missing({2}, titles, nullptr), "230 238 ") << "6 is a counter, 5000 of a provider";
    const Services services({{.name = "listed", .first_counter = 5000, .last_counter = 5002, .object_list = {5002}},
                             {.name = "first", .first_counter = 6000, .last_counter = 6002},
                             {.name = "disabled", .first_counter = 7000, .last_counter = 7002, .disabled = true},
                             {.name = "unnamed", .first_counter = 8000, .last_counter = 8002}});
    EXPECT_EQ(missing({2, 230, 238}, titles, &services), "5002 6000 ");
    EXPECT_EQ(missing({2, 230, 238, 5002, 6000}, titles, &services), "");
}

}  // namespace missing_objects_test
}  // namespace hkpd_test
