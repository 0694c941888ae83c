// The counters of the five objects in the demonstration capture. Titles, types, sizes, scales and detail levels are
// those that Windows gives, and so are the offsets, which for some objects are out of order. Thread is put together
// from Microsoft's documentation of Win32_PerfRawData_PerfProc_Thread; its offsets are ours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blob_builder.hpp"

namespace demo {

/// One counter, in the columns of the tables below.
struct Row {
    std::uint32_t title, help;
    std::int32_t scale;
    std::uint32_t detail, type, size, offset;
};

/// System, title 2.
inline constexpr Row system_rows[] = {
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

/// Memory, title 4.
inline constexpr Row memory_rows[] = {
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

/// Processor, title 238.
inline constexpr Row processor_rows[] = {
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

/// Process, title 230.
inline constexpr Row process_rows[] = {
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

/// Thread, title 232.
inline constexpr Row thread_rows[] = {
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

inline std::vector<blob::Counter> counters(std::span<const Row> rows) {
    std::vector<blob::Counter> counters;
    for (const Row& row : rows)
        counters.push_back({.title = row.title,
                            .type = row.type,
                            .size = row.size,
                            .offset = row.offset,
                            .scale = row.scale,
                            .detail = row.detail,
                            .help = row.help});
    return counters;
}

}  // namespace demo
