#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text/encoding.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "names/titles.hpp"

namespace hkpd {
namespace {

using v2::RegistrationRequest;

// Limits far above the usual numbers: Windows itself has a few hundred countersets, each with at most a few hundred
// counters.
constexpr std::size_t most_countersets = 65'536, most_counters_of_one = 4096;
constexpr std::uint32_t no_counter = 0;  // counter id in the `TextKey` of a counterset's own texts

constexpr auto id_of = [](const CountersetCounter& counter) noexcept { return counter.info.CounterId; };

/// Returns a registration that has only the id, for a counter of which only the texts are known.
v2::CounterRegInfo only_id(std::uint32_t id) noexcept {
    v2::CounterRegInfo info{};
    info.CounterId = id;
    info.Type = no_counter_type;
    info.BaseCounterId = info.PerfTimeId = info.PerfFreqId = info.MultiId = v2::no_id;
    return info;
}

/// Returns the request for the same texts in any language, if `request` is for texts in English; otherwise `request`.
RegistrationRequest in_any_language(RegistrationRequest request) noexcept {
    if (request == RegistrationRequest::counterset_english) return RegistrationRequest::counterset_name;
    if (request == RegistrationRequest::counter_names_english) return RegistrationRequest::counter_names;
    return request;
}

std::string_view request_name(RegistrationRequest request) noexcept {
    using enum RegistrationRequest;
    if (request == counterset_help) return "PERF_REG_COUNTERSET_HELP_STRING";
    if (request == provider_name) return "PERF_REG_PROVIDER_NAME";
    if (request == provider_guid) return "PERF_REG_PROVIDER_GUID";
    if (request == counter_names) return "PERF_REG_COUNTER_NAME_STRINGS";
    if (request == counter_help) return "PERF_REG_COUNTER_HELP_STRINGS";
    return "PERF_REG_COUNTERSET_NAME_STRING";
}

}  // namespace

const CountersetCounter* Counterset::find(std::uint32_t id) const noexcept {
    const auto found = std::ranges::lower_bound(counters, id, {}, id_of);
    return found != counters.end() && id_of(*found) == id ? &*found : nullptr;
}

/// Adds one registration result to its counterset, and reports the faults in the result.
class Countersets::Intake {
  public:
    Intake(Countersets& countersets, std::size_t position, const Answer& answer, const Limits& limits,
           const FaultSink& faults)
        : all_(countersets),
          position_(position),
          set_(countersets.all_[position]),
          answer_(answer),
          request_(in_any_language(answer.request)),
          rank_(language_rank(countersets.languages_, request_ == answer.request ? answer.language : "009")),
          limits_(limits),
          faults_(faults) {}

    void take() {
        using enum RegistrationRequest;
        if (request_ == counterset_struct) return take_struct();
        if (request_ == counter_struct) return take_counter();
        if (request_ == provider_guid) return take_provider();
        if (request_ == counter_names || request_ == counter_help) return take_strings();
        if (request_ == counterset_name) return take_string(set_.name);
        if (request_ == counterset_help) return take_string(set_.help);
        if (request_ == provider_name) return take_string(set_.provider_name);
    }

  private:
    void take_struct() {
        v2::RegistrationInfo info;
        if (const auto opened = info.open(answer_.bytes, faults_); !opened) return lost(opened.error());
        if (info.header().CounterSetGuid != set_.guid)
            return lost({Errc::registration_length, answer_.bytes.offset(), "PERF_COUNTERSET_REG_INFO",
                         "CounterSetGuid", 0, 0});
        set_.registered = true;
        set_.instances = info.header().InstanceType;
        set_.detail_level = info.header().DetailLevel;
        std::vector<CountersetCounter> counters;
        for (const v2::CounterRegInfo& counter : info.counters()) counters.push_back({counter, {}, {}});
        take_counters(std::move(counters));
    }

    void take_counter() {
        const auto info = v2::read_counter_registration(answer_.bytes, faults_);
        if (!info) return lost(info.error());
        take_counters({{*info, {}, {}}});
    }

    void take_provider() {
        Guid guid;
        if (!answer_.bytes.contains(0, guid.bytes.size()))
            return lost({Errc::registration_length, answer_.bytes.offset(), request_name(request_), "",
                         guid.bytes.size(), answer_.bytes.size()});
        std::memcpy(guid.bytes.data(), answer_.bytes.data(), guid.bytes.size());
        set_.provider = guid;
    }

    void take_string(std::optional<std::string_view>& text) {
        keep(text, no_counter, v2::read_string(answer_.bytes, faults_));
    }

    void take_strings() {
        v2::StringBuffer buffer;
        if (const auto opened = buffer.open(answer_.bytes, faults_); !opened) return lost(opened.error());
        std::vector<CountersetCounter> counters;
        for (const auto& entry : buffer.entries())
            if (entry.text) counters.push_back({only_id(entry.dwCounterId), {}, {}});
        take_counters(std::move(counters));
        for (const auto& entry : buffer.entries()) {
            const auto counter = std::ranges::lower_bound(set_.counters, entry.dwCounterId, {}, id_of);
            if (!entry.text || counter == set_.counters.end() || id_of(*counter) != entry.dwCounterId) continue;
            keep(request_ == RegistrationRequest::counter_names ? counter->name : counter->help, entry.dwCounterId,
                 *entry.text);
        }
    }

    /// Adds counters to the counterset. If a counter already exists, keeps its texts and replaces its registration,
    /// unless the new counter has only an id (`only_id`).
    void take_counters(std::vector<CountersetCounter> counters) {
        std::ranges::stable_sort(counters, {}, id_of);
        const auto same_id = [](const auto& a, const auto& b) { return id_of(a) == id_of(b); };
        for (auto i = counters.begin(); (i = std::adjacent_find(i, counters.end(), same_id)) != counters.end(); ++i)
            warn(Errc::counter_id_repeated, "CounterId", id_of(*i));
        const auto repeated = std::ranges::unique(counters, same_id);
        counters.erase(repeated.begin(), repeated.end());

        const auto former = static_cast<std::ptrdiff_t>(set_.counters.size());
        bool full = false;
        for (const CountersetCounter& counter : counters) {
            const auto end = set_.counters.begin() + former;
            const auto known = std::ranges::lower_bound(set_.counters.begin(), end, id_of(counter), {}, id_of);
            if (known != end && id_of(*known) == id_of(counter)) {
                if (counter.info.Type != no_counter_type) known->info = counter.info;
            } else if (set_.counters.size() < most_counters_of_one && all_.counters_ < limits_.series) {
                set_.counters.push_back(counter);
                ++all_.counters_;
            } else {
                full = true;
            }
        }
        std::ranges::inplace_merge(set_.counters, set_.counters.begin() + former, {}, id_of);
        if (full) limit_reached(set_.counters.size());
    }

    /// Stores a text and sets `shown` to it, unless the text is empty, or an earlier text is in a language of the same
    /// or a better rank. `counter`: the counter's id, or `no_counter`.
    void keep(std::optional<std::string_view>& shown, std::uint32_t counter, const EncodedText& text) {
        const TextKey key{position_, request_, counter};
        const auto before = all_.ranks_.find(key);
        if (text.bytes.empty() || (before != all_.ranks_.end() && before->second <= rank_)) return;
        if (text.bytes.size() > limits_.title_bytes - std::min<std::uint64_t>(limits_.title_bytes, all_.text_bytes_))
            return limit_reached(all_.text_bytes_);
        all_.ranks_[key] = rank_;
        all_.text_bytes_ += text.bytes.size();
        std::string& kept = all_.texts_.emplace_back();
        append_text(kept, text, request_name(request_), "", set_.number, no_index, faults_);
        shown = kept;
    }

    void lost(const Error& error) { faults_.add(Severity::error, error, set_.number); }
    void limit_reached(std::size_t found) {
        lost({Errc::counterset_limit, answer_.bytes.offset(), request_name(request_), "", 0, found});
    }
    void warn(Errc code, std::string_view field, std::uint64_t found) {
        faults_.add(Severity::warning, {code, answer_.bytes.offset(), "PERF_COUNTERSET_REG_INFO", field, 0, found},
                    set_.number);
    }

    Countersets& all_;
    std::size_t position_;
    Counterset& set_;
    const Answer& answer_;
    RegistrationRequest request_;
    std::size_t rank_;
    const Limits& limits_;
    FaultSink faults_;
};

void Countersets::prefer(const std::vector<std::string>& languages) {
    languages_.clear();
    for (const std::string& language : languages) languages_.push_back(normal_language(language));
}

bool Countersets::has_language(std::string_view language) const {
    return added_languages_.contains(normal_language(language));
}

void Countersets::add(const Answer& answer, const Limits& limits, const FaultSink& faults) {
    const auto position = entry(answer.machine, answer.guid);
    if (!position)
        return faults.add({Errc::counterset_limit, answer.bytes.offset(), "PERF_COUNTERSET_REG_INFO", "",
                           most_countersets, all_.size()});
    Counterset& set = all_[*position];
    faults.name_object(set.number, guid_text(set.guid));
    if (answer.title_index) set.title_index = answer.title_index;
    if (!answer.language.empty()) added_languages_.insert(normal_language(answer.language));
    Intake(*this, *position, answer, limits, faults).take();
}

const Counterset* Countersets::find(std::string_view machine, const Guid& guid) const noexcept {
    const auto known = known_.find(guid);
    if (known == known_.end()) return nullptr;
    const auto of = [&](std::string_view name) -> const Counterset* {
        const auto found = known->second.machines.find(name);
        return found == known->second.machines.end() ? nullptr : &all_[found->second];
    };
    const Counterset *own = of(machine), *any = of("");
    return own != nullptr && (own->registered || any == nullptr || !any->registered) ? own : any;
}

std::uint32_t Countersets::number(const Guid& guid) {
    if (const auto known = known_.find(guid); known != known_.end()) return known->second.number;
    if (known_.size() == most_countersets) return no_index;
    const std::uint32_t next = first_counterset + static_cast<std::uint32_t>(known_.size());
    known_[guid].number = next;
    return next;
}

/// Returns the position of a machine's counterset in `all_`. Adds the counterset if it is new; returns none if there
/// are already too many countersets.
std::optional<std::size_t> Countersets::entry(std::string_view machine, const Guid& guid) {
    if (number(guid) == no_index) return std::nullopt;
    Known& known = known_[guid];
    if (const auto found = known.machines.find(machine); found != known.machines.end()) return found->second;
    if (all_.size() == most_countersets) return std::nullopt;
    Counterset& added = all_.emplace_back();
    added.guid = guid;
    added.machine = machine;
    added.number = known.number;
    known.machines.emplace(machine, all_.size() - 1);
    return all_.size() - 1;
}

}  // namespace hkpd
