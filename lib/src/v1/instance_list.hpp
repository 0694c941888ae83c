// Finds where a list of instances begins, and each of its instances, even if one length in the object is wrong.
#pragma once

#include <cstdint>
#include <optional>

#include "hkpd/v1.hpp"
#include "v1/decode.hpp"

namespace hkpd::v1 {

/// The statements of an object about its list of instances.
struct ListShape {
    Bytes object;  ///< whole object
    ByteOrder order{};
    std::uint64_t start = 0;       ///< offset of the first instance from the object's first byte
    std::uint32_t announced = 0;   ///< NumInstances
    std::uint64_t values_end = 0;  ///< bytes of a counter block that the counters need
};

/// The list of instances that an object has.
struct ListPlan {
    InstanceList list{};
    std::optional<Error> fault{};  ///< the wrong length, if there is one
};

/// Limit of padding, in bytes: fewer bytes than this may follow a name in its definition, or the last instance in its
/// object.
inline constexpr std::uint64_t list_padding = 8;
/// Fewer bytes than this may follow the values in a counter block: some providers round its length up to 16.
inline constexpr std::uint64_t block_padding = 16;

/// Returns where the name in an instance definition ends, from the beginning of the definition.
constexpr std::uint64_t name_end(std::uint32_t offset, std::uint32_t length) noexcept {
    return length == 0 ? instance_definition_size : std::uint64_t{offset} + length;
}

/// Returns whether the lengths of as many instances as announced lead from `shape.start` to the end of the object.
bool leads_to_end(const ListShape& shape) noexcept;

/// Finds the instances of a complete object, in linear time.
///
/// If the lengths lead through as many instances as announced to the end of the object, and all counter blocks have the
/// same length, with space for the values, the lengths are right. Otherwise, each instance must be confirmed by its
/// shape: its definition ends where its name ends, and its counter block ends where its values end, up to padding. A
/// definition or counter block with the length that most have is confirmed, too.
///
/// In the first instance that is not confirmed, one length is corrected. After the correction, only confirmed instances
/// may follow, up to the end of the object. If no correction achieves this, the list continues at the next place from
/// which confirmed instances lead to the end of the object. If there is no such place, the list ends.
ListPlan plan_list(const ListShape& shape);

}  // namespace hkpd::v1
