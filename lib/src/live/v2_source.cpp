#include "live/v2_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/time.hpp"
#include "base/win32.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "names/language.hpp"

namespace hkpd {
namespace {

using v2::RegistrationRequest;

/// What is asked of a counterset that is wanted, beside its struct and its name.
constexpr std::array asked_texts{RegistrationRequest::counterset_help, RegistrationRequest::counter_names,
                                 RegistrationRequest::counter_help, RegistrationRequest::provider_name};

void query_failed(Severity severity, std::string_view function, std::uint32_t status, const FaultSink& faults,
                  std::uint32_t object = no_index) {
    faults.add(severity, {Errc::query_failed, 0, function, "", 0, status}, object);
}

}  // namespace

LiveV2::LiveV2(const LiveMachine& machine, const LiveQuery& query)
    : perflib_(*machine.perflib),
      registry_(machine.registry.get()),
      query_(query),
      machine_(machine.remote),
      languages_(wanted_languages(query.languages, ui_language())),
      perf_query_(perflib_, machine_) {
    known_.prefer(query_.languages);
}

bool LiveV2::begin(std::vector<Record>& out, const FaultSink& faults) {
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
    bool any = false;
    for (const Guid& counterset : countersets) any = add(counterset, out, faults) || any;
    identifiers_ = perf_query_.info(status);
    if (any && status != win32::success) query_failed(Severity::warning, "PerfQueryCounterInfo", status, faults);
    return any;
}

/// Asks for a counterset's registration, and where it is wanted adds it to the query.
bool LiveV2::add(const Guid& counterset, std::vector<Record>& out, const FaultSink& faults) {
    const std::size_t first = answers_.size();
    if (!ask(counterset, RegistrationRequest::counterset_struct, {})) return false;
    for (const std::string& language : languages_) ask(counterset, RegistrationRequest::counterset_name, language);
    ask(counterset, RegistrationRequest::provider_guid, {});
    const FaultSink discarded;  // what is wrong with a registration is for whoever shows names
    for (std::size_t i = first; i < answers_.size(); ++i)
        known_.add({counterset, answers_[i].request, {}, answers_[i].language, {}, Bytes(answers_[i].bytes)}, {},
                   discarded);
    const Counterset* set = known_.find({}, counterset);
    if (set == nullptr || !is_wanted(*set)) {
        answers_.resize(first);
        return false;
    }
    for (const std::string& language : languages_)
        for (const RegistrationRequest request : asked_texts) ask(counterset, request, language);
    std::stable_sort(answers_.begin() + static_cast<std::ptrdiff_t>(first), answers_.end(),
                     [](const Answer& a, const Answer& b) { return a.request < b.request; });
    const auto title = title_index(counterset);
    for (std::size_t i = first; i < answers_.size(); ++i)
        out.push_back({.kind = Record::Kind::v2_registration,
                       .bytes = Bytes(answers_[i].bytes),
                       .language = answers_[i].language,
                       .counterset = counterset,
                       .request = static_cast<std::uint32_t>(answers_[i].request),
                       .title_index = title});
    const std::uint32_t status = perf_query_.add(counterset, v2::is_multi(set->instances) ? "*" : "");
    if (status != win32::success) refused(counterset, status, "PerfAddCounters", faults);
    return status == win32::success;
}

/// Keeps the answer, unless there is none or it is that of another language.
bool LiveV2::ask(const Guid& counterset, RegistrationRequest request, std::string_view language) {
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

/// A system that speaks another language may answer in that where it was asked for English; but for names there are
/// requests that it cannot mistake.
RegistrationRequest LiveV2::in_english(RegistrationRequest request, std::string_view language) const {
    if (language != english_language || perflib_language(ui_language()) == english_language) return request;
    if (request == RegistrationRequest::counterset_name) return RegistrationRequest::counterset_english;
    if (request == RegistrationRequest::counter_names) return RegistrationRequest::counter_names_english;
    return request;
}

/// 0 where nothing tells it.
std::uint32_t LiveV2::ui_language() const { return registry_ == nullptr ? 0 : registry_->ui_language(); }

bool LiveV2::is_wanted(const Counterset& set) const {
    if (query_.objects.empty()) return true;
    return std::ranges::any_of(query_.objects, [&](const std::string& text) {
        const Pattern pattern(text);
        if (parse_guid(text) == set.guid || (set.name && pattern.matches(*set.name))) return true;
        return pattern.index() && pattern.index() == title_index(set.guid);
    });
}

std::optional<std::uint32_t> LiveV2::title_index(const Guid& counterset) const {
    const Counterset* const set = known_.find({}, counterset);
    if (registry_ == nullptr || set == nullptr || !set->provider) return std::nullopt;
    return registry_->first_counter(*set->provider, counterset);
}

/// Most machines have countersets whose providers do not run; who asked for one wants to hear of it.
void LiveV2::refused(const Guid& counterset, std::uint32_t status, std::string_view function, const FaultSink& faults) {
    // Numbers that no registration gets, which are counted up.
    const std::uint32_t number = first_unknown_result - 1 - refused_++;
    faults.name_object(number, guid_text(counterset));
    query_failed(query_.objects.empty() ? Severity::note : Severity::warning, function, status, faults, number);
}

std::uint32_t LiveV2::collect(std::vector<Record>& out, const FaultSink& faults) {
    const Stopwatch watch;
    const FaultSink discarded;  // how often is for whoever made the ticks
    const std::uint32_t status = perf_query_.collect(discarded);
    if (status != win32::success) {
        query_failed(Severity::error, "PerfQueryCounterData", status, faults);
        return status;
    }
    const std::uint64_t cost = watch.nanoseconds();
    out.push_back({.kind = Record::Kind::v2_identifiers, .bytes = Bytes(identifiers_)});
    out.push_back({.kind = Record::Kind::v2_block, .bytes = perf_query_.data(), .cost = cost});
    return status;
}

}  // namespace hkpd
