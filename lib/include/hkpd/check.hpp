// Diagnosis: the rule that a fault breaks, the service responsible, the repair, and checks of title databases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/names.hpp"

namespace hkpd {

/// Returns the rule that faults with this code break, as a sentence for people: a string literal. Empty for codes about
/// the reading itself (limits, unreadable files) rather than the data read.
std::string_view rule_of(Errc code) noexcept;

/// Returns the id of the event that Perflib writes to the Windows application log when it finds this fault in the data
/// of an extensible counter DLL; none if Perflib does not check for it. Perflib adds up lengths (Microsoft,
/// "Performance Library Availability"): event 1003 is about objects, 1004 about instances with their counter blocks.
std::optional<std::uint32_t> perflib_event(const Error& error) noexcept;

class FaultSink;

/// The highest title index of the system's own titles (Perflib's `Base Index`); they belong to no service.
inline constexpr std::uint32_t last_system_title = 1847;

/// The values in a service's `Performance` key. Texts are UTF-8 and empty if the value is missing or is not text.
struct PerformanceService {
    std::string name;                                          ///< name of the service, as spelt in the export
    std::string library;                                       ///< path of the DLL; %SystemRoot% and the like are kept
    std::string open, collect, close;                          ///< names of the DLL's functions
    std::optional<std::uint32_t> first_counter, last_counter;  ///< range of its name indices, both ends included
    std::optional<std::uint32_t> first_help, last_help;
    std::vector<std::uint32_t> object_list;  ///< title indices of its objects; empty: it is called for every object
    bool disabled = false;                   ///< `Disable Performance Counters` is not 0: Perflib does not call it
    std::uint64_t offset = 0;                ///< offset of its key in the input
};

/// The services of one machine. Pointers to them stay valid as long as this object exists.
class Services {
  public:
    Services() = default;
    /// Takes the services in the order of their source.
    explicit Services(std::vector<PerformanceService> services);

    /// Returns the services in the order of their source, without those that have no `Performance` key.
    std::span<const PerformanceService> all() const noexcept { return services_; }
    /// Returns the service that owns the title index of an object or a counter: the first one with the index in its
    /// Object List, or else the one whose range from First Counter to Last Counter contains it (if two ranges do, the
    /// one that begins first), or else null. If null, an index up to `last_system_title` is the system's own.
    const PerformanceService* of(std::uint32_t title_index) const noexcept;

  private:
    struct Owned {
        std::uint32_t first, last, service;  // position in services_
    };
    static const Owned* find(const std::vector<Owned>& owned, std::uint32_t title_index) noexcept;

    std::vector<PerformanceService> services_;
    std::vector<Owned> objects_, ranges_;  // ascending, none overlaps another
};

/// Reads an export (`reg export`, regedit) of `HKLM\SYSTEM\CurrentControlSet\Services`, of any key above it, or of one
/// service. If it holds several control sets, the current one is used, or else the first. Adds `service_value` for
/// values that Perflib cannot read, `service_overlap` for services that claim the same titles, and `service_disabled`.
/// Fails with `not_recognised` if the input is not an export, and with `byte_limit` if it is larger than `Limits`
/// allow.
std::expected<Services, Error> read_services(Bytes input, const FaultSink& faults);

namespace v1 {
class Block;
}

/// Perflib's own record of its title databases: values of the parent key of the language keys.
struct PerflibValues {
    /// A registry value.
    struct Number {
        std::uint32_t value;
        std::uint64_t offset;  ///< its offset in the input
    };
    std::optional<Number> last_counter;  ///< `Last Counter`: the highest index of a name
    std::optional<Number> last_help;     ///< `Last Help`: the highest index of a help text
    std::optional<Number> base_index;    ///< `Base Index`: the highest index of the system's own titles
};

/// Reads the values of the Perflib key from an export (`reg export`, regedit); any other input has none. If a value
/// appears more than once, the first one is used (`WOW6432Node` holds copies). Adds `title_registry_value` for a value
/// that is not a number.
PerflibValues read_perflib_values(Bytes input, const FaultSink& faults);

/// One input with title tables, as `parse_titles` returns them.
struct TitleInput {
    std::span<const TitleTable> tables;
    PerflibValues values{};
    Place place{};  ///< place to which faults in these tables are attributed
};

/// Checks all title databases of one machine, each language by itself and the languages against each other. Faults that
/// `parse_titles` reports (`title_index`, `title_index_empty`, `title_unpaired`, `title_repeated`, ...) are not
/// reported again. Adds:
///
/// - `title_last_index`: the highest index is not Last Counter or Last Help. An error if titles are missing; a warning
///   if there are too many, or if the text of index 1 differs from Base Index. Placed at the last title.
/// - `title_no_help` (note): names without a help text, in a language that has any. `need` and `have` are the first and
///   last index of a run of such names. Placed at the first name.
/// - `title_languages` (warning): names that other languages have and this one does not. `need` and `have` are the
///   first and last index of a run of such names. Placed at the name before them.
/// - `title_overwritten` (error): the system's own titles in 009 are not the English ones. Placed at the first that
///   differs. Not reported for producers with a numbering of their own (Samba) or without the system's titles (Wine).
///
/// Takes O(n log n) time for n titles.
void check_titles(std::span<const TitleInput> inputs, const FaultSink& faults);

/// Adds `title_unnamed` (warning) for each object or counter of a block that no table names, once for each index and
/// object, at its place in the block. Bases and index 0 need no name. The built-in table is not consulted, because it
/// would hide titles that the machine itself has lost.
void check_named(const v1::Block& block, const Titles& titles, const FaultSink& faults);

/// Returns the repair for a machine that has this fault, as a sentence for its administrator. Empty for codes that are
/// not about title databases or providers, and for those that need no repair.
std::string_view repair_of(Errc code) noexcept;

class Sample;
class Titles;
struct Diagnostic;

/// The context of a fault, in addition to its `Diagnostic`.
struct Finding {
    std::string machine;                          ///< machine of its sample; empty if it belongs to no sample
    std::string object, instance;                 ///< names, `parent/instance`; empty if unknown
    const PerformanceService* service = nullptr;  ///< service that provides the object; null if unknown
};

/// The findings of a run: one for each of `Diagnostics::kept`, in the same order.
class Findings {
  public:
    /// Keeps references to both. `services` may be null: then findings have no service.
    Findings(const Diagnostics& diagnostics, const Services* services) noexcept
        : diagnostics_(diagnostics), services_(services) {}

    /// Adds the context of the faults found since the last call, in a sample and around it. `number` is the number of
    /// samples that preceded it in its input.
    void name(const Sample& sample, std::uint32_t number, const Titles& titles);
    /// Adds the context of the faults found after the last sample.
    void end_input(const Titles& titles);

    const Diagnostics& diagnostics() const noexcept { return diagnostics_; }
    /// Returns a finding for each of `Diagnostics::kept` so far. Valid until the next call of `name` or `end_input`.
    std::span<const Finding> all() const noexcept { return findings_; }

  private:
    void name_objects(const Titles& titles);
    const PerformanceService* service_at(std::uint64_t offset) const;
    static void name_instance(const Diagnostic& diagnostic, const Sample& sample, Finding& finding);

    const Diagnostics& diagnostics_;
    const Services* services_;
    std::vector<Finding> findings_;
};

}  // namespace hkpd
