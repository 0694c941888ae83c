// Compares V2 samples with the countersets and values of the PerfLib DLL.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "findings.hpp"
#include "hkpd/sample.hpp"
#include "perflib_counters.hpp"

namespace live {

/// Compares the samples of a run, one by one.
class V2Check {
  public:
    /// Keeps a reference to `findings`.
    explicit V2Check(Findings& findings) : collections_(std::size(v2_countersets)), findings_(findings) {}

    /// Requires that the sample holds all countersets, each once, and nothing else; each is of a later collection than
    /// in the previous sample.
    void add(const hkpd::Sample& sample, std::uint32_t number);

  private:
    void check_counterset(const V2Counterset& expected, const hkpd::Object& object, std::uint64_t& collection);
    void check_column(const V2Counter& expected, const hkpd::Object& object, const hkpd::Column& column);
    void check_instances(const V2Counterset& expected, const hkpd::Object& object);

    std::vector<std::uint64_t> collections_;  // of the previous sample, by counterset
    Findings& findings_;
};

}  // namespace live
