#include "terminal/live_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/win32.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/live.hpp"
#include "hkpd/write.hpp"
#include "terminal/cause.hpp"
#include "terminal/host.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

std::atomic<bool> interrupted = false;  // set by a signal handler, so it must outlive everything

/// Returns the PerfLib library; null if it cannot be loaded. `required` states whether the run needs the library. If
/// `required` is true, reports a library that cannot be loaded or functions that are missing from the library, and
/// returns the library even if functions are missing. If `required` is false, reports nothing, and returns null if any
/// function is missing.
std::shared_ptr<PerfLib> open_perflib(const LiveOptions& o, bool required) {
    std::string missing;
    std::shared_ptr<PerfLib> perflib = system_perflib(o.perflib, missing);
    if (missing.empty()) return perflib;
    if (!required) return nullptr;
    if (perflib)
        complain("", fmt::format("{} not available on this machine: data that needs them is left out", missing));
    else
        complain("", fmt::format("{} cannot be loaded", missing));
    return perflib;
}

/// Opens the machine that the options name. If connecting to its registry fails, reports the fault and removes V1 from
/// the query. If PerfLib or one of its functions is unavailable, removes V2 from the query, unless the run needs V2.
LiveMachine open_machine(const LiveOptions& o, LiveQuery& query, Diagnostics& diagnostics) {
    LiveMachine machine;
    machine.remote = o.machine;
    std::uint32_t status = 0;
    machine.registry = system_registry(o.machine, status);
    machine.name = machine.registry    ? machine.registry->machine_name()
                   : o.machine.empty() ? "this machine"
                                       : o.machine_name();
    if (query.v1 && status != win32::success && status != win32::call_not_implemented) {
        diagnostics.add_input(machine.name);
        diagnostics.add(Severity::error, {Errc::query_failed, 0, "RegConnectRegistry", "", 0, status});
        query.v1 = false;
    }
    if (!query.v2) return machine;
    const bool required = !o.v2_if_there || !o.perflib.empty() || !query.v1;
    machine.perflib = open_perflib(o, required);
    query.v2 = required || machine.perflib != nullptr;
    return machine;
}

/// Returns a policy that retries while the registry is busy, until the program is interrupted.
RegistryPolicy patient_until_interrupted() {
    RegistryPolicy policy;
    policy.wait = [clock = steady_clock(interrupted)](std::chrono::milliseconds pause) {
        return clock.wait_until(clock.now() + pause);
    };
    return policy;
}

/// A source that opens the machine on the first call of `next`. Opening can block, so it must not happen in the main
/// thread; `next` is called only by the thread in which InterruptibleSource reads.
class OpeningSource final : public Source {
  public:
    explicit OpeningSource(LiveOptions options) : options_(std::move(options)) {}

    std::optional<Record> next(Diagnostics& diagnostics) override {
        if (!source_) source_ = open(diagnostics);
        return source_->next(diagnostics);
    }

  private:
    std::unique_ptr<Source> open(Diagnostics& diagnostics) const {
        const LiveOptions& o = options_;
        const bool at_once = o.simulate.wanted && !o.live;
        auto ticks = at_once ? immediate_ticks(o.schedule) : steady_ticks(o.schedule, steady_clock(interrupted));
        if (o.simulate.wanted) return simulate(o.simulate.machine, o.wanted, o.schedule.interval, std::move(ticks));
        LiveQuery query = o.wanted;
        LiveMachine machine = open_machine(o, query, diagnostics);
        return open_live(std::move(machine), query, std::move(ticks), patient_until_interrupted());
    }

    LiveOptions options_;
    std::unique_ptr<Source> source_;
};

void warn_if_too_often(const LiveOptions& o, Diagnostics& diagnostics) {
    using std::chrono::milliseconds;
    constexpr milliseconds least{1000};
    const auto interval = std::chrono::duration_cast<milliseconds>(o.schedule.interval);
    if (o.schedule.count == 1 || interval >= least) return;
    diagnostics.add({Errc::collected_too_often, 0, "", "", static_cast<std::uint64_t>(least.count()),
                     static_cast<std::uint64_t>(interval.count())});
}

}  // namespace

LiveInput::LiveInput(const LiveOptions& options, Diagnostics& diagnostics)
    : waits_(options.live && options.schedule.count != 1), unmatched_(options.unmatched) {
    on_interrupt(interrupted);
    warn_if_too_often(options, diagnostics);
    LiveOptions reported = options;
    reported.wanted.unmatched = [to = unmatched_](const UnmatchedQuery& unmatched) { to->add(unmatched); };
    source_ = std::make_unique<InterruptibleSource>(std::make_unique<OpeningSource>(std::move(reported)), interrupted);
}

void LiveInput::end() noexcept { interrupted = true; }

std::optional<Record> LiveInput::next(Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.kept().size();
    auto record = source_->next(diagnostics);
    report_failure(diagnostics, before);
    if (record && std::exchange(waits_, false)) report_unmatched();
    if (!record || !record->cost) return record;
    cost_.machine = record->machine;
    CollectionCost::Interface& api = record->kind == Record::Kind::v1_block ? cost_.v1 : cost_.v2;
    ++api.samples;
    api.bytes += record->bytes.size();
    api.nanoseconds += *record->cost;
    return record;
}

/// Reports at once what the machine does not have of the query, if the run goes on without it for a while. The report
/// at the end of the run includes it again.
void LiveInput::report_unmatched() const {
    for (const UnmatchedQuery& unmatched : unmatched_->all())
        complain("", fmt::format("no {} on the machine{}; going on without it", text_of(unmatched),
                                 did_you_mean(unmatched.nearest)));
}

/// Reports the first failed query at once, if samples were found before it failed, because a live run can take days.
/// The report at the end of the run includes this failure again. `first` is the position of the first new fault.
void LiveInput::report_failure(const Diagnostics& diagnostics, std::size_t first) {
    if (reported_ || cost_.machine.empty()) return;
    for (const Diagnostic& found : diagnostics.kept().subspan(first)) {
        if (found.error.code != Errc::query_failed || found.severity != Severity::error) continue;
        std::string text;
        append_diagnostic(text, diagnostics, found);
        erase_progress();
        write_error(text + "; retrying\n");
        reported_ = true;
        return;
    }
}

Exit report_unmatched(std::string_view subcommand, const LiveOptions& options,
                      std::initializer_list<UnmatchedQuery::Kind> kinds) {
    Exit found = Exit::good;
    for (const UnmatchedQuery& unmatched : options.unmatched->all())
        if (std::ranges::count(kinds, unmatched.kind) != 0)
            found = end_with(subcommand, Cause::no_match, text_of(unmatched), did_you_mean(unmatched.nearest));
    return found;
}

void return_if_abandoned(const LiveInput& live, Exit exit) {
    if (!live.was_abandoned()) return;
    write_error("hkpd: a provider did not return and was abandoned (lodctr /Q lists all providers)\n");
    const bool nothing = live.cost().machine.empty();
    end_at_once(nothing ? exit_of(Cause::silent_machine) : exit);
}

}  // namespace hkpd::command
