// Reads and checks the registry values that Perflib reads for each service. Sources: Microsoft, "Adding performance
// counters: creating the application's Performance key", and the output of `lodctr`. The system's own services (PerfOS,
// PerfProc, ...) have an Object List but no First Counter.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>

#include "base/text/located_text.hpp"
#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "base/text/reg_file.hpp"
#include "base/text/registry_text.hpp"
#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {
namespace {

constexpr std::string_view performance = "\\Performance";

template <class Value>
using Field = std::pair<std::string_view, Value PerformanceService::*>;

constexpr std::array text_fields{Field<std::string>("Library", &PerformanceService::library),
                                 Field<std::string>("Open", &PerformanceService::open),
                                 Field<std::string>("Collect", &PerformanceService::collect),
                                 Field<std::string>("Close", &PerformanceService::close)};
constexpr std::array number_fields{
    Field<std::optional<std::uint32_t>>("First Counter", &PerformanceService::first_counter),
    Field<std::optional<std::uint32_t>>("Last Counter", &PerformanceService::last_counter),
    Field<std::optional<std::uint32_t>>("First Help", &PerformanceService::first_help),
    Field<std::optional<std::uint32_t>>("Last Help", &PerformanceService::last_help)};

/// The names of the control set and of the service, from the path of a Performance key.
struct ServiceKey {
    std::string control_set, name;
};

/// Returns the names in the path of the current key,
/// `HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\NAME\Performance`; none if the path has another form. Accepts
/// any name in place of `SYSTEM`, because the hive can be loaded under another name.
std::optional<ServiceKey> service_of_key(const RegistryExport& input) {
    const Piece path = input.key();
    if (path.size() <= performance.size()) return std::nullopt;
    // The end of the path is checked before the path is decoded, because only about thirty of ten thousand keys are
    // Performance keys.
    const std::size_t end = path.end - performance.size();
    if (!input.text().starts_with({end, path.end}, performance)) return std::nullopt;
    std::string key;
    input.text().append(key, {path.begin, end});
    const std::string lower = lower_case(key);
    constexpr std::string_view services = "\\services";
    const std::size_t leaf = lower.rfind('\\');
    if (leaf == std::string::npos || !std::string_view(lower).substr(0, leaf).ends_with(services)) return std::nullopt;
    const std::size_t set_end = leaf - services.size();
    const std::size_t set_begin = set_end == 0 ? std::string::npos : lower.rfind('\\', set_end - 1);
    if (set_begin == std::string::npos || leaf + 1 == key.size()) return std::nullopt;
    return ServiceKey{lower.substr(set_begin + 1, set_end - set_begin - 1), key.substr(leaf + 1)};
}

/// The services of one control set, while they are being read.
struct ControlSet {
    std::vector<PerformanceService> services;
    std::map<std::string, std::size_t> position_of;  // position in `services`, by the name after `fold_case`
    Diagnostics faults;
};

class ServiceReader {
  public:
    ServiceReader(const RawText& text, const FaultSink& faults) : export_(text), faults_(faults) {}

    std::vector<PerformanceService> read() {
        using enum RegistryExport::Step;
        for (auto found = export_.next(); found != end; found = export_.next()) {
            if (found == key)
                enter_key();
            else if (service_ != nullptr)
                read_value();
        }
        const auto current = sets_.find("currentcontrolset");
        const auto used = current != sets_.end() ? current : sets_.find(first_set_);
        if (used == sets_.end()) return {};
        faults_.take(used->second.faults);
        return std::move(used->second.services);
    }

  private:
    void enter_key() {
        service_ = nullptr;
        const auto key = service_of_key(export_);
        if (!key) return;
        const auto set = sets_.try_emplace(key->control_set).first;
        if (sets_.size() == 1) first_set_ = key->control_set;
        set_ = &set->second;
        const auto [at, is_new] = set_->position_of.try_emplace(fold_case(key->name), set_->services.size());
        if (is_new) {
            set_->services.emplace_back();
            set_->services.back().name = key->name;
            set_->services.back().offset = export_.text().offset(export_.key().begin - 1);
        }
        service_ = &set_->services[at->second];
    }

    void read_value() {
        const Piece name = export_.value().name;
        const auto is = [&](std::string_view known) {
            return name.size() == known.size() && export_.text().starts_with(name, known);
        };
        for (const auto& [known, member] : text_fields) {
            if (!is(known)) continue;
            if (auto text = export_.string())
                service_->*member = std::move(*text);
            else
                report_it(known);
        }
        for (const auto& [known, member] : number_fields)
            if (is(known)) service_->*member = read_number(known);
        if (is("Object List")) read_objects("Object List");
        constexpr std::string_view disable = "Disable Performance Counters";
        if (is(disable)) service_->disable_value = read_number(disable).value_or(0);
        service_->disabled = service_->disable_value != 0;
    }

    std::optional<std::uint32_t> read_number(std::string_view field) {
        const auto number = export_.number();
        if (!number) report_it(field);
        return number;
    }

    /// Reads the Object List of the current service: decimal title indices, separated by blanks.
    void read_objects(std::string_view field) {
        const auto list = export_.string();
        if (!list) return report_it(field);
        constexpr std::string_view blanks = " \t";
        bool valid = true;
        service_->object_list.clear();
        for (std::size_t at = list->find_first_not_of(blanks); at != std::string::npos;) {
            const std::size_t end = std::min(list->find_first_of(blanks, at), list->size());
            const auto index = parse_number<std::uint32_t>(std::string_view(*list).substr(at, end - at));
            if (index) service_->object_list.push_back(*index);
            valid = valid && index;
            at = list->find_first_not_of(blanks, end);
        }
        if (!valid) report_it(field);
    }

    void report_it(std::string_view field) {
        set_->faults.add(
            {Errc::service_value, export_.text().offset(export_.value().begin), "service key", field, 0, 0});
    }

    RegistryExport export_;
    FaultSink faults_;
    std::map<std::string, ControlSet> sets_;
    std::string first_set_;
    ControlSet* set_ = nullptr;              // control set of the last Performance key; null before the first
    PerformanceService* service_ = nullptr;  // service of the current key; null if this is no Performance key
};

/// The range of title indices that a service claims as its own.
struct Claim {
    std::uint32_t first, last, service;  // `service`: position in the list of services
};

/// Returns the claims of the services in ascending order of the first index. Claims with the same first index are in
/// the order of the services. A service without a valid range has no claim.
std::vector<Claim> claims_of(std::span<const PerformanceService> services) {
    std::vector<Claim> claims;
    for (std::uint32_t i = 0; i < services.size(); ++i) {
        const auto first = services[i].first_counter, last = services[i].last_counter;
        if (first && last && *first <= *last) claims.push_back({*first, *last, i});
    }
    std::ranges::stable_sort(claims, {}, &Claim::first);
    return claims;
}

void report_overlaps(std::span<const PerformanceService> services, const FaultSink& faults) {
    std::uint64_t free = 0;
    for (const auto& [first, last, service] : claims_of(services)) {
        if (first < free)
            faults.add({Errc::service_overlap, services[service].offset, "service key", "First Counter", free, first});
        free = std::max(free, std::uint64_t{last} + 1);
    }
}

/// Reports a range of titles that has only one end, or whose last title is before the first. In both cases Perflib
/// does not know which titles belong to the service.
void check_range(const PerformanceService& service, std::optional<std::uint32_t> first,
                 std::optional<std::uint32_t> last, std::string_view field, const FaultSink& faults) {
    if (first.has_value() == last.has_value() && first <= last) return;
    faults.add({Errc::service_value, service.offset, "service key", field, 0, 0});
}

}  // namespace

/// Returns the objects of a service as a list for people: their names, or their title indices.
static std::string objects_of(const PerformanceService& service, const Titles& titles) {
    std::string list;
    for (const std::uint32_t index : service.object_list) {
        const auto name = titles.find(index);
        const auto own = name ? std::nullopt : builtin_titles().find(index);
        list += list.empty() ? "" : ", ";
        list += name ? std::string(name->text) : own ? std::string(*own) : "index " + std::to_string(index);
    }
    if (list.empty() && service.first_counter && service.last_counter)
        list = "the objects and counters with title indices from " + std::to_string(*service.first_counter) + " to " +
               std::to_string(*service.last_counter);
    return list;
}

Services::Services(std::vector<PerformanceService> services) : services_(std::move(services)) {
    for (std::uint32_t i = 0; i < services_.size(); ++i)
        for (const std::uint32_t index : services_[i].object_list) objects_.push_back({index, index, i});
    std::ranges::stable_sort(objects_, {}, &Owned::first);
    const auto repeated = std::ranges::unique(objects_, {}, &Owned::first);
    objects_.erase(repeated.begin(), repeated.end());

    std::uint64_t free = 0;  // first index after the claims so far; a later claim gets only indices from here on
    for (const auto& [first, last, service] : claims_of(services_)) {
        if (last < free) continue;
        ranges_.push_back({static_cast<std::uint32_t>(std::max<std::uint64_t>(first, free)), last, service});
        free = std::uint64_t{last} + 1;
    }
}

const Services::Owned* Services::find(const std::vector<Owned>& owned, std::uint32_t title_index) noexcept {
    const auto after = std::ranges::upper_bound(owned, title_index, {}, &Owned::first);
    if (after == owned.begin()) return nullptr;
    const Owned& candidate = *(after - 1);
    return title_index <= candidate.last ? &candidate : nullptr;
}

const PerformanceService* Services::of(std::uint32_t title_index) const noexcept {
    const Owned* owned = find(objects_, title_index);
    if (owned == nullptr) owned = find(ranges_, title_index);
    return owned == nullptr ? nullptr : &services_[owned->service];
}

std::expected<Services, Error> read_services(Bytes input, const FaultSink& faults) {
    const std::uint64_t most = Limits{}.bytes;
    if (input.size() > most)
        return std::unexpected(Error{Errc::byte_limit, input.offset(), "service key", "", most, input.size()});
    const RegistryText registry(input);
    if (registry.form() == RegistryForm::none)
        return std::unexpected(Error{Errc::not_recognised, input.offset(), "service key", "", 0, 0});

    Services services(ServiceReader(registry.text(), faults).read());
    for (const PerformanceService& service : services.all()) {
        check_range(service, service.first_counter, service.last_counter, "First Counter", faults);
        check_range(service, service.first_help, service.last_help, "First Help", faults);
        if (service.disabled)
            faults.add({Errc::service_disabled, service.offset, "service key", "Disable Performance Counters", 0,
                        service.disable_value});
    }
    report_overlaps(services.all(), faults);
    return services;
}

void Findings::name(const Sample& sample, std::uint32_t number, const Titles& titles) {
    const std::size_t known = findings_.size();
    name_objects(titles);
    for (std::size_t i = known; i < findings_.size(); ++i) {
        const Diagnostic& diagnostic = diagnostics_.kept()[i];
        if (diagnostic.place.sample != number || diagnostic.cell != nullptr) continue;
        if (sample.machine) findings_[i].machine = *sample.machine;
        name_instance(diagnostic, sample, findings_[i]);
    }
}

void Findings::end_input(const Titles& titles) { name_objects(titles); }

void Findings::name_objects(const Titles& titles) {
    const auto kept = diagnostics_.kept();
    for (std::size_t i = findings_.size(); i < kept.size(); ++i) {
        Finding& finding = findings_.emplace_back();
        if (kept[i].error.structure == "service key") finding.service = service_at(kept[i].error.offset);
        if (kept[i].error.code == Errc::service_disabled && finding.service != nullptr)
            finding.hidden = objects_of(*finding.service, titles);
        if (const FaultCell* const cell = kept[i].cell.get()) {
            finding.machine = cell->machine;
            finding.object = cell->object;
            finding.instance = cell->instance;
        }
        if (kept[i].object >= first_counterset) continue;  // countersets: `Diagnostics::object_name` has their names
        if (const auto title = titles.find(kept[i].object)) finding.object = title->text;
        if (services_ != nullptr) finding.service = services_->of(kept[i].object);
    }
}

/// Returns the service whose key contains `offset`, an offset in the registry export; null if the services are unknown
/// or `offset` is before the first service's key.
const PerformanceService* Findings::service_at(std::uint64_t offset) const {
    if (services_ == nullptr) return nullptr;
    const auto all = services_->all();
    const auto after = std::ranges::upper_bound(all, offset, {}, &PerformanceService::offset);
    return after == all.begin() ? nullptr : &*std::prev(after);
}

void Findings::name_instance(const Diagnostic& diagnostic, const Sample& sample, Finding& finding) {
    const auto position = sample.find(diagnostic.object);
    if (!position) return;
    const Object& object = sample.objects()[*position];
    // The object's name in the sample replaces the name that `name_objects` took from `titles`: the name in the sample
    // comes from the machine, which may have its own titles.
    finding.object = object.name ? object.name->text : std::string_view{};
    if (diagnostic.instance < object.instances.size())
        append_place(finding.instance, sample, object.instances[diagnostic.instance],
                     RunInstances::of(sample)->instances(sample, *position).places[diagnostic.instance]);
}

}  // namespace hkpd
