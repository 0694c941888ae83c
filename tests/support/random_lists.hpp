// Lists of instances that change a little from sample to sample, with everything that can be wrong with them.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "support/blob_builder.hpp"
#include "support/identity_samples.hpp"

namespace hkpd_test {

class RandomLists {
  public:
    explicit RandomLists(std::uint32_t seed) : random_(seed) {
        for (std::size_t i = 0; i < 4; ++i) lists_.push_back(fresh(i));
    }

    /// Returns the k-th sample: lists that have changed since the previous one.
    blob::Blob next(std::size_t k, std::u16string machine = u"DEMO") {
        for (std::size_t i = 0; i < lists_.size(); ++i) change(i);
        std::vector<blob::Object> objects;
        for (const blob::Object& object : lists_)
            if (below(8) != 0) objects.push_back(object);  // sometimes an object was not requested
        std::ranges::shuffle(objects, random_);
        if (!objects.empty() && below(10) == 0) objects.push_back(objects[below(objects.size())]);
        blob::Blob blob = at_second(k, objects, std::move(machine));
        for (std::size_t o = 0; o < objects.size(); ++o)
            for (std::size_t i = 0; i < objects[o].instances.size(); ++i)
                if (below(25) == 0) damage_name(blob, o, i);
        return blob;
    }

  private:
    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

    /// Makes a list whose instances have parents in earlier lists, in itself, or nowhere. The last two lists have ids.
    blob::Object fresh(std::size_t i) {
        std::vector<blob::Counter> counters{{.title = 6}};
        if (i >= 2) counters.push_back({.title = id_process});
        if (i == 3) counters.push_back({.title = id_thread});
        blob::Object object = list(titles_[i], counters, {});
        for (std::uint32_t count = below(9); count > 0; --count) object.instances.push_back(instance(i));
        return object;
    }

    blob::Instance instance(std::size_t i) {
        constexpr const char16_t* names[] = {u"a", u"A", u"b", u"", u"a#1", u"long enough to be no short string"};
        blob::Instance made{.name = std::u16string(names[below(below(2) == 0 ? 1 : 6)]),
                            .values = {7, below(3), below(2)},
                            .unique_id = static_cast<std::int32_t>(below(3)) - 1};
        if (below(3) != 0) {
            made.parent_object = below(9) == 0 ? 999 : titles_[below(i + 1)];
            made.parent = below(6);
        }
        // Truncated after the first counter: the instance loses its ids, unless it is the last of the list.
        if (i >= 2 && below(12) == 0) made.block_length = 8;
        return made;
    }

    void change(std::size_t i) {
        auto& instances = lists_[i].instances;
        if (!instances.empty() && below(3) == 0) instances.erase(instances.begin() + below(instances.size()));
        if (instances.size() < 12 && below(3) == 0)
            instances.insert(instances.begin() + below(instances.size() + 1), instance(i));
        if (!instances.empty() && below(6) == 0) instances[below(instances.size())] = instance(i);
        if (instances.size() > 1 && below(6) == 0)
            std::swap(instances[below(instances.size())], instances[below(instances.size())]);
        if (below(40) == 0) std::ranges::shuffle(instances, random_);
    }

    static constexpr std::uint32_t titles_[] = {100, 200, 230, 232};
    std::mt19937 random_;
    std::vector<blob::Object> lists_;
};

}  // namespace hkpd_test
