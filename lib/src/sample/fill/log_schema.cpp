#include "sample/fill/log_schema.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/list_order.hpp"
#include "base/text/located_text.hpp"
#include "base/text/names.hpp"
#include "base/time.hpp"
#include "hkpd/counter_type.hpp"
#include "names/local_titles.hpp"

namespace hkpd {
namespace {

using CatalogueEntry = blg::Catalogue::Entry;

/// Returns the text for an instance in counter paths, such as `parent/instance#1`; empty for an object without a list
/// of instances.
std::string instance_text(const CatalogueEntry& entry) {
    std::string text;
    if (entry.parent) text.append(*entry.parent).append("/");
    text.append(entry.instance.value_or(""));
    if (entry.index != 0) text.append(1, '#').append(std::to_string(entry.index));
    return text;
}

/// The counters of one instance, or of one list of instances.
struct EntrySeries {
    std::string instance;
    // For each counter: the number that `LogNames` has assigned to the counter's name, and the index of the counter's
    // catalogue entry.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> counters;
};

/// The raw counters of one object of a machine, in the order of the catalogue.
struct ObjectEntries {
    std::string_view name;
    // A counter can be logged several times for the same instance. The instance then has several series: the k-th entry
    // of a counter is in the k-th series of the instance, with k counted from 0. `times`: form, instance and counter →
    // number of entries so far. `by_instance`: form, instance and k → position in `series`.
    std::map<std::tuple<blg::Form, std::string, std::uint32_t>, std::uint32_t> times;
    std::map<std::tuple<blg::Form, std::string, std::uint32_t>, std::size_t> by_instance;
    std::vector<std::pair<blg::Form, EntrySeries>> series;  // in the order of their first entries
};

/// Groups the raw counters of a catalogue by machine, object and instances, in the order of the catalogue.
class Planner {
  public:
    Planner(const blg::Catalogue& catalogue, LogNames& names) : catalogue_(catalogue), names_(names) {}

    std::vector<LogMachine> plan(const FaultSink& faults) {
        const auto entries = catalogue_.entries();
        for (std::uint32_t i = 0; i < entries.size(); ++i) {
            if (entries[i].form == blg::Form::block || entries[i].counter.empty()) continue;
            add(i);
        }
        std::vector<LogMachine> machines;
        for (const auto& [name, objects] : machines_) {
            LogMachine& machine = machines.emplace_back(LogMachine{name, fold_case(name), {}});
            for (const ObjectEntries& object : objects) add_groups(machine, object);
        }
        if (refused_ != no_index)
            faults.add({Errc::byte_limit, entries[refused_].offset, "performance log catalogue", "Counter",
                        LogNames::most_bytes, names_.bytes()});
        return machines;
    }

  private:
    void add(std::uint32_t position) {
        const CatalogueEntry& entry = catalogue_.entries()[position];
        const auto named = names_.number(entry.counter, 0);
        if (!named) return refuse(position);
        const std::uint32_t counter = named->number;
        ObjectEntries& object = object_of(entry);
        const std::string instance = instance_text(entry), folded = fold_case(instance);
        // Several entries of the catalogue can have the same counter and instance. The k-th of these entries belongs to
        // the k-th series of the instance.
        const std::uint32_t repeat = object.times[{entry.form, folded, counter}]++;
        const auto [found, is_new] = object.by_instance.try_emplace({entry.form, folded, repeat}, object.series.size());
        if (is_new) object.series.push_back({entry.form, {instance, {}}});
        object.series[found->second].second.counters.emplace_back(counter, position);
    }

    /// Records that the name of the entry at `position` has exceeded the limit on names.
    void refuse(std::uint32_t position) noexcept { refused_ = std::min(refused_, position); }

    ObjectEntries& object_of(const CatalogueEntry& entry) {
        const std::string machine = fold_case(entry.machine), name = fold_case(entry.object);
        auto [at, is_new] = places_.try_emplace({machine, name});
        if (!is_new) return machines_[at->second.first].second[at->second.second];
        const auto [place, is_new_machine] = machine_places_.try_emplace(machine, machines_.size());
        if (is_new_machine) machines_.emplace_back(std::string(entry.machine), std::vector<ObjectEntries>{});
        auto& objects = machines_[place->second].second;
        at->second = {place->second, objects.size()};
        return objects.emplace_back(ObjectEntries{entry.object, {}, {}, {}});
    }

    /// Adds the groups of an object. All series of form `raw` with the same counters form one group; each of these
    /// series is an instance of the group. Each series of form `instances` forms a group of its own.
    void add_groups(LogMachine& machine, const ObjectEntries& object) {
        std::map<std::vector<std::uint32_t>, std::size_t, ListOrder> by_counters;
        const std::size_t first = machine.groups.size();
        std::uint32_t ordinal = 0;
        for (const auto& [form, series] : object.series) {
            std::vector<std::uint32_t> counters;
            counters.reserve(series.counters.size());
            for (const auto& counter : series.counters) counters.push_back(counter.first);
            std::ranges::sort(counters);
            if (form == blg::Form::raw) {
                const auto [found, is_new] = by_counters.try_emplace(counters, machine.groups.size());
                if (!is_new) {
                    add_instance(machine.groups[found->second], series);
                    continue;
                }
            }
            if (const auto name = names_.number(object.name, ordinal++))
                machine.groups.push_back(new_group(*name, form, series));
            else
                return refuse(series.counters.front().second);
        }
        for (LogGroup& group : std::span(machine.groups).subspan(first))
            if (group.form == blg::Form::raw && group.instances.size() == 1 && group.instances.front().empty())
                group.kind = Kind::single;
    }

    LogGroup new_group(const LogNames::Named& name, blg::Form form, const EntrySeries& series) {
        LogGroup group;
        group.name = name;
        group.form = form;
        for (const auto& [number, position] : series.counters) {
            const CatalogueEntry& entry = catalogue_.entries()[position];
            constexpr std::uint32_t usual_size = 8;
            // The size in the bits of PERF_DOUBLE_RAW is 4, although its values are doubles.
            const auto size = entry.type == perf_double_raw ? usual_size : CounterType{entry.type}.value_size();
            group.counters.push_back({names_.number(entry.counter, 0).value_or(LogNames::Named{}), entry.type,
                                      size.value_or(usual_size), entry.time_base, entry.scale});
        }
        if (form == blg::Form::raw)
            add_instance(group, series);
        else
            for (const auto& counter : series.counters) group.entries.push_back(counter.second);
        return group;
    }

    /// Adds an instance to a group. The counters of the instance are those of the group, perhaps in a different order.
    static void add_instance(LogGroup& group, const EntrySeries& series) {
        group.instances.push_back(series.instance);
        auto counters = series.counters;
        std::ranges::sort(counters);
        for (const LogGroup::Counter& counter : group.counters)
            group.entries.push_back(std::ranges::lower_bound(counters, counter.name.number, {}, [](const auto& c) {
                                        return c.first;
                                    })->second);
    }

    const blg::Catalogue& catalogue_;
    LogNames& names_;
    std::uint32_t refused_ = no_index;  // the first entry whose name exceeded the limit
    std::vector<std::pair<std::string, std::vector<ObjectEntries>>> machines_;  // in the order of their first entries
    std::map<std::string, std::size_t> machine_places_;
    std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::size_t>> places_;
};

}  // namespace

void name_entry(FaultCell& cell, const blg::Catalogue::Entry& entry) {
    cell.machine = entry.machine;
    cell.object = entry.object;
    cell.instance = instance_text(entry);
    cell.counter = entry.counter;
    if (entry.object.empty() || entry.counter.empty()) return;  // a V1 block
    const std::string instance = cell.instance.empty() ? "" : "(" + cell.instance + ")";
    const std::string machine = cell.machine.empty() ? "" : "\\\\" + cell.machine;
    cell.path = machine + "\\" + cell.object + instance + "\\" + cell.counter;
}

std::optional<LogNames::Named> LogNames::number(std::string_view name, std::uint32_t ordinal) {
    std::string key = fold_case(name);
    key.append(1, '\0').append(std::to_string(ordinal));
    const auto found = names_.find(key);
    if (found != names_.end()) return found->second;
    if (bytes_ > most_bytes) return std::nullopt;
    bytes_ += key.size() + name.size() + 2 * sizeof(Named);
    const auto number = first_logged + static_cast<std::uint32_t>(names_.size());
    const std::string_view text = texts_.emplace_back(name);
    return names_.emplace(std::move(key), Named{number, text}).first->second;
}

KnownLog& LogRegistry::find(const Guid& log) {
    const auto found = std::ranges::find(logs_, log, &KnownLog::log);
    if (found != logs_.end()) {
        std::rotate(found, found + 1, logs_.end());
    } else {
        if (logs_.size() >= std::max<std::size_t>(limits_.logs, 1)) logs_.erase(logs_.begin());
        logs_.emplace_back().log = log;
    }
    return logs_.back();
}

/// Finds the English names of a machine's objects and counters, if the log is in another language, and reports the
/// language and the names without an English one.
void LogRegistry::translate(LogMachine& machine, const FaultSink& faults) {
    std::vector<NamedObject> named;
    for (const LogGroup& group : machine.groups) {
        NamedObject& object = named.emplace_back(NamedObject{group.name.text, {}});
        for (const LogGroup::Counter& counter : group.counters) object.counters.push_back(counter.name.text);
    }
    const auto made = hkpd::translate(named);
    if (!made) return;
    faults.add({Errc::names_local, 0, made->language, "", 0, made->unknown});
    constexpr std::uint32_t most_reported = 16;
    std::set<std::uint32_t> reported;
    const auto report = [&](const LogNames::Named& name) {
        if (reported.size() >= most_reported || !reported.insert(name.number).second) return;
        faults.name_object(name.number, name.text);
        faults.add({Errc::name_unknown, 0, made->language, "", 0, 0}, name.number);
    };
    const auto choose = [this](LogNames::Named& shown, std::string_view english) {
        const std::string_view own = shown.text;
        if (english == own) return std::string_view();
        if (shows_english_ && !english.empty()) shown.text = english;
        return shows_english_ ? own : english;
    };
    for (std::size_t i = 0; i < named.size(); ++i) {
        LogGroup& group = machine.groups[i];
        auto other = std::make_shared<OtherNames>();
        other->shows_english = shows_english_;
        if (made->objects[i].name.empty()) report(group.name);
        other->object = choose(group.name, made->objects[i].name);
        for (std::size_t c = 0; c < group.counters.size(); ++c) {
            const std::string_view english = made->objects[i].counters[c];
            if (english.empty()) report(group.counters[c].name);
            other->columns.push_back(choose(group.counters[c].name, english));
        }
        group.other_names = std::move(other);
    }
}

void LogRegistry::take(const Record& record, const FaultSink& faults) {
    KnownLog& known = find(record.log);
    known.machines.clear();
    known.planned = false;
    if (record.kind == Record::Kind::log_header) {  // begins a log; the catalogue follows
        known.zone.reset();
        auto header = blg::read_header(record.bytes);
        if (!header) return faults.add(Severity::error, header.error());
        known.zone = record.zone != nullptr ? *record.zone : Zone(header->zone);
        return;
    }
    if (record.zone != nullptr) known.zone = *record.zone;
    if (const auto opened = known.catalogue.open(record.bytes, faults); !opened)
        return faults.add(Severity::error, opened.error());
    known.machines = Planner(known.catalogue, names_).plan(faults);
    for (LogMachine& machine : known.machines) translate(machine, faults);
    known.planned = true;
}

}  // namespace hkpd
