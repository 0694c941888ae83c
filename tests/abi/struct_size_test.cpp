// The sizes of the structs that programs pass to the C interface: a size below that of the struct's first version is
// refused by every function that takes the struct, and nothing is written.
#include <gtest/gtest.h>
#include <hkpd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "handles.hpp"
#include "support/places.hpp"

namespace hkpd_test {
namespace struct_size_test {

const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";
const std::string simulated = std::string(testdata_folder) + "/captures/simulated.mcap";
const std::string damaged = std::string(testdata_folder) + "/captures/damaged.bin";
const std::string busy = std::string(testdata_folder) + "/busy.xml";

using Answer = std::unique_ptr<hkpd_answer, decltype(&hkpd_free_answer)>;

/// Functions and their structs, as `function struct`.
using Pairs = std::set<std::string>;

/// Calls functions with structs of every size.
class Sizes {
  public:
    /// Expects that a function accepts a struct if its size is at least that of the first version. `last`: the end of
    /// the last member of the first version. `call(struct)` returns the status; `content`: the members to pass.
    template <class Struct, class Call>
    void expect(const std::string& pair, std::size_t last, const Call& call, const Struct& content = {}) {
        SCOPED_TRACE(pair);
        EXPECT_TRUE(called_.insert(pair).second);
        constexpr std::size_t alignment = alignof(Struct), longest = 4096;
        const std::size_t first = (last + alignment - 1) / alignment * alignment;
        for (std::size_t size = 0; size < first; ++size) {
            const Buffer before = with(size, content);
            Buffer after = before;
            ASSERT_EQ(status(call, after), HKPD_ERROR_ARGUMENT) << size;
            ASSERT_EQ(after.bytes, before.bytes) << size;
        }
        for (const std::size_t size : {first, sizeof(Struct), sizeof(Struct) + 8, longest}) {
            Buffer given = with(size, content);
            EXPECT_EQ(status(call, given), HKPD_OK) << size;
        }
        for (const std::size_t size : {longest + 1, SIZE_MAX}) {
            Buffer given = with(size, content);
            EXPECT_EQ(status(call, given), HKPD_ERROR_ARGUMENT) << size;
        }
    }

    const Pairs& called() const noexcept { return called_; }

  private:
    struct Buffer {
        alignas(std::max_align_t) std::array<char, 2 * 4096> bytes{};
    };
    template <class Struct>
    static Buffer with(std::size_t size, const Struct& content) {
        Buffer made;
        std::memcpy(made.bytes.data(), &content, sizeof content);
        std::memcpy(made.bytes.data(), &size, sizeof size);
        return made;
    }
    template <class Result, class Struct>
    static Struct* pointed_to(Result (*)(Struct*));
    template <class Call>
    static hkpd_status status(const Call& call, Buffer& buffer) {
        using Pointer = decltype(pointed_to(+call));
        return call(reinterpret_cast<Pointer>(buffer.bytes.data()));
    }

    Pairs called_;
};

// What the functions below read. They have no captures, so that the type of their parameter is that of the struct.
struct Inputs {
    Reader reader, feed;
    Answer summary{nullptr, hkpd_free_answer}, top{nullptr, hkpd_free_answer}, compared{nullptr, hkpd_free_answer},
        overview{nullptr, hkpd_free_answer}, checked{nullptr, hkpd_free_answer}, report{nullptr, hkpd_free_answer};
};
Inputs* inputs = nullptr;

/// Calls a function that returns an answer, and frees it.
template <class Ask>
hkpd_status asked(const Ask& ask) {
    hkpd_answer* answer = nullptr;
    const hkpd_status status = ask(&answer);
    EXPECT_EQ(answer != nullptr, status == HKPD_OK);
    hkpd_free_answer(answer);
    return status;
}

/// Calls one of the functions that make an answer, with these structs.
template <class Function>
hkpd_status ask(Function function, const hkpd_options* reading, const hkpd_answer_options* options, hkpd_error* error) {
    const char* const path = demo.c_str();
    return asked([&](hkpd_answer** answer) {
        if constexpr (std::is_same_v<Function, decltype(&hkpd_compare)>)
            return function(path, path, reading, options, answer, error);
        else if constexpr (std::is_same_v<Function, decltype(&hkpd_overview)>)
            return function(path, reading, options, answer, error);
        else
            return function(&path, 1, reading, options, answer, error);
    });
}

hkpd_status report(const hkpd_options* reading, const hkpd_report_options* options, hkpd_error* error) {
    const char* const path = demo.c_str();
    return asked([&](hkpd_answer** answer) { return hkpd_report(&path, 1, reading, options, answer, error); });
}

/// Calls one of the functions that open a reader, and closes it.
template <class Open>
hkpd_status opened(const Open& open) {
    hkpd_reader* reader = nullptr;
    const hkpd_status status = open(&reader);
    EXPECT_EQ(reader != nullptr, status == HKPD_OK);
    hkpd_close(reader);
    return status;
}
hkpd_status open_path(const hkpd_options* options, hkpd_error* error) {
    const char* const path = demo.c_str();
    return opened([&](hkpd_reader** reader) { return hkpd_open(&path, 1, options, reader, error); });
}
hkpd_status open_memory(const hkpd_options* options, hkpd_error* error) {
    static const std::string bytes = [] {
        std::ifstream file(demo, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    return opened(
        [&](hkpd_reader** reader) { return hkpd_open_memory(bytes.data(), bytes.size(), options, reader, error); });
}
hkpd_status open_feed(const hkpd_options* options, hkpd_error* error) {
    return opened([&](hkpd_reader** reader) { return hkpd_open_feed(options, reader, error); });
}

// The ends of the last members that the structs had in their first version.
constexpr std::size_t options_end = offsetof(hkpd_options, batch_rows) + sizeof(hkpd_options::batch_rows);
constexpr std::size_t error_end = offsetof(hkpd_error, message) + sizeof(hkpd_error::message);
constexpr std::size_t answer_options_end =
    offsetof(hkpd_answer_options, services) + sizeof(hkpd_answer_options::services);

void expect_of_readers(Sizes& sizes) {
    sizes.expect<hkpd_options>("hkpd_open hkpd_options", options_end,
                               [](hkpd_options* given) { return open_path(given, nullptr); });
    sizes.expect<hkpd_error>("hkpd_open hkpd_error", error_end,
                             [](hkpd_error* given) { return open_path(nullptr, given); });
    sizes.expect<hkpd_options>("hkpd_open_memory hkpd_options", options_end,
                               [](hkpd_options* given) { return open_memory(given, nullptr); });
    sizes.expect<hkpd_error>("hkpd_open_memory hkpd_error", error_end,
                             [](hkpd_error* given) { return open_memory(nullptr, given); });
    sizes.expect<hkpd_options>("hkpd_open_feed hkpd_options", options_end,
                               [](hkpd_options* given) { return open_feed(given, nullptr); });
    sizes.expect<hkpd_error>("hkpd_open_feed hkpd_error", error_end,
                             [](hkpd_error* given) { return open_feed(nullptr, given); });
    hkpd_record record{};
    record.data = demo.data();
    record.size = demo.size();
    sizes.expect<hkpd_record>(
        "hkpd_feed hkpd_record", offsetof(hkpd_record, time) + sizeof(hkpd_record::time),
        [](hkpd_record* given) { return hkpd_feed(inputs->feed, given); }, record);
}

void expect_of_samples(Sizes& sizes) {
    sizes.expect<hkpd_sample>("hkpd_next hkpd_sample", offsetof(hkpd_sample, bytes) + sizeof(hkpd_sample::bytes),
                              [](hkpd_sample* given) { return hkpd_next(Reader(demo), given); });
    sizes.expect<hkpd_object>("hkpd_get_object hkpd_object",
                              offsetof(hkpd_object, column_count) + sizeof(hkpd_object::column_count),
                              [](hkpd_object* given) { return hkpd_get_object(inputs->reader, 0, given); });
    sizes.expect<hkpd_instance>(
        "hkpd_get_instances hkpd_instance", offsetof(hkpd_instance, offset) + sizeof(hkpd_instance::offset),
        [](hkpd_instance* given) { return hkpd_get_instances(inputs->reader, 2, 0, 1, given); });
    sizes.expect<hkpd_column>("hkpd_get_column hkpd_column",
                              offsetof(hkpd_column, reserved) + sizeof(hkpd_column::reserved),
                              [](hkpd_column* given) { return hkpd_get_column(inputs->reader, 0, 0, given); });
    sizes.expect<hkpd_cooked>("hkpd_get_cooked hkpd_cooked",
                              offsetof(hkpd_cooked, reasons) + sizeof(hkpd_cooked::reasons),
                              [](hkpd_cooked* given) { return hkpd_get_cooked(inputs->reader, 0, 0, given); });
    sizes.expect<hkpd_fault>(
        "hkpd_get_fault hkpd_fault", offsetof(hkpd_fault, message_size) + sizeof(hkpd_fault::message_size),
        [](hkpd_fault* given) { return hkpd_get_fault(hkpd_answer_faults(inputs->checked.get()), 0, given); });
}

template <auto function>
void expect_of_answer(Sizes& sizes, const std::string& name) {
    sizes.expect<hkpd_options>(name + " hkpd_options", options_end,
                               [](hkpd_options* given) { return ask(function, given, nullptr, nullptr); });
    sizes.expect<hkpd_answer_options>(
        name + " hkpd_answer_options", answer_options_end,
        [](hkpd_answer_options* given) { return ask(function, nullptr, given, nullptr); });
    sizes.expect<hkpd_error>(name + " hkpd_error", error_end,
                             [](hkpd_error* given) { return ask(function, nullptr, nullptr, given); });
}

void expect_of_answers(Sizes& sizes) {
    expect_of_answer<&hkpd_summary>(sizes, "hkpd_summary");
    expect_of_answer<&hkpd_top>(sizes, "hkpd_top");
    expect_of_answer<&hkpd_compare>(sizes, "hkpd_compare");
    expect_of_answer<&hkpd_overview>(sizes, "hkpd_overview");
    expect_of_answer<&hkpd_check>(sizes, "hkpd_check");
    sizes.expect<hkpd_options>("hkpd_report hkpd_options", options_end,
                               [](hkpd_options* given) { return report(given, nullptr, nullptr); });
    sizes.expect<hkpd_report_options>(
        "hkpd_report hkpd_report_options",
        offsetof(hkpd_report_options, page_bytes) + sizeof(hkpd_report_options::page_bytes),
        [](hkpd_report_options* given) { return report(nullptr, given, nullptr); });
    sizes.expect<hkpd_error>("hkpd_report hkpd_error", error_end,
                             [](hkpd_error* given) { return report(nullptr, nullptr, given); });
}

void expect_of_rows(Sizes& sizes) {
    sizes.expect<hkpd_run>("hkpd_get_run hkpd_run", offsetof(hkpd_run, sums) + sizeof(hkpd_run::sums),
                           [](hkpd_run* given) { return hkpd_get_run(inputs->summary.get(), 0, given); });
    sizes.expect<hkpd_series>(
        "hkpd_get_series hkpd_series", offsetof(hkpd_series, reserved) + sizeof(hkpd_series::reserved),
        [](hkpd_series* given) { return hkpd_get_series(inputs->summary.get(), HKPD_LIST_ROWS, 0, 1, given); });
    sizes.expect<hkpd_process>("hkpd_get_processes hkpd_process", offsetof(hkpd_process, io) + sizeof(hkpd_process::io),
                               [](hkpd_process* given) { return hkpd_get_processes(inputs->top.get(), 0, 1, given); });
    sizes.expect<hkpd_change>("hkpd_get_changes hkpd_change", offsetof(hkpd_change, noise) + sizeof(hkpd_change::noise),
                              [](hkpd_change* given) { return hkpd_get_changes(inputs->compared.get(), 0, 1, given); });
    sizes.expect<hkpd_input>("hkpd_get_input hkpd_input",
                             offsetof(hkpd_input, object_count) + sizeof(hkpd_input::object_count),
                             [](hkpd_input* given) { return hkpd_get_input(inputs->overview.get(), given); });
    sizes.expect<hkpd_input_object>(
        "hkpd_get_input_objects hkpd_input_object",
        offsetof(hkpd_input_object, counters) + sizeof(hkpd_input_object::counters),
        [](hkpd_input_object* given) { return hkpd_get_input_objects(inputs->overview.get(), 0, 1, given); });
    sizes.expect<hkpd_checked>("hkpd_get_checked hkpd_checked",
                               offsetof(hkpd_checked, finding_count) + sizeof(hkpd_checked::finding_count),
                               [](hkpd_checked* given) { return hkpd_get_checked(inputs->checked.get(), given); });
    sizes.expect<hkpd_finding>(
        "hkpd_get_findings hkpd_finding", offsetof(hkpd_finding, reserved) + sizeof(hkpd_finding::reserved),
        [](hkpd_finding* given) { return hkpd_get_findings(inputs->checked.get(), 0, 1, given); });
    sizes.expect<hkpd_page>("hkpd_get_page hkpd_page",
                            offsetof(hkpd_page, finding_count) + sizeof(hkpd_page::finding_count),
                            [](hkpd_page* given) { return hkpd_get_page(inputs->report.get(), given); });
    sizes.expect<hkpd_rule_finding>(
        "hkpd_get_rule_findings hkpd_rule_finding",
        offsetof(hkpd_rule_finding, longest_to) + sizeof(hkpd_rule_finding::longest_to),
        [](hkpd_rule_finding* given) { return hkpd_get_rule_findings(inputs->report.get(), 0, 1, given); });
}

/// Returns all functions of the header that take a struct with a size.
Pairs pairs_of_header() {
    std::ifstream file(std::string(testdata_folder) + "/../lib/include/hkpd.h");
    const std::string header(std::istreambuf_iterator<char>(file), {});
    std::set<std::string> structs;
    const std::regex begins("typedef struct (hkpd_\\w+) \\{\\s*size_t struct_size;");
    for (std::sregex_iterator found(header.begin(), header.end(), begins), end; found != end; ++found)
        structs.insert((*found)[1].str());
    EXPECT_GT(structs.size(), 20U);
    Pairs pairs;
    const std::regex declares("HKPD_API [^(;]*?(hkpd_\\w+)\\(([^)]*)\\)"), takes("(hkpd_\\w+)\\* \\w+");
    for (std::sregex_iterator function(header.begin(), header.end(), declares), end; function != end; ++function) {
        const std::string parameters = (*function)[2].str();
        for (std::sregex_iterator taken(parameters.begin(), parameters.end(), takes); taken != end; ++taken)
            if (structs.contains((*taken)[1].str())) pairs.insert((*function)[1].str() + ' ' + (*taken)[1].str());
    }
    return pairs;
}

template <class Ask>
Answer answer(const Ask& ask) {
    hkpd_answer* made = nullptr;
    EXPECT_EQ(ask(&made), HKPD_OK);
    return {made, hkpd_free_answer};
}

TEST(AbiStructSizes, BelowTheFirstVersionAreRefusedByEveryFunction) {
    Inputs all;
    inputs = &all;
    const char* const path = simulated.c_str();
    const char* const blob = demo.c_str();
    ASSERT_EQ(hkpd_open(&blob, 1, nullptr, all.reader.address(), nullptr), HKPD_OK);
    ASSERT_EQ(hkpd_next(all.reader, nullptr), HKPD_OK);
    ASSERT_EQ(hkpd_open_feed(nullptr, all.feed.address(), nullptr), HKPD_OK);
    all.summary = answer([&](hkpd_answer** to) { return hkpd_summary(&path, 1, nullptr, nullptr, to, nullptr); });
    all.top = answer([&](hkpd_answer** to) { return hkpd_top(&path, 1, nullptr, nullptr, to, nullptr); });
    all.compared = answer([&](hkpd_answer** to) { return hkpd_compare(path, blob, nullptr, nullptr, to, nullptr); });
    all.overview = answer([&](hkpd_answer** to) { return hkpd_overview(path, nullptr, nullptr, to, nullptr); });
    const char* const bad = damaged.c_str();
    all.checked = answer([&](hkpd_answer** to) { return hkpd_check(&bad, 1, nullptr, nullptr, to, nullptr); });
    auto options = sized<hkpd_report_options>();
    options.rules = busy.c_str();
    all.report = answer([&](hkpd_answer** to) { return hkpd_report(&path, 1, nullptr, &options, to, nullptr); });

    Sizes sizes;
    expect_of_readers(sizes);
    expect_of_samples(sizes);
    expect_of_answers(sizes);
    expect_of_rows(sizes);
    EXPECT_EQ(sizes.called(), pairs_of_header());
    inputs = nullptr;
}

}  // namespace struct_size_test
}  // namespace hkpd_test
