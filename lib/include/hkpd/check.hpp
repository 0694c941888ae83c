// Tools of diagnosis: which rule a fault breaks, whose it is, what repairs it, and what is wrong with title databases.
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

/// The rule that faults of a code break, as a sentence for people; empty where the code is about the reading itself
/// (limits, files that cannot be read), not about what was read. A string literal.
std::string_view rule_of(Errc code) noexcept;

/// The id of the event that Perflib writes to Windows' application log when it finds such a fault in what an extensible
/// counter DLL has returned; none where it does not look for it. Perflib adds up lengths (Microsoft, "Performance
/// Library Availability"): 1003 is about objects, 1004 about instances with their counter blocks.
std::optional<std::uint32_t> perflib_event(const Error& error) noexcept;

class FaultSink;

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
std::expected<Services, Error> read_services(Bytes input, const FaultSink& faults);

namespace v1 {
class Block;
}

/// What Perflib records about its title databases, in the key above those of the languages.
struct PerflibValues {
    /// A value of the registry.
    struct Number {
        std::uint32_t value;
        std::uint64_t offset;  ///< where it stands in the input
    };
    std::optional<Number> last_counter;  ///< `Last Counter`: the highest index of a name
    std::optional<Number> last_help;     ///< `Last Help`: the highest index of a help text
    std::optional<Number> base_index;    ///< `Base Index`: the highest index of the system's own titles
};

/// The values that an export (`reg export`, regedit) of the Perflib key has; none of any other input. Where a value is
/// there more than once the first counts (`WOW6432Node` has copies). Adds `title_registry_value` for one that is no
/// number.
PerflibValues read_perflib_values(Bytes input, const FaultSink& faults);

/// One input with title tables, as `parse_titles` gives them.
struct TitleInput {
    std::span<const TitleTable> tables;
    PerflibValues values{};
    Place place{};  ///< where faults of these tables are
};

/// Checks all title databases of one machine, language by language and against each other. What `parse_titles` tells
/// (`title_index`, `title_index_empty`, `title_unpaired`, `title_repeated`, ...) is not told again. Adds:
///
/// - `title_last_index`: the highest index is not Last Counter or Last Help; an error where titles are missing, a
///   warning where there are too many, or where index 1 does not say Base Index. At the last title.
/// - `title_no_help` (note): names without help, where the language has any; need and have are the first and last
///   index of a run of them. At the first name.
/// - `title_languages` (warning): names that other languages have, need and have as above. At the name before them.
/// - `title_overwritten` (error): the system's own titles in 009 are not the English ones. At the first that is not.
///   A producer with a numbering of its own (Samba) or without the system's titles (Wine) is not meant.
///
/// Takes time in proportion to the titles (and a logarithm).
void check_titles(std::span<const TitleInput> inputs, const FaultSink& faults);

/// Adds `title_unnamed` (warning) for objects and counters of a block that no table names, once for each index and
/// object, where they stand in the block. Bases and index 0 ask for no name. The built-in table is not asked: it would
/// hide what the machine's own has lost.
void check_named(const v1::Block& block, const Titles& titles, const FaultSink& faults);

/// What repairs a machine that has this fault, in a sentence for its administrator; empty for codes that are not about
/// title databases and providers, and where there is nothing to repair.
std::string_view repair_of(Errc code) noexcept;

class Sample;
class Titles;
struct Diagnostic;

/// What is known of the place of a fault besides what `Diagnostic` says.
struct Finding {
    std::string machine;                          ///< of its sample; empty where it belongs to none
    std::string object, instance;                 ///< names, `parent/instance`; empty where nothing tells them
    const PerformanceService* service = nullptr;  ///< who provides the object
};

/// The findings of a run: one for each of `Diagnostics::kept`, in the same order.
class Findings {
  public:
    /// Keeps references. `services` may be null: then nobody is blamed.
    Findings(const Diagnostics& diagnostics, const Services* services) noexcept
        : diagnostics_(diagnostics), services_(services) {}

    /// Names what was found since the last call, in a sample and around it; `number` says how many samples of its input
    /// came before.
    void name(const Sample& sample, std::uint32_t number, const Titles& titles);
    /// Names what was found after the last sample.
    void end_input(const Titles& titles);

    const Diagnostics& diagnostics() const noexcept { return diagnostics_; }
    /// One for each of `Diagnostics::kept` that has been named. Valid until the next call of `name` or `end_input`.
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
