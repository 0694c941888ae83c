#include "identity/run_places.hpp"

#include <algorithm>
#include <utility>

#include "base/text/names.hpp"

namespace hkpd {

const std::vector<std::uint32_t>& RunPlaces::numbers(const Sample& sample, std::size_t position) {
    RunInstances& run = *RunInstances::of(sample);
    run.keep();
    const ObjectInstances& instances = run.instances(sample, position);
    const Object& object = sample.objects()[position];
    const std::uint32_t number = run.object_number(sample, position);
    Last& last = objects_[number];
    // An identity that has no parent can have one in the sample: damaged input can name parents in a circle.
    const bool now =
        std::ranges::any_of(object.instances, [](const Instance& each) { return each.parent_object != 0; });
    const bool parents = std::exchange(last.parents, now) || now;
    last.numbers.resize(object.instances.size(), no_index);
    for (std::size_t row = 0; row < object.instances.size(); ++row) {
        const std::uint32_t identity = instances.numbers[row], place = instances.places[row];
        const bool same = row < last.identities.size() && identity != no_index && last.identities[row] == identity &&
                          last.places[row] == place && (!parents || run[identity].parent.has_value());
        if (!same) last.numbers[row] = find(number, sample, object.instances[row], place, identity);
    }
    last.identities = instances.numbers;
    last.places = instances.places;
    return last.numbers;
}

std::uint32_t RunPlaces::find(std::uint32_t object, const Sample& sample, const Instance& instance, std::uint32_t place,
                              std::uint32_t identity) {
    std::string text;
    append_place(text, sample, instance, place);
    const auto [found, is_new] = by_text_.try_emplace(std::to_string(object) + '\n' + fold_case(text),
                                                      static_cast<std::uint32_t>(places_.size()));
    if (!is_new) {
        Place& known = places_[found->second];
        const std::uint32_t before = std::exchange(known.identity, identity);
        known.shared = known.shared || (before != identity && before != no_index && identity != no_index);
        return found->second;
    }
    const std::uint64_t bytes = 2 * text.size();
    if (places_.size() >= most_ || bytes > bytes_left_) {
        by_text_.erase(found);
        overflowed_ = true;
        return no_index;
    }
    bytes_left_ -= bytes;
    places_.push_back({std::move(text), identity});
    return found->second;
}

}  // namespace hkpd
