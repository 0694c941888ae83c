// Memory of the writers for large runs: none is allocated for another sample of the same shape.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "hkpd/names.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/blob_builder.hpp"
#include "support/count_allocations.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace write_memory_test {

using hkpd::Format;

/// Returns a block of processes with threads, `second` seconds after the start.
blob::Blob machine(std::uint16_t second, std::uint32_t threads) {
    namespace type = blob::counter_type;
    blob::Object process{.title = 230,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 6, .type = type::timer_100ns, .size = 8}, {.title = 784}}};
    blob::Object thread{.title = 232,
                        .kind = blob::Kind::multi,
                        .counters = {{.title = 6, .type = type::timer_100ns, .size = 8}, {.title = 148}}};
    for (std::uint32_t i = 0; i < threads; ++i) {
        if (i % 8 == 0) process.instances.push_back({.name = u"a process with a name", .values = {second * 1000U, i}});
        thread.instances.push_back(
            {.name = u"0123456789 abcdefghij", .values = {second * 77U, i}, .parent_object = 230, .parent = i / 8});
    }
    blob::Block block{.objects = {process, thread}};
    block.perf_time += second * 10'000'000;
    block.perf_time_100ns += second * 10'000'000;
    return blob::build(block);
}

class WriterMemory : public testing::TestWithParam<Format> {};

TEST_P(WriterMemory, DoesNotGrow) {
    hkpd::Titles titles;
    titles.add(hkpd::builtin_titles());
    for (const bool cooked : {false, true}) {
        MemorySource source({machine(0, 200), machine(1, 200)});
        hkpd::Diagnostics diagnostics;
        hkpd::SampleReader reader(source, &titles, {});
        hkpd::Replay replay(reader, {});
        ASSERT_TRUE(replay.next(diagnostics) && replay.next(diagnostics));
        const auto writer = make_writer(GetParam(), {.titles = &titles, .cooked = cooked, .one_pass = true});
        hkpd::Filter filter;
        std::vector<hkpd::Selected> selected;
        std::string out;
        const auto write = [&] {
            filter.select(replay.sample(), selected);
            out.clear();
            writer->sample(replay.sample(), selected, &replay.cooker(), out);
        };
        for (int i = 0; i < 3; ++i) write();
        const std::string expected = out;
        const std::size_t before = allocations();
        write();
        EXPECT_EQ(allocations(), before) << cooked;
        EXPECT_EQ(out, expected);
        EXPECT_GT(std::ranges::count(out, ','), 400);
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, WriterMemory, testing::Values(Format::jsonl, Format::csv, Format::pdh_csv));

}  // namespace write_memory_test
}  // namespace hkpd_test
