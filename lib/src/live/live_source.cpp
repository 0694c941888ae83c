#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "base/win32.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/live.hpp"
#include "hkpd/names.hpp"
#include "hkpd/record.hpp"
#include "hkpd/select.hpp"
#include "hkpd/v1.hpp"
#include "live/perflib_query.hpp"
#include "live/requested_objects.hpp"
#include "names/titles.hpp"
#include "sample/grouping.hpp"

namespace hkpd {
namespace {

void query_failed(Severity severity, std::string_view function, std::uint32_t status, const FaultSink& faults,
                  std::uint32_t object = no_index) {
    faults.add(severity, {Errc::query_failed, 0, function, "", 0, status}, object);
}

/// Maximum number of title indices in a query. If more objects are requested, the query is for all objects (`Global`).
constexpr std::size_t most_indices = 500;

/// Queries V1, the registry interface, for titles and blocks. The bytes of a returned block are valid until the next
/// call of `collect`. The bytes of titles that `begin` returns are valid until the second call of `collect`.
class LiveV1 {
  public:
    /// Keeps references to `registry` and `requested`.
    LiveV1(PerformanceRegistry& registry, const LiveQuery& query, const RegistryPolicy& policy,
           RequestedObjects& requested)
        : registry_(registry),
          reader_(registry, policy),
          query_(query),
          requested_(requested),
          languages_(requested_languages(query.languages, registry.ui_language())) {}

    /// Reads the titles and appends them to `out`. Returns whether there is anything to query: not if objects are
    /// requested, and none of them has a title index.
    bool begin(std::vector<Record>& out) {
        read_titles();
        append_titles(out);
        requested_.find_indices(titles_);
        objects_ = requested_.indices();
        return !query_.value.empty() || !requested_.any() || !objects_.empty();
    }

    /// Queries a block and appends it to `out`. If an index in the block has no title, reads the titles again and, if
    /// any title has changed, appends the titles before the block. Returns the Win32 status of the query.
    std::uint32_t collect(std::vector<Record>& out, const FaultSink& faults) {
        // An instance can have a parent in an object that was not requested. If the first reply contains such an
        // instance, the query is repeated once, with the parent's object added.
        for (int attempt = 0; attempt < 2; ++attempt) {
            const std::string name = value_name();
            const Stopwatch watch;
            const std::uint32_t status = reader_.query(name);
            const std::uint64_t cost = watch.nanoseconds();
            if (status != win32::success) {
                query_failed(Severity::error, "RegQueryValueEx", status, faults);
                return status;
            }
            if (examine_block() && attempt == 0 && value_name() != name) continue;
            if (std::exchange(has_unknown_, false) && read_titles()) append_titles(out);
            out.push_back(
                {.kind = Record::Kind::v1_block, .bytes = reader_.block(), .whole_sample = true, .cost = cost});
            break;
        }
        return win32::success;
    }

    /// Returns whether there was a block whose objects could be listed.
    bool has_block() const noexcept { return has_block_; }

    /// Returns the machine name in the last block; empty if there is no block, or no name in it.
    std::string machine_name() const {
        std::string name;
        assign_machine(name, block_);
        return name;
    }

  private:
    struct TitleValue {
        std::string name, language;
        std::vector<std::byte> bytes;
        bool operator==(const TitleValue&) const = default;
    };

    /// Reads the titles. Returns whether any title has changed.
    bool read_titles() {
        std::vector<TitleValue> values;
        for (const std::string& language : languages_) {
            for (const auto& [what, file] : {std::pair("Counter", "counter-"), std::pair("Help", "help-")}) {
                auto bytes = read_title_value(language, what);
                const std::string name = file + language;
                const auto known = std::ranges::find(values_, name, &TitleValue::name);
                // A value that cannot be read now keeps its earlier bytes.
                if (bytes.empty() && known != values_.end()) bytes = known->bytes;
                if (bytes.empty()) continue;
                requested_.add_language(language);
                values.push_back({name, language, std::move(bytes)});
            }
        }
        if (values == values_) return false;
        // LiveSource returns the records of `begin` together with those of the first `collect`. If this `collect` reads
        // changed titles, the records of `begin` still refer to the bytes of the old titles. `values_before_` therefore
        // keeps the old titles.
        values_before_ = std::exchange(values_, std::move(values));
        titles_ = Titles();
        const FaultSink discarded;  // the reader of the records parses the titles again and reports their faults
        for (const TitleValue& value : values_)
            if (auto tables = parse_titles(Bytes(value.bytes), value.name, discarded))
                for (TitleTable& table : *tables) titles_.add(std::move(table));
        return true;
    }

    /// Reads the titles of one language. `what`: `Counter` for names, `Help` for help texts. Returns the bytes of the
    /// registry value; empty if the machine has no such titles. English and the language of the user interface have
    /// registry keys of their own. Samba names the value with help texts `Explain`.
    std::vector<std::byte> read_title_value(std::string_view language, std::string_view what) {
        std::vector<std::byte> bytes;
        const auto ask = [&](PerformanceKey key, const std::string& name) {
            // If Windows does not know the value's name, it treats the name as a query for no objects and replies with
            // a block, which has no titles.
            if (reader_.query_titles(key, name, bytes) == win32::success && !v1::has_signature(Bytes(bytes)))
                return !bytes.empty();
            bytes.clear();
            return false;
        };
        const std::string name(what), of_language = name + ' ' + std::string(language);
        if (language == english_language && ask(PerformanceKey::text, name)) return bytes;
        if (language == perflib_language(registry_.ui_language()) && ask(PerformanceKey::nls_text, name)) return bytes;
        if (ask(PerformanceKey::data, of_language)) return bytes;
        if (what == "Help") ask(PerformanceKey::data, "Explain " + std::string(language));
        return bytes;
    }

    void append_titles(std::vector<Record>& out) const {
        for (const TitleValue& value : values_)
            out.push_back({.kind = Record::Kind::titles,
                           .bytes = Bytes(value.bytes),
                           .name = value.name,
                           .language = value.language});
    }

    std::string value_name() const {
        if (!query_.value.empty()) return query_.value;
        if (objects_.empty() || objects_.size() > most_indices) return "Global";
        std::string name;
        for (const std::uint32_t index : objects_) name += (name.empty() ? "" : " ") + std::to_string(index);
        return name;
    }

    /// Opens the block that `reader_` has read last. Sets `has_unknown_` if a title index that occurs for the first
    /// time has no title. If only some objects are requested, adds to `objects_` each object that contains the parent
    /// of the first instance of an object in the block. Returns whether an object was added.
    bool examine_block() {
        const FaultSink discarded;
        bool has_new = false;
        if (!block_.open(reader_.block(), discarded)) return false;
        if (!std::exchange(has_block_, true))
            for (const v1::ObjectEntry& entry : block_.objects()) requested_.add_v1_object(entry.title_index);
        for (const v1::ObjectEntry& entry : block_.objects())
            if (object_.open(block_, entry, discarded)) has_new = examine(entry) || has_new;
        return has_new;
    }

    bool examine(const v1::ObjectEntry& entry) {
        note_index(entry.title_index);
        for (const v1::Counter& counter : object_.counters()) note_index(counter.definition.CounterNameTitleIndex);
        if (objects_.empty()) return false;
        std::uint64_t values_left = Limits{}.values_for(entry.bytes.size());
        const FaultSink discarded;
        v1::InstanceReader instances(object_, values_left, discarded);
        v1::Instance first;
        if (object_.kind() != v1::Kind::multi || !instances.next(first)) return false;
        const std::uint32_t parent = first.definition().ParentObjectTitleIndex;
        return parent != 0 && objects_.size() < most_indices && objects_.insert(parent).second;
    }

    void note_index(std::uint32_t index) {
        constexpr std::size_t most_seen = 1'000'000;  // limits memory if a producer keeps using new indices
        if (seen_.size() >= most_seen) seen_.clear();
        // Index 0 means that there is no title. Bases without a name have this index.
        if (index == 0 || !seen_.insert(index).second) return;
        has_unknown_ = has_unknown_ || !titles_.find(index);
    }

    PerformanceRegistry& registry_;
    RegistryReader reader_;
    LiveQuery query_;
    RequestedObjects& requested_;
    std::vector<std::string> languages_;              // as in Perflib: `009`
    std::vector<TitleValue> values_, values_before_;  // the titles now, and before they last changed
    Titles titles_;
    std::set<std::uint32_t> objects_;         // title indices of the requested objects; empty: all objects
    std::unordered_set<std::uint32_t> seen_;  // title indices in the blocks so far
    bool has_unknown_ = false;                // whether an index had no title since titles were last read
    bool has_block_ = false;                  // whether a block could be opened
    v1::Block block_;
    v1::Object object_;
};

using v2::RegistrationRequest;

/// Registration requests that are made only for a selected counterset. The structure, the names and the provider's GUID
/// of each counterset are requested before it is known whether the counterset is selected.
constexpr std::array asked_texts{RegistrationRequest::counterset_help, RegistrationRequest::counter_names,
                                 RegistrationRequest::counter_help, RegistrationRequest::provider_name};

/// Requests the registrations of countersets, and queries all selected countersets at once. The bytes of the returned
/// records are valid until the next call of `collect`.
class LiveV2 {
  public:
    /// Keeps references into `machine`, and to `requested`. The registry of `machine` can be null.
    LiveV2(const LiveMachine& machine, const LiveQuery& query, RequestedObjects& requested)
        : requested_(requested),
          perflib_(*machine.perflib),
          registry_(machine.registry.get()),
          query_(query),
          machine_(machine.remote),
          languages_(requested_languages(query.languages, ui_language())),
          perf_query_(perflib_, machine_) {
        known_.prefer(query_.languages);
    }

    /// Requests the registrations of all countersets, appends those of the selected countersets to `out`, and adds
    /// these countersets to the query. Returns whether any counterset was added.
    bool begin(std::vector<Record>& out, const FaultSink& faults) {
        if (perf_query_.status() != win32::success) {
            query_failed(Severity::error, "PerfOpenQueryHandle", perf_query_.status(), faults);
            return false;
        }
        std::uint32_t status = 0;
        const std::vector<Guid> countersets = enumerate_countersets(perflib_, machine_, status);
        if (status != win32::success) {
            query_failed(Severity::error, "PerfEnumerateCounterSet", status, faults);
            return false;
        }
        is_listed_ = true;
        bool any = false;
        for (const Guid& counterset : countersets) any = add(counterset, out, faults) || any;
        identifiers_ = perf_query_.info(status);
        if (any && status != win32::success) query_failed(Severity::warning, "PerfQueryCounterInfo", status, faults);
        return any;
    }

    /// Returns whether `begin` has read which countersets there are.
    bool is_listed() const noexcept { return is_listed_; }

    /// Queries a block, and appends the query's identifiers and the block to `out`. Returns the Win32 status of the
    /// query; appends nothing if the query fails.
    std::uint32_t collect(std::vector<Record>& out, const FaultSink& faults) {
        const Stopwatch watch;
        const std::uint32_t status = perf_query_.collect();
        if (status != win32::success) {
            query_failed(Severity::error, "PerfQueryCounterData", status, faults);
            return status;
        }
        const std::uint64_t cost = watch.nanoseconds();
        out.push_back({.kind = Record::Kind::v2_identifiers, .bytes = Bytes(identifiers_)});
        out.push_back({.kind = Record::Kind::v2_block, .bytes = perf_query_.data(), .cost = cost});
        return status;
    }

  private:
    /// The reply to a registration request.
    struct Answer {
        Guid counterset;
        v2::RegistrationRequest request{};
        std::string language;
        std::vector<std::byte> bytes;
    };
    /// Requests the registrations of a counterset. If the counterset is selected, appends its registrations to `out`
    /// and adds the counterset to the query. Returns whether the query accepted the counterset.
    bool add(const Guid& counterset, std::vector<Record>& out, const FaultSink& faults) {
        const std::size_t first = answers_.size();
        if (!ask(counterset, RegistrationRequest::counterset_struct, {})) return false;
        for (const std::string& language : languages_) ask(counterset, RegistrationRequest::counterset_name, language);
        ask(counterset, RegistrationRequest::provider_guid, {});
        const FaultSink discarded;  // the reader of the records reads the registrations again and reports their faults
        for (std::size_t i = first; i < answers_.size(); ++i)
            known_.add({counterset, answers_[i].request, {}, answers_[i].language, {}, Bytes(answers_[i].bytes)}, {},
                       discarded);
        const Counterset* set = known_.find({}, counterset);
        // Nothing is selected by name if no object is requested.
        const auto names = requested_.any() ? names_of(counterset, first) : std::vector<std::string>();
        const auto title = title_index(counterset);
        if (set == nullptr || !requested_.is_requested(counterset, names, title)) {
            answers_.resize(first);
            return false;
        }
        for (const std::string& language : languages_)
            for (const RegistrationRequest request : asked_texts) ask(counterset, request, language);
        std::stable_sort(answers_.begin() + static_cast<std::ptrdiff_t>(first), answers_.end(),
                         [](const Answer& a, const Answer& b) { return a.request < b.request; });
        for (std::size_t i = first; i < answers_.size(); ++i)
            out.push_back({.kind = Record::Kind::v2_registration,
                           .bytes = Bytes(answers_[i].bytes),
                           .language = answers_[i].language,
                           .counterset = counterset,
                           .request = static_cast<std::uint32_t>(answers_[i].request),
                           .title_index = title});
        const std::uint32_t status = perf_query_.add(counterset, v2::is_multi(set->instances) ? "*" : "");
        if (status == win32::success) {
            for (std::size_t i = first; i < answers_.size(); ++i) requested_.add_language(answers_[i].language);
            requested_.add_counterset(counterset, names, title);
            return true;
        }
        // PerfAddCounters fails for countersets whose providers do not run, and most machines have such countersets.
        // The failure is therefore a warning only if the user requested objects; otherwise it is a note. The fault
        // needs an object number. Countersets that cannot be added have numbers from `first_unknown_result` - 1
        // downwards, and all others from `first_counterset` upwards, so that no number is used twice.
        const std::uint32_t number = first_unknown_result - 1 - refused_++;
        faults.name_object(number, guid_text(counterset));
        query_failed(query_.objects.empty() ? Severity::note : Severity::warning, "PerfAddCounters", status, faults,
                     number);
        return false;
    }

    /// Requests a registration in `language`. Adds the reply to `answers_`, unless an earlier reply to the same request
    /// for this counterset, in any language, has the same bytes. Returns false if the request fails.
    bool ask(const Guid& counterset, RegistrationRequest request, std::string_view language) {
        std::uint32_t status = 0;
        request = in_english(request, language);
        auto bytes = registration_info(perflib_, machine_, counterset, request, language_identifier(language), status);
        if (status != win32::success) return false;
        const bool repeats = std::ranges::any_of(answers_, [&](const Answer& known) {
            return known.counterset == counterset && known.request == request && known.bytes == bytes;
        });
        if (!repeats) answers_.push_back({counterset, request, std::string(language), std::move(bytes)});
        return true;
    }

    /// Returns the request to make, instead of `request`, for texts in `language`. If `language` is English but the
    /// user interface has another language, the system can ignore `language` and reply in the language of the user
    /// interface. The names of countersets and counters are then requested with other requests, whose replies are
    /// always in English.
    RegistrationRequest in_english(RegistrationRequest request, std::string_view language) const {
        if (language != english_language || perflib_language(ui_language()) == english_language) return request;
        if (request == RegistrationRequest::counterset_name) return RegistrationRequest::counterset_english;
        if (request == RegistrationRequest::counter_names) return RegistrationRequest::counter_names_english;
        return request;
    }

    /// Returns the language of the user interface as a Windows language identifier; 0 if the language is unknown.
    std::uint32_t ui_language() const { return registry_ == nullptr ? 0 : registry_->ui_language(); }

    /// Returns the names of a counterset in all languages, from the replies since `first`.
    std::vector<std::string> names_of(const Guid& counterset, std::size_t first) const {
        const FaultSink discarded;
        std::vector<std::string> names;
        for (std::size_t i = first; i < answers_.size(); ++i) {
            Countersets one;
            one.add({counterset, answers_[i].request, {}, answers_[i].language, {}, Bytes(answers_[i].bytes)}, {},
                    discarded);
            const Counterset* const set = one.find({}, counterset);
            if (set != nullptr && set->name) names.emplace_back(*set->name);
        }
        return names;
    }

    std::optional<std::uint32_t> title_index(const Guid& counterset) const {
        const Counterset* const set = known_.find({}, counterset);
        if (registry_ == nullptr || set == nullptr || !set->provider) return std::nullopt;
        return registry_->first_counter(*set->provider, counterset);
    }

    RequestedObjects& requested_;
    PerfLib& perflib_;
    PerformanceRegistry* registry_;
    LiveQuery query_;
    std::string machine_;
    std::vector<std::string> languages_;
    PerfQuery perf_query_;
    std::deque<Answer> answers_;
    Countersets known_;
    std::vector<std::byte> identifiers_;
    std::uint32_t refused_ = 0;  // number of countersets that could not be added
    bool is_listed_ = false;
};

class LiveSource final : public Source {
  public:
    LiveSource(LiveMachine machine, const LiveQuery& query, std::unique_ptr<Ticks> ticks, const RegistryPolicy& policy)
        : machine_(std::move(machine)),
          ticks_(std::move(ticks)),
          requested_(query),
          report_unmatched_(query.unmatched),
          misses_v1_(query.v1 && !machine_.registry),
          misses_v2_(query.v2 && !machine_.perflib) {
        if (query.v1 && machine_.registry) v1_.reader.emplace(*machine_.registry, query, policy, requested_);
        if (query.v2 && machine_.perflib) v2_.reader.emplace(machine_, query, requested_);
    }

    std::optional<Record> next(Diagnostics& diagnostics) override {
        while (given_ == records_.size()) {
            if (ended_) return std::nullopt;
            given_ = 0;
            records_.clear();
            collect(diagnostics);
        }
        Record record = records_[given_++];
        record.machine = machine_.name;
        record.place.input = input_;
        return record;
    }

  private:
    /// An interface (V1 or V2) of the machine. If a query fails permanently before the interface has returned any data,
    /// the interface is no longer used.
    template <class Reader>
    struct Opened {
        std::optional<Reader> reader{};
        bool works = false, has_worked = false;
        bool is_known = false;  // whether it is known without a query that it has nothing of what is requested

        void collect(std::vector<Record>& records, Diagnostics& diagnostics) {
            if (!works || !reader) return;
            const std::uint32_t status = reader->collect(records, diagnostics);
            has_worked = has_worked || status == win32::success;
            works = has_worked || win32::is_passing(status);
        }
    };

    void collect(Diagnostics& diagnostics) {
        const bool first = std::exchange(is_new_, false);
        if (first) begin(diagnostics);
        const bool works = v1_.works || v2_.works;
        if (works && !ticks_->next()) return end(diagnostics);
        v1_.collect(records_, diagnostics);
        v2_.collect(records_, diagnostics);
        report_unmatched();
        const bool has_match = !is_judged_ || requested_.has_match();
        if (!has_match) records_.clear();
        if (!works || !has_match) return end(diagnostics);
        // If the first V1 block states a machine name, all records get this name, because the name that the user gave
        // can be an IP address instead.
        std::string name = first && v1_.reader ? v1_.reader->machine_name() : std::string();
        if (!name.empty()) machine_.name = std::move(name);
    }

    void begin(Diagnostics& diagnostics) {
        input_ = diagnostics.add_input(machine_.name);
        for (const auto& [misses, name] : {std::pair(misses_v1_, "HKEY_PERFORMANCE_DATA"), {misses_v2_, "PerfLib"}})
            if (misses) query_failed(Severity::error, name, win32::call_not_implemented, diagnostics);
        v1_.works = v1_.reader && v1_.reader->begin(records_);
        v1_.is_known = v1_.reader && !v1_.works;
        v2_.works = v2_.reader && v2_.reader->begin(records_, diagnostics);
    }

    /// Reports what the machine does not have of the query, once, as soon as each interface has returned what it has.
    void report_unmatched() {
        const bool is_v1_known = !v1_.reader || v1_.is_known || v1_.reader->has_block();
        const bool is_v2_known = !v2_.reader || v2_.reader->is_listed();
        if (!is_v1_known || !is_v2_known || std::exchange(is_judged_, true) || !report_unmatched_) return;
        for (const UnmatchedQuery& unmatched : requested_.unmatched()) report_unmatched_(unmatched);
    }

    void end(Diagnostics& diagnostics) {
        ended_ = true;
        if (const std::uint64_t missed = ticks_->missed(); missed != 0)
            diagnostics.add({Errc::ticks_missed, 0, "", "", 0, missed});
    }

    LiveMachine machine_;
    std::unique_ptr<Ticks> ticks_;
    RequestedObjects requested_;
    std::function<void(const UnmatchedQuery&)> report_unmatched_;
    bool misses_v1_, misses_v2_;  // whether an interface was requested but is missing
    Opened<LiveV1> v1_;
    Opened<LiveV2> v2_;
    std::vector<Record> records_;  // records to return next; `v1_` and `v2_` own their bytes
    std::size_t given_ = 0;
    std::uint32_t input_ = no_index;
    bool is_new_ = true, ended_ = false;
    bool is_judged_ = false;  // whether it was found out what the machine does not have
};

}  // namespace

std::unique_ptr<Source> open_live(LiveMachine machine, const LiveQuery& query, std::unique_ptr<Ticks> ticks,
                                  const RegistryPolicy& policy) {
    return std::make_unique<LiveSource>(std::move(machine), query, std::move(ticks), policy);
}

}  // namespace hkpd
