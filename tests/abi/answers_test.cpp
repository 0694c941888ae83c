// Answers through the C interface: rows in structs of any size, arguments, and faults of the inputs.
#include <gtest/gtest.h>
#include <hkpd.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "handles.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace answers_abi_test {

const std::string simulated = std::string(testdata_folder) + "/captures/simulated.mcap";
const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";
const std::string busy = std::string(testdata_folder) + "/busy.xml";
const std::string damaged = std::string(testdata_folder) + "/captures/damaged.bin";

using Answer = std::unique_ptr<hkpd_answer, decltype(&hkpd_free_answer)>;
using Ask = decltype(&hkpd_top);

Answer ask(Ask function, const std::string& path, const hkpd_options* reading = nullptr,
           const hkpd_answer_options* options = nullptr) {
    hkpd_answer* answer = nullptr;
    auto error = sized<hkpd_error>();
    const char* const text = path.c_str();
    EXPECT_EQ(function(&text, 1, reading, options, &answer, &error), HKPD_OK) << std::data(error.message);
    return {answer, hkpd_free_answer};
}

hkpd_run run_of(const Answer& answer) {
    auto run = sized<hkpd_run>();
    EXPECT_EQ(hkpd_get_run(answer.get(), 0, &run), HKPD_OK);
    return run;
}

std::vector<hkpd_series> rows_of(const Answer& answer, hkpd_list list, std::size_t count) {
    std::vector<hkpd_series> rows(count);
    if (count != 0) rows[0].struct_size = sizeof(hkpd_series);
    EXPECT_EQ(hkpd_get_series(answer.get(), list, 0, count, rows.data()), HKPD_OK);
    return rows;
}

std::string_view name(const hkpd_series& row) { return {row.instance, row.instance_size}; }

TEST(AbiAnswers, TopHasProcessesAndTheirSeries) {
    auto options = sized<hkpd_answer_options>();
    options.top = 4;
    const Answer top = ask(hkpd_top, simulated, nullptr, &options);
    const hkpd_run run = run_of(top);
    EXPECT_EQ(run.has_processes, 1U);
    EXPECT_EQ(run.process_count, 4U);
    EXPECT_EQ(run.series_count, 20U);
    EXPECT_EQ(run.all_processes, 6U);
    EXPECT_EQ(run.sort, HKPD_SORT_PROCESSOR);
    EXPECT_EQ(run.has_time, 1U);
    EXPECT_LT(run.from, run.to);
    ASSERT_EQ(run.machine_count, 1U);
    const char* text = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(hkpd_get_machine(top.get(), 0, 0, &text, &size), HKPD_OK);
    EXPECT_EQ(std::string_view(text, size), "SIMULATED");
    EXPECT_EQ(hkpd_get_machine(top.get(), 0, 1, &text, &size), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_machine(top.get(), 1, 0, &text, &size), HKPD_ERROR_ARGUMENT);

    const std::vector<hkpd_series> rows = rows_of(top, HKPD_LIST_ROWS, run.series_count);
    std::vector<hkpd_process> processes(run.process_count);
    processes[0].struct_size = sizeof(hkpd_process);
    ASSERT_EQ(hkpd_get_processes(top.get(), 0, processes.size(), processes.data()), HKPD_OK);
    for (std::size_t i = 0; i < processes.size(); ++i) {
        const hkpd_process& process = processes[i];
        EXPECT_EQ(process.first_series, i * 5);
        EXPECT_EQ(process.series_count, 5U);
        const hkpd_series& first = rows[process.first_series];
        EXPECT_EQ(std::string_view(first.counter, first.counter_size), "% Processor Time");
        EXPECT_STREQ(first.unit, "%");
        EXPECT_EQ(process.processor_mean, first.mean);
        EXPECT_EQ(process.processor_max, first.max);
        EXPECT_EQ(process.working_set, rows[process.first_series + 1].last);
        EXPECT_EQ(process.private_growth, rows[process.first_series + 2].slope);
        // Samples are a second apart, and all processes live in all of them.
        EXPECT_NEAR(process.processor_seconds, first.mean * static_cast<double>(first.count) / 100, 1e-9);
        EXPECT_NEAR(process.processor_of_run, first.mean, 1e-9);
        EXPECT_NEAR(process.io_of_run, rows[process.first_series + 4].mean, 1e-6);
        EXPECT_EQ(process.working_set_peak, rows[process.first_series + 1].max);
        EXPECT_EQ(process.private_peak, rows[process.first_series + 2].max);
        EXPECT_TRUE(std::isnan(process.growth)) << "three values are no trend";
        EXPECT_EQ(process.has_processor_max_time, 1U);
        EXPECT_GT(process.processor_max_time, run.from);
        EXPECT_LE(process.processor_max_time, run.to);
        EXPECT_LE(process.processor_seconds, processes[i == 0 ? 0 : i - 1].processor_seconds);
        EXPECT_NE(first.pid, HKPD_NO_INDEX);
        EXPECT_EQ(first.life, 1U);
        EXPECT_EQ(first.parent, nullptr);
        EXPECT_NE(name(first), "_Total");
    }
}

TEST(AbiAnswers, OptionsSelectSortAndCutRows) {
    const char* const path = "\\Process(*)\\Working Set";
    auto reading = sized<hkpd_options>();
    reading.paths = &path;
    reading.path_count = 1;
    auto options = sized<hkpd_answer_options>();
    options.sort = HKPD_SORT_MAX;
    options.top = 3;
    const Answer top = ask(hkpd_top, simulated, &reading, &options);
    const hkpd_run run = run_of(top);
    EXPECT_EQ(run.has_processes, 0U);
    EXPECT_EQ(run.process_count, 0U);
    ASSERT_EQ(run.series_count, 3U);
    const std::vector<hkpd_series> rows = rows_of(top, HKPD_LIST_ROWS, 3);
    EXPECT_GE(rows[0].max, rows[1].max);
    EXPECT_GE(rows[1].max, rows[2].max);
    EXPECT_NE(name(rows[0]), "_Total");

    const char* const total = "\\Process(_Total)\\Working Set";
    reading.paths = &total;
    const Answer with_total = ask(hkpd_top, simulated, &reading, &options);
    ASSERT_EQ(run_of(with_total).series_count, 1U);
    EXPECT_EQ(name(rows_of(with_total, HKPD_LIST_ROWS, 1)[0]), "_Total");

    reading.paths = &path;
    options.flags = HKPD_ALL_INSTANCES;
    EXPECT_EQ(name(rows_of(ask(hkpd_top, simulated, &reading, &options), HKPD_LIST_ROWS, 1)[0]), "_Total");

    options.flags = 0;
    const Answer summary = ask(hkpd_summary, simulated, &reading, &options);
    ASSERT_EQ(run_of(summary).series_count, 3U);
    EXPECT_EQ(name(rows_of(summary, HKPD_LIST_ROWS, 3)[0]), "_Total");
}

TEST(AbiAnswers, RowsHaveTheSizeOfTheFirst) {
    const Answer summary = ask(hkpd_summary, demo);
    const std::size_t count = run_of(summary).series_count;
    ASSERT_GT(count, 100U);
    const std::vector<hkpd_series> exact = rows_of(summary, HKPD_LIST_ROWS, 3);
    constexpr std::size_t newer = sizeof(hkpd_series) + 8;
    std::vector<char> memory(3 * newer + 8, 'x');
    std::memcpy(memory.data(), &newer, sizeof newer);
    ASSERT_EQ(hkpd_get_series(summary.get(), HKPD_LIST_ROWS, 0, 3, reinterpret_cast<hkpd_series*>(memory.data())),
              HKPD_OK);
    for (std::size_t i = 0; i < 3; ++i) {
        hkpd_series one{};
        std::memcpy(&one, memory.data() + i * newer, sizeof one);
        EXPECT_EQ(one.struct_size, newer);
        EXPECT_EQ(one.counter, exact[i].counter);
        EXPECT_EQ(one.count, exact[i].count);
    }
    EXPECT_EQ(std::string(memory.end() - 8, memory.end()), "xxxxxxxx");

    hkpd_series unset{};
    EXPECT_EQ(hkpd_get_series(summary.get(), HKPD_LIST_ROWS, 0, 1, &unset), HKPD_ERROR_ARGUMENT);
    auto row = sized<hkpd_series>();
    EXPECT_EQ(hkpd_get_series(summary.get(), HKPD_LIST_ROWS, count, 1, &row), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_series(summary.get(), HKPD_LIST_ROWS, 1, static_cast<std::size_t>(-1), &row),
              HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_series(summary.get(), HKPD_LIST_ROWS, count, 0, nullptr), HKPD_OK);
    EXPECT_EQ(hkpd_get_series(summary.get(), HKPD_LIST_BEFORE, 0, 0, nullptr), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_series(nullptr, HKPD_LIST_ROWS, 0, 0, nullptr), HKPD_ERROR_ARGUMENT);
    auto process = sized<hkpd_process>();
    EXPECT_EQ(hkpd_get_processes(summary.get(), 0, 1, &process), HKPD_ERROR_ARGUMENT);
    auto change = sized<hkpd_change>();
    EXPECT_EQ(hkpd_get_changes(summary.get(), 0, 1, &change), HKPD_ERROR_ARGUMENT);
    auto input = sized<hkpd_input>();
    EXPECT_EQ(hkpd_get_input(summary.get(), &input), HKPD_ERROR_ARGUMENT);
}

TEST(AbiAnswers, ComparedRunsHaveRowsOfBoth) {
    hkpd_answer* made = nullptr;
    ASSERT_EQ(hkpd_compare(demo.c_str(), simulated.c_str(), nullptr, nullptr, &made, nullptr), HKPD_OK);
    const Answer answer(made, hkpd_free_answer);
    const hkpd_run before = run_of(answer);
    auto after = sized<hkpd_run>();
    ASSERT_EQ(hkpd_get_run(answer.get(), 1, &after), HKPD_OK);
    EXPECT_EQ(before.samples, 3U);
    EXPECT_NE(after.samples, 3U);
    ASSERT_GT(before.change_count, 10U);
    const auto earlier = rows_of(answer, HKPD_LIST_BEFORE, before.change_count);
    const auto later = rows_of(answer, HKPD_LIST_AFTER, before.change_count);
    std::vector<hkpd_change> changes(before.change_count);
    changes[0].struct_size = sizeof(hkpd_change);
    ASSERT_EQ(hkpd_get_changes(answer.get(), 0, changes.size(), changes.data()), HKPD_OK);
    for (std::size_t i = 0; i < changes.size(); ++i) {
        EXPECT_EQ(std::string_view(earlier[i].counter, earlier[i].counter_size),
                  std::string_view(later[i].counter, later[i].counter_size));
        EXPECT_NEAR(changes[i].median_effect * changes[i].noise, later[i].p50 - earlier[i].p50,
                    1e-9 * (std::abs(later[i].p50) + std::abs(earlier[i].p50)));
    }
    EXPECT_EQ(rows_of(answer, HKPD_LIST_ONLY_BEFORE, before.only_count).size(), before.only_count);
    EXPECT_EQ(rows_of(answer, HKPD_LIST_ONLY_AFTER, after.only_count).size(), after.only_count);
    EXPECT_EQ(hkpd_compare(demo.c_str(), nullptr, nullptr, nullptr, &made, nullptr), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(made, nullptr);
}

TEST(AbiAnswers, AnOverviewListsObjects) {
    hkpd_answer* made = nullptr;
    ASSERT_EQ(hkpd_overview(demo.c_str(), nullptr, nullptr, &made, nullptr), HKPD_OK);
    const Answer answer(made, hkpd_free_answer);
    auto input = sized<hkpd_input>();
    ASSERT_EQ(hkpd_get_input(answer.get(), &input), HKPD_OK);
    EXPECT_STREQ(input.kind, "v1");
    EXPECT_EQ(input.samples, 3U);
    EXPECT_EQ(input.samples_exact, 1U);
    EXPECT_EQ(input.is_complete, 1U);
    EXPECT_EQ(input.has_interval, 1U);
    EXPECT_EQ(input.interval, 2'000'000'000);
    EXPECT_EQ(input.to - input.from, 4'000'000'000);
    ASSERT_EQ(input.object_count, 5U);
    std::vector<hkpd_input_object> objects(input.object_count);
    objects[0].struct_size = sizeof(hkpd_input_object);
    ASSERT_EQ(hkpd_get_input_objects(answer.get(), 0, objects.size(), objects.data()), HKPD_OK);
    EXPECT_EQ(std::string_view(objects[2].name, objects[2].name_size), "Processor");
    EXPECT_EQ(objects[2].is_list, 1U);
    EXPECT_EQ(objects[2].instances, 3U);
    const char* text = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(hkpd_get_machine(answer.get(), 0, 0, &text, &size), HKPD_OK);
    EXPECT_EQ(std::string_view(text, size), "DEMO");
    EXPECT_EQ(hkpd_get_run(answer.get(), 0, nullptr), HKPD_ERROR_ARGUMENT);
}

TEST(AbiAnswers, FindingsBelongToFaults) {
    const Answer check = ask(hkpd_check, damaged);
    auto checked = sized<hkpd_checked>();
    ASSERT_EQ(hkpd_get_checked(check.get(), &checked), HKPD_OK);
    EXPECT_GT(checked.samples, 0U);
    EXPECT_EQ(checked.services, 0U);
    hkpd_reader* const faults = hkpd_answer_faults(check.get());
    ASSERT_GT(checked.finding_count, 0U);
    ASSERT_EQ(hkpd_fault_count(faults), checked.finding_count);
    std::vector<hkpd_finding> findings(checked.finding_count);
    findings[0].struct_size = sizeof(hkpd_finding);
    ASSERT_EQ(hkpd_get_findings(check.get(), 0, findings.size(), findings.data()), HKPD_OK);
    bool any_rule = false, any_event = false;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        auto fault = sized<hkpd_fault>();
        ASSERT_EQ(hkpd_get_fault(faults, i, &fault), HKPD_OK);
        if (std::string_view(fault.code) != "object_length") continue;
        any_rule = any_rule || findings[i].rule_size != 0;
        any_event = any_event || findings[i].event == 1003;
    }
    EXPECT_TRUE(any_rule);
    EXPECT_TRUE(any_event);
    EXPECT_EQ(hkpd_get_run(check.get(), 0, nullptr), HKPD_ERROR_ARGUMENT);

    auto options = sized<hkpd_answer_options>();
    options.services = "no such file";
    hkpd_answer* answer = nullptr;
    auto error = sized<hkpd_error>();
    const char* const path = damaged.c_str();
    EXPECT_EQ(hkpd_check(&path, 1, nullptr, &options, &answer, &error), HKPD_ERROR_OPEN);
    EXPECT_NE(std::string_view(std::data(error.message)).find("no such file"), std::string_view::npos);
}

hkpd_page page_of(const Answer& answer) {
    auto page = sized<hkpd_page>();
    EXPECT_EQ(hkpd_get_page(answer.get(), &page), HKPD_OK);
    return page;
}

Answer report(const hkpd_report_options* options, const hkpd_options* reading = nullptr) {
    hkpd_answer* answer = nullptr;
    auto error = sized<hkpd_error>();
    const char* const path = simulated.c_str();
    EXPECT_EQ(hkpd_report(&path, 1, reading, options, &answer, &error), HKPD_OK) << std::data(error.message);
    return {answer, hkpd_free_answer};
}

TEST(AbiAnswers, AReportHasAPageAndItsFindings) {
    const std::string title = "Busy & more";
    auto options = sized<hkpd_report_options>();
    options.rules = busy.c_str();
    options.title = title.c_str();
    options.theme = HKPD_THEME_DARK;
    const Answer answer = report(&options);
    const hkpd_page page = page_of(answer);
    const std::string_view html(page.html, page.html_size);
    EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(html.ends_with("</html>\n"));
    EXPECT_NE(html.find("<title>Busy &amp; more</title>"), std::string_view::npos);
    EXPECT_NE(html.find("data-theme=\"dark\""), std::string_view::npos);
    EXPECT_EQ(page.samples, run_of(ask(hkpd_summary, simulated)).samples);
    ASSERT_GT(page.finding_count, 0U);
    std::vector<hkpd_rule_finding> findings(page.finding_count);
    findings[0].struct_size = sizeof(hkpd_rule_finding);
    ASSERT_EQ(hkpd_get_rule_findings(answer.get(), 0, findings.size(), findings.data()), HKPD_OK);
    for (const hkpd_rule_finding& finding : findings) {
        EXPECT_EQ(std::string_view(finding.analysis, finding.analysis_size), "Busy");
        EXPECT_EQ(std::string_view(finding.threshold, finding.threshold_size), "at all");
        EXPECT_EQ(std::string_view(finding.machine, finding.machine_size), "SIMULATED");
        EXPECT_EQ(std::string_view(finding.object, finding.object_size), "Processor");
        EXPECT_EQ(std::string_view(finding.counter, finding.counter_size), "% Processor Time");
        EXPECT_EQ(finding.is_critical, 1U);
        EXPECT_EQ(finding.is_trend, 0U);
        EXPECT_TRUE(std::isnan(finding.slope));
        EXPECT_EQ(finding.limit, 0.001);
        EXPECT_GT(finding.worst, finding.limit);
        EXPECT_GE(finding.values, finding.exceeding);
        EXPECT_GT(finding.exceeding_time, 0);
        EXPECT_LE(finding.first, finding.worst_time);
        EXPECT_LE(finding.worst_time, finding.last);
    }
    auto one = sized<hkpd_rule_finding>();
    EXPECT_EQ(hkpd_get_rule_findings(answer.get(), findings.size(), 1, &one), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_run(answer.get(), 0, nullptr), HKPD_ERROR_ARGUMENT);
    auto other = sized<hkpd_page>();
    EXPECT_EQ(hkpd_get_page(ask(hkpd_summary, demo).get(), &other), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_get_page(nullptr, &other), HKPD_ERROR_ARGUMENT);
}

TEST(AbiAnswers, AReportComparesWithABaselineAndReadsAPart) {
    auto options = sized<hkpd_report_options>();
    options.baseline = demo.c_str();
    const hkpd_page compared = page_of(report(&options));
    const hkpd_page plain = page_of(report(nullptr));
    EXPECT_NE(compared.html_size, plain.html_size);
    EXPECT_EQ(compared.samples, plain.samples);
    auto reading = sized<hkpd_options>();
    reading.sample_count = 2;
    const hkpd_page part = page_of(report(nullptr, &reading));
    EXPECT_GT(part.samples, 0U);
    EXPECT_LT(part.samples, plain.samples);
}

TEST(AbiAnswers, AReportRefusesWhatItCannotUse) {
    auto options = sized<hkpd_report_options>();
    auto error = sized<hkpd_error>();
    hkpd_answer* answer = nullptr;
    const char* const path = simulated.c_str();
    const auto status = [&] { return hkpd_report(&path, 1, nullptr, &options, &answer, &error); };
    const auto message = [&] { return std::string_view(std::data(error.message)); };
    options.rules = "no such rules.xml";
    EXPECT_EQ(status(), HKPD_ERROR_OPEN);
    EXPECT_NE(message().find("no such rules.xml"), std::string_view::npos);
    const TempFolder folder;
    const std::string heir = folder.write("heir.xml", "<PAL><INHERITANCE FILEPATH='none.xml'/></PAL>");
    options.rules = heir.c_str();
    EXPECT_EQ(status(), HKPD_ERROR_OPEN);
    EXPECT_NE(message().find("none.xml"), std::string_view::npos);
    options.rules = nullptr;
    const std::array<const char*, 1> answers{"NoSuchQuestion=1"};
    options.answers = answers.data();
    options.answer_count = 1;
    EXPECT_EQ(status(), HKPD_ERROR_ARGUMENT);
    EXPECT_NE(message().find("NoSuchQuestion"), std::string_view::npos);
    options.answers = nullptr;
    EXPECT_EQ(status(), HKPD_ERROR_ARGUMENT);
    options.answer_count = 0;
    options.baseline = "no such baseline";
    EXPECT_EQ(status(), HKPD_ERROR_OPEN);
    EXPECT_NE(message().find("no such baseline"), std::string_view::npos);
    options.baseline = nullptr;
    options.theme = HKPD_THEME_DARK + 1;
    EXPECT_EQ(status(), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_report(&path, 1, nullptr, nullptr, nullptr, &error), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(answer, nullptr);
}

TEST(AbiAnswers, FaultsAreThoseOfTheInputs) {
    const Answer summary = ask(hkpd_summary, damaged);
    hkpd_reader* const faults = hkpd_answer_faults(summary.get());
    EXPECT_GT(hkpd_count_faults(faults, HKPD_ERROR), 0U);
    ASSERT_GT(hkpd_fault_count(faults), 0U);
    auto fault = sized<hkpd_fault>();
    ASSERT_EQ(hkpd_get_fault(faults, 0, &fault), HKPD_OK);
    EXPECT_NE(std::string_view(fault.input, fault.input_size).find("damaged.bin"), std::string_view::npos);
    // It is no reader of samples.
    EXPECT_EQ(hkpd_next(faults, nullptr), HKPD_ERROR_STATE);
    auto object = sized<hkpd_object>();
    EXPECT_NE(hkpd_get_object(faults, 0, &object), HKPD_OK);
    EXPECT_EQ(hkpd_answer_faults(nullptr), nullptr);
}

TEST(AbiAnswers, FailuresAreDescribedAndLeaveNoAnswer) {
    auto error = sized<hkpd_error>();
    const char* path = "no such file";
    auto* answer = reinterpret_cast<hkpd_answer*>(&error);
    EXPECT_EQ(hkpd_top(&path, 1, nullptr, nullptr, &answer, &error), HKPD_ERROR_OPEN);
    EXPECT_EQ(answer, nullptr);
    EXPECT_NE(std::string_view(std::data(error.message)).find("no such file"), std::string_view::npos);
    EXPECT_EQ(hkpd_top(nullptr, 1, nullptr, nullptr, &answer, &error), HKPD_ERROR_ARGUMENT);
    EXPECT_EQ(hkpd_summary(&path, 1, nullptr, nullptr, nullptr, &error), HKPD_ERROR_ARGUMENT);
    path = demo.c_str();
    auto options = sized<hkpd_answer_options>();
    options.sort = HKPD_SORT_SLOPE + 1;
    EXPECT_EQ(hkpd_top(&path, 1, nullptr, &options, &answer, &error), HKPD_ERROR_ARGUMENT);
    options.sort = 0;
    options.struct_size = 0;
    EXPECT_EQ(hkpd_top(&path, 1, nullptr, &options, &answer, &error), HKPD_ERROR_ARGUMENT);
    const char* const wrong = "no path";
    auto reading = sized<hkpd_options>();
    reading.paths = &wrong;
    reading.path_count = 1;
    EXPECT_EQ(hkpd_top(&path, 1, &reading, nullptr, &answer, &error), HKPD_ERROR_ARGUMENT);
    EXPECT_NE(std::string_view(std::data(error.message)).find("no path"), std::string_view::npos);
    EXPECT_EQ(answer, nullptr);
    hkpd_free_answer(nullptr);
}

}  // namespace answers_abi_test
}  // namespace hkpd_test
