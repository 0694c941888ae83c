// Finds the instances in an object's list, even if one length in the list is wrong. Also checks whether a list begins
// at a given offset.
#pragma once

#include <cstdint>
#include <optional>

#include "hkpd/v1.hpp"
#include "v1/decode.hpp"

namespace hkpd::v1 {

/// The description of a list of instances, as the object's header and counter definitions state it.
struct ListShape {
    Bytes object;  ///< all bytes of the object
    ByteOrder order{};
    std::uint64_t start = 0;       ///< offset of the first instance from the object's first byte
    std::uint32_t announced = 0;   ///< NumInstances
    std::uint64_t values_end = 0;  ///< size of a counter block that the values need, in bytes; 0: unknown
};

/// The list of instances that was found in an object.
struct ListPlan {
    InstanceList list{};
    std::optional<Error> fault{};  ///< fault of the wrong length; none if no length is wrong
};

/// Limit of padding: fewer bytes than this may follow the name in an instance definition, or the last instance in the
/// object.
inline constexpr std::uint64_t list_padding = 8;
/// Fewer bytes than this may follow the values in a counter block. Some providers round the block's length up to a
/// multiple of 16.
inline constexpr std::uint64_t block_padding = 16;

/// Returns the offset, from the start of an instance definition, at which the name ends. `offset`: NameOffset;
/// `length`: NameLength. Without a name, this is the end of the fixed fields.
constexpr std::uint64_t name_end(std::uint32_t offset, std::uint32_t length) noexcept {
    return length == 0 ? instance_definition_size : std::uint64_t{offset} + length;
}

/// Returns whether the stated lengths of `shape.announced` instances lead from `shape.start` to the end of the object.
/// Padding may follow the last instance.
bool leads_to_end(const ListShape& shape) noexcept;

/// Finds the instances of an object whose bytes are all present, in linear time.
///
/// If the stated lengths lead through `shape.announced` instances to the end of the object, and all counter blocks have
/// the same length, with space for the values, the stated lengths are right. Otherwise, each instance must be
/// confirmed. An instance is confirmed if its definition ends where its name ends, and its counter block ends where its
/// values end, apart from padding. A definition or counter block is also confirmed if it has the length that most of
/// them have in this object.
///
/// In the first instance that is not confirmed, this function corrects one length. After the corrected instance, only
/// confirmed instances may follow, up to the end of the object. If no correction achieves this, the list continues at
/// the next offset from which confirmed instances lead to the end of the object. If there is no such offset, the list
/// ends before the instance that is not confirmed.
ListPlan plan_list(const ListShape& shape);

}  // namespace hkpd::v1
