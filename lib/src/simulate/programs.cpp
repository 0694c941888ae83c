#include "simulate/programs.hpp"

#include <iterator>

namespace hkpd::simulation {
namespace {

constexpr std::string_view service_host = "svchost";

/// The programs in the slots (positions in the list of processes) from 0 to `explorer_slot`. Windows starts them in
/// this order.
constexpr Program lasting[] = {{"System", 8},    {"smss", 11},    {"csrss", 13}, {"wininit", 13},   {"csrss", 13},
                               {"winlogon", 13}, {"services", 9}, {"lsass", 9},  {service_host, 8}, {"explorer", 8}};
static_assert(lasting[services_slot].name == "services" && lasting[init_slot].name == "wininit");
static_assert(lasting[explorer_slot].name == "explorer" && std::size(lasting) == explorer_slot + 1);

constexpr Program services[] = {{service_host, 8}, {service_host, 8}, {service_host, 8},    {service_host, 8},
                                {service_host, 8}, {"spoolsv", 8},    {"SearchIndexer", 8}, {"MsMpEng", 8},
                                {"sqlservr", 8},   {"w3wp", 8},       {"WmiPrvSE", 8},      {"dllhost", 8}};
constexpr Program applications[] = {{"dwm", 13},
                                    {"fontdrvhost", 8},
                                    {"sihost", 8},
                                    {"taskhostw", 8},
                                    {"ctfmon", 8},
                                    {"OneDrive", 8},
                                    {"RuntimeBroker", 8},
                                    {"msedge", 8},
                                    {"msedge", 8},
                                    {"msedge", 4},
                                    {"ApplicationFrameHost", 8},
                                    {"OUTLOOK", 8},
                                    {"WINWORD", 8},
                                    {"devenv", 8},
                                    {"java", 8},
                                    {"python", 8}};
constexpr Program short_lived[] = {{"cmd", 8},
                                   {"conhost", 8},
                                   {"powershell", 8},
                                   {"notepad", 8},
                                   {"backgroundTaskHost", 8},
                                   {"git", 8},
                                   {"SearchProtocolHost", 4},
                                   {"cl", 8}};

template <std::size_t Count>
const Program& one_of(const Program (&programs)[Count], std::uint64_t random) noexcept {
    return programs[random % Count];
}

}  // namespace

const Program& program_at(std::uint32_t slot, std::uint64_t random) noexcept {
    if (slot < std::size(lasting)) return lasting[slot];
    if (is_short_lived(slot)) return one_of(short_lived, random);
    return slot % 2 == 0 ? one_of(services, random) : one_of(applications, random);
}

std::uint32_t creator_of(std::uint32_t slot, const Program& program) noexcept {
    if (slot <= session_manager_slot) return system_slot;
    if (slot < services_slot) return session_manager_slot;
    if (slot <= services_slot + 1) return init_slot;
    if (slot == explorer_slot) return session_manager_slot + 4;  // winlogon, which starts explorer through userinit
    const bool is_service = !is_short_lived(slot) && slot % 2 == 0;
    return is_service || program.name == service_host ? services_slot : explorer_slot;
}

}  // namespace hkpd::simulation
