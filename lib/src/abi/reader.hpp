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

/// Returns the members of a struct that the caller has filled; members beyond its size are zero. Returns none if the
/// size of the struct is not plausible, because the caller has not set it.
template <class Struct>
std::optional<Struct> take(const Struct* given) noexcept {
    constexpr std::size_t longest = 4096;
    if (given == nullptr || given->struct_size < sizeof(std::size_t) || given->struct_size > longest)
        return std::nullopt;
    Struct taken{};
    std::memcpy(&taken, given, std::min(given->struct_size, sizeof(Struct)));
    return taken;
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
    bool streaming = false;  // an Arrow stream uses the reader

    std::string message;  // of the fault that was returned last

    /// Reads the next sample.
    bool next() { return has_sample = reader->next(); }
    /// Returns the object at a position of the current sample; null if there is none.
    const hkpd::Object* object(std::size_t position) const noexcept {
        if (!has_sample || position >= reader->sample().objects().size()) return nullptr;
        return &reader->sample().objects()[position];
    }
};
