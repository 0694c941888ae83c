// Which counterset a result is of.
#include "sample/build/v2_subject.hpp"

#include <utility>

#include "hkpd/diagnostics.hpp"
#include "sample/build/v2_builder.hpp"

namespace hkpd {

CountersetSampleBuilder::Subject CountersetSampleBuilder::subject_of(const v2::ResultEntry& entry,
                                                                     const v2::Identifier* asked,
                                                                     const FaultSink& faults) {
    Subject subject{asked, nullptr, {}, first_unknown_result + entry.ordinal};
    const bool has_data = entry.header.dwType != static_cast<std::uint32_t>(v2::ResultType::error);
    if (asked != nullptr) {
        subject.guid = asked->CounterSetGuid;
        subject.set = countersets_.find(machine_, *subject.guid);
    } else if (has_data) {
        subject.set = assumed(entry);
        if (subject.set != nullptr) subject.guid = subject.set->guid;
    }
    if (subject.guid)
        if (const std::uint32_t number = countersets_.number(*subject.guid); number != no_index)
            subject.number = number;
    if (subject.guid && faults.object_name(subject.number).empty())
        faults.name_object(subject.number, guid_text(*subject.guid));
    if (asked == nullptr && has_data)
        faults.add(subject.guid ? Severity::note : Severity::warning,
                   {subject.guid ? Errc::counterset_assumed : Errc::counterset_unknown, entry.bytes.offset(),
                    "PERF_COUNTER_HEADER", "", 0, 0},
                   subject.number);
    return subject;
}

/// The only registered counterset that a result can be of; none where there are several. A result of all counters has
/// the ids of all: those that it has none missing of go first, before those that have more (of another version).
const Counterset* CountersetSampleBuilder::assumed(const v2::ResultEntry& entry) {
    const FaultSink discarded;  // it is read again, with a report
    if (!result_.open(entry, no_index, discarded)) return nullptr;
    std::uint64_t values_left = values_left_;
    v2::InstanceReader reader(result_, values_left, values_, discarded);
    v2::Instance first;
    const bool any = reader.next(first);
    const Counterset *whole = nullptr, *part = nullptr;
    bool several_whole = false, several_parts = false;
    for (const Counterset& set : countersets_.all()) {
        const std::uint64_t work = result_.ids().size() + 1;
        if (guesses_left_ < work) return nullptr;
        guesses_left_ -= work;
        const bool all = result_.ids().size() == set.counters.size();
        const bool of_machine = set.machine == machine_ || set.machine.empty();
        if (!of_machine || (all ? several_whole : several_parts)) continue;
        if (!fits(set, result_, any ? first.values : std::span<const v2::Value>{})) continue;
        // Last, for it is looked up among all countersets of all machines.
        if (countersets_.find(machine_, set.guid) != &set) continue;
        (all ? several_whole : several_parts) |= std::exchange(all ? whole : part, &set) != nullptr;
    }
    if (whole != nullptr) return several_whole ? nullptr : whole;
    return several_parts ? nullptr : part;
}

}  // namespace hkpd
