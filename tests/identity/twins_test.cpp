// Objects that replace others on newer systems, and process ids in the names of instances.
#include "identity/twins.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "hkpd/identity.hpp"

namespace hkpd_test {
namespace twins_test {

std::string split(std::string_view object, std::string_view name) {
    const hkpd::NameParts parts = hkpd::split_name(hkpd::name_form(object), name);
    return std::string(parts.name) + (parts.pid ? " pid " + std::to_string(*parts.pid) : "");
}

TEST(Twins, NamesStateProcessIds) {
    EXPECT_EQ(split("Process V2", "svchost:888"), "svchost pid 888");
    EXPECT_EQ(split("process v2", "a:5:6"), "a:5 pid 6");
    EXPECT_EQ(split("Process V2", "_Total"), "_Total");
    EXPECT_EQ(split("Process V2", ":5"), ":5");
    EXPECT_EQ(split("Process", "svchost:888"), "svchost:888");
    EXPECT_EQ(split("GPU Engine", "pid_580_luid_0x0_0x1_phys_0_eng_0_engtype_3D"),
              "luid_0x0_0x1_phys_0_eng_0_engtype_3D pid 580");
    EXPECT_EQ(split("GPU Process Memory", "pid_7_luid_0x0"), "luid_0x0 pid 7");
    EXPECT_EQ(split("GPU Engine", "luid_0x0_0x1_phys_0"), "luid_0x0_0x1_phys_0");
    EXPECT_EQ(split(".NET CLR Memory", "w3wp_p580_r15"), "w3wp pid 580");
    EXPECT_EQ(split(".NET CLR Exceptions", "my_p1_app_p580_r15_ad2"), "my_p1_app pid 580");
    EXPECT_EQ(split(".NET CLR Memory", "my_p1_app"), "my_p1_app");
    EXPECT_EQ(split(".NET CLR Memory", "w3wp_p4294967296_r1"), "w3wp_p4294967296_r1");
}

TEST(Twins, OriginalObjectsAndInstances) {
    EXPECT_EQ(hkpd::original_of("PROCESS V2"), "Process");
    EXPECT_EQ(hkpd::original_of("Processor Information"), "Processor");
    EXPECT_EQ(hkpd::original_of("Process"), "");
    EXPECT_TRUE(hkpd::has_twin("process"));
    EXPECT_FALSE(hkpd::has_twin("GPU Engine"));
    const auto processor = hkpd::name_form("Processor Information");
    EXPECT_EQ(hkpd::original_name(processor, "0,3"), "3");
    EXPECT_EQ(hkpd::original_name(processor, "1,3"), "1,3");
    EXPECT_EQ(hkpd::original_name(processor, "_Total"), "_Total");
    EXPECT_EQ(hkpd::original_name(processor, "0,_Total"), std::nullopt);
    EXPECT_EQ(hkpd::original_name(hkpd::name_form("Process V2"), "Idle:0"), "Idle");
}

TEST(Twins, IdleInAllForms) {
    for (const std::string_view name : {"Idle", "idle:0", "Idle_0"}) {
        EXPECT_TRUE(hkpd::is_aggregate_or_idle("", name, true)) << name;
        EXPECT_TRUE(hkpd::is_aggregate_or_idle(name, "0", false)) << name;
        EXPECT_FALSE(hkpd::is_aggregate_or_idle("", name, false)) << name;
        EXPECT_TRUE(hkpd::asks_for_aggregate_or_idle(name)) << name;
    }
    for (const std::string_view name : {"Idler", "Idle:x", "Idle_1"})
        EXPECT_FALSE(hkpd::is_aggregate_or_idle("", name, true)) << name;
}

}  // namespace twins_test
}  // namespace hkpd_test
