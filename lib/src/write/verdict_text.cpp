#include "write/verdict_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "base/time.hpp"
#include "hkpd/answers.hpp"
#include "hkpd/time.hpp"
#include "quantity/quantity.hpp"
#include "write/cells.hpp"
#include "write/json/json_stream.hpp"
#include "write/process_use.hpp"
#include "write/run_clock.hpp"

namespace hkpd {
namespace {

/// Number of machines whose sentences are all shown.
constexpr std::size_t few_machines = 3;

std::string_view name_of(ProcessUse use) { return use_names[static_cast<std::size_t>(use)]; }
std::string text_of(double value, ProcessUse use) {
    return quantity_text(value, use_units[static_cast<std::size_t>(use)]);
}

/// Returns a share as people write it: with few digits.
std::string percent_text(double percent) {
    constexpr double small = 10;
    return percent >= small || percent == 0 ? fmt::format("{:.0f} %", percent) : fmt::format("{:.1f} %", percent);
}
std::string share_text(double share) { return percent_text(100 * share); }

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

/// Returns a number of what limited a machine.
std::string limit_text(const VerdictEvidence& evidence) {
    switch (evidence.measure) {
        case VerdictMeasure::processor_time:
            return percent_text(evidence.mean) + " busy";
        case VerdictMeasure::one_processor:
            return percent_text(evidence.mean) + " busy";
        case VerdictMeasure::ready_threads:
            return fmt::format("{:.1f} threads waiting per processor", evidence.mean);
        case VerdictMeasure::available_memory:
            return quantity_text(evidence.mean, Unit::bytes) + " available";
        case VerdictMeasure::hard_faults:
            return fmt::format("{:.0f} pages/s read from disk", evidence.mean);
        case VerdictMeasure::committed_share:
            return percent_text(evidence.mean) + " of the commit limit in use";
        case VerdictMeasure::transfer_time:
            return quantity_text(evidence.mean, Unit::seconds) + " for a transfer";
        case VerdictMeasure::disk_queue:
            return fmt::format("queue {:.1f}", evidence.mean);
        case VerdictMeasure::disk_busy:
            return percent_text(evidence.mean) + " busy";
        case VerdictMeasure::network_share:
            return percent_text(evidence.mean) + " of the bandwidth";
        case VerdictMeasure::output_queue:
            return evidence.mean > 0 ? fmt::format("{:.1f} packets waiting", evidence.mean) : std::string();
        default:
            return quantity_text(evidence.mean, Unit::none);
    }
}

/// Returns the level of an area that was no limit.
std::string level_text(const VerdictEvidence& evidence) {
    switch (evidence.measure) {
        case VerdictMeasure::processor_time:
            return fmt::format("processor {} busy on average, {} at most", percent_text(evidence.mean),
                               percent_text(evidence.worst));
        case VerdictMeasure::available_memory:
            return fmt::format("memory at least {} available", quantity_text(evidence.worst, Unit::bytes));
        case VerdictMeasure::committed_share:
            return fmt::format("at most {} of the commit limit in use", percent_text(evidence.worst));
        case VerdictMeasure::transfer_time:
            return fmt::format("disk transfers {} on average, {} at most", quantity_text(evidence.mean, Unit::seconds),
                               quantity_text(evidence.worst, Unit::seconds));
        case VerdictMeasure::disk_queue:
            return fmt::format("disk queue {:.1f} on average", evidence.mean);
        case VerdictMeasure::disk_busy:
            return fmt::format("disk {} busy on average", percent_text(evidence.mean));
        case VerdictMeasure::network_share:
            return fmt::format("network at most {} of the bandwidth", percent_text(evidence.worst));
        case VerdictMeasure::output_queue:
            return fmt::format("at most {:.0f} network packets waiting", evidence.worst);
        default:
            return {};
    }
}

std::string process_text(const VerdictProcess& process) {
    return process.pid ? fmt::format("{} ({})", process.name, *process.pid) : process.name;
}

/// Returns by whom a machine was limited; empty if no process is named.
std::string by_whom(const VerdictStatement& statement) {
    if (statement.processes.empty()) return {};
    const ProcessUse use = statement.processes.front().use;
    std::vector<std::string> parts;
    parts.reserve(statement.processes.size());
    for (const VerdictProcess& process : statement.processes)
        parts.push_back(use == ProcessUse::processor
                            ? fmt::format("{} used {} of it", process_text(process), share_text(process.share))
                            : fmt::format("{} {} ({} of all)", process_text(process), text_of(process.mean, use),
                                          share_text(process.share)));
    return "; " + (use == ProcessUse::processor ? std::string() : fmt::format("most {}: ", name_of(use))) +
           joined(parts);
}

/// Returns the counter to add for an area that was not recorded.
std::string_view counter_to_add(VerdictArea area) {
    switch (area) {
        case VerdictArea::processor:
            return R"(\Processor(*)\% Processor Time)";
        case VerdictArea::memory:
            return R"(\Memory\Available MBytes)";
        case VerdictArea::disk:
            return R"(\PhysicalDisk(*)\Avg. Disk sec/Transfer)";
        case VerdictArea::network:
            return R"(\Network Interface(*)\*)";
        default:
            return R"(\Process(*)\*)";
    }
}

std::string missing_text(const VerdictStatement& statement) {
    std::vector<std::string> areas, counters;
    for (const VerdictArea area : statement.areas) {
        areas.emplace_back(area == VerdictArea::growth ? "processes" : area_name(area));
        counters.emplace_back(counter_to_add(area));
    }
    return fmt::format("not recorded: {}: add {}", joined(areas), joined(counters));
}

std::string growth_text(const VerdictStatement& statement) {
    constexpr std::size_t most_ids = 5;
    const VerdictEvidence& evidence = statement.evidence.front();
    const Trend trend = statement.trend.value_or(Trend{});
    const auto line = [&](const std::string& what, Unit unit) {
        return fmt::format("{} +{}/h over {:.3g} h, R2 {:.2f}", what, quantity_text(trend.slope, unit), trend.hours,
                           trend.r_squared);
    };
    const std::string head = "growing steadily: ";
    switch (evidence.measure) {
        case VerdictMeasure::committed_memory:
            return head + line("committed memory of the machine", Unit::bytes);
        case VerdictMeasure::paged_pool:
            return head + line("paged pool of the kernel", Unit::bytes);
        case VerdictMeasure::nonpaged_pool:
            return head + line("nonpaged pool of the kernel", Unit::bytes);
        default:
            break;
    }
    const VerdictProcess& first = statement.processes.front();
    std::string text = head + line(process_text(first) + ", " + std::string(name_of(first.use)),
                                   use_units[static_cast<std::size_t>(first.use)]);
    if (statement.processes.size() < 2) return text;
    text += fmt::format("; {} of its lives grow", statement.processes.size());
    std::vector<std::string> ids;
    for (const VerdictProcess& life : statement.processes)
        if (life.pid && ids.size() < most_ids) ids.push_back(std::to_string(*life.pid));
    return ids.empty() ? text : text + ": " + joined(ids);
}

}  // namespace

VerdictText::VerdictText(const RunVerdict& verdict, const RunFacts& run) : verdict_(verdict), run_(run) {
    std::set<std::string_view> machines;
    for (const VerdictStatement& statement : verdict.statements) machines.insert(statement.machine);
    machines_ = machines.size();
}

/// Returns when a machine was limited: the longest spell and, if there are others, the share of the time.
std::string VerdictText::times(const VerdictStatement& statement) const {
    if (!statement.from || !statement.to) return {};
    std::string text = clock_span(run_, *statement.from, *statement.to);
    if (statement.spells > 1) text += fmt::format(", the longest of {} times", statement.spells);
    return text + fmt::format(", {} of the time", share_text(statement.share));
}

std::string VerdictText::sentence(const VerdictStatement& statement) const {
    std::string text = machines_ > 1 && !statement.machine.empty() ? statement.machine + ": " : std::string();
    std::vector<std::string> numbers;
    const bool is_limit = statement.kind == VerdictKind::limit || statement.kind == VerdictKind::one_processor;
    for (const VerdictEvidence& each : statement.evidence)
        if (std::string number = is_limit ? limit_text(each) : level_text(each); !number.empty())
            numbers.push_back(std::move(number));
    switch (statement.kind) {
        case VerdictKind::limit: {
            text += area_name(statement.area);
            if (!statement.instance.empty()) text += " " + statement.instance;
            if (statement.instances > 1) text += fmt::format(" and {} more", statement.instances - 1);
            text += fmt::format(" was the limit ({}): {}", times(statement), joined(numbers));
            return text + by_whom(statement);
        }
        case VerdictKind::one_processor:
            if (!statement.instance.empty())
                return text + fmt::format("processor {} alone was busy ({}): {}{}", statement.instance,
                                          times(statement), joined(numbers), by_whom(statement));
            text += process_text(statement.processes.front()) + " kept one processor";
            if (statement.processors != 0) text += fmt::format(" of {}", statement.processors);
            text += fmt::format(" busy ({})", times(statement));
            if (statement.instances > 1) text += fmt::format("; so did {} more", statement.instances - 1);
            return text;
        case VerdictKind::no_limit: {
            const bool any_limit = std::ranges::any_of(verdict_.statements, [&](const VerdictStatement& each) {
                return each.kind == VerdictKind::limit && each.machine == statement.machine;
            });
            return text + (any_limit ? "no other limit: " : "no limit reached: ") + joined(numbers);
        }
        case VerdictKind::growing:
            return text + growth_text(statement);
        case VerdictKind::not_growing:
            return text + "nothing grows steadily";
        case VerdictKind::not_recorded:
            return text + missing_text(statement);
        case VerdictKind::too_short:
            return text + fmt::format("too short for a verdict: {} in {}; it takes {} samples and {}",
                                      count_of(statement.instances, "sample"),
                                      quantity_text(statement.seconds, Unit::seconds), RunVerdict::least_samples,
                                      quantity_text(RunVerdict::least_seconds, Unit::seconds));
    }
    return text;
}

bool VerdictText::is_shown(const VerdictStatement& statement) const {
    if (statement.kind == VerdictKind::limit || statement.kind == VerdictKind::one_processor) return true;
    if (statement.kind == VerdictKind::too_short && statement.instances < 2) return false;  // a sample is no run
    if (statement.kind != VerdictKind::growing) return machines_ <= few_machines;
    std::size_t before = 0;
    for (const VerdictStatement& each : verdict_.statements) {
        if (&each == &statement) break;
        if (each.kind == VerdictKind::growing && each.machine == statement.machine) ++before;
    }
    return before < most_sentences_of_growth;
}

std::string VerdictText::rest() const {
    std::size_t growing = 0;
    std::set<std::string_view> shown;
    for (const VerdictStatement& each : verdict_.statements) {
        if (is_shown(each))
            shown.insert(each.machine);
        else if (each.kind == VerdictKind::growing)
            ++growing;
    }
    std::vector<std::string> parts;
    if (growing != 0) parts.push_back(fmt::format("{} more grow steadily", growing));
    if (machines_ > few_machines && shown.size() < machines_)
        parts.push_back(fmt::format("no limit was found on {} of {} machines", machines_ - shown.size(), machines_));
    return joined(parts);
}

namespace {

/// Appends text in lines of at most `width` columns; all but the first are indented.
void append_wrapped(std::string& out, std::string_view text, std::size_t width) {
    constexpr std::string_view indent = "  ";
    std::size_t used = 0;
    bool is_first = true;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        const std::size_t word_width = display_width(word);
        if (!is_first && used + 1 + word_width > width) {
            (out += '\n') += indent;
            used = indent.size();
        } else if (!is_first) {
            out += ' ';
            ++used;
        }
        out += word;
        used += word_width;
        is_first = false;
    }
    out += '\n';
}

/// Writes a time as text in UTC; null if it is unknown.
void append_moment(JsonStream& json, std::string_view name, const std::optional<std::int64_t>& time, const Zone& zone) {
    std::string text;
    if (time) append_time(text, system_time_at(*time), utc_if_stated(zone));
    json.text_or_null(name, text);
}

}  // namespace

void VerdictText::append(std::string& out, std::size_t width) const {
    constexpr std::size_t most = 12;
    std::size_t shown = 0, left_out = 0;
    for (const VerdictStatement& statement : verdict_.statements) {
        if (!is_shown(statement)) continue;
        if (++shown > most && machines_ > few_machines) {
            ++left_out;
            continue;
        }
        append_wrapped(out, printable(sentence(statement)), width);
    }
    if (left_out != 0) append_wrapped(out, fmt::format("{} more: --format json has all", left_out), width);
    if (const std::string others = rest(); !others.empty()) append_wrapped(out, others, width);
}

void VerdictText::append_json(JsonStream& json) const {
    json.objects("verdict", verdict_.statements, [&](const VerdictStatement& each) {
        json.member("area", area_name(each.area));
        json.member("kind", kind_name(each.kind));
        json.member("text", sentence(each));
        json.member("machine", each.machine);
        append_moment(json, "from", each.from, run_.zone);
        append_moment(json, "to", each.to, run_.zone);
        json.member("seconds", each.seconds);
        json.member("share", each.share);
        json.member("spells", each.spells);
        json.text_or_null("instance", each.instance);
        json.member("instances", each.instances);
        json.member("processors", each.processors == 0 ? std::nullopt : std::optional(each.processors));
        json.objects("evidence", each.evidence, [&](const VerdictEvidence& evidence) {
            json.member("measure", measure_name(evidence.measure));
            json.text_or_null("counter", evidence.counter);
            json.member("mean", evidence.mean);
            json.member("worst", evidence.worst);
            json.member("threshold", evidence.threshold);
        });
        json.objects("processes", each.processes, [&](const VerdictProcess& process) {
            json.member("name", process.name);
            json.member("pid", process.pid);
            json.member("use", name_of(process.use));
            json.member("mean", process.mean);
            json.member("share", process.share);
            append_moment(json, "from", process.from, run_.zone);
            append_moment(json, "to", process.to, run_.zone);
        });
        if (each.trend) {
            json.member("growth", each.trend->slope);
            json.member("growth_hours", each.trend->hours);
            json.member("growth_r_squared", each.trend->r_squared);
        }
        if (!each.areas.empty()) {
            json.key("areas");
            json.StartArray();
            for (const VerdictArea area : each.areas)
                json.value(area == VerdictArea::growth ? "processes" : area_name(area));
            json.EndArray();
        }
    });
}

}  // namespace hkpd
