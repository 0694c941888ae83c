// The Arrow C data interface: schema, values, nulls, ownership. The values are compared with those of the columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hkpd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "handles.hpp"
#include "support/places.hpp"

namespace hkpd_test {
namespace arrow_test {

using testing::ElementsAre;

const std::string demo = std::string(testdata_folder) + "/captures/demo.mcap";
const std::string simulated = std::string(testdata_folder) + "/captures/simulated.mcap";
const std::string damaged = std::string(testdata_folder) + "/captures/damaged.bin";

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

/// A row of a table. Numbers of instances are texts, and `(null)` if there is none.
struct Row {
    std::int64_t time;
    std::string machine, object, parent, instance, pid, instance_id, life, pdh_instance, counter, type;
    std::uint64_t raw;
    double value;
    std::string reason;
    bool operator==(const Row&) const = default;
};
constexpr double no_value = -12345.5;

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.object << '(' << row.parent << '/' << row.instance << ':' << row.pid << ':' << row.instance_id << ':'
         << row.life << ", " << row.pdh_instance << ")\\" << row.counter << ' ' << row.raw << ' ' << row.value;
}

template <class Number>
std::string number_at(const ArrowArray& column, std::int64_t row) {
    return is_valid(column, row) ? std::to_string(static_cast<const Number*>(column.buffers[1])[row]) : "(null)";
}

std::vector<Row> rows_of(const ArrowArray& table) {
    std::vector<Row> rows;
    for (std::int64_t i = 0; i < table.length; ++i) {
        ArrowArray* const* const c = table.children;
        rows.push_back({is_valid(*c[0], i) ? static_cast<const std::int64_t*>(c[0]->buffers[1])[i] : -1,
                        text_at(*c[1], i), text_at(*c[2], i), text_at(*c[3], i), text_at(*c[4], i),
                        number_at<std::uint32_t>(*c[5], i), number_at<std::int32_t>(*c[6], i),
                        number_at<std::uint32_t>(*c[7], i), text_at(*c[8], i), text_at(*c[9], i), text_at(*c[10], i),
                        is_valid(*c[11], i) ? static_cast<const std::uint64_t*>(c[11]->buffers[1])[i] : 0,
                        is_valid(*c[12], i) ? static_cast<const double*>(c[12]->buffers[1])[i] : no_value,
                        text_at(*c[13], i)});
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

/// Returns an instance's part of a row, by the rules that hkpd.h states.
Row row_of(const hkpd_instance& instance) {
    Row row{};
    const std::string parent(instance.parent, instance.parent_size);
    const std::string name(instance.name, instance.name_size);
    const std::string numbered = name + (instance.number == 0 ? "" : '#' + std::to_string(instance.number));
    const auto number = [](bool exists, auto value) { return exists ? std::to_string(value) : "(null)"; };
    row.parent = instance.parent == nullptr ? "(null)" : parent;
    row.instance = instance.pid == HKPD_NO_INDEX && instance.has_instance_id == 0 ? numbered : name;
    row.pid = number(instance.pid != HKPD_NO_INDEX, instance.pid);
    row.instance_id = number(instance.has_instance_id != 0, instance.instance_id);
    row.life = number(instance.life != 0, instance.life);
    row.pdh_instance = instance.parent_object == HKPD_NO_INDEX ? numbered : parent + '/' + numbered;
    if (instance.name == nullptr) row.instance = row.pdh_instance = "(null)";
    return row;
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
                    const std::string_view reason = hkpd_reason_name(cooked.reasons[i]);
                    Row& row = rows.emplace_back(row_of(instances[i]));
                    row.time = sample.has_time != 0 ? sample.time : -1;
                    row.machine = std::string(sample.machine, sample.machine_size);
                    row.object = object.name != nullptr ? std::string(object.name, object.name_size)
                                                        : '#' + std::to_string(object.index);
                    row.counter = std::string(column.name, column.name_size);
                    if (column.name == nullptr)
                        row.counter = (sample.source == HKPD_SOURCE_V2 ? "id " : "#") + std::to_string(column.index);
                    row.type = hkpd_type_name(column.type);
                    row.raw = column.storage == HKPD_STORAGE_NUMBER ? column.values[i] : 0;
                    row.value = std::isnan(cooked.values[i]) ? no_value : cooked.values[i];
                    row.reason = reason.empty() ? "(null)" : std::string(reason);
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
                                     "parent i of u nullable", "instance i of u nullable", "pid I nullable",
                                     "instance_id i nullable", "life I nullable", "pdh_instance i of u nullable",
                                     "counter i of u", "type i of u", "raw L nullable", "value g nullable",
                                     "reason i of u nullable"));
}

TEST(Arrow, AStreamHasTheValuesOfTheColumns) {
    for (const std::string& input : {demo, simulated, damaged}) {
        const std::vector<Row> expected = rows_of_columns(Reader(input));
        for (const std::uint64_t batch : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{0}}) {
            auto options = sized<hkpd_options>();
            options.batch_rows = batch;
            const Reader reader(input, &options);
            Released<ArrowArrayStream> stream;
            ASSERT_EQ(hkpd_arrow_stream(reader, &stream.exported), HKPD_OK);
            EXPECT_EQ(hkpd_next(reader, nullptr), HKPD_ERROR_STATE) << "the stream uses the reader";
            const std::vector<Row> found = rows_of(stream.exported);
            ASSERT_EQ(found.size(), expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]) << input << ' ' << i;
            stream.exported.release(&stream.exported);
            EXPECT_EQ(hkpd_next(reader, nullptr), HKPD_END);
        }
    }
}

/// A filter leaves rows out; what it selects is as in the whole table.
TEST(Arrow, SelectedRowsAreThoseOfTheWholeTable) {
    std::vector<Row> expected = rows_of_columns(Reader(simulated));
    std::erase_if(expected, [](const Row& row) { return row.object != "Thread" || !row.pdh_instance.ends_with("/1"); });
    auto options = sized<hkpd_options>();
    const char* const path = R"(\Thread(*/1)\*)";
    options.paths = &path;
    options.path_count = 1;
    const Reader reader(simulated, &options);
    Released<ArrowArrayStream> stream;
    ASSERT_EQ(hkpd_arrow_stream(reader, &stream.exported), HKPD_OK);
    const std::vector<Row> found = rows_of(stream.exported);
    EXPECT_GT(found.size(), 10U);
    EXPECT_TRUE(std::ranges::is_permutation(found, expected));
}

TEST(Arrow, RowsOfAProcessAreEqualInItsIdentity) {
    const Reader reader(demo);
    Released<ArrowArrayStream> stream;
    ASSERT_EQ(hkpd_arrow_stream(reader, &stream.exported), HKPD_OK);
    std::map<std::string, std::set<std::uint64_t>> ids;  // by identity: values of ID Process
    for (const Row& row : rows_of(stream.exported))
        if (row.object == "Process" && row.counter == "ID Process" && row.instance != "_Total")
            ids[row.instance + ':' + row.pid + ':' + row.life].insert(row.raw);
    EXPECT_GT(ids.size(), 5U);
    for (const auto& [identity, values] : ids) {
        EXPECT_EQ(values.size(), 1U) << identity;
        EXPECT_THAT(identity, testing::EndsWith(':' + std::to_string(*values.begin()) + ":1"));
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
    EXPECT_EQ(schema.exported.n_children, 14);
    EXPECT_EQ(table.exported.n_children, 14);
    const std::vector<Row> rows = rows_of(table.exported);
    EXPECT_GT(std::ranges::count_if(rows, [](const Row& row) { return row.value != no_value; }), 1000);
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
        EXPECT_EQ(row.object, "Process");
        EXPECT_EQ(row.counter, "ID Process");
        EXPECT_EQ(row.instance, "svchost");
        ++instances[row.pdh_instance];
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
        const ArrowArray& texts = *table.exported.children[8]->dictionary;
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
