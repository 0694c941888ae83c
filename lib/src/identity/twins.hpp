// Objects of newer Windows with the counters of an older one, and instances whose names state their process.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hkpd {

/// The forms of the names of an object's instances.
enum class NameForm : std::uint8_t {
    plain,    ///< without a part that means anything here
    with_id,  ///< `name:580`, as in Process V2
    node,     ///< `0,3`: processor 3 of node 0, as in Processor Information
    gpu,      ///< `pid_580_luid_…`, as in GPU Engine
    clr,      ///< `name_p580_r5`, as in .NET CLR Memory
};

/// Returns the form of the names of the object with this English name.
NameForm name_form(std::string_view object);

/// Returns the English name of the object that an object can replace, because it has the same counters: `Process` for
/// `Process V2`; empty if there is none.
std::string_view original_of(std::string_view object);
/// Returns whether another object can replace the object with this English name.
bool has_twin(std::string_view object);

/// The parts of an instance's name.
struct NameParts {
    std::string_view name;             ///< without the process id: that of the instance in the original object
    std::optional<std::uint32_t> pid;  ///< none if the name states none
};
NameParts split_name(NameForm form, std::string_view name);
/// Returns the name of a process without its id, if it ends with that id: `svchost` of `svchost_580`, as Process and
/// Thread name it where ProcessNameFormat and ThreadNameFormat are 2 (registry, Services\PerfProc\Performance; source:
/// "Handling duplicate instance names", learn.microsoft.com).
std::string_view without_pid(std::string_view name, std::optional<std::uint32_t> pid);
/// Returns the name that an instance has in the original object, or would have; none for the total of a part, such as
/// `0,_Total`. Processors of other nodes than the first keep theirs.
std::optional<std::string_view> original_name(NameForm form, std::string_view name);

}  // namespace hkpd
