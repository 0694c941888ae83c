// The reader that a handle of the C interface refers to, and helpers of its functions: structs of any size, and
// exceptions that become statuses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd.h"
#include "hkpd/diagnostics.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"

namespace hkpd::abi {

/// A source of the records that the program feeds. It keeps the texts of a record; the program keeps its bytes.
class FedRecords final : public Source {
  public:
    void add(const hkpd_record& record);
    std::optional<Record> next(Diagnostics& diagnostics) override;

  private:
    struct Waiting {
        Record record;
        std::string machine, language;
    };
    std::deque<Waiting> waiting_;  // a deque, because the first element stays where it is when others are added
    Waiting current_;
    bool named_ = false;
};

/// Sets a pointer and a size to a text; NULL and 0 if there is none.
inline void set(const char*& data, std::size_t& size, const std::optional<std::string_view>& text) noexcept {
    data = !text ? nullptr : text->empty() ? "" : text->data();
    size = text ? text->size() : 0;
}

/// Size of a struct in the first version of the library that had it; no program has a smaller one. A struct that has
/// grown since then has a row of its own.
template <class Struct>
inline constexpr std::size_t first_size = sizeof(Struct);
template <>
inline constexpr std::size_t first_size<hkpd_instance> = offsetof(hkpd_instance, pid);
template <>
inline constexpr std::size_t first_size<hkpd_process> = offsetof(hkpd_process, processor_seconds);
template <>
inline constexpr std::size_t first_size<hkpd_options> = offsetof(hkpd_options, log_zones);
template <>
inline constexpr std::size_t first_size<hkpd_sample> = offsetof(hkpd_sample, local_time);

/// Returns the members of a struct that the caller has filled; members beyond its size are zero. Returns none if no
/// version of the struct has this size, because the caller has not set it.
template <class Struct>
std::optional<Struct> take(const Struct* given) noexcept {
    constexpr std::size_t longest = 4096;
    if (given == nullptr || given->struct_size < first_size<Struct> || given->struct_size > longest)
        return std::nullopt;
    Struct taken{};
    std::memcpy(&taken, given, std::min(given->struct_size, sizeof(Struct)));
    return taken;
}
/// Does the same for a struct that the caller may leave out: all members are zero then.
template <class Struct>
std::optional<Struct> take_or_zero(const Struct* given) noexcept {
    return given == nullptr ? std::optional<Struct>(Struct{}) : take(given);
}

/// Fills a struct of the caller, which may be smaller or larger than the library's. Returns false if its size is not
/// plausible.
template <class Struct>
bool fill(Struct* filled, Struct value) noexcept {
    const auto before = take(filled);
    if (!before) return false;
    const std::size_t size = value.struct_size = before->struct_size;
    std::memcpy(filled, &value, std::min(size, sizeof(Struct)));
    if (size > sizeof(Struct))
        std::memset(std::next(reinterpret_cast<char*>(filled), sizeof(Struct)), 0, size - sizeof(Struct));
    return true;
}

/// Calls `function` and returns its status. Exceptions become statuses.
template <class Function>
hkpd_status guarded(Function function) noexcept {
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return HKPD_ERROR_MEMORY;
    } catch (const std::exception&) {
        return HKPD_ERROR_INTERNAL;
    }
}

/// Fills `count` elements of an array of the caller, whose first element states the size of each. `make` returns the
/// struct for a position.
template <class Struct, class Make>
hkpd_status fill_all(Struct* filled, std::size_t first, std::size_t count, const Make& make) {
    if (count == 0) return HKPD_OK;
    const auto front = take(filled);
    if (!front) return HKPD_ERROR_ARGUMENT;
    std::span elements(reinterpret_cast<char*>(filled), count * front->struct_size);
    for (std::size_t position = first; position < first + count; ++position) {
        const Struct made = make(position);
        std::memcpy(elements.data(), &front->struct_size, sizeof front->struct_size);
        fill(reinterpret_cast<Struct*>(elements.data()), made);
        elements = elements.subspan(front->struct_size);
    }
    return HKPD_OK;
}

/// Returns the status of a call that fills a struct.
inline hkpd_status filled_or_argument(bool filled) noexcept { return filled ? HKPD_OK : HKPD_ERROR_ARGUMENT; }

}  // namespace hkpd::abi

/// The type that a handle of the C interface points to.
struct hkpd_reader {
    hkpd::Diagnostics faults;
    std::unique_ptr<hkpd::Reader> reader;
    hkpd::abi::FedRecords* fed = nullptr;  // the source of `reader`, if the program feeds it
    std::optional<hkpd::Filter> filter;    // selects the rows of Arrow tables
    std::uint64_t batch_rows = 0;
    bool has_sample = false;
    bool streaming = false;         // an Arrow stream uses the reader
    hkpd_status failure = HKPD_OK;  // the status of an exception, after which nothing can be read

    std::string message;  // of the fault that was returned last

    /// Reads the next sample.
    bool next() { return has_sample = reader->next(); }
    /// Returns the status of a call that needs a sample when there is none.
    hkpd_status without_sample() const noexcept { return failure != HKPD_OK ? failure : HKPD_ERROR_STATE; }
    /// Returns the object at a position of the current sample; null if there is none.
    const hkpd::Object* object(std::size_t position) const noexcept {
        if (!has_sample || position >= reader->sample().objects().size()) return nullptr;
        return &reader->sample().objects()[position];
    }
};

namespace hkpd::abi {

/// The message of a call whose options have no plausible size.
inline constexpr std::string_view options_too_small = "hkpd_options::struct_size is not set, or too small";

/// Calls a function that reads with a reader, and returns its status. After an exception, the state of the reader is
/// undefined: it has no sample, and all further calls return the same status.
template <class Function>
hkpd_status guarded(hkpd_reader& reader, Function function) noexcept {
    if (reader.failure != HKPD_OK) return reader.failure;
    const hkpd_status status = guarded(std::move(function));
    if (status == HKPD_ERROR_MEMORY || status == HKPD_ERROR_INTERNAL) {
        reader.failure = status;
        reader.has_sample = false;
    }
    return status;
}

/// Fills `error`, if the caller has passed one, and returns its status. An empty message stands for that of the status.
hkpd_status fail(hkpd_error* error, hkpd_status status, std::string_view message = {}, int system = 0) noexcept;

/// Returns the languages of a list such as `007,00c`; none for NULL.
std::vector<std::string> languages_of(const char* list);
/// Adds the zones of `hkpd_options::log_zones`, and sets the encoding that `hkpd_options::encoding` names. Returns the
/// message for one that is unknown; empty on success.
std::string take_text_options(const hkpd_options& options, LogZones& zones, TextEncoding& encoding);

/// The way in which an answer opens a reader.
struct Opening {
    bool one_source = false;        ///< as in `ReaderOptions`
    Diagnostics* faults = nullptr;  ///< receives the faults; null: the reader's own list
};

/// Opens files as `hkpd_open` does.
hkpd_status open_paths(std::span<const char* const> paths, const hkpd_options* options, const Opening& how,
                       hkpd_reader** reader, hkpd_error* error) noexcept;

}  // namespace hkpd::abi
