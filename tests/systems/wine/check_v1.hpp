// Compares V1 samples with the values of the provider DLLs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "findings.hpp"
#include "hkpd/sample.hpp"
#include "provider_counters.hpp"

namespace live {

/// A provider and its requested objects, in order.
struct V1Part {
    const V1Provider* provider = nullptr;
    std::vector<const V1Object*> objects;
};

/// Compares the samples of a run, one by one.
class V1Check {
  public:
    /// Keeps a reference to `findings`.
    V1Check(std::vector<V1Part> parts, Findings& findings);

    /// Requires that the sample holds the objects of all parts, one part after the other, and nothing else; each part
    /// is of one collection, later than in the previous sample.
    void add(const hkpd::Sample& sample, std::uint32_t number);

  private:
    void check_object(const V1Part& part, const V1Object& expected, const hkpd::Object& object,
                      std::uint64_t collection);
    void check_column(const V1Part& part, const V1Counter& expected, const hkpd::Column& column);
    void check_instances(const V1Part& part, const V1Object& expected, const hkpd::Object& object);
    void check_values(const V1Part& part, const V1Object& expected, const hkpd::Object& object,
                      std::uint64_t collection);

    std::vector<V1Part> parts_;
    std::vector<std::uint64_t> collections_;  // of the previous sample, by part
    Findings& findings_;
};

}  // namespace live
