// The inputs: the small and the large machine, and if available, Process of a real Windows Vista.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "harness.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "machine.hpp"
#include "sample/fill/v1_builder.hpp"

namespace bench {

/// Two consecutive samples of a machine.
struct Input {
    std::string name;  ///< `small`, `large`, `vista`
    std::size_t values = 0;
    std::array<Blob, 2> samples;

    hkpd::Bytes bytes(std::size_t sample = 0) const { return hkpd::Bytes(std::span(samples.at(sample))); }
};

/// Made at the first call.
const Input& small_machine();
const Input& large_machine();

/// Returns the unchecked walk of its first sample.
Work baseline(const Input& input);

/// Returns the blobs of one object each that a real Windows Vista returned, eight for each moment, in order of time;
/// none if the files are not available.
const std::vector<Blob>& vista_blobs();

/// Adds `NAME/small` and `NAME/large`; also `NAME/vista` if available.
void add_cases(const std::string& name, void (*run)(benchmark::State&, const Input&));
/// Adds `NAME/small`.
void add_small_case(const std::string& name, std::function<void(benchmark::State&, const Input&)> run);

/// Returns the built-in table.
const hkpd::Titles& titles();

/// Builds a sample from a block, repeatedly.
class Building {
  public:
    explicit Building(const hkpd::Titles* named_by, hkpd::InstanceNames names = hkpd::InstanceNames::utf8)
        : builder_(named_by, {}, names) {}
    void build(hkpd::Sample& sample, hkpd::Bytes block);

  private:
    hkpd::SampleBuilder builder_;
    hkpd::v1::Block block_;
};

}  // namespace bench
