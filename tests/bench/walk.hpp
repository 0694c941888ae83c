// The walks of hkpd that are measured: the sum of all values of 4 and 8 bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "hkpd/v1.hpp"

namespace bench {

/// A block with all of its objects opened and validated. Reusable: memory is kept.
struct OpenBlock {
    hkpd::v1::Block block;
    std::vector<hkpd::v1::Object> objects;
};

/// Returns false if anything is wrong: the measured machines are valid.
bool open_and_validate(OpenBlock& open, hkpd::Bytes bytes);

/// Returns the sum of all values of a validated object.
std::uint64_t walk(const hkpd::v1::Object& object);
std::uint64_t walk(const OpenBlock& open);

/// Does both, object by object.
std::uint64_t open_and_walk(OpenBlock& open, hkpd::Bytes bytes);

}  // namespace bench
