// The C interface: answers about whole runs as rows.
#include "hkpd/answers.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/answer.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/input_check.hpp"
#include "hkpd/overview.hpp"

namespace hkpd::abi {
namespace {

/// Returns the column with this number; none for the default order and for numbers that are no column.
std::optional<StatisticColumn> column_of(hkpd_statistic sort) noexcept {
    if (sort == HKPD_SORT_DEFAULT || sort > HKPD_SORT_SLOPE) return std::nullopt;
    return static_cast<StatisticColumn>(sort - HKPD_SORT_COUNT);
}

/// Returns the order of processes with this number; none for columns.
std::optional<ProcessOrder> order_of(hkpd_statistic sort) noexcept {
    if (sort < HKPD_SORT_PROCESSOR || sort > HKPD_SORT_NAME) return std::nullopt;
    return static_cast<ProcessOrder>(sort - HKPD_SORT_PROCESSOR);
}

/// Sets the members that summaries and tops have in common.
template <class Options>
Options options_of(const hkpd_answer_options& options) noexcept {
    Options made;
    made.sort = column_of(options.sort);
    constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max();
    if (options.top != 0) made.top = static_cast<std::size_t>(std::min(options.top, most));
    return made;
}

/// Returns whether a path of the options asks for `_Total` or Idle.
bool asks_for_totals(const hkpd_options* reading) {
    const auto options = reading == nullptr ? std::nullopt : take(reading);
    if (!options) return false;
    const std::span paths(options->paths, options->path_count);
    return std::ranges::any_of(paths, [](const char* path) { return asks_for_aggregate_or_idle(path); });
}

/// Makes an answer with options. `make` fills it and returns its status.
template <class Make>
hkpd_status answer_with(const hkpd_answer_options* given, hkpd_answer** answer, hkpd_error* error,
                        const Make& make) noexcept {
    return make_answer(answer, error, [&](hkpd_answer& made) {
        const auto options = take_or_zero(given);
        if (!options || (options->sort > HKPD_SORT_SLOPE && !order_of(options->sort)))
            return fail(error, HKPD_ERROR_ARGUMENT,
                        "hkpd_answer_options has an unknown order, or struct_size is too small");
        return make(made, *options);
    });
}

const SeriesList* list_of(const hkpd_answer& answer, hkpd_list list) noexcept {
    if (list == HKPD_LIST_ROWS) return answer.top ? &answer.top->series : &answer.rows;
    if (!answer.changes) return nullptr;
    if (list == HKPD_LIST_ONLY_BEFORE) return &answer.changes->only_before;
    return list == HKPD_LIST_ONLY_AFTER ? &answer.changes->only_after : nullptr;
}

hkpd_series row_of(const Series& series) {
    const RunCounter& counter = *series.counter;
    const RunInstance& instance = *series.instance;
    hkpd_series made{};
    set(made.machine, made.machine_size, counter.machine);
    set(made.object, made.object_size, counter.object);
    set(made.counterset, made.counterset_size, counter.counterset);
    set(made.counter, made.counter_size, counter.name);
    set(made.parent, made.parent_size, instance.parent);
    if (!instance.is_damaged) set(made.instance, made.instance_size, instance.text);
    set(made.label, made.label_size, instance.display);
    const std::string_view unit = cooked_unit(counter.type);  // a constant, terminated by NUL
    made.unit = unit.empty() ? "" : unit.data();
    made.source = static_cast<std::uint32_t>(counter.source);
    made.object_index = counter.object_index.value_or(HKPD_NO_INDEX);
    made.counter_index = counter.index.value_or(HKPD_NO_INDEX);
    made.type = counter.type;
    made.pid = instance.pid.value_or(HKPD_NO_INDEX);
    made.life = instance.is_damaged ? 0 : instance.life;
    made.instance_id = instance.instance_id.value_or(0);
    made.has_instance_id = instance.instance_id ? 1 : 0;
    made.is_sum = instance.is_sum ? 1 : 0;
    made.has_time = series.from && series.to ? 1 : 0;
    made.from = series.from.value_or(0);
    made.to = series.to.value_or(0);
    const Statistics& s = series.statistics;
    made.count = s.count;
    made.first = s.first;
    made.last = s.last;
    made.min = s.min;
    made.mean = s.mean;
    made.p50 = s.p50;
    made.p95 = s.p95;
    made.p99 = s.p99;
    made.max = s.max;
    made.stddev = s.stddev;
    made.delta = s.delta;
    made.slope = s.slope;
    made.percentile_error = s.percentile_error;
    made.average = series.average.value;
    made.reason = static_cast<std::uint32_t>(series.average.reason);
    return made;
}

hkpd_process process_of(const Top& top, const Top::Process& process) noexcept {
    using enum ProcessUse;
    const auto number = [&](ProcessUse use, StatisticColumn column) { return top.number(process, use, column); };
    hkpd_process made{};
    std::size_t first = top.series.size();
    for (const auto& position : process.uses) {
        if (!position) continue;
        first = std::min<std::size_t>(first, *position);
        ++made.series_count;
    }
    made.first_series = first;
    made.processor_mean = number(processor, StatisticColumn::mean);
    made.processor_max = number(processor, StatisticColumn::max);
    made.working_set = number(working_set, StatisticColumn::last);
    made.private_bytes = number(private_bytes, StatisticColumn::last);
    made.private_growth = number(private_bytes, StatisticColumn::slope);
    made.handles = number(handles, StatisticColumn::last);
    made.io = number(io, StatisticColumn::mean);
    made.processor_seconds = top.processor_seconds(process);
    made.processor_of_run = top.mean_of_run(process, processor);
    made.io_of_run = top.mean_of_run(process, io);
    made.working_set_peak = number(working_set, StatisticColumn::max);
    made.private_peak = number(private_bytes, StatisticColumn::max);
    const Top::Course* const memory = top.course(process, private_bytes);
    const Trend trend = memory == nullptr ? Trend() : memory->trend;
    made.growth = trend.slope;
    made.growth_r_squared = trend.r_squared;
    const Top::Course* const busy = top.course(process, processor);
    made.has_processor_max_time = busy != nullptr && busy->max_time ? 1 : 0;
    made.processor_max_time = busy == nullptr ? 0 : busy->max_time.value_or(0);
    return made;
}

hkpd_finding finding_of(const Diagnostic& fault, const Finding& finding) {
    hkpd_finding made{};
    const auto unless_empty = [](std::string_view text) {
        return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
    };
    set(made.machine, made.machine_size, unless_empty(finding.machine));
    set(made.object, made.object_size, unless_empty(finding.object));
    set(made.instance, made.instance_size, unless_empty(finding.instance));
    set(made.rule, made.rule_size, unless_empty(rule_of(fault.error.code)));
    set(made.repair, made.repair_size, unless_empty(repair_of(fault.error)));
    if (finding.service != nullptr) {
        set(made.service, made.service_size, finding.service->name);
        set(made.library, made.library_size, unless_empty(finding.service->library));
    }
    made.event = perflib_event(fault.error).value_or(0);
    return made;
}

hkpd_run run_of(const hkpd_answer& answer, std::size_t number) {
    const RunFacts& run = answer.runs[number];
    hkpd_run made{};
    made.samples = run.samples;
    made.has_time = run.from && run.to ? 1 : 0;
    made.from = run.from.value_or(0);
    made.to = run.to.value_or(0);
    made.is_complete = run.is_complete ? 1 : 0;
    made.machine_count = run.machines.size();
    made.series_count = list_of(answer, HKPD_LIST_ROWS)->size();
    if (answer.top) {
        made.process_count = answer.top->processes.size();
        made.all_processes = answer.top->all_processes;
        made.has_processes = answer.top->has_processes ? 1 : 0;
        made.sort = answer.top->has_processes && !answer.top->by_column
                        ? static_cast<std::uint32_t>(answer.top->order) + HKPD_SORT_PROCESSOR
                        : static_cast<std::uint32_t>(answer.top->sorted_column) + HKPD_SORT_COUNT;
    }
    if (answer.changes) {
        made.change_count = answer.changes->changed.size();
        made.only_count = number == 0 ? answer.changes->only_before.size() : answer.changes->only_after.size();
        made.unchanged = answer.changes->unchanged;
        made.sums = answer.changes->sums;
    }
    return made;
}

}  // namespace
}  // namespace hkpd::abi

using hkpd::abi::fill;
using hkpd::abi::fill_all;
using hkpd::abi::filled_or_argument;
using hkpd::abi::guarded;
using hkpd::abi::is_within;

hkpd_status hkpd_summary(const char* const* paths, size_t path_count, const hkpd_options* reading,
                         const hkpd_answer_options* options, hkpd_answer** answer, hkpd_error* error) {
    const auto make = [&](hkpd_answer& made, const hkpd_answer_options& as) -> hkpd_status {
        const auto [status, run] =
            hkpd::abi::open_run(made, {paths, paths == nullptr ? 0 : path_count}, reading, true, error);
        if (status != HKPD_OK) return status;
        hkpd::Filter filter = hkpd::abi::filter_of(*run);
        hkpd::Summary summary = hkpd::summary(*run->reader, filter, hkpd::abi::options_of<hkpd::SummaryOptions>(as));
        made.runs.push_back(std::move(summary.run));
        made.rows = std::move(summary.series);
        return HKPD_OK;
    };
    return hkpd::abi::answer_with(options, answer, error, make);
}

hkpd_status hkpd_top(const char* const* paths, size_t path_count, const hkpd_options* reading,
                     const hkpd_answer_options* options, hkpd_answer** answer, hkpd_error* error) {
    const auto make = [&](hkpd_answer& made, const hkpd_answer_options& as) -> hkpd_status {
        const auto [status, run] =
            hkpd::abi::open_run(made, {paths, paths == nullptr ? 0 : path_count}, reading, true, error);
        if (status != HKPD_OK) return status;
        auto how = hkpd::abi::options_of<hkpd::TopOptions>(as);
        how.processes = !run->filter;
        how.order = hkpd::abi::order_of(as.sort).value_or(how.order);
        how.all_instances = (as.flags & HKPD_ALL_INSTANCES) != 0 || hkpd::abi::asks_for_totals(reading);
        hkpd::Filter filter = hkpd::abi::filter_of(*run);
        made.top = hkpd::top(*run->reader, filter, how);
        made.runs.push_back(made.top->run);
        return HKPD_OK;
    };
    return hkpd::abi::answer_with(options, answer, error, make);
}

hkpd_status hkpd_compare(const char* before, const char* after, const hkpd_options* reading,
                         const hkpd_answer_options* options, hkpd_answer** answer, hkpd_error* error) {
    const auto make = [&](hkpd_answer& made, const hkpd_answer_options& as) -> hkpd_status {
        const auto [status, first] = hkpd::abi::open_run(made, {&before, 1}, reading, false, error);
        if (status != HKPD_OK) return status;
        const auto [later_status, second] = hkpd::abi::open_run(made, {&after, 1}, reading, false, error);
        if (later_status != HKPD_OK) return later_status;
        hkpd::Filter filter = hkpd::abi::filter_of(*first);
        made.changes = hkpd::compare_runs(*first->reader, *second->reader, filter);
        if (as.top != 0 && as.top < made.changes->changed.size())
            made.changes->changed.erase(made.changes->changed.begin() + static_cast<std::ptrdiff_t>(as.top),
                                        made.changes->changed.end());
        made.runs = {made.changes->before, made.changes->after};
        return HKPD_OK;
    };
    return hkpd::abi::answer_with(options, answer, error, make);
}

hkpd_status hkpd_overview(const char* path, const hkpd_options* reading, const hkpd_answer_options* options,
                          hkpd_answer** answer, hkpd_error* error) {
    const auto make = [&](hkpd_answer& made, const hkpd_answer_options& as) -> hkpd_status {
        const auto taken = hkpd::abi::take_or_zero(reading);
        if (!taken) return hkpd::abi::fail(error, HKPD_ERROR_ARGUMENT, hkpd::abi::options_too_small);
        if (path == nullptr) return hkpd::abi::fail(error, HKPD_ERROR_ARGUMENT, "the path is NULL");
        hkpd::OverviewOptions how;
        how.all = (as.flags & HKPD_ALL_SAMPLES) != 0;
        how.languages = hkpd::abi::languages_of(taken->languages);
        if (const auto wrong = hkpd::abi::take_text_options(*taken, how.log_zones, how.encoding); !wrong.empty())
            return hkpd::abi::fail(error, HKPD_ERROR_ARGUMENT, wrong);
        made.overview = hkpd::summarize(std::string(path), how, made.inputs.faults);
        return HKPD_OK;
    };
    return hkpd::abi::answer_with(options, answer, error, make);
}

hkpd_status hkpd_check(const char* const* paths, size_t path_count, const hkpd_options* reading,
                       const hkpd_answer_options* options, hkpd_answer** answer, hkpd_error* error) {
    const auto make = [&](hkpd_answer& made, const hkpd_answer_options& as) -> hkpd_status {
        const auto taken = hkpd::abi::take_or_zero(reading);
        const std::span list(paths, paths == nullptr ? 0 : path_count);
        const auto is_null = [](const char* path) { return path == nullptr; };
        if (!taken) return hkpd::abi::fail(error, HKPD_ERROR_ARGUMENT, hkpd::abi::options_too_small);
        if (list.empty() || std::ranges::any_of(list, is_null))
            return hkpd::abi::fail(error, HKPD_ERROR_ARGUMENT, "there is no path, or a path is NULL");
        hkpd::LogZones log_zones;
        hkpd::TextEncoding encoding;
        if (const auto wrong = hkpd::abi::take_text_options(*taken, log_zones, encoding); !wrong.empty())
            return hkpd::abi::fail(error, HKPD_ERROR_ARGUMENT, wrong);
        made.check.emplace(hkpd::CheckOptions{.log_zones = std::move(log_zones),
                                              .encoding = std::move(encoding),
                                              .languages = hkpd::abi::languages_of(taken->languages),
                                              .missing = (as.flags & HKPD_MISSING) != 0});
        if (as.services != nullptr)
            if (const std::string wrong = made.check->read_services(as.services); !wrong.empty())
                return hkpd::abi::fail(error, HKPD_ERROR_OPEN, wrong);
        made.check->check({list.begin(), list.end()});
        made.check->finish();
        made.inputs.faults = made.check->findings().diagnostics();
        return HKPD_OK;
    };
    return hkpd::abi::answer_with(options, answer, error, make);
}

hkpd_status hkpd_get_checked(const hkpd_answer* answer, hkpd_checked* filled) {
    if (answer == nullptr || !answer->check) return HKPD_ERROR_ARGUMENT;
    const hkpd::CheckedInputs checked = answer->check->checked();
    hkpd_checked made{};
    made.samples = checked.samples;
    made.title_tables = checked.title_tables;
    made.services = checked.services;
    made.finding_count = answer->check->findings().all().size();
    return filled_or_argument(fill(filled, made));
}

hkpd_status hkpd_get_findings(const hkpd_answer* answer, size_t first, size_t count, hkpd_finding* filled) {
    if (answer == nullptr || !answer->check || !is_within(first, count, answer->check->findings().all().size()))
        return HKPD_ERROR_ARGUMENT;
    const hkpd::Findings& findings = answer->check->findings();
    return fill_all(filled, first, count, [&](std::size_t row) {
        return hkpd::abi::finding_of(findings.diagnostics().kept()[row], findings.all()[row]);
    });
}

void hkpd_free_answer(hkpd_answer* answer) { delete answer; }

hkpd_reader* hkpd_answer_faults(hkpd_answer* answer) { return answer == nullptr ? nullptr : &answer->inputs; }

hkpd_status hkpd_get_run(const hkpd_answer* answer, size_t number, hkpd_run* filled) {
    if (answer == nullptr || number >= answer->runs.size()) return HKPD_ERROR_ARGUMENT;
    return filled_or_argument(fill(filled, hkpd::abi::run_of(*answer, number)));
}

hkpd_status hkpd_get_machine(const hkpd_answer* answer, size_t number, size_t machine, const char** text,
                             size_t* size) {
    if (answer == nullptr || text == nullptr || size == nullptr) return HKPD_ERROR_ARGUMENT;
    const std::vector<std::string>* const machines = number < answer->runs.size()      ? &answer->runs[number].machines
                                                     : number == 0 && answer->overview ? &answer->overview->machines
                                                                                       : nullptr;
    if (machines == nullptr || machine >= machines->size()) return HKPD_ERROR_ARGUMENT;
    hkpd::abi::set(*text, *size, (*machines)[machine]);
    return HKPD_OK;
}

hkpd_status hkpd_get_series(const hkpd_answer* answer, hkpd_list list, size_t first, size_t count,
                            hkpd_series* filled) {
    if (answer == nullptr) return HKPD_ERROR_ARGUMENT;
    if (answer->changes && (list == HKPD_LIST_BEFORE || list == HKPD_LIST_AFTER)) {
        const std::vector<hkpd::Change>& changed = answer->changes->changed;
        if (!is_within(first, count, changed.size())) return HKPD_ERROR_ARGUMENT;
        return fill_all(filled, first, count, [&](std::size_t row) {
            return hkpd::abi::row_of(list == HKPD_LIST_BEFORE ? changed[row].before : changed[row].after);
        });
    }
    const hkpd::SeriesList* const rows = hkpd::abi::list_of(*answer, list);
    if (rows == nullptr || !is_within(first, count, rows->size())) return HKPD_ERROR_ARGUMENT;
    return fill_all(filled, first, count, [&](std::size_t row) { return hkpd::abi::row_of((*rows)[row]); });
}

hkpd_status hkpd_get_processes(const hkpd_answer* answer, size_t first, size_t count, hkpd_process* filled) {
    if (answer == nullptr || !answer->top || !is_within(first, count, answer->top->processes.size()))
        return HKPD_ERROR_ARGUMENT;
    return fill_all(filled, first, count,
                    [&](std::size_t row) { return hkpd::abi::process_of(*answer->top, answer->top->processes[row]); });
}

hkpd_status hkpd_get_changes(const hkpd_answer* answer, size_t first, size_t count, hkpd_change* filled) {
    if (answer == nullptr || !answer->changes || !is_within(first, count, answer->changes->changed.size()))
        return HKPD_ERROR_ARGUMENT;
    return fill_all(filled, first, count, [&](std::size_t row) {
        const hkpd::Change& change = answer->changes->changed[row];
        hkpd_change made{};
        made.median_effect = change.median_effect;
        made.p95_effect = change.p95_effect;
        made.noise = change.noise;
        return made;
    });
}

hkpd_status hkpd_get_input(const hkpd_answer* answer, hkpd_input* filled) {
    if (answer == nullptr || !answer->overview) return HKPD_ERROR_ARGUMENT;
    const hkpd::Overview& overview = *answer->overview;
    hkpd_input made{};
    made.kind = kind_name(overview.kind).data();
    made.bytes = overview.bytes;
    made.samples = overview.samples;
    made.samples_exact = overview.samples_exact ? 1 : 0;
    made.is_complete = overview.complete ? 1 : 0;
    made.has_time = overview.time ? 1 : 0;
    made.has_interval = overview.interval ? 1 : 0;
    if (overview.time) {
        made.from = overview.time->from;
        made.to = overview.time->to;
    }
    made.interval = overview.interval.value_or(0);
    made.gaps = overview.gaps;
    made.machine_count = overview.machines.size();
    made.object_count = overview.objects.size();
    return filled_or_argument(fill(filled, made));
}

hkpd_status hkpd_get_input_objects(const hkpd_answer* answer, size_t first, size_t count, hkpd_input_object* filled) {
    if (answer == nullptr || !answer->overview || !is_within(first, count, answer->overview->objects.size()))
        return HKPD_ERROR_ARGUMENT;
    return fill_all(filled, first, count, [&](std::size_t row) {
        const hkpd::Overview::Object& object = answer->overview->objects[row];
        hkpd_input_object made{};
        hkpd::abi::set(made.machine, made.machine_size, object.machine);
        hkpd::abi::set(made.name, made.name_size, object.name);
        made.source = static_cast<std::uint32_t>(object.source);
        made.is_list = object.is_list ? 1 : 0;
        made.instances = object.instances;
        made.counters = object.counters;
        return made;
    });
}
