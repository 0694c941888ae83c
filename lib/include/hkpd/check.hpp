// Diagnosis of faults: functions that return the rule that a fault breaks, the service that causes the fault, and its
// repair. This header also declares the functions that check title databases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/names.hpp"

namespace hkpd {

/// Returns the rule that faults with this code break, as a sentence for people. The view points to a string literal.
/// The result is empty for codes that do not mean wrong data, such as the codes of a reached limit or of an unreadable
/// file.
std::string_view rule_of(Errc code) noexcept;

/// Returns the id of the event that Perflib writes to the Windows application log when it finds this fault in the data
/// of an extensible counter DLL; none if Perflib does not check for this fault. Perflib checks whether lengths add up
/// (Microsoft, "Performance Library Availability"). Perflib writes event 1003 if the lengths of objects are wrong, and
/// event 1004 if the lengths of instances and their counter blocks are wrong.
std::optional<std::uint32_t> perflib_event(const Error& error) noexcept;

class FaultSink;

/// The highest title index of the system's own titles (Perflib's `Base Index`). No service registers these titles.
inline constexpr std::uint32_t last_system_title = 1847;

/// The values in a service's `Performance` registry key. Texts are UTF-8. A text is empty if the registry value is
/// missing or is not text.
struct PerformanceService {
    std::string name;                  ///< name of the service, as spelt in the export
    std::string library;               ///< path of the DLL; %SystemRoot% and the like are not expanded
    std::string open, collect, close;  ///< names of the DLL's functions
    /// First and last title index of the names and of the help texts that the service has registered.
    std::optional<std::uint32_t> first_counter, last_counter;
    std::optional<std::uint32_t> first_help, last_help;
    /// Title indices of the objects that the service provides. If empty, Perflib calls the service's DLL for every
    /// query, whichever objects the query requests.
    std::vector<std::uint32_t> object_list;
    bool disabled = false;            ///< `Disable Performance Counters` is not 0: Perflib skips the service
    std::uint32_t disable_value = 0;  ///< the value of `Disable Performance Counters`
    std::uint64_t offset = 0;         ///< offset of the service's key in the input
};

/// The services of one machine. Pointers to these services stay valid as long as the `Services` object exists.
class Services {
  public:
    Services() = default;
    /// Takes the services of one input, in the order in which the input contains them.
    explicit Services(std::vector<PerformanceService> services);

    /// Returns the services in the order in which the input contains them. `read_services` leaves out services that
    /// have no `Performance` key.
    std::span<const PerformanceService> all() const noexcept { return services_; }
    /// Returns the service that owns the title index of an object or a counter. This is the first service that has the
    /// index in its Object List. If there is none, it is the service whose range from First Counter to Last Counter
    /// contains the index. If several ranges contain the index, the service whose range begins first owns the index.
    /// Returns null if no service owns the index; an index up to `last_system_title` then belongs to the system itself.
    const PerformanceService* of(std::uint32_t title_index) const noexcept;

  private:
    /// A range of title indices, and the position in `services_` of the service that owns them.
    struct Owned {
        std::uint32_t first, last, service;
    };
    static const Owned* find(const std::vector<Owned>& owned, std::uint32_t title_index) noexcept;

    std::vector<PerformanceService> services_;
    // `objects_`: the indices in Object Lists. `ranges_`: the ranges from First Counter to Last Counter. Both are in
    // ascending order, without overlaps.
    std::vector<Owned> objects_, ranges_;
};

/// Reads an export (`reg export`, regedit), the output of `reg query /s`, or that of `lodctr /q`, of
/// `HKLM\SYSTEM\CurrentControlSet\Services`, of any key above it, or of one service. If the export contains several
/// control sets, the result has the services of `CurrentControlSet` or, if this key is missing, those of the first
/// control set in the export. Adds the fault `service_value` for each value that Perflib cannot read and for each range
/// of title indices that is incomplete or reversed, `service_overlap` for each service whose range of title indices
/// begins inside the range of another service, and `service_disabled` for each disabled service. Fails with
/// `not_recognised` if the input is not an export, and with `byte_limit` if the input is larger than the default of
/// `Limits::bytes`.
std::expected<Services, Error> read_services(Bytes input, const FaultSink& faults);

namespace v1 {
class Block;
}

/// The highest title indices, as Perflib records them in the registry. The values are in the `Perflib` key, whose
/// subkeys contain the titles of each language.
struct PerflibValues {
    /// A registry value.
    struct Number {
        std::uint32_t value;
        std::uint64_t offset;  ///< offset of the value in the input
    };
    std::optional<Number> last_counter;  ///< `Last Counter`: the highest index of a name
    std::optional<Number> last_help;     ///< `Last Help`: the highest index of a help text
    std::optional<Number> base_index;    ///< `Base Index`: the highest index of the system's own titles
};

/// Reads the values of the Perflib key from an export (`reg export`, regedit). If the input is not an export, the
/// result has no values. An export can contain a value more than once, because `WOW6432Node` has copies of the values.
/// Of several copies, the first that is a number is used. Adds the fault `title_registry_value` for a value that is not
/// a number.
PerflibValues read_perflib_values(Bytes input, const FaultSink& faults);

/// One input with title tables, as `parse_titles` returns them.
struct TitleInput {
    std::span<const TitleTable> tables;
    PerflibValues values{};
    Place place{};            ///< place that is assigned to faults in these tables
    bool is_damaged = false;  ///< whether `parse_titles` has reported that titles are lost (`loses_titles`)
};

/// Returns whether a fault of `parse_titles` with this code means that titles are lost.
bool loses_titles(Errc code) noexcept;

/// Checks all title databases of one machine, each language by itself and the languages against each other. Faults that
/// `parse_titles` reports (`title_index`, `title_index_empty`, `title_unpaired`, `title_repeated`, ...) are not
/// reported again. Adds these faults:
///
/// - `title_last_index`: the highest index of a name differs from Last Counter, or the highest index of a help text
///   differs from Last Help. The fault is an error if the highest index is too low (titles are missing), and a warning
///   if the highest index is too high. The fault is placed at the title with the highest index. The title with index 1
///   is checked too: its text must be the value of Base Index. If the text differs, the fault is a warning, placed at
///   the title with index 1.
/// - `title_missing` (error): the value Last Counter is present but language 009 has no names, or the value Last Help
///   is present but language 009 has no help texts. The fault is placed at the value.
///   Nor is a low highest index reported if the titles are damaged, which was reported already.
/// - `title_base` (error): titles of Windows' own objects and counters are missing, in a language whose highest index,
///   text of index 1, file name or other titles show that it should have them. `expected` and `found` are the first and
///   the last of consecutive missing ones.
/// - `title_count` (error): a language has fewer than half of the names that Last Counter, if it is above that of
///   Windows' own titles, announces.
/// - `title_no_help` (note): consecutive names of a language have no help texts, although the language has help texts.
///   `expected` and `found` are the first and the last index of these names. The fault is placed at the first of these
///   names.
/// - `title_languages` (warning): a language has no titles for consecutive indices for which another language has
///   titles. `expected` and `found` are the first and the last of these indices. The fault is placed in the language
///   without these titles, at the last title before them; if no title precedes them, at the first title of the
///   language. Names and help texts are checked separately. A language without any help texts is not checked for
///   missing help texts. A language without any names is not checked for missing names. With the field `text`: the
///   titles of a language from `expected` to `found` are known to be those of other English titles than language 009
///   has.
/// - `title_overwritten` (error): more than one in twenty of the system's own names in language 009 differ from the
///   English names of Windows. The fault is placed at the first name that differs. Names are compared only if language
///   009 has at least half of the indices of the system's own names. Therefore this fault is not reported for producers
///   that number titles differently from Windows (Samba) or do not have the system's titles (Wine).
/// - `title_differs` (warning): the name with index `found` in language 009 differs from the English name of Windows.
///   The fault is placed at this name. It is reported for each name that differs, if at most one in twenty differs. If
///   more names differ, `title_overwritten` is reported instead.
///
/// Takes O(n log n) time for n titles.
void check_titles(std::span<const TitleInput> inputs, const FaultSink& faults);

/// Adds the fault `title_unnamed` (warning) for each title index that `block` uses for an object or a counter, but for
/// which `titles` has no title. Two kinds of indices are not checked: index 0, because it stands for a missing title,
/// and the indices of bases (counters by which other counters are divided), because many bases have no title. The fault
/// is placed at the field with the index. An index that occurs more than once in an object is reported once for this
/// object. The built-in table of Windows' English titles is not used, because it would hide that the machine has lost a
/// title.
void check_named(const v1::Block& block, const Titles& titles, const FaultSink& faults);

/// Adds the fault `title_no_object` (warning) for each expected object that no sample of `machine` contains. `objects`
/// holds the title indices of the objects in all samples of `machine`. Windows' own objects are expected. Unless
/// `services` is null, the objects of all services that are not disabled are expected too. The registry value `Object
/// List` of a service has the title indices of the service's objects. A service without this value is expected to
/// provide one object, whose title index is the registry value `First Counter`. An object without a title in `titles`
/// is not expected; the built-in table of Windows' English titles is not used. Possible causes of the fault: the query
/// did not request the object, or the provider of the object failed.
void check_missing(const std::set<std::uint32_t>& objects, std::string_view machine, const Titles& titles,
                   const Services* services, const FaultSink& faults);

/// Returns how to repair a machine that has a fault with this code, as text for the machine's administrator. The text
/// is empty for codes that need no repair, and for codes that are not about title databases or providers.
std::string_view repair_of(Errc code) noexcept;
/// Returns how to repair a machine that has this fault. For `title_unnamed`, the repair depends on the title index:
/// Windows' own titles are rebuilt, whereas the titles of a provider are registered again.
std::string_view repair_of(const Error& error);

/// Returns Windows' English title for the title index in a fault `title_unnamed` or `title_differs`. Returns none if
/// the fault has another code, or if the index is not among Windows' own titles.
std::optional<std::string_view> english_title(const Error& error);

class Sample;
class Titles;
struct Diagnostic;

/// The names of the machine, object and instance in which a fault was found, and the service that provides the object.
/// The `Diagnostic` of the fault identifies these only by numbers.
struct Finding {
    /// Name of the machine whose sample has the fault. Empty if the fault is in no sample or the machine is unknown.
    std::string machine;
    /// `object`: name of the object that has the fault. `instance`: name of the instance that has the fault, preceded
    /// by the names of its ancestors (`parent/instance`). A name is empty if it is unknown.
    std::string object, instance;
    const PerformanceService* service = nullptr;  ///< service that provides the object; null if unknown
    std::string hidden;  ///< for `service_disabled`: the objects that no sample has, or their title indices
};

/// The findings for all inputs of a run: one for each diagnostic in `Diagnostics::kept`, in the same order.
class Findings {
  public:
    /// Keeps references to `diagnostics` and `services`. If `services` is null, findings have no service.
    Findings(const Diagnostics& diagnostics, const Services* services) noexcept
        : diagnostics_(diagnostics), services_(services) {}

    /// Adds a finding for each diagnostic that `Diagnostics` has kept since the last call of `name` or `end_input`. If
    /// the fault is in `sample`, the finding takes the names of machine, object and instance from `sample`. Otherwise,
    /// it takes the name of the object from `titles`, and has no names of machine and instance. `number` is the number
    /// of samples before `sample` in the same input.
    void name(const Sample& sample, std::uint32_t number, const Titles& titles);
    /// Adds a finding for each diagnostic that `Diagnostics` has kept since the last call of `name` or `end_input`.
    /// Must be called after the last sample of each input. The added findings take the names of objects from `titles`,
    /// and have no names of machines and instances.
    void end_input(const Titles& titles);

    const Diagnostics& diagnostics() const noexcept { return diagnostics_; }
    /// Returns the findings that `name` and `end_input` have added so far. Valid until the next call of `name` or
    /// `end_input`.
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
