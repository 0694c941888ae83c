// The rules of the C interface: sizes of structs, arguments, states, options, fed records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hkpd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "handles.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace abi_test {

using testing::HasSubstr;

const std::string demo = std::string(testdata_folder) + "/captures/demo.mcap";
const std::string simulated = std::string(testdata_folder) + "/captures/simulated.mcap";
const std::string blob = std::string(testdata_folder) + "/captures/demo.bin";

/// Returns the position of an object of the current sample.
std::size_t find_object(hkpd_reader* reader, std::string_view name) {
    auto object = sized<hkpd_object>();
    for (std::size_t i = 0; hkpd_get_object(reader, i, &object) == HKPD_OK; ++i)
        if (std::string_view(object.name, object.name_size) == name) return i;
    ADD_FAILURE() << "no object " << name;
    return 0;
}

std::size_t find_column(hkpd_reader* reader, std::size_t object, std::string_view name) {
    auto column = sized<hkpd_column>();
    for (std::size_t i = 0; hkpd_get_column(reader, object, i, &column) == HKPD_OK; ++i)
        if (std::string_view(column.name, column.name_size) == name) return i;
    ADD_FAILURE() << "no counter " << name;
    return 0;
}

TEST(Abi, ANewerProgramGetsZerosForMembersUnknownToTheLibrary) {
    const Reader reader(demo);
    struct Newer {
        hkpd_sample known;
        std::uint64_t later;
    } sample{};
    sample.known.struct_size = sizeof sample;
    sample.later = 7;
    ASSERT_EQ(hkpd_next(reader, &sample.known), HKPD_OK);
    EXPECT_EQ(sample.known.struct_size, sizeof sample);
    EXPECT_GT(sample.known.object_count, 0U);
    EXPECT_EQ(sample.later, 0U);
}

TEST(Abi, ElementsOfAnArrayHaveTheSizeOfTheFirst) {
    struct Newer {
        hkpd_instance known;
        std::uint64_t later;
    };
    const Reader reader(demo);
    ASSERT_EQ(hkpd_next(reader, nullptr), HKPD_OK);
    const std::size_t process = find_object(reader, "Process");
    std::array<Newer, 3> wide{};
    wide[0].known.struct_size = sizeof(Newer);
    std::array<hkpd_instance, 3> exact{};
    exact[0].struct_size = sizeof(hkpd_instance);
    ASSERT_EQ(hkpd_get_instances(reader, process, 1, 3, &wide[0].known), HKPD_OK);
    ASSERT_EQ(hkpd_get_instances(reader, process, 1, 3, exact.data()), HKPD_OK);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(wide[i].known.name, exact[i].name);
        EXPECT_EQ(wide[i].known.offset, exact[i].offset);
        EXPECT_EQ(wide[i].known.struct_size, sizeof(Newer));
    }
}

TEST(Abi, InstancesOfAnOlderProgramEndBeforeTheIdentity) {
    const Reader reader(demo);
    ASSERT_EQ(hkpd_next(reader, nullptr), HKPD_OK);
    const std::size_t process = find_object(reader, "Process"), older = offsetof(hkpd_instance, pid);
    std::array<hkpd_instance, 3> exact{};
    exact[0].struct_size = sizeof(hkpd_instance);
    ASSERT_EQ(hkpd_get_instances(reader, process, 0, 3, exact.data()), HKPD_OK);
    std::vector<char> memory(3 * older + 8, 'x');
    std::memcpy(memory.data(), &older, sizeof older);
    ASSERT_EQ(hkpd_get_instances(reader, process, 0, 3, reinterpret_cast<hkpd_instance*>(memory.data())), HKPD_OK);
    for (std::size_t i = 0; i < 3; ++i) {
        hkpd_instance one{};
        std::memcpy(&one, memory.data() + i * older, older);
        EXPECT_EQ(one.struct_size, older);
        EXPECT_EQ(one.name, exact[i].name);
        EXPECT_EQ(one.offset, exact[i].offset);
    }
    EXPECT_EQ(std::string(memory.end() - 8, memory.end()), "xxxxxxxx");
}

TEST(Abi, InstancesHaveTheirIdentity) {
    const Reader reader(demo);
    ASSERT_EQ(hkpd_next(reader, nullptr), HKPD_OK);
    const auto instances = [&](std::string_view name) {
        const std::size_t position = find_object(reader, name);
        auto object = sized<hkpd_object>();
        EXPECT_EQ(hkpd_get_object(reader, position, &object), HKPD_OK);
        std::vector<hkpd_instance> found(object.instance_count);
        found.at(0).struct_size = sizeof(hkpd_instance);
        EXPECT_EQ(hkpd_get_instances(reader, position, 0, found.size(), found.data()), HKPD_OK);
        return found;
    };
    const std::size_t process = find_object(reader, "Process");
    auto ids = sized<hkpd_column>();
    ASSERT_EQ(hkpd_get_column(reader, process, find_column(reader, process, "ID Process"), &ids), HKPD_OK);
    const std::vector<hkpd_instance> processes = instances("Process");
    for (std::size_t i = 0; i < processes.size(); ++i) {
        const bool total = std::string_view(processes[i].name, processes[i].name_size) == "_Total";
        EXPECT_EQ(processes[i].pid, total ? HKPD_NO_INDEX : ids.values[i]);
        EXPECT_EQ(processes[i].life, 1U);
        EXPECT_EQ(processes[i].has_instance_id, 0U);
        EXPECT_EQ(processes[i].parent, nullptr);
    }
    for (const hkpd_instance& thread : instances("Thread")) {
        const hkpd_instance& parent = processes.at(thread.parent_instance);
        EXPECT_EQ(std::string_view(thread.parent, thread.parent_size), std::string_view(parent.name, parent.name_size));
        EXPECT_EQ(thread.pid, parent.pid);
    }
}

TEST(Abi, ASizeThatWasNotSetIsRefused) {
    const Reader reader(demo);
    hkpd_sample sample{};
    EXPECT_EQ(hkpd_next(reader, &sample), HKPD_ERROR_ARGUMENT);
    ASSERT_EQ(hkpd_next(reader, nullptr), HKPD_OK);
    hkpd_object object{};
    EXPECT_EQ(hkpd_get_object(reader, 0, &object), HKPD_ERROR_ARGUMENT);
    hkpd_options options{};
    hkpd_reader* other = nullptr;
    auto error = sized<hkpd_error>();
    EXPECT_EQ(hkpd_open_feed(&options, &other, &error), HKPD_ERROR_ARGUMENT);
    EXPECT_STREQ(error.message, "hkpd_options::struct_size is not set, or too small");
}

TEST(Abi, NoPointerAndNoIndexIsTrusted) {
    const Reader reader(demo);
    auto object = sized<hkpd_object>();
    auto column = sized<hkpd_column>();
    auto cooked = sized<hkpd_cooked>();
    auto instance = sized<hkpd_instance>();
    auto fault = sized<hkpd_fault>();
    const char* text = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(hkpd_get_object(reader, 0, &object), HKPD_ERROR_STATE) << "before the first sample";
    EXPECT_EQ(hkpd_get_column(reader, 0, 0, &column), HKPD_ERROR_STATE);
    ASSERT_EQ(hkpd_next(reader, nullptr), HKPD_OK);
    const std::size_t most = SIZE_MAX;
    EXPECT_EQ(hkpd_get_object(reader, most, &object), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_column(reader, 0, most, &column), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_column(reader, most, 0, &column), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_cooked(reader, 0, most, &cooked), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_instances(reader, 0, 1, most, &instance), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_instances(reader, 0, most, 1, &instance), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_text(reader, 0, 0, 0, &text, &size), HKPD_ERROR_ARGUMENT) << "a column of numbers";
    EXPECT_EQ(hkpd_get_fault(reader, most, &fault), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_object(reader, 0, nullptr), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_object(nullptr, 0, &object), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_next(nullptr, nullptr), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_fault_count(nullptr), 0U);
    EXPECT_EQ(hkpd_count_faults(reader, 3), 0U);
    EXPECT_EQ(hkpd_open(nullptr, 1, nullptr, nullptr, nullptr), HKPD_ERROR_ARGUMENT);
    EXPECT_STREQ(hkpd_reason_name(255), "");
    EXPECT_STREQ(hkpd_type_name(12345), "");
    EXPECT_STREQ(hkpd_status_text(99), "unknown status");
    hkpd_close(nullptr);
}

TEST(Abi, AFileThatIsNotThereIsNamed) {
    const std::string path = std::string(testdata_folder) + "/none.blg";
    const char* const text = path.c_str();
    hkpd_reader* reader = nullptr;
    auto error = sized<hkpd_error>();
    EXPECT_EQ(hkpd_open(&text, 1, nullptr, &reader, &error), HKPD_ERROR_OPEN);
    EXPECT_EQ(reader, nullptr);
    EXPECT_EQ(error.status, HKPD_ERROR_OPEN);
    EXPECT_EQ(error.system, ENOENT);
    EXPECT_EQ(std::string(error.message), path + ": cannot be read: No such file or directory");
    EXPECT_EQ(hkpd_open_memory("", 0, nullptr, &reader, &error), HKPD_ERROR_OPEN);
    EXPECT_EQ(reader, nullptr);
}

TEST(Abi, OptionsSelectSamples) {
    const std::size_t all = Reader(simulated).count();
    ASSERT_GT(all, 5U);
    auto options = sized<hkpd_options>();
    options.first_sample = 2;
    options.sample_count = 3;
    EXPECT_EQ(Reader(simulated, &options).count(), 3U);
    options.sample_count = UINT64_MAX;
    EXPECT_EQ(Reader(simulated, &options).count(), all - 2);
    options = sized<hkpd_options>();
    options.every = 2;
    EXPECT_EQ(Reader(simulated, &options).count(), 4U) << "two of three samples of V1, and of V2";

    const Reader reader(simulated);
    auto sample = sized<hkpd_sample>();
    std::vector<std::int64_t> times;
    while (hkpd_next(reader, &sample) == HKPD_OK) times.push_back(sample.time);
    options = sized<hkpd_options>();
    options.flags = HKPD_HAS_FROM;
    options.from = times.back();
    const auto last = static_cast<std::size_t>(std::ranges::count(times, times.back()));
    EXPECT_LT(last, all);
    EXPECT_EQ(Reader(simulated, &options).count(), last);
    options.flags = HKPD_HAS_TO;
    options.to = times.back() - 1;
    EXPECT_EQ(Reader(simulated, &options).count(), all - last);
}

TEST(Abi, TitlesOfTheProgramNameObjects) {
    auto options = sized<hkpd_options>();
    constexpr std::string_view titles = "230\tVorgang\n";
    options.titles = titles.data();
    options.titles_size = titles.size();
    options.flags = HKPD_NO_INPUT_TITLES;
    const Reader reader(blob, &options);
    ASSERT_EQ(hkpd_next(reader, nullptr), HKPD_OK);
    find_object(reader, "Vorgang");
    find_object(reader, "System");
}

TEST(Abi, APathThatIsNoneIsRefused) {
    auto options = sized<hkpd_options>();
    const std::array paths{R"(\Process(*)\ID Process)", "Process"};
    options.paths = paths.data();
    options.path_count = paths.size();
    hkpd_reader* reader = nullptr;
    auto error = sized<hkpd_error>();
    EXPECT_EQ(hkpd_open_feed(&options, &reader, &error), HKPD_ERROR_ARGUMENT);
    EXPECT_STREQ(error.message, R"('Process' is not a counter path: expected \object(instance)\counter)");
}

TEST(Abi, FedBlocksAreCookedAgainstTheirPredecessors) {
    // What the reader of a file gives for the same blocks.
    const std::string bytes = read_file(blob);
    std::vector<std::string> blocks;
    for (std::size_t at = 0; at + 24 <= bytes.size();) {
        std::uint32_t size = 0;  // TotalByteLength, in little endian
        for (std::size_t i = 4; i-- > 0;) size = size << 8U | static_cast<unsigned char>(bytes[at + 20 + i]);
        ASSERT_GT(size, 24U);
        blocks.push_back(bytes.substr(at, size));
        at += size;
    }
    ASSERT_GT(blocks.size(), 1U);
    const Reader expected(blob);
    Reader fed;
    ASSERT_EQ(hkpd_open_feed(nullptr, fed.address(), nullptr), HKPD_OK);
    EXPECT_EQ(hkpd_next(fed, nullptr), HKPD_END) << "nothing was fed";
    std::size_t values = 0;
    for (const std::string& block : blocks) {
        auto record = sized<hkpd_record>();
        record.data = block.data();
        record.size = block.size();
        ASSERT_EQ(hkpd_feed(fed, &record), HKPD_OK);
        ASSERT_EQ(hkpd_next(fed, nullptr), HKPD_OK);
        ASSERT_EQ(hkpd_next(expected, nullptr), HKPD_OK);
        const std::size_t object = find_object(expected, "Processor");
        ASSERT_EQ(find_object(fed, "Processor"), object);
        const std::size_t column = find_column(expected, object, "% Processor Time");
        auto a = sized<hkpd_cooked>(), b = sized<hkpd_cooked>();
        ASSERT_EQ(hkpd_get_cooked(expected, object, column, &a), HKPD_OK);
        ASSERT_EQ(hkpd_get_cooked(fed, object, column, &b), HKPD_OK);
        ASSERT_EQ(a.count, b.count);
        ASSERT_EQ(std::memcmp(a.values, b.values, a.count * sizeof(double)), 0);
        for (std::size_t i = 0; i < a.count; ++i) values += a.reasons[i] == 0 ? 1 : 0;
        EXPECT_EQ(hkpd_next(fed, nullptr), HKPD_END);
    }
    EXPECT_GT(values, 0U);
}

TEST(Abi, FaultsOfFedBytesAreListed) {
    Reader fed;
    ASSERT_EQ(hkpd_open_feed(nullptr, fed.address(), nullptr), HKPD_OK);
    auto record = sized<hkpd_record>();
    record.data = "no block";
    record.size = 8;
    ASSERT_EQ(hkpd_feed(fed, &record), HKPD_OK);
    EXPECT_EQ(hkpd_next(fed, nullptr), HKPD_END);
    ASSERT_EQ(hkpd_fault_count(fed), 1U);
    auto fault = sized<hkpd_fault>();
    ASSERT_EQ(hkpd_get_fault(fed, 0, &fault), HKPD_OK);
    EXPECT_STREQ(fault.code, "not_performance_data");
    EXPECT_EQ(std::string_view(fault.input, fault.input_size), "fed records");
    EXPECT_THAT(std::string(fault.message, fault.message_size), HasSubstr("does not begin with PERF"));
    record.kind = 2;
    EXPECT_EQ(hkpd_feed(fed, &record), HKPD_ERROR_ARGUMENT);
    const Reader file(blob);
    record.kind = HKPD_RECORD_V1;
    EXPECT_EQ(hkpd_feed(file, &record), HKPD_ERROR_STATE);
}

TEST(Abi, EveryReasonHasAName) {
    std::set<std::string> names;
    for (int reason = 1; reason < 256 && *hkpd_reason_name(static_cast<std::uint8_t>(reason)) != '\0'; ++reason)
        names.insert(hkpd_reason_name(static_cast<std::uint8_t>(reason)));
    EXPECT_GT(names.size(), 15U);
    EXPECT_TRUE(names.contains("capped")) << "the last one";
}

}  // namespace abi_test
}  // namespace hkpd_test
