// The members of the structures in the order in which they lie, and what their numbers mean to people.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "hkpd/map.hpp"
#include "v1/layout.hpp"
#include "v2/layout.hpp"

namespace hkpd::map {

/// How a member is to be read, and what is said of it.
enum class Means : std::uint8_t {
    number,
    signed_number,
    length,     ///< of its structure: where that ends
    place,      ///< from the beginning of its structure
    bytes,      ///< a count of bytes
    in_block,   ///< from the beginning of each counter block
    title,      ///< an index into the titles
    parent,     ///< likewise; 0: none
    pointer,    ///< LPWSTR in memory; nothing in a block
    signature,  ///< PERF in UTF-16
    byte_order,
    system_time,
    filetime,
    frequency,
    detail_level,
    scale,
    instances,
    code_page,
    counter_type,
    unique_id,
    padding,
    // V2
    guid,
    status,
    result_type,
    counter_id,     ///< all ones: all
    any_instance,   ///< all ones: any
    other_counter,  ///< all ones: none
    instance_type,
    attributes,
    aggregate,
    string_place,  ///< from the beginning of the buffer; all ones: no string
};

struct Member {
    std::string_view name;
    std::uint8_t size;
    Means means = Means::number;
};

/// A structure: its name, what its members serve, and the members, without a hole between them.
struct Structure {
    std::string_view name;
    MapKind kind;
    std::span<const Member> members;

    constexpr std::size_t size() const noexcept {
        std::size_t sum = 0;
        for (const Member& member : members) sum += member.size;
        return sum;
    }
};

namespace members {

inline constexpr std::array data_block{Member{"Signature", 8, Means::signature},
                                       Member{"LittleEndian", 4, Means::byte_order},
                                       Member{"Version", 4},
                                       Member{"Revision", 4},
                                       Member{"TotalByteLength", 4, Means::length},
                                       Member{"HeaderLength", 4, Means::length},
                                       Member{"NumObjectTypes", 4},
                                       Member{"DefaultObject", 4, Means::title},
                                       Member{"SystemTime", 16, Means::system_time},
                                       Member{"", 4, Means::padding},
                                       Member{"PerfTime", 8, Means::signed_number},
                                       Member{"PerfFreq", 8, Means::frequency},
                                       Member{"PerfTime100nSec", 8, Means::filetime},
                                       Member{"SystemNameLength", 4, Means::bytes},
                                       Member{"SystemNameOffset", 4, Means::place}};

inline constexpr std::array object_type{Member{"TotalByteLength", 4, Means::length},
                                        Member{"DefinitionLength", 4, Means::length},
                                        Member{"HeaderLength", 4, Means::length},
                                        Member{"ObjectNameTitleIndex", 4, Means::title},
                                        Member{"ObjectNameTitle", 4, Means::pointer},
                                        Member{"ObjectHelpTitleIndex", 4, Means::title},
                                        Member{"ObjectHelpTitle", 4, Means::pointer},
                                        Member{"DetailLevel", 4, Means::detail_level},
                                        Member{"NumCounters", 4},
                                        Member{"DefaultCounter", 4, Means::signed_number},
                                        Member{"NumInstances", 4, Means::instances},
                                        Member{"CodePage", 4, Means::code_page},
                                        Member{"PerfTime", 8, Means::signed_number},
                                        Member{"PerfFreq", 8, Means::frequency}};

inline constexpr std::array counter_definition{
    Member{"ByteLength", 4, Means::length},        Member{"CounterNameTitleIndex", 4, Means::title},
    Member{"CounterNameTitle", 4, Means::pointer}, Member{"CounterHelpTitleIndex", 4, Means::title},
    Member{"CounterHelpTitle", 4, Means::pointer}, Member{"DefaultScale", 4, Means::scale},
    Member{"DetailLevel", 4, Means::detail_level}, Member{"CounterType", 4, Means::counter_type},
    Member{"CounterSize", 4, Means::bytes},        Member{"CounterOffset", 4, Means::in_block}};

inline constexpr std::array instance_definition{
    Member{"ByteLength", 4, Means::length}, Member{"ParentObjectTitleIndex", 4, Means::parent},
    Member{"ParentObjectInstance", 4},      Member{"UniqueID", 4, Means::unique_id},
    Member{"NameOffset", 4, Means::place},  Member{"NameLength", 4, Means::bytes}};

inline constexpr std::array counter_block{Member{"ByteLength", 4, Means::length}};

inline constexpr std::array data_header{
    Member{"dwTotalSize", 4, Means::length},          Member{"dwNumCounters", 4},
    Member{"PerfTimeStamp", 8, Means::signed_number}, Member{"PerfTime100NSec", 8, Means::filetime},
    Member{"PerfFreq", 8, Means::frequency},          Member{"SystemTime", 16, Means::system_time}};

inline constexpr std::array counter_header{Member{"dwStatus", 4, Means::status},
                                           Member{"dwType", 4, Means::result_type}, Member{"dwSize", 4, Means::length},
                                           Member{"Reserved", 4}};

inline constexpr std::array multi_counters{Member{"dwSize", 4, Means::length}, Member{"dwCounters", 4}};
inline constexpr std::array multi_instances{Member{"dwTotalSize", 4, Means::length}, Member{"dwInstances", 4}};
inline constexpr std::array instance_header{Member{"Size", 4, Means::length}, Member{"InstanceId", 4}};
inline constexpr std::array counter_data{Member{"dwDataSize", 4, Means::bytes}, Member{"dwSize", 4, Means::length}};

inline constexpr std::array counter_identifier{Member{"CounterSetGuid", 16, Means::guid},
                                               Member{"Status", 4, Means::status},
                                               Member{"Size", 4, Means::length},
                                               Member{"CounterId", 4, Means::counter_id},
                                               Member{"InstanceId", 4, Means::any_instance},
                                               Member{"Index", 4},
                                               Member{"Reserved", 4}};

inline constexpr std::array counterset_reg_info{Member{"CounterSetGuid", 16, Means::guid}, Member{"CounterSetType", 4},
                                                Member{"DetailLevel", 4, Means::detail_level}, Member{"NumCounters", 4},
                                                Member{"InstanceType", 4, Means::instance_type}};

inline constexpr std::array counter_reg_info{Member{"CounterId", 4},
                                             Member{"Type", 4, Means::counter_type},
                                             Member{"Attrib", 8, Means::attributes},
                                             Member{"DetailLevel", 4, Means::detail_level},
                                             Member{"DefaultScale", 4, Means::scale},
                                             Member{"BaseCounterId", 4, Means::other_counter},
                                             Member{"PerfTimeId", 4, Means::other_counter},
                                             Member{"PerfFreqId", 4, Means::other_counter},
                                             Member{"MultiId", 4, Means::other_counter},
                                             Member{"AggregateFunc", 4, Means::aggregate},
                                             Member{"Reserved", 4}};

inline constexpr std::array string_buffer_header{Member{"dwSize", 4, Means::length}, Member{"dwCounters", 4}};
inline constexpr std::array string_counter_header{Member{"dwCounterId", 4}, Member{"dwOffset", 4, Means::string_place}};
inline constexpr std::array guid{Member{"ProviderGuid", 16, Means::guid}};

}  // namespace members

inline constexpr Structure data_block{"PERF_DATA_BLOCK", MapKind::header, members::data_block},
    object_type{"PERF_OBJECT_TYPE", MapKind::header, members::object_type},
    counter_definition{"PERF_COUNTER_DEFINITION", MapKind::definition, members::counter_definition},
    instance_definition{"PERF_INSTANCE_DEFINITION", MapKind::definition, members::instance_definition},
    counter_block{"PERF_COUNTER_BLOCK", MapKind::header, members::counter_block},
    data_header{"PERF_DATA_HEADER", MapKind::header, members::data_header},
    counter_header{"PERF_COUNTER_HEADER", MapKind::header, members::counter_header},
    multi_counters{"PERF_MULTI_COUNTERS", MapKind::header, members::multi_counters},
    multi_instances{"PERF_MULTI_INSTANCES", MapKind::header, members::multi_instances},
    instance_header{"PERF_INSTANCE_HEADER", MapKind::definition, members::instance_header},
    counter_data{"PERF_COUNTER_DATA", MapKind::header, members::counter_data},
    counter_identifier{"PERF_COUNTER_IDENTIFIER", MapKind::definition, members::counter_identifier},
    counterset_reg_info{"PERF_COUNTERSET_REG_INFO", MapKind::definition, members::counterset_reg_info},
    counter_reg_info{"PERF_COUNTER_REG_INFO", MapKind::definition, members::counter_reg_info},
    string_buffer_header{"PERF_STRING_BUFFER_HEADER", MapKind::header, members::string_buffer_header},
    string_counter_header{"PERF_STRING_COUNTER_HEADER", MapKind::header, members::string_counter_header},
    guid{"GUID", MapKind::definition, members::guid};

namespace check {
constexpr auto little = boost::endian::order::little;
static_assert(data_block.size() == sizeof(layout::PERF_DATA_BLOCK<little>));
static_assert(object_type.size() == sizeof(layout::PERF_OBJECT_TYPE<little>));
static_assert(counter_definition.size() == sizeof(layout::PERF_COUNTER_DEFINITION<little>));
static_assert(instance_definition.size() == sizeof(layout::PERF_INSTANCE_DEFINITION<little>));
static_assert(counter_block.size() == sizeof(layout::PERF_COUNTER_BLOCK<little>));
static_assert(data_header.size() == sizeof(layout::PERF_DATA_HEADER));
static_assert(counter_header.size() == sizeof(layout::PERF_COUNTER_HEADER));
static_assert(multi_counters.size() == sizeof(layout::PERF_MULTI_COUNTERS));
static_assert(multi_instances.size() == sizeof(layout::PERF_MULTI_INSTANCES));
static_assert(instance_header.size() == sizeof(layout::PERF_INSTANCE_HEADER));
static_assert(counter_data.size() == sizeof(layout::PERF_COUNTER_DATA));
static_assert(counter_identifier.size() == sizeof(layout::PERF_COUNTER_IDENTIFIER));
static_assert(counterset_reg_info.size() == sizeof(layout::PERF_COUNTERSET_REG_INFO));
static_assert(counter_reg_info.size() == sizeof(layout::PERF_COUNTER_REG_INFO));
static_assert(string_buffer_header.size() == sizeof(layout::PERF_STRING_BUFFER_HEADER));
static_assert(string_counter_header.size() == sizeof(layout::PERF_STRING_COUNTER_HEADER));
static_assert(guid.size() == sizeof(layout::WireGuid));
}  // namespace check

}  // namespace hkpd::map
