// On-wire V1 structures to the public ones, in the host's byte order. One template, used for both orders.
#pragma once

#include <bit>
#include <cstring>

#include "hkpd/v1.hpp"
#include "layout_v1.hpp"

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

template <boost::endian::order O>
ObjectType decode(const layout::PERF_OBJECT_TYPE<O>& wire) noexcept {
    return {.TotalByteLength = wire.TotalByteLength.value(),
            .DefinitionLength = wire.DefinitionLength.value(),
            .HeaderLength = wire.HeaderLength.value(),
            .ObjectNameTitleIndex = wire.ObjectNameTitleIndex.value(),
            .ObjectHelpTitleIndex = wire.ObjectHelpTitleIndex.value(),
            .DetailLevel = wire.DetailLevel.value(),
            .NumCounters = wire.NumCounters.value(),
            .DefaultCounter = wire.DefaultCounter.value(),
            .NumInstances = wire.NumInstances.value(),
            .CodePage = wire.CodePage.value(),
            .PerfTime = wire.PerfTime.value(),
            .PerfFreq = wire.PerfFreq.value()};
}

template <boost::endian::order O>
CounterDefinition decode(const layout::PERF_COUNTER_DEFINITION<O>& wire) noexcept {
    return {.ByteLength = wire.ByteLength.value(),
            .CounterNameTitleIndex = wire.CounterNameTitleIndex.value(),
            .CounterHelpTitleIndex = wire.CounterHelpTitleIndex.value(),
            .DefaultScale = wire.DefaultScale.value(),
            .DetailLevel = wire.DetailLevel.value(),
            .CounterType = wire.CounterType.value(),
            .CounterSize = wire.CounterSize.value(),
            .CounterOffset = wire.CounterOffset.value()};
}

template <boost::endian::order O>
InstanceDefinition decode(const layout::PERF_INSTANCE_DEFINITION<O>& wire) noexcept {
    return {.ByteLength = wire.ByteLength.value(),
            .ParentObjectTitleIndex = wire.ParentObjectTitleIndex.value(),
            .ParentObjectInstance = wire.ParentObjectInstance.value(),
            .UniqueID = wire.UniqueID.value(),
            .NameOffset = wire.NameOffset.value(),
            .NameLength = wire.NameLength.value()};
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

}  // namespace hkpd::v1
