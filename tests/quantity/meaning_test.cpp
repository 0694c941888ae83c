// What a larger value of a counter means, by its type and name.
#include "quantity/meaning.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "hkpd/counter_type.hpp"

namespace hkpd_test {
namespace meaning_test {

using hkpd::Meaning;
using hkpd::meaning_of;

constexpr std::uint32_t rawcount = 0x00010000, rawcount_hex = 0, rate = 0x10410400, elapsed = 0x30240500,
                        fraction = 0x20020400;

TEST(Meaning, CodesStateWhichOneNotHowMuch) {
    for (const std::string_view name :
         {"Thread State", "Thread Wait Reason", "thread wait reason", "Priority Base", "Priority Current", "ID Process",
          "ID Thread", "Creating Process ID", "Process ID", "Start Address", "User PC",
          "Current Application Pool State", "Device Power State", "Parking Status", "Processor State Flags",
          "Last Probe Result ID", "Status"}) {
        EXPECT_EQ(meaning_of(rawcount, name), Meaning::code) << name;
        EXPECT_EQ(meaning_of(hkpd::no_counter_type, name), Meaning::code) << name;  // text logs
    }
    EXPECT_EQ(meaning_of(rawcount_hex, "Anything"), Meaning::code);
    EXPECT_EQ(meaning_of(rawcount_hex, "Committed Bytes"), Meaning::amount);
}

TEST(Meaning, ClocksGrowWhateverHappens) {
    for (const std::string_view name : {"Elapsed Time", "System Up Time", "Service Uptime",
                                        "Elapsed Time Since Last Database Status Update Attempt"}) {
        EXPECT_EQ(meaning_of(hkpd::no_counter_type, name), Meaning::clock) << name;
        EXPECT_EQ(meaning_of(elapsed, name), Meaning::clock) << name;
    }
    EXPECT_EQ(meaning_of(elapsed, "Laufzeit"), Meaning::clock);
}

TEST(Meaning, AllOthersAreAmounts) {
    for (const std::string_view name :
         {"", "Threads", "Working Set", "Handle Count", "% Processor Time", "Avg. Disk sec/Read", "Pages/sec",
          "Active Moves: Moves in Completion State", "Number of mailboxes with this status", "Address Lookups Pending",
          "Datagrams Received Address Errors", "Interstate", "Paid", "Current State Entries", "% Priority Time"}) {
        EXPECT_EQ(meaning_of(rawcount, name), Meaning::amount) << name;
        EXPECT_EQ(meaning_of(hkpd::no_counter_type, name), Meaning::amount) << name;
    }
    EXPECT_EQ(meaning_of(rate, "Thread State"), Meaning::amount);
    EXPECT_EQ(meaning_of(fraction, "Parking Status"), Meaning::amount);
}

}  // namespace meaning_test
}  // namespace hkpd_test
