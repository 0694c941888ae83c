// The objects of the simulated machine that are available through V1 only. For all objects except Thread, the titles,
// types, sizes, scales, detail levels, offsets and order of the counters are those in blobs of a real Windows Vista.
// The object Thread is taken from Microsoft's documentation of Win32_PerfRawData_PerfProc_Thread. The offsets of its
// counters are chosen for the simulation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hkpd/v1_writer.hpp"

namespace hkpd::simulation {

using Counter = V1BlockWriter::Counter;

/// The properties of an object that never change. `title`, `help`: title indices. `block_size`: size of a counter block
/// in bytes. `default_counter`: DefaultCounter. As in V1 blocks of a real Windows Vista, it is a position in the list
/// of counters.
struct ObjectDefinition {
    std::uint32_t title, help, detail_level, block_size;
    std::int32_t default_counter;
    bool is_list;
    bool has_clock;  ///< whether the object has a clock (100 ns since 1601)
};

/// The object System and its counters.
inline constexpr ObjectDefinition system_object{2, 3, 100, 96, 8, false, true};
inline constexpr Counter system_counters[] = {
    {10, 11, 0, 100, 0x10410400, 4, 4},       // File Read Operations/sec
    {12, 13, 0, 100, 0x10410400, 4, 8},       // File Write Operations/sec
    {14, 15, 0, 200, 0x10410400, 4, 12},      // File Control Operations/sec
    {16, 17, -4, 300, 0x10410500, 8, 16},     // File Read Bytes/sec
    {18, 19, -4, 300, 0x10410500, 8, 24},     // File Write Bytes/sec
    {20, 21, -3, 400, 0x10410500, 8, 32},     // File Control Bytes/sec
    {146, 147, -2, 200, 0x10410400, 4, 40},   // Context Switches/sec
    {150, 151, -1, 200, 0x10410400, 4, 44},   // System Calls/sec
    {406, 407, 0, 100, 0x10410400, 4, 48},    // File Data Operations/sec
    {674, 675, -5, 100, 0x30240500, 8, 56},   // System Up Time
    {44, 45, 1, 400, 0x00010000, 4, 64},      // Processor Queue Length
    {248, 249, 1, 400, 0x00010000, 4, 68},    // Processes
    {250, 251, 1, 400, 0x00010000, 4, 72},    // Threads
    {686, 687, 0, 400, 0x10410400, 4, 76},    // Alignment Fixups/sec
    {688, 689, 0, 400, 0x10410400, 4, 80},    // Exception Dispatches/sec
    {690, 691, 0, 400, 0x10410400, 4, 84},    // Floating Emulations/sec
    {1350, 1351, 0, 200, 0x20020400, 4, 88},  // % Registry Quota In Use
    {1350, 1351, 0, 200, 0x40030403, 4, 92},  // % Registry Quota In Use
};

/// The object Memory and its counters.
inline constexpr ObjectDefinition memory_object{4, 5, 100, 232, 8, false, false};
inline constexpr Counter memory_counters[] = {
    {28, 29, -1, 100, 0x10410400, 4, 4},       // Page Faults/sec
    {24, 25, -6, 300, 0x00010100, 8, 8},       // Available Bytes
    {26, 27, -6, 300, 0x00010100, 8, 16},      // Committed Bytes
    {30, 31, -6, 400, 0x00010100, 8, 24},      // Commit Limit
    {32, 33, 0, 400, 0x10410400, 4, 32},       // Write Copies/sec
    {34, 35, -1, 400, 0x10410400, 4, 36},      // Transition Faults/sec
    {36, 37, -1, 400, 0x10410400, 4, 40},      // Cache Faults/sec
    {38, 39, -1, 400, 0x10410400, 4, 44},      // Demand Zero Faults/sec
    {40, 41, 0, 100, 0x10410400, 4, 48},       // Pages/sec
    {822, 823, 0, 100, 0x10410400, 4, 52},     // Pages Input/sec
    {42, 43, 0, 300, 0x10410400, 4, 56},       // Page Reads/sec
    {48, 49, 0, 200, 0x10410400, 4, 60},       // Pages Output/sec
    {56, 57, -5, 200, 0x00010100, 8, 64},      // Pool Paged Bytes
    {58, 59, -5, 200, 0x00010100, 8, 72},      // Pool Nonpaged Bytes
    {50, 51, 0, 300, 0x10410400, 4, 80},       // Page Writes/sec
    {60, 61, -2, 400, 0x00010000, 4, 84},      // Pool Paged Allocs
    {64, 65, -2, 400, 0x00010000, 4, 88},      // Pool Nonpaged Allocs
    {678, 679, -2, 400, 0x00010000, 4, 92},    // Free System Page Table Entries
    {818, 819, -5, 200, 0x00010100, 8, 96},    // Cache Bytes
    {820, 821, -5, 200, 0x00010100, 8, 104},   // Cache Bytes Peak
    {66, 63, -5, 200, 0x00010100, 8, 112},     // Pool Paged Resident Bytes
    {68, 69, -5, 200, 0x00010100, 8, 120},     // System Code Total Bytes
    {70, 71, -5, 200, 0x00010100, 8, 128},     // System Code Resident Bytes
    {72, 73, -5, 200, 0x00010100, 8, 136},     // System Driver Total Bytes
    {74, 75, -5, 200, 0x00010100, 8, 144},     // System Driver Resident Bytes
    {76, 77, -5, 200, 0x00010100, 8, 152},     // System Cache Resident Bytes
    {1406, 1407, 0, 300, 0x20020400, 4, 160},  // % Committed Bytes In Use
    {1406, 1407, 0, 300, 0x40030403, 4, 164},  // % Committed Bytes In Use
    {1380, 1381, 0, 300, 0x00010100, 8, 168},  // Available KBytes
    {1382, 1383, 0, 300, 0x00010100, 8, 176},  // Available MBytes
    {824, 825, -1, 400, 0x10410400, 4, 224},   // Transition Pages RePurposed/sec
    {1676, 1677, 0, 400, 0x00010100, 8, 184},  // Free & Zero Page List Bytes
    {1678, 1679, 0, 400, 0x00010100, 8, 192},  // Modified Page List Bytes
    {1680, 1681, 0, 400, 0x00010100, 8, 200},  // Standby Cache Reserve Bytes
    {1682, 1683, 0, 400, 0x00010100, 8, 208},  // Standby Cache Normal Priority Bytes
    {1684, 1685, 0, 400, 0x00010100, 8, 216},  // Standby Cache Core Bytes
};

/// The object Process and its counters.
inline constexpr ObjectDefinition process_object{230, 231, 100, 200, 0, true, true};
inline constexpr Counter process_counters[] = {
    {6, 189, 0, 100, 0x20510500, 8, 8},         // % Processor Time
    {142, 157, 0, 200, 0x20510500, 8, 16},      // % User Time
    {144, 159, 0, 200, 0x20510500, 8, 24},      // % Privileged Time
    {172, 173, -6, 300, 0x00010100, 8, 32},     // Virtual Bytes Peak
    {174, 175, -6, 300, 0x00010100, 8, 40},     // Virtual Bytes
    {28, 177, -1, 100, 0x10410400, 4, 4},       // Page Faults/sec
    {178, 179, -5, 200, 0x00010100, 8, 48},     // Working Set Peak
    {180, 181, -5, 100, 0x00010100, 8, 56},     // Working Set
    {182, 183, -6, 200, 0x00010100, 8, 64},     // Page File Bytes Peak
    {184, 185, -6, 200, 0x00010100, 8, 72},     // Page File Bytes
    {186, 187, -5, 200, 0x00010100, 8, 80},     // Private Bytes
    {680, 681, 0, 200, 0x00010000, 4, 88},      // Thread Count
    {682, 683, 0, 200, 0x00010000, 4, 92},      // Priority Base
    {684, 685, -4, 200, 0x30240500, 8, 96},     // Elapsed Time
    {784, 785, -1, 100, 0x00010000, 4, 104},    // ID Process
    {1410, 1411, -1, 100, 0x00010000, 4, 108},  // Creating Process ID
    {56, 57, -5, 200, 0x00010000, 4, 112},      // Pool Paged Bytes
    {58, 59, -5, 200, 0x00010000, 4, 116},      // Pool Nonpaged Bytes
    {952, 953, 0, 200, 0x00010000, 4, 120},     // Handle Count
    {1412, 1413, 0, 200, 0x10410500, 8, 128},   // IO Read Operations/sec
    {1414, 1415, 0, 200, 0x10410500, 8, 136},   // IO Write Operations/sec
    {1416, 1417, 0, 200, 0x10410500, 8, 144},   // IO Data Operations/sec
    {1418, 1419, 0, 200, 0x10410500, 8, 152},   // IO Other Operations/sec
    {1420, 1421, 0, 200, 0x10410500, 8, 160},   // IO Read Bytes/sec
    {1422, 1423, 0, 200, 0x10410500, 8, 168},   // IO Write Bytes/sec
    {1424, 1425, 0, 200, 0x10410500, 8, 176},   // IO Data Bytes/sec
    {1426, 1427, 0, 200, 0x10410500, 8, 184},   // IO Other Bytes/sec
    {1478, 1479, -5, 100, 0x00010100, 8, 192},  // Working Set - Private
};

/// The object Thread and its counters.
inline constexpr ObjectDefinition thread_object{232, 233, 200, 72, 0, true, true};
inline constexpr Counter thread_counters[] = {
    {6, 189, 0, 100, 0x20510500, 8, 8},      // % Processor Time
    {142, 157, 0, 200, 0x20510500, 8, 16},   // % User Time
    {144, 159, 0, 200, 0x20510500, 8, 24},   // % Privileged Time
    {146, 147, -2, 200, 0x10410400, 4, 4},   // Context Switches/sec
    {684, 685, -4, 200, 0x30240500, 8, 32},  // Elapsed Time
    {694, 695, 0, 200, 0x00010000, 4, 40},   // Priority Current
    {682, 683, 0, 200, 0x00010000, 4, 44},   // Priority Base
    {706, 707, 0, 400, 0x00010000, 4, 48},   // Start Address
    {46, 47, 0, 200, 0x00010000, 4, 52},     // Thread State
    {336, 337, 0, 200, 0x00010000, 4, 56},   // Thread Wait Reason
    {784, 785, 0, 200, 0x00010000, 4, 60},   // ID Process
    {804, 805, 0, 200, 0x00010000, 4, 64},   // ID Thread
};

/// The object PhysicalDisk and its counters.
inline constexpr ObjectDefinition disk_object{234, 235, 100, 184, 2, true, false};
inline constexpr Counter disk_counters[] = {
    {198, 199, 1, 100, 0x00010000, 4, 4},      // Current Disk Queue Length
    {200, 201, 0, 100, 0x20570500, 8, 8},      // % Disk Time
    {200, 201, 0, 100, 0x40030500, 8, 168},    // % Disk Time
    {1400, 1401, 2, 100, 0x00550500, 8, 16},   // Avg. Disk Queue Length
    {202, 203, 0, 100, 0x20570500, 8, 24},     // % Disk Read Time
    {202, 203, 0, 100, 0x40030500, 8, 168},    // % Disk Read Time
    {1402, 1403, 2, 100, 0x00550500, 8, 32},   // Avg. Disk Read Queue Length
    {204, 205, 0, 100, 0x20570500, 8, 40},     // % Disk Write Time
    {204, 205, 0, 100, 0x40030500, 8, 168},    // % Disk Write Time
    {1404, 1405, 2, 100, 0x00550500, 8, 48},   // Avg. Disk Write Queue Length
    {206, 207, 3, 200, 0x30020400, 8, 56},     // Avg. Disk sec/Transfer
    {206, 207, 0, 200, 0x40030402, 4, 72},     // Avg. Disk sec/Transfer
    {208, 209, 3, 200, 0x30020400, 8, 64},     // Avg. Disk sec/Read
    {208, 209, 0, 200, 0x40030402, 4, 76},     // Avg. Disk sec/Read
    {210, 211, 3, 200, 0x30020400, 8, 80},     // Avg. Disk sec/Write
    {210, 211, 0, 200, 0x40030402, 4, 88},     // Avg. Disk sec/Write
    {212, 213, 0, 100, 0x10410400, 4, 92},     // Disk Transfers/sec
    {214, 215, 0, 100, 0x10410400, 4, 96},     // Disk Reads/sec
    {216, 217, 0, 100, 0x10410400, 4, 100},    // Disk Writes/sec
    {218, 219, -4, 200, 0x10410500, 8, 104},   // Disk Bytes/sec
    {220, 221, -4, 200, 0x10410500, 8, 112},   // Disk Read Bytes/sec
    {222, 223, -4, 200, 0x10410500, 8, 120},   // Disk Write Bytes/sec
    {224, 225, -2, 300, 0x40020500, 8, 128},   // Avg. Disk Bytes/Transfer
    {224, 225, 0, 300, 0x40030402, 4, 144},    // Avg. Disk Bytes/Transfer
    {226, 227, -2, 300, 0x40020500, 8, 136},   // Avg. Disk Bytes/Read
    {226, 227, 0, 300, 0x40030402, 4, 148},    // Avg. Disk Bytes/Read
    {228, 229, -2, 300, 0x40020500, 8, 152},   // Avg. Disk Bytes/Write
    {228, 229, 0, 300, 0x40030402, 4, 176},    // Avg. Disk Bytes/Write
    {1482, 1483, 0, 200, 0x20570500, 8, 160},  // % Idle Time
    {1482, 1483, 0, 100, 0x40030500, 8, 168},  // % Idle Time
    {1484, 1485, 0, 200, 0x10410400, 4, 180},  // Split IO/Sec
};

/// The object Processor and its counters.
inline constexpr ObjectDefinition processor_object{238, 239, 100, 120, 0, true, false};
inline constexpr Counter processor_counters[] = {
    {6, 7, 0, 100, 0x21510500, 8, 8},          // % Processor Time
    {142, 143, 0, 200, 0x20510500, 8, 16},     // % User Time
    {144, 145, 0, 200, 0x20510500, 8, 24},     // % Privileged Time
    {148, 149, -2, 100, 0x10410400, 4, 32},    // Interrupts/sec
    {696, 339, 0, 200, 0x20510500, 8, 40},     // % DPC Time
    {698, 397, 0, 200, 0x20510500, 8, 48},     // % Interrupt Time
    {1334, 1335, 0, 200, 0x10410400, 4, 56},   // DPCs Queued/sec
    {1336, 1337, 0, 200, 0x00010000, 4, 60},   // DPC Rate
    {1746, 1747, 0, 400, 0x20510500, 8, 64},   // % Idle Time
    {1748, 1749, 0, 400, 0x20510500, 8, 72},   // % C1 Time
    {1750, 1751, 0, 400, 0x20510500, 8, 80},   // % C2 Time
    {1752, 1753, 0, 400, 0x20510500, 8, 88},   // % C3 Time
    {1754, 1755, 0, 400, 0x10410500, 8, 96},   // C1 Transitions/sec
    {1756, 1757, 0, 400, 0x10410500, 8, 104},  // C2 Transitions/sec
    {1758, 1759, 0, 400, 0x10410500, 8, 112},  // C3 Transitions/sec
};

/// The object Network Interface and its counters.
inline constexpr ObjectDefinition adapter_object{510, 511, 200, 152, 0, true, false};
inline constexpr Counter adapter_counters[] = {
    {388, 513, -4, 200, 0x10410500, 8, 8},    // Bytes Total/sec
    {400, 515, -1, 200, 0x10410500, 8, 16},   // Packets/sec
    {266, 517, -1, 200, 0x10410500, 8, 24},   // Packets Received/sec
    {452, 519, -1, 200, 0x10410500, 8, 32},   // Packets Sent/sec
    {520, 521, -6, 200, 0x00010100, 8, 40},   // Current Bandwidth
    {264, 523, -4, 200, 0x10410500, 8, 48},   // Bytes Received/sec
    {524, 525, -1, 300, 0x10410500, 8, 56},   // Packets Received Unicast/sec
    {526, 527, -1, 300, 0x10410500, 8, 64},   // Packets Received Non-Unicast/sec
    {528, 529, 0, 200, 0x00010100, 8, 72},    // Packets Received Discarded
    {530, 531, 0, 200, 0x00010100, 8, 80},    // Packets Received Errors
    {532, 533, 0, 200, 0x00010100, 8, 88},    // Packets Received Unknown
    {506, 535, -4, 200, 0x10410500, 8, 96},   // Bytes Sent/sec
    {536, 537, -1, 300, 0x10410500, 8, 104},  // Packets Sent Unicast/sec
    {538, 539, -1, 300, 0x10410500, 8, 112},  // Packets Sent Non-Unicast/sec
    {540, 541, 0, 200, 0x00010100, 8, 120},   // Packets Outbound Discarded
    {542, 543, 0, 200, 0x00010100, 8, 128},   // Packets Outbound Errors
    {544, 545, 0, 200, 0x00010100, 8, 136},   // Output Queue Length
};

/// The values of one instance, in the order of its object's counters.
template <std::size_t Count>
using Values = std::array<std::uint64_t, Count>;

template <std::size_t Count>
void set_values(V1BlockWriter& out, const Counter (&counters)[Count], const Values<Count>& values) {
    for (std::size_t i = 0; i < Count; ++i) out.set(counters[i].offset, counters[i].size, values[i]);
}

}  // namespace hkpd::simulation
