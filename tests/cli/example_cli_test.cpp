// The example consumer (tools/examples): its output against values computed from the bytes of its input.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/win32.hpp"
#include "cli/run_command.hpp"
#include "hkpd/simulate.hpp"
#include "live/perflib_query.hpp"
#include "support/places.hpp"

namespace example_cli_test {

using namespace hkpd;

/// Raw % Processor Time, the 100 ns units that a processor was idle, by instance, and the time of the block.
struct Idle {
    std::int64_t time_100ns = 0;
    std::map<std::string, std::uint64_t> idle;
};

template <class T>
T at(Bytes bytes, std::size_t offset) {
    T value{};
    EXPECT_LE(offset + sizeof value, bytes.size());
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return std::endian::native == std::endian::little ? value : std::byteswap(value);
}

/// perflib.h: PERF_DATA_HEADER 48, PERF_COUNTER_HEADER 16, PERF_MULTI_INSTANCES 8, then for each instance its
/// PERF_INSTANCE_HEADER with the name, and PERF_COUNTER_DATA with the value at 8.
Idle read_by_hand(Bytes block) {
    Idle read{at<std::int64_t>(block, 16), {}};
    EXPECT_EQ(at<std::uint32_t>(block, 48 + 4), 4U);  // PERF_MULTIPLE_INSTANCES
    std::size_t place = 48 + 16 + 8;
    for (auto left = at<std::uint32_t>(block, 48 + 16 + 4); left != 0; --left) {
        std::string name;
        for (std::size_t c = place + 8; at<char16_t>(block, c) != 0; c += 2)
            name += static_cast<char>(at<char16_t>(block, c));
        place += at<std::uint32_t>(block, place);
        EXPECT_EQ(at<std::uint32_t>(block, place), 8U);
        read.idle[name] = at<std::uint64_t>(block, place + 8);
        place += at<std::uint32_t>(block, place + 4);
    }
    EXPECT_EQ(place, block.size());
    return read;
}

std::string expected_lines() {
    SimulatedMachine machine({});
    PerfQuery query(machine.perflib());
    EXPECT_EQ(query.add(*parse_guid("{b4fc721a-0378-476f-89ba-a5a79f810b36}"), "*", 0), win32::success);
    std::string lines;
    Idle before;
    for (int second = 0; second <= 10; ++second) {
        machine.advance_to(second * 1'000'000'000LL);
        EXPECT_EQ(query.collect(), win32::success);
        const Idle now = read_by_hand(query.data());
        std::map<std::string, std::string> parts;
        for (const auto& [name, idle] : now.idle) {
            if (second == 0) continue;
            const double busy = 100 * (1 - static_cast<double>(idle - before.idle.at(name)) /
                                               static_cast<double>(now.time_100ns - before.time_100ns));
            EXPECT_GE(busy, 0) << name;
            EXPECT_LE(busy, 100) << name;
            EXPECT_NE(busy, 0) << name << " is asleep, which proves nothing";
            parts[name] = fmt::format("{}={:.2f} ", name, busy);
        }
        for (const auto& [name, part] : parts) lines += part;
        if (second != 0) lines += '\n';
        before = now;
    }
    return lines;
}

TEST(Example, PrintsTenValuesForEachProcessorThatEqualTheFormula) {
    auto run = hkpd_test::run(hkpd_test::Run{.arguments = {"--simulate"}, .program = hkpd_test::example_file});
    std::erase(run.out, '\r');  // it writes text, whose line ends differ on Windows
    EXPECT_EQ(run.exit, 0) << run.err;
    // In the order of the instances, which is that of their names here.
    EXPECT_EQ(run.out, expected_lines());
    EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 10);
}

}  // namespace example_cli_test
