#include "walk.hpp"

#include <array>
#include <span>

#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"

namespace bench {
namespace {

/// Opens all objects, and passes each to `visit` immediately.
template <class Visit>
bool open_objects(OpenBlock& open, hkpd::Bytes bytes, Visit visit) {
    hkpd::Diagnostics diagnostics;
    if (!open.block.open(bytes, diagnostics)) return false;
    std::uint64_t values_left = hkpd::Limits{}.values_for(bytes.size());
    open.objects.resize(open.block.objects().size());
    for (std::size_t i = 0; i < open.objects.size(); ++i) {
        hkpd::v1::Object& object = open.objects[i];
        if (!object.open(open.block, open.block.objects()[i], diagnostics)) return false;
        visit(object, values_left, diagnostics);
    }
    return !diagnostics.any_fault();
}

/// Returns the sum of all values of an object, each instance checked when it is reached.
std::uint64_t check_and_walk(const hkpd::v1::Object& object, std::uint64_t& values_left,
                             hkpd::Diagnostics& diagnostics) {
    std::uint64_t sum = 0;
    hkpd::v1::InstanceReader reader(object, values_left, diagnostics);
    hkpd::v1::Instance instance;
    std::array<hkpd::v1::InstancePlace, hkpd::v1::instances_at_once> places;
    while (reader.next(instance)) {
        for (const hkpd::v1::NumberPlace& number : object.numbers())
            sum += number_of(object, instance, object.counters()[number.counter]).value_or(0);
        while (const std::size_t count = reader.take_valid(places))
            for (const hkpd::v1::NumberPlace& number : object.numbers())
                read_column(object, number, std::span(places).first(count),
                            [&sum](std::size_t /*i*/, std::uint64_t value) { sum += value; });
    }
    return sum;
}

}  // namespace

bool open_and_validate(OpenBlock& open, hkpd::Bytes bytes) {
    return open_objects(open, bytes,
                        [](hkpd::v1::Object& object, std::uint64_t& values_left, hkpd::Diagnostics& diagnostics) {
                            object.validate(values_left, diagnostics);
                        });
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
    open_objects(open, bytes,
                 [&sum](const hkpd::v1::Object& object, std::uint64_t& values_left, hkpd::Diagnostics& diagnostics) {
                     sum += check_and_walk(object, values_left, diagnostics);
                 });
    return sum;
}

}  // namespace bench
