// The two times of a block: SystemTime, which may be a local time, and PerfTime100nSec.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hkpd/reader.hpp"
#include "hkpd/time.hpp"
#include "support/blob_builder.hpp"
#include "support/sample_reading.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"
#include "support/v2_builder.hpp"

namespace hkpd_test {
namespace block_times_test {

constexpr std::int64_t second = 10'000'000, minute = 60 * second, hour = 60 * minute;
constexpr hkpd::SystemTime noon{2020, 9, 0, 13, 12, 26, 40, 123};

std::string text(const std::optional<hkpd::SystemTime>& time) {
    std::string text;
    if (time) append_time(text, *time);
    return text;
}

TEST(BlockTime, AnOffsetOfQuartersOfAnHourIsALocalTime) {
    struct Case {
        std::int64_t later;  // by how much PerfTime100nSec is later than SystemTime
        hkpd::BlockTimes times;
        std::string utc;
    };
    const std::string stated = "2020-09-13T12:26:40.123Z";
    for (const auto& [later, times, utc] : std::vector<Case>{
             {0, hkpd::BlockTimes::equal, stated},
             {2 * second, hkpd::BlockTimes::equal, stated},
             {-2 * second, hkpd::BlockTimes::equal, stated},
             {3 * second, hkpd::BlockTimes::different, stated},
             {-3 * second, hkpd::BlockTimes::different, stated},
             {4 * hour, hkpd::BlockTimes::local, "2020-09-13T16:26:40.123Z"},
             {4 * hour + second, hkpd::BlockTimes::local, "2020-09-13T16:26:41.123Z"},
             {4 * hour - second, hkpd::BlockTimes::local, "2020-09-13T16:26:39.123Z"},
             {-5 * hour - 45 * minute, hkpd::BlockTimes::local, "2020-09-13T06:41:40.123Z"},
             {4 * hour + 5 * second, hkpd::BlockTimes::different, stated},
             {20 * minute, hkpd::BlockTimes::different, stated},
             {26 * hour, hkpd::BlockTimes::local, "2020-09-14T14:26:40.123Z"},
             {27 * hour, hkpd::BlockTimes::different, stated},
             {100'000 * hour, hkpd::BlockTimes::different, stated},
             {-usual_time, hkpd::BlockTimes::equal, stated},     // 0: the producer has no such clock
             {-usual_time + 7, hkpd::BlockTimes::equal, stated}  // before 1970
         }) {
        EXPECT_EQ(compare_block_times(noon, usual_time + later), times) << later;
        EXPECT_EQ(text(hkpd::block_time(noon, usual_time + later)), utc) << later;
    }
    EXPECT_EQ(hkpd::block_time({}, usual_time), std::nullopt);
}

TEST(BlockTime, ALocalTimeIsANoteAndADifferentOneAWarning) {
    const auto decoded = [](std::int64_t later) {
        hkpd::Diagnostics found;
        const blob::Blob v1 = blob::build({.perf_time_100ns = usual_time + later});
        const v2_blob::Blob v2 = v2_blob::build({.perf_time_100ns = usual_time + later});
        const auto sample = hkpd::decode(v1.bytes(), &found), other = hkpd::decode(v2.bytes(), &found);
        return text(sample->system_time) + " " + text(other->system_time) + " " + faults(found);
    };
    const std::string utc = "2020-09-13T12:26:40.123Z ", four = "2020-09-13T16:26:40.123Z ";
    EXPECT_EQ(decoded(1), utc + utc);
    EXPECT_EQ(decoded(4 * hour), four + four + "note local_time|note local_time|");
    EXPECT_EQ(decoded(3 * hour + 7 * minute), utc + utc + "warning time_mismatch|warning time_mismatch|");
}

/// A blob that was taken from a log: SystemTime is 15:40:38, in Eastern Daylight Time.
class WindowsBlockTime : public WindowsData {};

TEST_F(WindowsBlockTime, OfABlobOutOfALog) {
    auto reader = hkpd::Reader::open({path("data/v1/vista-2007/s00-obj2.bin")});
    ASSERT_TRUE(reader && reader->next());
    EXPECT_EQ(text(reader->sample().system_time), "2007-08-14T19:40:38.659Z");
    EXPECT_THAT(faults(reader->diagnostics()), testing::HasSubstr("note local_time|"));
}

}  // namespace block_times_test
}  // namespace hkpd_test
