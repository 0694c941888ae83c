// Numbers the instances of one sample that have the same name.
#pragma once

#include <cstdint>
#include <vector>

#include "hkpd/sample.hpp"

namespace hkpd {

/// Numbers the instances of many objects, one object at a time, as `number_instances` does. Keeps its memory (at most
/// 16 bytes for each instance of the largest object) for the next object, and is therefore faster.
class InstancePlaces {
  public:
    /// Fills `places` as `number_instances` does.
    void number(const Sample& sample, const Object& object, std::vector<std::uint32_t>& places);

  private:
    void find_parents(const Sample& sample, const Object& object);
    static void pass_over_names(const Sample& sample, const Object& object, std::vector<std::uint32_t>& places);

    std::vector<std::uint32_t> parents_;  // one element for each row; empty if no instance has a parent
    std::vector<std::uint32_t> table_;
};

}  // namespace hkpd
