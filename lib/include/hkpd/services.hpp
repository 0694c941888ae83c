// Who provides an object of V1: the services that have registered a performance DLL.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"

namespace hkpd {

/// Titles up to here are the system's own (`Base Index` of Perflib), and those of no service.
inline constexpr std::uint32_t last_system_title = 1847;

/// What a service's key `Performance` says. Texts are UTF-8 and empty where the value is missing or none.
struct PerformanceService {
    std::string name;                                          ///< of the service, as it is spelt in the export
    std::string library;                                       ///< of the DLL; variables such as %SystemRoot% are kept
    std::string open, collect, close;                          ///< the functions in it
    std::optional<std::uint32_t> first_counter, last_counter;  ///< the indices of its titles, both ends included
    std::optional<std::uint32_t> first_help, last_help;
    std::vector<std::uint32_t> object_list;  ///< title indices of its objects; without it, it is asked for any
    bool disabled = false;                   ///< `Disable Performance Counters` is not 0: Perflib does not call it
    std::uint64_t offset = 0;                ///< where its key stands in the input
};

/// The services of one machine. Pointers stay valid as long as this object does.
class Services {
  public:
    Services() = default;
    /// Services in the order of their source.
    explicit Services(std::vector<PerformanceService> services);

    /// In the order of the source; those without a key `Performance` are not among them.
    std::span<const PerformanceService> all() const noexcept { return services_; }
    /// Whose an object's or a counter's title index is: the first service that has it in its Object List, else the one
    /// that has it between First Counter and Last Counter (where two have, the one that begins first), else null. An
    /// index up to `last_system_title` of which this is null is the system's own.
    const PerformanceService* of(std::uint32_t title_index) const noexcept;

  private:
    struct Owned {
        std::uint32_t first, last, service;  // position in services_
    };
    static const Owned* find(const std::vector<Owned>& owned, std::uint32_t title_index) noexcept;

    std::vector<PerformanceService> services_;
    std::vector<Owned> objects_, ranges_;  // ascending, none overlaps another
};

/// Reads an export (`reg export`, regedit) of `HKLM\SYSTEM\CurrentControlSet\Services`, or of any key above it or of
/// one service. Of several control sets the current one counts, else the first. Adds `service_value` for values that
/// Perflib cannot read, `service_overlap` for services that claim the same titles, and `service_disabled`. Fails with
/// `not_recognised` where it is no export, and with `byte_limit` where it is larger than `Limits` allow.
std::expected<Services, Error> read_services(Bytes input, Diagnostics& diagnostics);

}  // namespace hkpd
