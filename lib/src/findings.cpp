#include <algorithm>

#include "hkpd/check.hpp"

namespace hkpd {

void Findings::name(const Sample* sample, std::uint32_t number) {
    const auto kept = diagnostics_.kept();
    const std::size_t known = findings_.size();
    findings_.resize(kept.size());
    for (std::size_t i = waiting_; i < kept.size(); ++i) {
        Finding& finding = findings_[i];
        if (i >= known) name_object(kept[i], finding);
        if (sample == nullptr || kept[i].sample != number) continue;
        if (sample->machine) finding.machine = *sample->machine;
        name_instance(kept[i], *sample, finding);
    }
    // What a sample's last block was opened with is known one call earlier than the sample.
    waiting_ = known;
}

void Findings::name_object(const Diagnostic& diagnostic, Finding& finding) const {
    if (diagnostic.object >= first_counterset) return;  // `Diagnostics::object_name` tells these
    if (const auto title = titles_.find(diagnostic.object)) finding.object = title->text;
    if (services_ != nullptr) finding.service = services_->of(diagnostic.object);
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
