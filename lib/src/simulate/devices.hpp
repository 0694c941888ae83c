// The disks and network adapters of the simulated machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulate/activity.hpp"
#include "simulate/machine_clock.hpp"

namespace hkpd::simulation {

/// The state of a disk. Bytes and times are totals since the boot.
struct DiskState {
    std::uint64_t reads = 0, writes = 0, splits = 0;  ///< counted since `MachineClock::wrapped`
    std::uint64_t read_bytes = 0, write_bytes = 0;
    Ticks reading = 0, writing = 0, idle = 0;  ///< their sum is the time since the boot
    std::uint32_t queue = 0;                   ///< current length of the queue
};

/// The totals of an adapter since the boot.
struct AdapterState {
    std::uint64_t received_bytes = 0, received_unicast = 0, received_other = 0;
    std::uint64_t sent_bytes = 0, sent_unicast = 0, sent_other = 0;
    std::uint64_t discarded = 0;
};

class Disk {
  public:
    Disk(std::uint64_t seed, std::string_view name, const MachineClock& clock) noexcept;
    DiskState at(Ticks now) const noexcept;
    std::string_view name() const noexcept { return name_; }

  private:
    std::string_view name_;
    std::uint64_t seed_;
    Activity operations_, effort_;  // effort: how long and large operations are
    Share reading_, writing_;       // average shares of the time that reads and writes take
    std::uint64_t reads_, writes_;  // numbers of operations in 1000 seconds
    Ticks wrapped_, operations_wrapped_;
};

class Adapter {
  public:
    Adapter(std::uint64_t seed, std::string_view name, std::uint64_t bandwidth) noexcept;
    AdapterState at(Ticks now) const noexcept;
    std::string_view name() const noexcept { return name_; }
    std::uint64_t bandwidth() const noexcept { return bandwidth_; }  ///< bits per second

  private:
    std::string_view name_;
    std::uint64_t bandwidth_;
    Activity receiving_, sending_;
    std::uint64_t packets_in_, packets_out_, size_in_, size_out_;
};

}  // namespace hkpd::simulation
