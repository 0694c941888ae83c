#include "walk.hpp"

#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"

namespace bench {
namespace {

/// Opens and validates all objects, and hands each to `visit` right away.
template <class Visit>
bool open_objects(OpenBlock& open, hkpd::Bytes bytes, Visit visit) {
    hkpd::Diagnostics diagnostics;
    if (!open.block.open(bytes, diagnostics)) return false;
    std::uint64_t values_left = hkpd::Limits{}.values_for(bytes.size());
    open.objects.resize(open.block.objects().size());
    for (std::size_t i = 0; i < open.objects.size(); ++i) {
        hkpd::v1::Object& object = open.objects[i];
        if (!object.open(open.block, open.block.objects()[i], diagnostics)) return false;
        object.validate(values_left, diagnostics);
        visit(object);
    }
    return !diagnostics.any_fault();
}

}  // namespace

bool open_and_validate(OpenBlock& open, hkpd::Bytes bytes) {
    return open_objects(open, bytes, [](const hkpd::v1::Object& /*object*/) {});
}

std::uint64_t walk(const hkpd::v1::Object& object) {
    std::uint64_t sum = 0;
    for (const hkpd::v1::Instance& instance : object.instances())
        for (const hkpd::v1::Counter& counter : object.counters())
            sum += number_of(object, instance, counter).value_or(0);
    return sum;
}

std::uint64_t walk(const OpenBlock& open) {
    std::uint64_t sum = 0;
    for (const hkpd::v1::Object& object : open.objects) sum += walk(object);
    return sum;
}

std::uint64_t open_and_walk(OpenBlock& open, hkpd::Bytes bytes) {
    std::uint64_t sum = 0;
    open_objects(open, bytes, [&](const hkpd::v1::Object& object) { sum += walk(object); });
    return sum;
}

}  // namespace bench
