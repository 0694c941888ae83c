#include <algorithm>
#include <iterator>

#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

void Findings::name(const Sample& sample, std::uint32_t number, const Titles& titles) {
    const std::size_t known = findings_.size();
    name_objects(titles);
    for (std::size_t i = known; i < findings_.size(); ++i) {
        const Diagnostic& diagnostic = diagnostics_.kept()[i];
        if (diagnostic.place.sample != number) continue;
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
        if (kept[i].object >= first_counterset) continue;  // `Diagnostics::object_name` tells these
        if (const auto title = titles.find(kept[i].object)) finding.object = title->text;
        if (services_ != nullptr) finding.service = services_->of(kept[i].object);
    }
}

/// The service in whose key an offset of the export lies.
const PerformanceService* Findings::service_at(std::uint64_t offset) const {
    if (services_ == nullptr) return nullptr;
    const auto all = services_->all();
    const auto behind = std::ranges::upper_bound(all, offset, {}, &PerformanceService::offset);
    return behind == all.begin() ? nullptr : &*std::prev(behind);
}

void Findings::name_instance(const Diagnostic& diagnostic, const Sample& sample, Finding& finding) {
    const auto position = sample.find(diagnostic.object);
    if (!position) return;
    const Object& object = sample.objects()[*position];
    // The sample's own name counts: it knows the machine, whose titles may be its own.
    finding.object = object.name ? object.name->text : std::string_view{};
    if (diagnostic.instance < object.instances.size())
        append_instance_path(finding.instance, sample, object, diagnostic.instance);
}

}  // namespace hkpd
