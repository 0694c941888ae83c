// On-wire V1 structures to the public ones, in the host's byte order. One template, used for both orders.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "hkpd/v1.hpp"
#include "v1/layout.hpp"

namespace hkpd::v1 {

inline constexpr std::size_t data_block_size = 88, object_type_size = 64, counter_definition_size = 40,
                             instance_definition_size = 24, counter_block_size = 4;

template <boost::endian::order O>
DataBlock decode(const layout::PERF_DATA_BLOCK<O>& wire) noexcept {
    DataBlock block{};
    block.LittleEndian = wire.LittleEndian.value();
    block.Version = wire.Version.value();
    block.Revision = wire.Revision.value();
    block.TotalByteLength = wire.TotalByteLength.value();
    block.HeaderLength = wire.HeaderLength.value();
    block.NumObjectTypes = wire.NumObjectTypes.value();
    block.DefaultObject = wire.DefaultObject.value();
    const auto time = [&](std::size_t i) { return wire.SystemTime[i].value(); };
    block.SystemTime = {time(0), time(1), time(2), time(3), time(4), time(5), time(6), time(7)};
    block.PerfTime = wire.PerfTime.value();
    block.PerfFreq = wire.PerfFreq.value();
    block.PerfTime100nSec = wire.PerfTime100nSec.value();
    block.SystemNameLength = wire.SystemNameLength.value();
    block.SystemNameOffset = wire.SystemNameOffset.value();
    return block;
}

template <template <boost::endian::order> class Wire, boost::endian::order O>
auto decode_at(const std::byte* at) noexcept {
    Wire<O> wire;
    std::memcpy(&wire, at, sizeof wire);
    return decode(wire);
}

/// The structure at `at`, whose bytes the caller has checked.
template <template <boost::endian::order> class Wire>
auto decode_at(const std::byte* at, ByteOrder order) noexcept {
    return order == ByteOrder::little ? decode_at<Wire, boost::endian::order::little>(at)
                                      : decode_at<Wire, boost::endian::order::big>(at);
}

// Of these there are thousands in a block. Field by field, for a copy of the structure would be written to memory only
// to be read again.

/// The PERF_OBJECT_TYPE at `at`, whose bytes the caller has checked.
inline void read_object_type(const std::byte* at, ByteOrder order, ObjectType& header) noexcept {
    using Wire = layout::PERF_OBJECT_TYPE<boost::endian::order::little>;  // the offsets are those of either order
    const auto place = [at](std::size_t offset) { return std::next(at, static_cast<std::ptrdiff_t>(offset)); };
    const auto field = [&](std::size_t offset) { return load<std::uint32_t>(place(offset), order); };
    const auto clock = [&](std::size_t offset) {
        return static_cast<std::int64_t>(load<std::uint64_t>(place(offset), order));
    };
    header.TotalByteLength = field(offsetof(Wire, TotalByteLength));
    header.DefinitionLength = field(offsetof(Wire, DefinitionLength));
    header.HeaderLength = field(offsetof(Wire, HeaderLength));
    header.ObjectNameTitleIndex = field(offsetof(Wire, ObjectNameTitleIndex));
    header.ObjectHelpTitleIndex = field(offsetof(Wire, ObjectHelpTitleIndex));
    header.DetailLevel = field(offsetof(Wire, DetailLevel));
    header.NumCounters = field(offsetof(Wire, NumCounters));
    header.DefaultCounter = static_cast<std::int32_t>(field(offsetof(Wire, DefaultCounter)));
    header.NumInstances = static_cast<std::int32_t>(field(offsetof(Wire, NumInstances)));
    header.CodePage = field(offsetof(Wire, CodePage));
    header.PerfTime = clock(offsetof(Wire, PerfTime));
    header.PerfFreq = clock(offsetof(Wire, PerfFreq));
}

/// The PERF_COUNTER_DEFINITION at `at`, likewise.
inline CounterDefinition counter_definition_at(const std::byte* at, ByteOrder order) noexcept {
    using Wire =
        layout::PERF_COUNTER_DEFINITION<boost::endian::order::little>;  // the offsets are those of either order
    const auto field = [&](std::size_t offset) {
        return load<std::uint32_t>(std::next(at, static_cast<std::ptrdiff_t>(offset)), order);
    };
    return {.ByteLength = field(offsetof(Wire, ByteLength)),
            .CounterNameTitleIndex = field(offsetof(Wire, CounterNameTitleIndex)),
            .CounterHelpTitleIndex = field(offsetof(Wire, CounterHelpTitleIndex)),
            .DefaultScale = static_cast<std::int32_t>(field(offsetof(Wire, DefaultScale))),
            .DetailLevel = field(offsetof(Wire, DetailLevel)),
            .CounterType = field(offsetof(Wire, CounterType)),
            .CounterSize = field(offsetof(Wire, CounterSize)),
            .CounterOffset = field(offsetof(Wire, CounterOffset))};
}

/// Likewise the PERF_INSTANCE_DEFINITION, in the host's order or in the other.
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

/// The name of an instance whose whole definition is `definition`; none where it does not lie inside that, behind the
/// fields.
std::optional<EncodedText> instance_name(Bytes definition, const InstanceDefinition& fields, std::uint32_t code_page,
                                         ByteOrder order) noexcept;

}  // namespace hkpd::v1
