// The Arrow C data interface: schema, values, nulls, ownership. The values are compared with those of the columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hkpd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "handles.hpp"
#include "support/places.hpp"

namespace hkpd_test {
namespace arrow_test {

using testing::ElementsAre;

const std::string demo = std::string(testdata_folder) + "/captures/demo.mcap";

/// Releases what the library has exported, unless it was moved.
template <class Struct>
class Released {
  public:
    Released() = default;
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;
    ~Released() {
        if (exported.release != nullptr) exported.release(&exported);
    }
    Struct exported{};
};

bool is_valid(const ArrowArray& column, std::int64_t row) {
    const auto* const bits = static_cast<const std::uint8_t*>(column.buffers[0]);
    return bits == nullptr || (bits[row / 8] >> (row % 8) & 1U) != 0;
}

std::string text_at(const ArrowArray& column, std::int64_t row) {
    if (!is_valid(column, row)) return "(null)";
    const std::int32_t position = static_cast<const std::int32_t*>(column.buffers[1])[row];
    EXPECT_LT(position, column.dictionary->length);
    const auto* const offsets = static_cast<const std::int32_t*>(column.dictionary->buffers[1]);
    const auto* const bytes = static_cast<const char*>(column.dictionary->buffers[2]);
    return {bytes + offsets[position], bytes + offsets[position + 1]};
}

/// A row of a table: time, machine, object, instance, counter, type, raw, value, reason.
using Row = std::tuple<std::int64_t, std::string, std::string, std::string, std::string, std::string, std::uint64_t,
                       double, std::string>;
constexpr double no_value = -12345.5;

std::vector<Row> rows_of(const ArrowArray& table) {
    std::vector<Row> rows;
    for (std::int64_t i = 0; i < table.length; ++i) {
        ArrowArray* const* const c = table.children;
        rows.emplace_back(is_valid(*c[0], i) ? static_cast<const std::int64_t*>(c[0]->buffers[1])[i] : -1,
                          text_at(*c[1], i), text_at(*c[2], i), text_at(*c[3], i), text_at(*c[4], i), text_at(*c[5], i),
                          is_valid(*c[6], i) ? static_cast<const std::uint64_t*>(c[6]->buffers[1])[i] : 0,
                          is_valid(*c[7], i) ? static_cast<const double*>(c[7]->buffers[1])[i] : no_value,
                          text_at(*c[8], i));
    }
    return rows;
}

/// Returns the rows of a stream, and checks the number of rows in each batch.
std::vector<Row> rows_of(ArrowArrayStream& stream) {
    std::vector<Row> rows;
    while (true) {
        Released<ArrowArray> batch;
        EXPECT_EQ(stream.get_next(&stream, &batch.exported), 0);
        if (batch.exported.release == nullptr) return rows;
        for (Row& row : rows_of(batch.exported)) rows.push_back(std::move(row));
    }
}

/// Returns the rows as the functions for columns give them.
std::vector<Row> rows_of_columns(hkpd_reader* reader) {
    std::vector<Row> rows;
    auto sample = sized<hkpd_sample>();
    while (hkpd_next(reader, &sample) == HKPD_OK)
        for (std::size_t o = 0; o < sample.object_count; ++o) {
            auto object = sized<hkpd_object>();
            EXPECT_EQ(hkpd_get_object(reader, o, &object), HKPD_OK);
            std::vector<hkpd_instance> instances(object.instance_count + 1);
            instances[0].struct_size = sizeof(hkpd_instance);
            EXPECT_EQ(hkpd_get_instances(reader, o, 0, object.instance_count, instances.data()), HKPD_OK);
            for (std::size_t c = 0; c < object.column_count; ++c) {
                auto column = sized<hkpd_column>();
                auto cooked = sized<hkpd_cooked>();
                EXPECT_EQ(hkpd_get_column(reader, o, c, &column), HKPD_OK);
                EXPECT_EQ(hkpd_get_cooked(reader, o, c, &cooked), HKPD_OK);
                for (std::size_t i = 0; i < column.count; ++i) {
                    std::string instance(instances[i].name, instances[i].name_size);
                    if (instances[i].parent_object != HKPD_NO_INDEX) instance = "(has a parent)";
                    if (instances[i].number != 0) instance += '#' + std::to_string(instances[i].number);
                    const std::string_view reason = hkpd_reason_name(cooked.reasons[i]);
                    rows.emplace_back(sample.time, std::string(sample.machine, sample.machine_size),
                                      std::string(object.name, object.name_size), instance,
                                      std::string(column.name, column.name_size), hkpd_type_name(column.type),
                                      column.storage == HKPD_STORAGE_NUMBER ? column.values[i] : 0,
                                      std::isnan(cooked.values[i]) ? no_value : cooked.values[i],
                                      reason.empty() ? "(null)" : std::string(reason));
                }
            }
        }
    return rows;
}

TEST(Arrow, TheSchemaIsAsDocumented) {
    const Reader reader(demo);
    Released<ArrowArrayStream> stream;
    ASSERT_EQ(hkpd_arrow_stream(reader, &stream.exported), HKPD_OK);
    Released<ArrowSchema> schema;
    ASSERT_EQ(stream.exported.get_schema(&stream.exported, &schema.exported), 0);
    EXPECT_STREQ(schema.exported.format, "+s");
    std::vector<std::string> columns;
    for (std::int64_t i = 0; i < schema.exported.n_children; ++i) {
        const ArrowSchema& child = *schema.exported.children[i];
        columns.push_back(std::string(child.name) + ' ' + child.format +
                          (child.dictionary == nullptr ? "" : std::string(" of ") + child.dictionary->format) +
                          ((child.flags & ARROW_FLAG_NULLABLE) != 0 ? " nullable" : ""));
    }
    EXPECT_THAT(columns, ElementsAre("time tsn:UTC nullable", "machine i of u nullable", "object i of u",
                                     "instance i of u", "counter i of u", "type i of u", "raw L nullable",
                                     "value g nullable", "reason i of u nullable"));
}

TEST(Arrow, AStreamHasTheValuesOfTheColumns) {
    std::vector<Row> expected = rows_of_columns(Reader(demo));
    for (const std::uint64_t batch : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{0}}) {
        auto options = sized<hkpd_options>();
        options.batch_rows = batch;
        const Reader reader(demo, &options);
        Released<ArrowArrayStream> stream;
        ASSERT_EQ(hkpd_arrow_stream(reader, &stream.exported), HKPD_OK);
        EXPECT_EQ(hkpd_next(reader, nullptr), HKPD_ERROR_STATE) << "the stream uses the reader";
        std::vector<Row> found = rows_of(stream.exported);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (std::get<3>(expected[i]).starts_with("(has a parent)"))
                std::get<3>(found[i]) = std::get<3>(expected[i]);
            ASSERT_EQ(found[i], expected[i]) << i;
        }
        stream.exported.release(&stream.exported);
        EXPECT_EQ(hkpd_next(reader, nullptr), HKPD_END);
    }
}

TEST(Arrow, ASampleIsOneTable) {
    const Reader reader(demo);
    Released<ArrowSchema> schema;
    Released<ArrowArray> table;
    EXPECT_EQ(hkpd_arrow_sample(reader, &schema.exported, &table.exported), HKPD_ERROR_STATE);
    ASSERT_EQ(hkpd_next(reader, nullptr), HKPD_OK);
    ASSERT_EQ(hkpd_next(reader, nullptr), HKPD_OK);
    ASSERT_EQ(hkpd_arrow_sample(reader, &schema.exported, &table.exported), HKPD_OK);
    EXPECT_EQ(schema.exported.n_children, 9);
    EXPECT_EQ(table.exported.n_children, 9);
    const std::vector<Row> rows = rows_of(table.exported);
    EXPECT_GT(std::ranges::count_if(rows, [](const Row& row) { return std::get<7>(row) != no_value; }), 1000);
}

TEST(Arrow, PathsSelectRows) {
    auto options = sized<hkpd_options>();
    const char* const path = R"(\Process(svchost*)\ID Process)";
    options.paths = &path;
    options.path_count = 1;
    const Reader reader(demo, &options);
    Released<ArrowArrayStream> stream;
    ASSERT_EQ(hkpd_arrow_stream(reader, &stream.exported), HKPD_OK);
    std::map<std::string, std::size_t> instances;
    for (const Row& row : rows_of(stream.exported)) {
        EXPECT_EQ(std::get<2>(row), "Process");
        EXPECT_EQ(std::get<4>(row), "ID Process");
        ++instances[std::get<3>(row)];
    }
    EXPECT_GT(instances.size(), 1U);
    EXPECT_TRUE(instances.contains("svchost"));
    EXPECT_TRUE(instances.contains("svchost#1"));
}

/// A consumer may move children out of a table, and release them in any order, also after the reader was closed.
TEST(Arrow, ChildrenOutliveTheirTableAndTheReader) {
    std::vector<ArrowArray> moved;
    {
        const Reader reader(demo);
        Released<ArrowArrayStream> stream;
        ASSERT_EQ(hkpd_arrow_stream(reader, &stream.exported), HKPD_OK);
        Released<ArrowArray> table;
        ASSERT_EQ(stream.exported.get_next(&stream.exported, &table.exported), 0);
        for (std::int64_t i = 0; i < table.exported.n_children; ++i) {
            moved.push_back(*table.exported.children[i]);
            table.exported.children[i]->release = nullptr;
        }
    }
    EXPECT_EQ(text_at(moved[1], 0), "DEMO");
    EXPECT_GT(static_cast<const std::int64_t*>(moved[0].buffers[1])[moved[0].length - 1], 0);
    for (auto child = moved.rbegin(); child != moved.rend(); ++child) child->release(&*child);
}

TEST(Arrow, DictionariesOfLaterBatchesContainThoseOfEarlierOnes) {
    auto options = sized<hkpd_options>();
    options.batch_rows = 1;
    const Reader reader(demo, &options);
    Released<ArrowArrayStream> stream;
    ASSERT_EQ(hkpd_arrow_stream(reader, &stream.exported), HKPD_OK);
    std::vector<std::string> before;
    std::size_t batches = 0;
    for (;; ++batches) {
        Released<ArrowArray> table;
        ASSERT_EQ(stream.exported.get_next(&stream.exported, &table.exported), 0);
        if (table.exported.release == nullptr) break;
        const ArrowArray& texts = *table.exported.children[3]->dictionary;
        const auto* const offsets = static_cast<const std::int32_t*>(texts.buffers[1]);
        const auto* const bytes = static_cast<const char*>(texts.buffers[2]);
        std::vector<std::string> now;
        for (std::int64_t i = 0; i < texts.length; ++i) now.emplace_back(bytes + offsets[i], bytes + offsets[i + 1]);
        ASSERT_GE(now.size(), before.size());
        for (std::size_t i = 0; i < before.size(); ++i) ASSERT_EQ(now[i], before[i]);
        before = now;
    }
    EXPECT_EQ(batches, 3U) << "one for each sample";
}

}  // namespace arrow_test
}  // namespace hkpd_test
