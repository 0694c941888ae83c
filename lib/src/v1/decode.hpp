// Reads V1 structures of an input into the public structures, whose members have the host's byte order.
#pragma once

#include <cstddef>
#include <iterator>

#include "hkpd/v1.hpp"
#include "v1/layout.hpp"

namespace hkpd::v1 {

inline constexpr std::size_t data_block_size = 88, object_type_size = 64, counter_definition_size = 40,
                             instance_definition_size = 24, counter_block_size = 4;
inline constexpr std::uint64_t system_time_at = 36;  ///< offset of SystemTime in PERF_DATA_BLOCK

// Structures are read field by field and not copied as a whole. A block can contain thousands of structures of one
// kind. A copy of each would be written to memory and then read again, which takes time. For the same reason, the
// functions `read_…` write to the caller's object instead of returning one. The offsets of fields are the same in both
// byte orders, so they are taken from the little-endian structures in layout.hpp.

/// Returns the number at an offset in a structure. The caller must have checked that the input contains the whole
/// structure.
template <class T = std::uint32_t>
T field_at(const std::byte* structure, std::size_t offset, ByteOrder order) noexcept {
    return static_cast<T>(
        load<std::make_unsigned_t<T>>(std::next(structure, static_cast<std::ptrdiff_t>(offset)), order));
}

/// Reads the PERF_DATA_BLOCK at `at` into `header`. The callers of this function and of the functions below must have
/// checked that the input contains the whole structure.
inline void read_data_block(const std::byte* at, ByteOrder order, DataBlock& header) noexcept {
    using Wire = layout::PERF_DATA_BLOCK<boost::endian::order::little>;
    const auto time = [&](std::size_t i) {
        return field_at<std::uint16_t>(at, offsetof(Wire, SystemTime) + i * sizeof(std::uint16_t), order);
    };
    header.LittleEndian = field_at(at, offsetof(Wire, LittleEndian), order);
    header.Version = field_at(at, offsetof(Wire, Version), order);
    header.Revision = field_at(at, offsetof(Wire, Revision), order);
    header.TotalByteLength = field_at(at, offsetof(Wire, TotalByteLength), order);
    header.HeaderLength = field_at(at, offsetof(Wire, HeaderLength), order);
    header.NumObjectTypes = field_at(at, offsetof(Wire, NumObjectTypes), order);
    header.DefaultObject = field_at<std::int32_t>(at, offsetof(Wire, DefaultObject), order);
    header.SystemTime = {time(0), time(1), time(2), time(3), time(4), time(5), time(6), time(7)};
    header.PerfTime = field_at<std::int64_t>(at, offsetof(Wire, PerfTime), order);
    header.PerfFreq = field_at<std::int64_t>(at, offsetof(Wire, PerfFreq), order);
    header.PerfTime100nSec = field_at<std::int64_t>(at, offsetof(Wire, PerfTime100nSec), order);
    header.SystemNameLength = field_at(at, offsetof(Wire, SystemNameLength), order);
    header.SystemNameOffset = field_at(at, offsetof(Wire, SystemNameOffset), order);
}

inline void read_object_type(const std::byte* at, ByteOrder order, ObjectType& header) noexcept {
    using Wire = layout::PERF_OBJECT_TYPE<boost::endian::order::little>;
    header.TotalByteLength = field_at(at, offsetof(Wire, TotalByteLength), order);
    header.DefinitionLength = field_at(at, offsetof(Wire, DefinitionLength), order);
    header.HeaderLength = field_at(at, offsetof(Wire, HeaderLength), order);
    header.ObjectNameTitleIndex = field_at(at, offsetof(Wire, ObjectNameTitleIndex), order);
    header.ObjectHelpTitleIndex = field_at(at, offsetof(Wire, ObjectHelpTitleIndex), order);
    header.DetailLevel = field_at(at, offsetof(Wire, DetailLevel), order);
    header.NumCounters = field_at(at, offsetof(Wire, NumCounters), order);
    header.DefaultCounter = field_at<std::int32_t>(at, offsetof(Wire, DefaultCounter), order);
    header.NumInstances = field_at<std::int32_t>(at, offsetof(Wire, NumInstances), order);
    header.CodePage = field_at(at, offsetof(Wire, CodePage), order);
    header.PerfTime = field_at<std::int64_t>(at, offsetof(Wire, PerfTime), order);
    header.PerfFreq = field_at<std::int64_t>(at, offsetof(Wire, PerfFreq), order);
}

inline void read_counter_definition(const std::byte* at, ByteOrder order, CounterDefinition& definition) noexcept {
    using Wire = layout::PERF_COUNTER_DEFINITION<boost::endian::order::little>;
    with_order(order, [&]<bool host>(std::bool_constant<host> /*order*/) {
        const auto field = [at](std::size_t offset) {
            return load<std::uint32_t, host>(std::next(at, static_cast<std::ptrdiff_t>(offset)));
        };
        definition.ByteLength = field(offsetof(Wire, ByteLength));
        definition.CounterNameTitleIndex = field(offsetof(Wire, CounterNameTitleIndex));
        definition.CounterHelpTitleIndex = field(offsetof(Wire, CounterHelpTitleIndex));
        definition.DefaultScale = static_cast<std::int32_t>(field(offsetof(Wire, DefaultScale)));
        definition.DetailLevel = field(offsetof(Wire, DetailLevel));
        definition.CounterType = field(offsetof(Wire, CounterType));
        definition.CounterSize = field(offsetof(Wire, CounterSize));
        definition.CounterOffset = field(offsetof(Wire, CounterOffset));
    });
}

/// Returns the PERF_INSTANCE_DEFINITION at `at`. `host`: true if the structure has the host's byte order, false if it
/// has the opposite one.
template <bool host>
InstanceDefinition instance_definition_at(const std::byte* at) noexcept {
    using Wire = layout::PERF_INSTANCE_DEFINITION<boost::endian::order::little>;
    const auto field = [at](std::size_t offset) {
        return load<std::uint32_t, host>(std::next(at, static_cast<std::ptrdiff_t>(offset)));
    };
    return {.ByteLength = field(offsetof(Wire, ByteLength)),
            .ParentObjectTitleIndex = field(offsetof(Wire, ParentObjectTitleIndex)),
            .ParentObjectInstance = field(offsetof(Wire, ParentObjectInstance)),
            .UniqueID = static_cast<std::int32_t>(field(offsetof(Wire, UniqueID))),
            .NameOffset = field(offsetof(Wire, NameOffset)),
            .NameLength = field(offsetof(Wire, NameLength))};
}
inline InstanceDefinition instance_definition_at(const std::byte* at, ByteOrder order) noexcept {
    return is_host_order(order) ? instance_definition_at<true>(at) : instance_definition_at<false>(at);
}

/// Returns the name of an instance; none if the name is longer than `longest_name_field`, or does not lie within the
/// definition, after its fixed fields. `definition` has all bytes of the instance's definition.
std::optional<EncodedText> instance_name(const Bytes& definition, const InstanceDefinition& fields,
                                         std::uint32_t code_page, ByteOrder order) noexcept;

}  // namespace hkpd::v1
