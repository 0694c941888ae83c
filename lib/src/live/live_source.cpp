#include <optional>
#include <utility>
#include <vector>

#include "base/win32.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/live.hpp"
#include "live/v1_source.hpp"
#include "live/v2_source.hpp"

namespace hkpd {
namespace {

class LiveSource final : public Source {
  public:
    LiveSource(LiveMachine machine, const LiveQuery& query, std::unique_ptr<Ticks> ticks, const RegistryPolicy& policy)
        : machine_(std::move(machine)),
          ticks_(std::move(ticks)),
          misses_v1_(query.v1 && !machine_.registry),
          misses_v2_(query.v2 && !machine_.perflib) {
        if (query.v1 && machine_.registry) v1_.door.emplace(*machine_.registry, query, policy);
        if (query.v2 && machine_.perflib) v2_.door.emplace(machine_, query);
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
    /// A door of the machine; closed for good where it never gave anything.
    template <class Door>
    struct Opened {
        std::optional<Door> door{};
        bool works = false, has_worked = false;

        void collect(std::vector<Record>& records, Diagnostics& diagnostics) {
            if (!works || !door) return;
            const std::uint32_t status = door->collect(records, diagnostics);
            has_worked = has_worked || status == win32::success;
            works = has_worked || win32::is_passing(status);
        }
    };

    void collect(Diagnostics& diagnostics) {
        const bool first = std::exchange(is_new_, false);
        if (first) begin(diagnostics);
        if ((!v1_.works && !v2_.works) || !ticks_->next()) return end(diagnostics);
        v1_.collect(records_, diagnostics);
        v2_.collect(records_, diagnostics);
        // It may have been called by an address.
        std::string name = first && v1_.door ? v1_.door->machine_name() : std::string();
        if (!name.empty()) machine_.name = std::move(name);
    }

    void begin(Diagnostics& diagnostics) {
        input_ = diagnostics.add_input(machine_.name);
        report_missing(diagnostics);
        v1_.works = v1_.door.has_value();
        if (v1_.works) v1_.door->begin(records_);
        v2_.works = v2_.door && v2_.door->begin(records_, diagnostics);
    }

    void report_missing(Diagnostics& diagnostics) const {
        const auto report = [&diagnostics](std::string_view door) {
            diagnostics.add(Severity::error, {Errc::query_failed, 0, door, "", 0, win32::call_not_implemented});
        };
        if (misses_v1_) report("HKEY_PERFORMANCE_DATA");
        if (misses_v2_) report("PerfLib");
    }

    void end(Diagnostics& diagnostics) {
        ended_ = true;
        if (const std::uint64_t missed = ticks_->missed(); missed != 0)
            diagnostics.add(Severity::warning, {Errc::ticks_missed, 0, "", "", 0, missed});
    }

    LiveMachine machine_;
    std::unique_ptr<Ticks> ticks_;
    bool misses_v1_, misses_v2_;  // doors that were asked for and are not there
    Opened<LiveV1> v1_;
    Opened<LiveV2> v2_;
    std::vector<Record> records_;  // of the last call of a door, which keeps what they point at
    std::size_t given_ = 0;
    std::uint32_t input_ = no_index;
    bool is_new_ = true, ended_ = false;
};

}  // namespace

std::unique_ptr<Source> open_live(LiveMachine machine, const LiveQuery& query, std::unique_ptr<Ticks> ticks,
                                  const RegistryPolicy& policy) {
    return std::make_unique<LiveSource>(std::move(machine), query, std::move(ticks), policy);
}

}  // namespace hkpd
