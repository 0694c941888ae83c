// JSON Lines and CSV of rows whose lines do not fit one buffer, and of rows in which only some values are plain
// numbers.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "support/blob_builder.hpp"
#include "support/sample_reading.hpp"
#include "write/writers.hpp"

namespace hkpd_test {
namespace value_lines_test {

using hkpd::Format;

/// Writes the first sample of a block. `drained`: whether the text is passed on in parts, and the sizes of these.
std::string written(const blob::Blob& block, Format format, std::vector<std::size_t>* drained = nullptr) {
    const auto samples = read_blobs({block});
    hkpd::WriteOptions options;
    std::string all, out;
    if (drained != nullptr)
        options.drain = [&](std::string& text) {
            drained->push_back(text.size());
            all += text;
            text.clear();
        };
    const auto writer = hkpd::spec_of(format).make(options);
    std::vector<hkpd::Selected> selected;
    hkpd::Filter().select(samples->all.front(), selected);
    writer->sample(samples->all.front(), selected, nullptr, out);
    return all + out;
}

/// The lines of an object 230 with the instances `names`, as they are written for counters 1, 2, … of the given ends.
std::string expected(const std::vector<std::string>& names, const std::vector<std::vector<std::string>>& ends) {
    std::string out;
    for (std::size_t row = 0; row < names.size(); ++row)
        for (std::size_t i = 0; i < ends[row].size(); ++i)
            out += R"({"time":"2020-09-13T12:26:40.123Z","machine":"DEMO","source":"v1","object":null,)"
                   R"("object_index":230,"counterset":null,"parent":null,"instance":")" +
                   names[row] + R"(","pid":null,"instance_id":null,"life":1,"pdh_instance":")" + names[row] +
                   R"(","counter":null,"counter_index":)" + std::to_string(2 * i + 2) + R"(,"type":)" + ends[row][i] +
                   "}\n";
    return out;
}

TEST(ValueLines, RowsLargerThanTheBuffer) {
    constexpr std::uint32_t counters = 300;
    blob::Object object{.title = 230, .kind = blob::Kind::multi};
    for (std::uint32_t i = 0; i < counters; ++i) object.counters.push_back({.title = 2 * i + 2, .size = 8});
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> ends;
    for (std::uint64_t row = 0; row < 3; ++row) {
        names.push_back(std::string(900 + row, static_cast<char>('a' + row)));
        blob::Instance instance{.name = std::u16string(names[row].begin(), names[row].end())};
        ends.emplace_back();
        for (std::uint64_t i = 0; i < counters; ++i) {
            const std::uint64_t value = ~std::uint64_t{0} >> (i % 64) / (row + 1);
            instance.values.emplace_back(value);
            ends.back().push_back(R"("PERF_COUNTER_RAWCOUNT","raw":)" + std::to_string(value));
        }
        object.instances.push_back(instance);
    }
    const blob::Blob block = blob::build({.objects = {object}});
    const std::string text = expected(names, ends);
    EXPECT_GT(text.size(), 3 * hkpd::much_text);
    EXPECT_EQ(written(block, Format::jsonl), text);
    std::vector<std::size_t> drained;
    EXPECT_EQ(written(block, Format::jsonl, &drained), text);
    EXPECT_GT(drained.size(), 3U);
    for (const std::size_t size : drained) EXPECT_LT(size, 2 * hkpd::much_text);
    drained.clear();
    EXPECT_EQ(written(block, Format::csv, &drained), written(block, Format::csv));
    EXPECT_GT(drained.size(), 3U);
}

TEST(ValueLines, NumbersBetweenOtherValues) {
    constexpr std::uint32_t ansi_text = blob::counter_type::text_ascii;
    blob::Object object{.title = 230,
                        .kind = blob::Kind::multi,
                        .counters = {{.title = 2},
                                     {.title = 4, .type = ansi_text, .size = 8},
                                     {.title = 6},
                                     {.title = 8},
                                     {.title = 10, .type = ansi_text, .size = 8}}};
    object.instances = {
        {.name = u"one", .values = {1, std::string("first\0\0\0", 8), 2, 3, std::string("last\0\0\0\0", 8)}},
        {.name = u"two", .values = {10, std::string("\"\0\0\0\0\0\0\0", 8), 20, 30, std::string(8, '\0')}}};
    const std::string number = R"("PERF_COUNTER_RAWCOUNT","raw":)", text = R"("0x00010b00","raw":null,"text":)";
    EXPECT_EQ(
        written(blob::build({.objects = {object}}), Format::jsonl),
        expected({"one", "two"}, {{number + "1", text + R"("first")", number + "2", number + "3", text + R"("last")"},
                                  {number + "10", text + R"("\"")", number + "20", number + "30", text + R"("")"}}));
}

}  // namespace value_lines_test
}  // namespace hkpd_test
